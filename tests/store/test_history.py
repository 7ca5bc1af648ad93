"""History, undo, and noticing what was altered behind our back."""

from __future__ import annotations

from pathlib import Path

import pytest

from edgemem.errors import Conflict, NotFound
from edgemem.memory import MemoryFile
from edgemem.view import Memory
from tests.helpers import SetClock, opened, plain_connection


def _areas(path: Path) -> set[str]:
    with opened(path, read_only=True) as file:
        return {p.area for p in file.check()}


def _damage(path: Path, *statements: str) -> None:
    db = plain_connection(path)
    for statement in statements:
        assert db.execute(statement).rowcount > 0
    db.close()


@pytest.fixture
def lived_in(store_path: Path) -> Path:
    """A closed file with a few memories, turns and changes."""
    from tests.helpers import said

    with opened(store_path) as file:
        mem = file.user("me")
        mem.log(said("I keep bees", "and two goats"))
        one = mem.add("The user keeps bees.")
        two = mem.add("用户住在里斯本。")
        mem.edit(one, "The user keeps bees and goats.")
        mem.undo(mem.forget(two))
        file.user("other").add("Something else.")
        assert file.check() == []
    return store_path


@pytest.mark.parametrize(
    ("statement", "area"),
    [
        ("UPDATE history SET payload = replace(payload, 'bees', 'wasps') WHERE seq = 1", "history"),
        ("UPDATE history SET action = 'pin' WHERE seq = 2", "history"),
        ("UPDATE history SET at = '2020-01-01T00:00:00.000000Z' WHERE seq = 1", "history"),
        ("DELETE FROM history WHERE seq = 2", "history"),
        ("UPDATE memory SET content = 'The user keeps wasps.' WHERE id = 1", "rows"),
        ("UPDATE memory SET confidence = 0.1 WHERE id = 1", "rows"),
        ("UPDATE turn SET content = 'I keep wasps' WHERE id = 1", "rows"),
        ("UPDATE turn SET said_at = '2020-01-01T00:00:00.000000Z' WHERE id = 1", "rows"),
        ("INSERT INTO memory_fts(rowid, scope, body) VALUES (77, 'u1u', 'ghost')", "fulltext"),
        ("INSERT INTO turn_fts(turn_fts) VALUES ('delete-all')", "fulltext"),
        ("UPDATE vector SET v = x'00' WHERE id = 1", "vectors"),
        ("UPDATE vector SET owner_id = 4711 WHERE id = 1", "vectors"),
    ],
)
def test_check_finds_what_was_altered(lived_in: Path, statement: str, area: str) -> None:
    db = plain_connection(lived_in)
    db.execute(statement)
    db.close()
    assert area in _areas(lived_in)


def test_an_erased_payload_leaves_the_chain_whole(lived_in: Path) -> None:
    _damage(lived_in, "UPDATE history SET payload = NULL, salt = NULL WHERE seq = 1")
    assert _areas(lived_in) == set()
    with opened(lived_in) as file:
        erased = file.user("me").history(limit=0)[-1]
        assert (erased.before, erased.after, erased.reason) == (None, None, "(erased)")
        with pytest.raises(Conflict, match="erased"):
            file.user("me").undo(erased.id)


def test_use_counts_are_no_damage(lived_in: Path) -> None:
    with opened(lived_in) as file:
        assert file.user("me").recall("bees").hits
    with opened(lived_in) as file:
        assert max(m.use_count for m in file.user("me").list()) == 1
        assert file.check() == []


@pytest.mark.parametrize("importance", [0, 1, 0.5, True])
def test_whole_numbers_are_no_damage(store: MemoryFile, mem: Memory, importance: float) -> None:
    mem.add("I keep bees", importance=importance)
    assert store.check() == []


def test_every_change_keeps_old_value_time_reason_and_author(mem: Memory, clock: SetClock) -> None:
    first = mem.add("I keep bees")
    clock.forward(hours=1)
    mem.edit(first, "I keep goats")
    clock.forward(hours=1)
    mem.pin(first)
    mem.pin(first, pinned=False)
    mem.forget(first, reason="moved to town")
    changes = mem.history(first)
    assert [c.action for c in changes] == ["add", "edit", "pin", "unpin", "forget"]
    assert {c.author for c in changes} == {"user"}
    assert changes[0].before is None
    assert changes[1].before is not None
    assert changes[1].before["content"] == "I keep bees"
    assert changes[1].after is not None
    assert changes[1].after["content"] == "I keep goats"
    assert (changes[1].at - changes[0].at).total_seconds() == 3600
    assert changes[-1].reason == "moved to town"
    assert [c.id for c in mem.history(limit=0)] == [c.id for c in reversed(changes)]


def test_undo_of_each_kind_of_change_and_of_the_undo(mem: Memory) -> None:
    one = mem.add("I keep bees")
    edited = mem.edit(one, "I keep goats")
    undone = mem.undo(edited)
    assert mem.get(one).content == "I keep bees"
    mem.undo(undone[0])
    assert mem.get(one).content == "I keep goats"
    forgotten = mem.forget(one)
    assert mem.recall("goats").hits == ()
    mem.undo(forgotten)
    assert [h.id for h in mem.recall("goats")] == [one]
    assert mem.get(one).valid_to is None


def test_undo_of_an_add_takes_it_out_of_use_and_back(mem: Memory) -> None:
    one = mem.add("I keep bees")
    undone = mem.undo(mem.history(one)[0].id)
    assert mem.list() == []
    mem.undo(undone[0])
    assert [m.id for m in mem.list()] == [one]


def test_a_part_of_a_change_id_is_enough_and_no_wildcard(mem: Memory, store: MemoryFile) -> None:
    for cut in (slice(0, 30), slice(-12, None), slice(-6, None)):
        mem.undo(mem.forget(mem.add(f"The user keeps {cut.start} bees."))[cut])
    change = mem.forget(mem.list()[0].id)
    for part in (change[-5:], "%%%%%%", "______", change[:2] + "%" * 10):
        with pytest.raises(NotFound, match="There is no change"):
            mem.undo(part)
    with pytest.raises(NotFound, match="There is no change"):
        store.user("other").undo(change[-12:])


def test_an_undo_that_would_lose_something_is_refused(mem: Memory) -> None:
    one = mem.add("I keep bees")
    edited = mem.edit(one, "I keep goats")
    mem.edit(one, "I keep sheep")
    with pytest.raises(Conflict, match="changed again"):
        mem.undo(edited)
    forgotten = mem.forget(one)
    mem.undo(forgotten)
    with pytest.raises(Conflict, match="undone already"):
        mem.undo(forgotten)
    with pytest.raises(NotFound):
        mem.undo("no-such-change")
    assert mem.get(one).content == "I keep sheep"


def test_undo_makes_room_for_what_says_the_same_by_now(mem: Memory) -> None:
    one = mem.add("I keep bees")
    forgotten = mem.forget(one)
    mem.add("I keep bees")
    with pytest.raises(Conflict, match="says the same"):
        mem.undo(forgotten)
    assert len(mem.list()) == 1


def test_edit_refuses_another_version_and_a_second_copy(mem: Memory) -> None:
    one, two = mem.add("I keep bees"), mem.add("I keep goats")
    mem.edit(one, "I keep many bees", expect=1)
    with pytest.raises(Conflict, match="version 2"):
        mem.edit(one, "I keep wasps", expect=1)
    with pytest.raises(Conflict, match="already says"):
        mem.edit(two, "I keep many bees.")
    assert sorted(m.content for m in mem.list()) == ["I keep goats", "I keep many bees"]


def test_forgetting_twice_tells_how_to_bring_it_back(mem: Memory) -> None:
    one = mem.add("I keep bees")
    change = mem.forget(one)
    with pytest.raises(Conflict) as raised:
        mem.forget(one)
    assert change in raised.value.hint


def test_an_edit_changes_vector_full_text_and_row_together(mem: Memory) -> None:
    one = mem.add("I keep bees")
    mem.edit(one, "I paint boats")
    for arm in ("text", "vector"):
        assert [h.id for h in mem.recall("boats", arms=(arm,))] == [one]
        assert mem.recall("bees", arms=(arm,)).hits == ()


def test_the_same_words_are_stored_once(mem: Memory) -> None:
    ids = {mem.add(text) for text in ("I keep bees", "i keep  bees.", "I KEEP BEES", "Ｉ keep bees")}
    assert len(ids) == 1
    assert [m.use_count for m in mem.list()] == [3]


def test_resolve_takes_any_part_of_an_id_and_names_doubt(mem: Memory) -> None:
    one = mem.add("I keep bees")
    mem.add("I keep goats")
    assert mem.resolve(one) == mem.resolve(one[-12:]) == mem.resolve(one[-12:-4]) == mem.resolve(one[1:30]) == one
    for part in ("", one[:3], one[-5:], "%%%%%%", "______", "zzzzzz"):
        with pytest.raises(NotFound):
            mem.resolve(part)
    with pytest.raises(NotFound, match="Several"):
        mem.resolve(one[:6])
