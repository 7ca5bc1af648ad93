"""Two files of the same people become one: nothing of either is lost, nothing erased comes back."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edgemem.errors import Conflict, InvalidInput, NotFound, StoreError
from edgemem.store.merge import Merged
from edgemem.testing import WordsEmbedder
from tests.helpers import SetClock, opened, said


def merge(into: Path, other: Path, clock: SetClock | None = None) -> Merged:
    with opened(into, words_only=True, clock=clock) as file:
        done = file.merge(other)
        assert file.check() == []
    assert done.refused == []
    return done


def known(path: Path) -> dict[str, Any]:
    """What a person can read, by ids that are the same in every file."""
    with opened(path, words_only=True) as file:
        mem = file.user("me")
        return {
            "memories": {
                m.id: (m.content, m.status, m.superseded_by, m.pinned) for m in mem.list(limit=0, status="any")
            },
            "turns": {(t.session, t.id): t.content for s in mem.sessions(limit=0) for t in mem.turns(s.id)},
            "state": {(f.task, f.field): f.value for f in mem.state_fields()},
            "changes": {c.id: (c.memory, c.action) for c in mem.history(limit=0)},
        }


@pytest.fixture
def two(tmp_path: Path) -> tuple[Path, Path]:
    """A laptop and a desktop that were one file once."""
    laptop, desktop = tmp_path / "laptop.edgemem", tmp_path / "desktop.edgemem"
    with opened(laptop, words_only=True) as file:
        mem = file.user("me")
        for n in range(4):
            mem.add(f"fact {n}")
        mem.log(said("hello there", session="old"))
        mem.set_state("task", "step", 1)
    shutil.copy(laptop, desktop)
    return laptop, desktop


def uid_of(path: Path, content: str) -> str:
    with opened(path, words_only=True) as file:
        return next(m.id for m in file.user("me").list(limit=0, status="any") if m.content == content)


def test_what_each_side_added_and_changed_is_there(two: tuple[Path, Path]) -> None:
    laptop, desktop = two
    with opened(laptop, words_only=True) as file:
        mem = file.user("me")
        mem.add("from the laptop")
        mem.edit(uid_of(desktop, "fact 0"), "fact 0, on the laptop")
        mem.log(said("on the laptop", session="l"))
    with opened(desktop, words_only=True) as file:
        mem = file.user("me")
        mem.add("from the desktop")
        mem.forget(uid_of(laptop, "fact 1"))
        mem.pin(uid_of(laptop, "fact 2"))
        mem.log(said("on the desktop", session="d"))
        file.user("guest").add("a guest's fact")
    done = merge(laptop, desktop)
    assert done.disagreements == []
    assert done.added["memory"] == 2
    after = known(laptop)
    by_words = {content: (status, pinned) for content, status, _, pinned in after["memories"].values()}
    assert by_words == {
        "fact 0, on the laptop": ("live", False), "fact 1": ("forgotten", False), "fact 2": ("live", True),
        "fact 3": ("live", False), "from the laptop": ("live", False), "from the desktop": ("live", False),
    }  # fmt: skip
    assert set(after["turns"].values()) == {"hello there", "on the laptop", "on the desktop"}
    with opened(laptop, words_only=True) as file:
        assert [h.content for h in file.user("me").recall("from the desktop", arms=["text"]).hits][:1] == [
            "from the desktop"
        ]
        assert [m.content for m in file.user("guest").list()] == ["a guest's fact"]
    assert not merge(laptop, desktop).anything
    merge(desktop, laptop)
    assert known(desktop)["memories"] == known(laptop)["memories"]
    assert known(desktop)["turns"] == known(laptop)["turns"]


def test_both_changed_one_memory(two: tuple[Path, Path], clock: SetClock) -> None:
    laptop, desktop = two
    uid, gone = uid_of(laptop, "fact 0"), uid_of(laptop, "fact 1")
    clock.forward(days=400)
    with opened(laptop, words_only=True, clock=clock) as file:
        file.user("me").edit(uid, "earlier words")
        file.user("me").edit(gone, "words for what is forgotten elsewhere")
    clock.forward(days=1)
    with opened(desktop, words_only=True, clock=clock) as file:
        file.user("me").edit(uid, "later words")
        file.user("me").forget(gone)
    done = merge(laptop, desktop, clock)
    assert [(d.kept, d.other) for d in done.disagreements] == [
        ("later words", "earlier words"), ("fact 1 (forgotten)", "words for what is forgotten elsewhere"),
    ]  # fmt: skip
    after = known(laptop)
    assert after["memories"][uid][:2] == ("later words", "live")
    assert after["memories"][gone][1] == "forgotten"
    with opened(laptop, words_only=True) as file:
        told = [c.after["content"] for c in file.user("me").history(uid) if c.after]
        assert {"earlier words", "later words"} <= set(told)
    assert not merge(laptop, desktop, clock).anything


def test_the_same_words_on_both_sides_are_one_live_memory(two: tuple[Path, Path]) -> None:
    laptop, desktop = two
    for path in (laptop, desktop):
        with opened(path, words_only=True) as file:
            file.user("me").add("I keep bees")
    merge(laptop, desktop)
    merge(desktop, laptop)
    for path in (laptop, desktop):
        found = [m for m in known(path)["memories"].values() if m[0] == "I keep bees"]
        assert sorted(m[1] for m in found) == ["live", "superseded"]
    assert known(laptop)["memories"] == known(desktop)["memories"]
    merge(laptop, desktop)  # brings what the desktop noted of its own merge
    assert not merge(laptop, desktop).anything


def test_facts_of_two_files_that_contradict_each_other_wait_for_a_decision(
    two: tuple[Path, Path], clock: SetClock
) -> None:
    """Nobody wins by having been merged into: both stay, and the user is asked."""
    laptop, desktop = two
    for path, city in ((laptop, "Porto"), (desktop, "Lisbon")):
        clock.forward(hours=1)
        with opened(path, clock=clock) as file:
            mem = file.user("me")
            mem.add(f"The user lives in {city}.", subject="user", attribute="home", value=city)
            mem.add("I like tea" if path == laptop else "I do not like tea")
    clock.forward(hours=1)
    with opened(laptop, embedder=WordsEmbedder(), clock=clock) as file:
        done = file.merge(desktop)
        mem = file.user("me")
        asked = mem.proposals()
        assert {frozenset(p.contents) for p in asked} == {
            frozenset({"The user lives in Porto.", "The user lives in Lisbon."}),
            frozenset({"I like tea", "I do not like tea"}),
        }
        assert {p.topic for p in asked} == {"contradiction"}
        assert done.contradictions == 2
        live = {m.content for m in mem.list(limit=0)}
        assert {text for p in asked for text in p.contents} <= live, "nothing was decided"
        assert file.merge(desktop).contradictions == 0
        home = next(p for p in asked if "Porto" in "".join(p.contents))
        mem.accept(home.id)
        assert "The user lives in Porto." not in {m.content for m in mem.list(limit=0)}


def test_facts_that_contradicted_each_other_before_are_not_the_merge_s_business(
    two: tuple[Path, Path], clock: SetClock
) -> None:
    laptop, desktop = two
    with opened(desktop, clock=clock) as file:
        for city in ("Porto", "Lisbon"):
            clock.forward(hours=1)
            file.user("me").add(f"The user lives in {city}.", subject="user", attribute="home", value=city)
    assert merge(laptop, desktop, clock).contradictions == 0


@pytest.mark.parametrize("here", [True, False])
def test_what_was_erased_on_one_side_is_gone_on_both(two: tuple[Path, Path], here: bool) -> None:
    laptop, desktop = two
    eraser, other = (laptop, desktop) if here else (desktop, laptop)
    uid = uid_of(laptop, "fact 3")
    with opened(other, words_only=True) as file:
        file.user("me").edit(uid, "fact 3, changed meanwhile")
    with opened(eraser, words_only=True) as file:
        file.user("me").erase(uid)
    merge(laptop, desktop)
    assert uid not in known(laptop)["memories"]
    assert b"fact 3" not in laptop.read_bytes()
    merge(desktop, laptop)
    assert uid not in known(desktop)["memories"]
    assert b"fact 3" not in desktop.read_bytes()
    merge(laptop, desktop)  # brings what the desktop noted of its erasure
    assert not merge(laptop, desktop).anything


def test_fields_of_tasks_take_the_later_value(two: tuple[Path, Path], clock: SetClock) -> None:
    laptop, desktop = two
    clock.forward(days=400)
    with opened(laptop, words_only=True, clock=clock) as file:
        file.user("me").set_state("task", "step", 2)
        file.user("me").set_state("task", "mine", "here")
    clock.forward(days=1)
    with opened(desktop, words_only=True, clock=clock) as file:
        file.user("me").set_state("task", "step", 3)
        file.user("me").set_state("other", "theirs", [1])
    done = merge(laptop, desktop)
    assert [(d.kept, d.other) for d in done.disagreements] == [("3", "2")]
    assert known(laptop)["state"] == {("task", "step"): 3, ("task", "mine"): "here", ("other", "theirs"): [1]}
    assert not merge(laptop, desktop).anything


def test_a_file_with_itself_or_nothing_is_refused(two: tuple[Path, Path], tmp_path: Path) -> None:
    with opened(two[0], words_only=True) as file:
        with pytest.raises(InvalidInput, match="this very file"):
            file.merge(two[0])
        with pytest.raises(StoreError, match="no file"):
            file.merge(tmp_path / "nothing")


# Any two lives

_DO = st.tuples(
    st.sampled_from(["add", "edit", "forget", "undo", "pin", "log", "state"]), st.integers(0, 5), st.integers(0, 3)
)
_LIFE = st.lists(_DO, max_size=8)


def live(path: Path, life: Sequence[tuple[str, int, int]], clock: SetClock) -> None:
    with opened(path, words_only=True, clock=clock) as file:
        mem = file.user("me")
        for n, (what, which, words) in enumerate(life):
            clock.forward(minutes=1)
            ids = sorted(m.id for m in mem.list(limit=0, status="any"))
            # What cannot be done by hand (forgotten twice, said already) is not done.
            with contextlib.suppress(Conflict, NotFound):
                if what == "add" or not ids:
                    mem.add(f"fact {which} {words}")
                elif what == "log":
                    mem.log(said(f"turn {words}", session=f"{path.name}{n}"))
                elif what == "state":
                    mem.set_state("task", f"field {which}", words)
                elif what == "undo":
                    past = mem.history(limit=0)
                    mem.undo(past[which % len(past)].id)
                elif what == "edit":
                    mem.edit(ids[which % len(ids)], f"words {words}")
                else:
                    getattr(mem, what)(ids[which % len(ids)])


@settings(max_examples=15)
@given(_LIFE, _LIFE, _LIFE)
def test_any_two_lives_become_one(
    tmp_path_factory: pytest.TempPathFactory, before: list[Any], left: list[Any], right: list[Any]
) -> None:
    folder, clock = tmp_path_factory.mktemp("merge"), SetClock()
    laptop, desktop = folder / "laptop", folder / "desktop"
    live(laptop, before, clock)
    shutil.copy(laptop, desktop)
    live(laptop, left, clock)
    live(desktop, right, clock)
    one, two = known(laptop), known(desktop)
    clock.forward(minutes=1)
    merge(laptop, desktop, clock)
    after = known(laptop)
    # Nothing of either side is lost.
    assert set(after["changes"]) >= set(one["changes"]) | set(two["changes"])
    assert set(after["memories"]) == set(one["memories"]) | set(two["memories"])
    assert after["turns"] == one["turns"] | two["turns"]
    assert set(after["state"]) == set(one["state"]) | set(two["state"])
    # What one side forgot and the other did not touch since is not live again.
    shared = set(one["changes"]) & set(two["changes"])
    for mine, other in ((one, two), (two, one)):
        touched = {memory for uid, (memory, _) in other["changes"].items() if uid not in shared}
        for uid, (_, status, *_) in mine["memories"].items():
            if status == "forgotten" and uid not in touched:
                assert after["memories"][uid][1] == "forgotten"
    # Again changes nothing; the other way round both are the same.
    assert not merge(laptop, desktop, clock).anything
    for _ in range(3):
        merge(desktop, laptop, clock)
        merge(laptop, desktop, clock)
    assert known(laptop)["memories"] == known(desktop)["memories"]
    assert known(laptop)["state"] == known(desktop)["state"]
    assert not merge(laptop, desktop, clock).anything
    assert not merge(desktop, laptop, clock).anything
