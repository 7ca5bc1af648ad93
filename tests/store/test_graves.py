"""What was erased stays erased: in files that are merged, in backups that are put in place; copies that hold it are named."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import edgemem
from edgemem import Turn
from edgemem.errors import WrongPassphrase
from edgemem.store.merge import Merged
from tests.helpers import Fact, RuleModel, SetClock, opened, plain_connection, said

WORD = "xylophone"


def merge(into: Path, other: Path, clock: SetClock) -> Merged:
    with opened(into, words_only=True, clock=clock) as file:
        done = file.merge(other)
        assert file.check() == []
    assert done.refused == []
    return done


def texts(path: Path, user: str = "me") -> set[str]:
    """All that a person would read: memories in whatever state, turns, fields of tasks, entities."""
    with opened(path, words_only=True, read_only=True) as file:
        mem = file.user(user)
        return (
            {m.content for m in mem.list(limit=0, status="any")}
            | {t.content for s in mem.sessions(limit=0) for t in mem.turns(s.id)}
            | {f"{f.task}.{f.field}={f.value}" for f in mem.state_fields()}
            | {e.name for e in mem.graph.entities(limit=0)}
        )


@pytest.fixture
def two(tmp_path: Path, clock: SetClock) -> tuple[Path, Path]:
    """A laptop and a desktop that were one file once, with the word in a message, a memory of it, a task and a person's name."""
    laptop, desktop = tmp_path / "laptop.edgemem", tmp_path / "desktop.edgemem"
    model = RuleModel(Fact(f"I play the {WORD}", f"The user plays the {WORD}."))
    with opened(laptop, model, clock=clock) as file:
        mem = file.user("me")
        mem.learn(said("Good morning", f"I play the {WORD}", session="band"))
        mem.add("I keep bees")
        mem.set_state("gig", "instrument", WORD)
        mem.graph.add(f"{WORD} Mary", kind="person")
        file.user("bob").add(f"bob sells {WORD}s")
    clock.forward(days=1)
    shutil.copy(laptop, desktop)
    return laptop, desktop


@pytest.mark.parametrize("aim", ["session", "search"])
def test_a_turn_erased_on_one_side_does_not_come_back_from_the_other(
    two: tuple[Path, Path], clock: SetClock, aim: str
) -> None:
    laptop, desktop = two
    with opened(laptop, words_only=True, clock=clock) as file:
        file.user("me").erase(session="band" if aim == "session" else None, search=WORD if aim == "search" else None)
    before = texts(laptop)
    clock.forward(days=1)
    done = merge(laptop, desktop, clock)
    assert texts(laptop) == before, "nothing of it came in"
    assert done.kept_out > 0
    assert merge(desktop, laptop, clock).erased > 0
    assert f"I play the {WORD}" not in texts(desktop)
    merge(laptop, desktop, clock)  # brings what the desktop noted of its erasure
    assert not merge(laptop, desktop, clock).anything
    if aim == "search":
        assert not any(WORD in text for text in texts(desktop))


def test_a_third_copy_learns_of_it_from_the_second(two: tuple[Path, Path], tmp_path: Path, clock: SetClock) -> None:
    laptop, desktop = two
    third = tmp_path / "third.edgemem"
    shutil.copy(laptop, third)
    with opened(laptop, words_only=True, clock=clock) as file:
        file.user("me").erase(session="band")
        file.user("bob").erase(everything=True)
    merge(desktop, laptop, clock)
    merge(third, desktop, clock)
    assert f"I play the {WORD}" not in texts(third)
    assert texts(third, "bob") == set()


def test_what_was_said_after_the_erasure_is_something_else(two: tuple[Path, Path], clock: SetClock) -> None:
    laptop, desktop = two
    with opened(laptop, words_only=True, clock=clock) as file:
        file.user("me").erase(search=WORD)
    clock.forward(days=1)
    with opened(desktop, words_only=True, clock=clock) as file:
        mem = file.user("me")
        mem.log([Turn("user", "a new day", session="band", id="later")])
        mem.set_state("gig", "instrument", "drum")
        mem.add("learned later")
    merge(laptop, desktop, clock)
    assert {"a new day", "gig.instrument=drum", "learned later", "Good morning", "I keep bees"} <= texts(laptop)
    assert not any(WORD in text for text in texts(laptop))


def test_what_the_other_side_learned_meanwhile_from_an_erased_message_goes_with_it(
    tmp_path: Path, clock: SetClock
) -> None:
    laptop, desktop = tmp_path / "a", tmp_path / "b"
    with opened(laptop, words_only=True, clock=clock) as file:
        file.user("me").log(said(f"I play the {WORD}", session="band"))
    shutil.copy(laptop, desktop)
    with opened(laptop, words_only=True, clock=clock) as file:
        turn = file.user("me").turns("band")[0].id
        file.user("me").erase(session="band")
    with opened(desktop, RuleModel(Fact(f"I play the {WORD}", f"The user plays the {WORD}.")), clock=clock) as file:
        db = plain_connection(desktop)
        db.execute("UPDATE turn SET extracted = 0")
        db.close()
        file.user("me").learn([Turn("user", f"I play the {WORD}", session="band", id=turn)])
    merge(laptop, desktop, clock)
    assert texts(laptop) == set()
    merge(desktop, laptop, clock)
    assert texts(desktop) == set()


def test_a_person_erased_on_one_side_is_gone_on_both(two: tuple[Path, Path], clock: SetClock) -> None:
    laptop, desktop = two
    with opened(laptop, words_only=True, clock=clock) as file:
        file.user("bob").erase(everything=True)
    assert b"bob" not in laptop.read_bytes()
    done = merge(laptop, desktop, clock)
    assert done.kept_out > 0
    with opened(laptop, words_only=True) as file:
        assert file.users() == ["me"]
    merge(desktop, laptop, clock)
    with opened(desktop, words_only=True) as file:
        assert file.users() == ["me"]
    assert f"{WORD}s".encode() not in desktop.read_bytes()
    assert not merge(laptop, desktop, clock).anything


def test_a_person_who_begins_anew_is_not_erased_again(two: tuple[Path, Path], clock: SetClock) -> None:
    laptop, desktop = two
    with opened(laptop, words_only=True, clock=clock) as file:
        file.user("bob").erase(everything=True)
        clock.forward(days=1)
        file.user("bob").add("bob paints boats")
    clock.forward(days=1)
    with opened(desktop, words_only=True, clock=clock) as file:
        file.user("bob").add("bob has moved")
    merge(laptop, desktop, clock)
    assert texts(laptop, "bob") == {"bob paints boats", "bob has moved"}
    merge(desktop, laptop, clock)
    assert texts(desktop, "bob") == {"bob paints boats", "bob has moved"}


@pytest.mark.parametrize("aim", ["memory", "session", "search", "everything"])
def test_a_restored_backup_does_not_bring_back_what_was_erased_since(
    store_path: Path, clock: SetClock, aim: str
) -> None:
    model = RuleModel(Fact(f"I play the {WORD}", f"The user plays the {WORD}."))
    with opened(store_path, model, clock=clock) as file:
        mem = file.user("me")
        uid = mem.learn(said("Good morning", f"I play the {WORD}", session="band")).memories[0].id
        mem.add("I keep bees")
        made = file.backup().path
        clock.forward(days=1)
        aims: dict[str, dict[str, object]] = {
            "memory": {"memory": uid}, "session": {"session": "band"}, "search": {"search": WORD}, "everything": {"everything": True},
        }  # fmt: skip
        mem.erase(**aims[aim])  # type: ignore[arg-type]
        assert file.copies_with_erased().holding == (made,)
    before = {"I keep bees", "Good morning"} if aim in {"memory", "search"} else {"I keep bees"}
    done = edgemem.restore(made, store_path, clock=clock)
    assert done.erased > 0
    assert done.unread == ""
    assert texts(store_path) == (set() if aim == "everything" else before)
    assert WORD.encode() not in store_path.read_bytes()
    assert done.kept is not None
    again = edgemem.restore(made, store_path, clock=clock)
    assert again.erased > 0, "the restored file knows it too"
    with opened(store_path, words_only=True) as file:
        assert file.check() == []
    assert edgemem.restore(made, store_path, clock=clock, revive=True).erased == 0
    assert f"I play the {WORD}" in texts(store_path)


def test_the_backup_of_another_file_is_restored_whole(tmp_path: Path, clock: SetClock) -> None:
    """An erased person's name says nothing about another file's person of that name."""
    with opened(tmp_path / "mine", words_only=True, clock=clock) as file:
        file.user("me").add("mine")
        file.user("me").erase(everything=True)
    clock.moment = clock.moment.replace(year=clock.moment.year - 1)
    with opened(tmp_path / "other", words_only=True, clock=clock) as file:
        file.user("me").add("somebody else's")
    edgemem.restore(tmp_path / "other", tmp_path / "mine")
    assert texts(tmp_path / "mine") == {"somebody else's"}


def test_a_file_that_cannot_be_asked_is_said(store_path: Path, tmp_path: Path) -> None:
    with opened(store_path, words_only=True) as file:
        uid = file.user("me").add(f"about a {WORD}")
        made = file.backup(tmp_path / "copy").path
        file.user("me").erase(uid)
    store_path.write_bytes(b"\xff" * 5000)
    done = edgemem.restore(made, store_path)
    assert done.unread
    assert texts(store_path) == {f"about a {WORD}"}


def test_a_backup_of_an_older_passphrase(store_path: Path, tmp_path: Path) -> None:
    with opened(store_path, words_only=True, passphrase="first") as file:
        uid = file.user("me").add(f"about a {WORD}")
        file.user("me").add("about otters")
        made = file.backup(tmp_path / "copy").path
    edgemem.change_passphrase(store_path, "first", "second")
    with opened(store_path, words_only=True, passphrase="second") as file:
        file.user("me").erase(uid)
        with file.backup().path.open("rb") as newer:
            assert newer.read(4) == b"edm1"
        assert file.copies_with_erased().holding == ()
    with pytest.raises(WrongPassphrase, match="another passphrase"):
        edgemem.restore(made, store_path, passphrase="second")
    done = edgemem.restore(made, store_path, passphrase="second", backup_passphrase="first")
    assert done.erased > 0
    assert done.unread == ""
    with opened(store_path, words_only=True, passphrase="first") as file:
        assert [m.content for m in file.user("me").list()] == ["about otters"]


def test_copies_of_an_older_passphrase_are_named_as_closed(store_path: Path) -> None:
    with opened(store_path, words_only=True, passphrase="first") as file:
        uid = file.user("me").add(f"about a {WORD}")
        made = file.backup().path
    edgemem.change_passphrase(store_path, "first", "second")
    with opened(store_path, words_only=True, passphrase="second") as file:
        file.user("me").erase(uid)
        copies = file.copies_with_erased()
    assert (copies.holding, copies.closed) == ((), (made,))


@settings(max_examples=12, deadline=None)
@given(data=st.data())
def test_no_order_of_erasing_saying_and_merging_brings_anything_back(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Two files, messages said on either side, any of them erased on either side: once all is merged, what was
    erased anywhere is nowhere, and nothing else is missing."""
    folder, clock = tmp_path_factory.mktemp("two"), SetClock()
    paths = (folder / "a", folder / "b")
    for path in paths:
        opened(path, words_only=True, clock=clock).close()
    here: dict[str, Path] = {}
    erased: set[str] = set()
    for n in range(data.draw(st.integers(3, 8))):
        clock.forward(minutes=1)
        path = data.draw(st.sampled_from(paths))
        with opened(path, words_only=True, clock=clock) as file:
            mem = file.user("me")
            there = [s.id for s in mem.sessions(limit=0)]
            act = data.draw(st.sampled_from(["say", "say", "erase", "merge"]))
            if act == "erase" and there:
                gone = data.draw(st.sampled_from(there))
                mem.erase(session=gone)
                erased.add(gone)
            elif act == "merge":
                file.merge(paths[path == paths[0]])
            else:
                mem.log(said(f"words {n}", session=f"s{n}"))
                here[f"s{n}"] = path
    for into, other in (paths, paths[::-1], paths):
        with opened(into, words_only=True, clock=clock) as file:
            assert file.merge(other).refused == []
            assert file.check() == []
    for path in paths:
        with opened(path, words_only=True) as file:
            assert {s.id for s in file.user("me").sessions(limit=0)} == set(here) - erased
