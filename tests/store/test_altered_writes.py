"""Nothing is built on a row that was altered on the disk: who would change it is told to repair first."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import edgemem
from edgemem import Memory, Turn
from edgemem.errors import StoreCorrupt
from edgemem.store import mend
from edgemem.store.one_bit import Tries, Values
from tests.helpers import Fact, RuleModel, opened, plain_connection, said


@pytest.fixture
def altered(store_path: Path) -> tuple[Path, str]:
    """A file whose one memory, message, task field and profile field were altered; and the id of that memory."""
    with opened(store_path, words_only=True) as file:
        mem = file.user("me")
        uid = mem.add("The user keeps bees in Porto.")
        mem.log([Turn("user", "I keep bees", session="farm", id="1")])
        mem.set_state("trip", "city", "Porto")
        mem.set_profile("name", "Ida")
    db = plain_connection(store_path)
    db.execute("UPDATE memory SET content = 'The user keeps geese in Porto.'")
    db.execute("UPDATE turn SET content = 'I keep geese'")
    db.execute("UPDATE session SET title = 'geese and all'")
    db.execute("UPDATE task SET started_at = '2020-01-01T00:00:00.000000Z'")
    db.execute("UPDATE state SET value = '\"Paris\"'")
    db.execute("UPDATE profile SET value = '\"Mia\"'")
    db.close()
    return store_path, uid


WRITES: dict[str, Callable[[Memory, str], object]] = {
    "add": lambda m, _: m.add("The user keeps bees in Porto."),
    "edit": lambda m, uid: m.edit(uid, "I keep goats"),
    "pin": lambda m, uid: m.pin(uid),
    "forget": lambda m, uid: m.forget(uid),
    "undo": lambda m, _: m.undo(m.history()[0].id),
    "split": lambda m, uid: m.split(uid, ["I keep bees", "I live in Porto"]),
    "erase": lambda m, uid: m.erase(uid),
    "erase session": lambda m, _: m.erase(session="farm"),
    "log again": lambda m, _: m.log([Turn("user", "I keep bees", session="farm", id="1")]),
    "log more": lambda m, _: m.log([Turn("user", "And goats", session="farm", id="2")]),
    "title": lambda m, _: m.rename("farm", "bees"),
    "set state": lambda m, _: m.set_state("trip", "city", "Rome"),
    "end task": lambda m, _: m.end_task("trip"),
    "set profile": lambda m, _: m.set_profile("name", "Ida Prins"),
}


@pytest.mark.parametrize("write", WRITES.values(), ids=list(WRITES))
def test_a_write_on_top_of_an_altered_row_is_refused(
    altered: tuple[Path, str], write: Callable[[Memory, str], object]
) -> None:
    path, uid = altered
    with opened(path, words_only=True) as file:
        before = {p.message for p in file.check()}
        with pytest.raises(StoreCorrupt, match="altered") as told:
            write(file.user("me"), uid)
        assert "check --repair" in told.value.hint
        assert {p.message for p in file.check()} == before


def test_what_is_learned_is_not_counted_as_known_by_an_altered_memory(altered: tuple[Path, str]) -> None:
    path, _ = altered
    model = RuleModel(Fact("I keep bees in Porto", "The user keeps bees in Porto."))
    with opened(path, model, words_only=True) as file:
        receipt = file.user("me").learn(said("I keep bees in Porto", session="new"))
        assert receipt.memories == ()
        assert ["altered" in failed.error for failed in receipt.failed] == [True]


@pytest.mark.parametrize("side", ["ours", "theirs"])
def test_a_merge_with_an_altered_row_is_refused(altered: tuple[Path, str], tmp_path: Path, side: str) -> None:
    path, uid = altered
    other = tmp_path / "other.edgemem"
    shutil.copy(path, other)
    assert edgemem.repair(other).kept is not None
    with opened(other, words_only=True) as file:
        file.user("me").edit(uid, "I keep bees and goats")
    into, source = (path, other) if side == "ours" else (other, path)
    with opened(into, words_only=True) as file, pytest.raises(StoreCorrupt, match="altered"):
        file.merge(source)


def test_after_a_repair_all_of_them_write_again(altered: tuple[Path, str]) -> None:
    path, uid = altered
    done = edgemem.repair(path)
    assert done.left == ()
    with opened(path, words_only=True) as file:
        mem = file.user("me")
        assert mem.get(uid).content == "The user keeps bees in Porto."
        mem.edit(uid, "I keep goats")
        mem.set_state("trip", "city", "Rome")
        assert file.check() == []


# Repair keeps what is intact


def test_a_task_whose_entry_was_altered_keeps_its_fields(store_path: Path) -> None:
    with opened(store_path, words_only=True) as file:
        mem = file.user("me")
        mem.set_state("trip", "city", "Porto")
        mem.set_state("trip", "step", 2)
        mem.set_state("other", "step", 1)
    db = plain_connection(store_path)
    db.execute("UPDATE task SET name = 'journey' WHERE name = 'trip'")
    db.close()
    done = edgemem.repair(store_path)
    assert done.left == ()
    assert [line for line in done.lost if "journey" in line]
    assert [line for line in done.done if "keeps 2 fields" in line]
    with opened(store_path, words_only=True) as file:
        told = {(f.task, f.field): f.value for f in file.user("me").state_fields()}
        assert told == {("other", "step"): 1, ("recovered-1", "city"): "Porto", ("recovered-1", "step"): 2}


def test_a_conversation_whose_entry_was_altered_keeps_its_messages(store_path: Path) -> None:
    with opened(store_path, words_only=True) as file:
        file.user("me").log(said("I keep bees", "I keep goats", session="farm"))
    db = plain_connection(store_path)
    db.execute("UPDATE session SET uid = 'barn', title = 'geese'")
    db.execute("UPDATE turn SET content = 'I keep coats of wool' WHERE content LIKE '%goats'")
    db.close()
    done = edgemem.repair(store_path)
    assert done.left == ()
    assert [line for line in done.lost if "barn" in line and "geese" in line]
    assert [line for line in done.lost if "coats" in line]
    with opened(store_path, words_only=True) as file:
        mem = file.user("me")
        assert [(s.id, s.title) for s in mem.sessions()] == [("recovered-1", "")]
        assert [t.content for t in mem.turns("recovered-1")] == ["I keep bees"]


def test_a_backup_names_a_lost_conversation_again_but_never_an_erased_one(store_path: Path) -> None:
    """The number of an erased conversation may be another one's by now."""
    with opened(store_path, words_only=True) as file:
        mem = file.user("me")
        mem.log(said("I keep bees", session="farm"))
        mem.log(said("xylophones at night", session="xylophones"))
        file.backup()
        mem.erase(session="xylophones")
        mem.log(said("I paint boats", session="boats"))
    db = plain_connection(store_path)
    db.execute("PRAGMA foreign_keys=OFF")
    assert db.execute("SELECT id FROM session WHERE uid = 'boats'").fetchone()[0] == 2
    db.execute("DELETE FROM session")
    db.close()
    assert edgemem.repair(store_path).left == ()
    with opened(store_path, words_only=True) as file:
        assert {s.id for s in file.user("me").sessions()} == {"farm", "recovered-2"}


def test_a_backup_gives_back_no_erased_message(store_path: Path) -> None:
    """The number of an erased message may be another one's by now."""
    with opened(store_path, words_only=True) as file:
        mem = file.user("me")
        mem.log(said("xylophones at night", session="music"))
        file.backup()
        mem.erase(session="music")
        mem.log(said("I paint boats in the harbour", session="boats"))
    db = plain_connection(store_path)
    db.execute("UPDATE turn SET content = 'I paint goats in the harbour of Porto'")
    db.close()
    done = edgemem.repair(store_path)
    assert [line for line in done.lost if "goats" in line]
    with opened(store_path, words_only=True) as file:
        assert [t.content for s in file.user("me").sessions() for t in file.user("me").turns(s.id)] == []


FLIPS = [
    ("task", "name", "'tsip'"), ("state", "value", "'\"Qorto\"'"), ("session", "uid", "'darm'"), ("turn", "content", "'I keep fees'"),
    ("turn", "session_id", "33"), ("turn", "user_id", "3"), ("turn", "position", "4"), ("profile", "confidence", "1.25"), ("user", "name", "'le'"),
    ("state", "seal", None), ("turn", "hash", None),
]  # fmt: skip


@pytest.mark.parametrize(("table", "column", "value"), FLIPS, ids=[f"{t}.{c}" for t, c, _ in FLIPS])
def test_one_flipped_bit_is_put_right_without_a_backup(
    store_path: Path, table: str, column: str, value: str | None
) -> None:
    def told() -> object:
        with opened(store_path, words_only=True) as file:
            mem = file.user("me")
            sessions = [(s.id, s.title, [t.content for t in mem.turns(s.id)]) for s in mem.sessions()]
            return file.users(), sessions, mem.state_fields(), mem.tasks(), mem.profile()

    with opened(store_path, words_only=True) as file:
        mem = file.user("me")
        mem.log(said("I keep bees", session="farm"))
        mem.set_state("trip", "city", "Porto")
        mem.set_profile("name", "Ida")
    before = told()
    db = plain_connection(store_path)
    db.execute("PRAGMA foreign_keys=OFF")
    if value is None:
        (seal,) = db.execute(f"SELECT {column} FROM {table}").fetchone()
        db.execute(f"UPDATE {table} SET {column} = ?", (seal[:5] + bytes([seal[5] ^ 16]) + seal[6:],))
    else:
        db.execute(f"UPDATE {table} SET {column} = {value}")
    db.close()
    done = edgemem.repair(store_path)
    assert [p for p in done.found if p.area == "rows"]
    assert (done.lost, done.left) == ((), ())
    assert any("one bit had changed" in line for line in done.done)
    assert told() == before


def test_the_search_for_one_changed_bit_costs_a_bounded_amount_however_many_rows_are_altered() -> None:
    sealed = 0

    def digest(values: Values) -> bytes:
        nonlocal sealed
        sealed += len(values["text"])
        return hashlib.sha256(values["text"].encode()).digest()

    tries, other = Tries(budget := 3_000_000), digest({"text": "another"})
    for n in range(100):
        assert tries.put_right({"text": f"{n:03} " + "x" * 296}, other, digest) is None
    assert budget / 6 < sealed <= budget + 100 * 300
    assert tries.passed_by > 90
    flipped = {"text": "I keep cees"}
    assert tries.put_right(flipped, digest({"text": "I keep bees"}), digest) == {"text": "I keep bees"}
    assert tries.put_right({"text": "I keep dees" * 30}, other, digest) is None


def test_a_repair_says_how_many_rows_it_did_not_search_for_one_changed_bit(
    store_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(store_path, words_only=True) as file:
        file.user("me").log(said(*(f"message {n} " + "word " * 20 for n in range(8)), session="s"))
    with contextlib.closing(plain_connection(store_path)) as db:
        db.execute("UPDATE turn SET content = upper(content)")
    monkeypatch.setattr(mend, "Tries", functools.partial(Tries, 7_000_000))
    done = edgemem.repair(store_path)
    assert len(done.lost) == 8
    assert done.left == ()
    assert sum("not looked for one changed bit" in line and "6 altered rows" in line for line in done.done) == 1


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE memory SET content = 'The user keeps geese.' WHERE user_id = 1", "UPDATE turn SET content = 'geese' WHERE user_id = 1",
        "UPDATE memory SET status = 'superseded' WHERE user_id = 1", "UPDATE turn SET hash = x'00' WHERE user_id = 1",
        "UPDATE turn SET position = position + 7 WHERE user_id = 1 AND position = 1", "UPDATE memory SET row_hash = x'00' WHERE user_id = 1",
        "UPDATE session SET title = 'geese' WHERE user_id = 1", "UPDATE profile SET value = '\"geese\"' WHERE user_id = 1",
        "UPDATE history SET payload = NULL WHERE user_id = 1",
    ],
)  # fmt: skip
def test_a_person_is_erased_whatever_was_altered(store_path: Path, damage: str) -> None:
    """Nobody's right to be forgotten waits for a repair; nothing of them is left, nothing of others is touched."""
    with opened(store_path, words_only=True) as file:
        for name, animal in (("me", "zebras"), ("Ida", "goats")):
            mem = file.user(name)
            mem.add(f"{name} keeps {animal}.")
            mem.log(said(f"I keep {animal}", f"Feed {animal}", f"Many {animal}", session="farm"))
            mem.set_profile("name", animal)
    with contextlib.closing(plain_connection(store_path)) as db:
        assert db.execute(damage).rowcount > 0
    with opened(store_path, words_only=True) as file:
        file.user("me").erase(everything=True)
        assert file.users() == ["Ida"]
        assert file.check() == []
        other = file.user("Ida")
        assert [h.content for h in other.recall("goats", arms=("text",), limit=1)] == ["Ida keeps goats."]
        assert len(other.search_log("goats")) == 3
        other.erase(session="farm")
        other.forget(other.list()[0].id)
        assert file.check() == []
    left = store_path.read_bytes().lower()
    assert b"zebra" not in left
    assert b"geese" not in left
