"""What goes out comes back: an export imported into an empty file is the same memory."""

from __future__ import annotations

import csv
import io
import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edgemem.errors import EdgememError, InvalidInput
from edgemem.memory import MemoryFile
from edgemem.records import KINDS, Turn
from edgemem.store import carry_out
from edgemem.store.tables import STAYS, TABLES
from edgemem.view import Memory
from tests.helpers import Fact, RuleModel, opened, said
from tests.interop.moving import as_csv, lines, other

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=30).filter(
    lambda s: bool(s.strip())
)
STEP = st.one_of(
    st.tuples(st.just("add"), TEXT, st.sampled_from(KINDS)),
    st.tuples(st.just("edit"), st.integers(0, 20), TEXT),
    st.tuples(st.just("pin"), st.integers(0, 20)),
    st.tuples(st.just("forget"), st.integers(0, 20)),
    st.tuples(st.just("undo"), st.integers(0, 20)),
    st.tuples(st.just("say"), st.sampled_from(["user", "assistant"]), TEXT, st.sampled_from(["one", "two"])),
    st.tuples(st.just("learn"), st.sampled_from(["bees", "goats"])),
    st.tuples(st.just("state"), st.sampled_from(["t1", "t2"]), TEXT, st.integers() | TEXT | st.lists(TEXT, max_size=2)),
)
FACTS = RuleModel(
    Fact("I keep bees", "The user keeps bees."), Fact("I keep goats", "The user keeps goats."), relation="conflict"
)


def do(memory: Memory, step: tuple[Any, ...]) -> None:
    """One thing a user may do; what cannot be done is passed by."""
    name, *rest = step
    everything = memory.list(limit=0, status="any")
    picked = everything[rest[0] % len(everything)].id if name in ("edit", "pin", "forget") and everything else ""
    changes = memory.history(limit=0)
    try:
        if name == "add":
            memory.add(rest[0], kind=rest[1], data={"n": [1, 2.5, None, rest[0]]})
        elif name == "edit" and picked:
            memory.edit(picked, rest[1])
        elif name in ("pin", "forget") and picked:
            getattr(memory, name)(picked)
        elif name == "undo" and changes:
            memory.undo(changes[rest[0] % len(changes)].id)
        elif name == "say":
            memory.log([Turn(rest[0], rest[1], session=rest[2])])
        elif name == "learn":
            memory.learn([Turn("user", f"I keep {rest[0]}", session="three")])
        elif name == "state":
            memory.set_state(rest[0], rest[1], rest[2])
    except EdgememError:
        pass


@settings(max_examples=40)
@given(st.lists(STEP, max_size=14))
def test_an_export_imported_is_the_same_memory(steps: list[tuple[Any, ...]]) -> None:
    folder = Path(tempfile.mkdtemp(prefix="edgemem-"))
    try:
        with opened(folder / "me.edgemem", model=FACTS) as file, other(folder) as second:
            memory, copy = file.user("me"), second.user("me")
            # Somebody else's rows first: the integers inside the two files differ.
            second.user("you").log(said("hello", "there", session="one"))
            for step in steps:
                do(memory, step)
            memory.export_to(folder / "me.jsonl")
            report = copy.import_from(folder / "me.jsonl")
            assert {item.outcome for item in report.items} <= {"added"}
            assert lines(copy) == lines(memory)
            assert second.check() == []
            assert [m.content for m in copy.list(limit=0)] == [m.content for m in memory.list(limit=0)]
            assert [c.id for c in copy.history(limit=0)] == [c.id for c in memory.history(limit=0)]
            assert {t.id for t in copy.turns("one")} == {t.id for t in memory.turns("one")}
            again = copy.import_from(folder / "me.jsonl")
            assert {item.outcome for item in again.items} <= {"known"}
            assert lines(copy) == lines(memory)
    finally:
        shutil.rmtree(folder)


def test_every_table_of_a_person_travels_or_is_computed(store: MemoryFile) -> None:
    with store.engine.read() as tx:
        names = {r[0] for r in tx.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    inner = {n for n in names if n.startswith(("memory_fts_", "turn_fts_", "sqlite_", "_sqlite_"))}
    assert names - inner == set(TABLES) | STAYS


def test_undo_works_in_the_copy(tmp_path: Path, mem: Memory) -> None:
    uid = mem.add("I live in Lisbon")
    change = mem.edit(uid, "I live in Porto")
    mem.export_to(tmp_path / "me.jsonl")
    with other(tmp_path) as second:
        copy = second.user("me")
        copy.import_from(tmp_path / "me.jsonl")
        copy.undo(change)
        assert copy.get(uid).content == "I live in Lisbon"
        assert [hit.id for hit in copy.recall("Lisbon")] == [uid]


def test_the_history_of_what_was_erased_travels_too(tmp_path: Path, mem: Memory) -> None:
    mem.add("I live in Lisbon")
    mem.erase(mem.add("I keep bees"))
    mem.export_to(tmp_path / "me.jsonl")
    with other(tmp_path) as second:
        assert second.user("me").import_from(tmp_path / "me.jsonl").left == []
        assert lines(second.user("me")) == lines(mem)
        assert second.check() == []


def test_another_users_rows_stay_at_home(tmp_path: Path, store: MemoryFile, mem: Memory) -> None:
    mem.add("I keep bees")
    store.user("you").add("I keep wolves")
    store.user("you").log([Turn("user", "wolves howl")])
    mem.export_to(tmp_path / "me.jsonl")
    assert "wolves" not in (tmp_path / "me.jsonl").read_text(encoding="utf-8")


def test_a_selection_holds_what_it_rests_on(tmp_path: Path, store_path: Path) -> None:
    with opened(store_path, model=FACTS) as file, other(tmp_path) as second:
        memory, copy = file.user("me"), second.user("me")
        memory.learn(said("I keep bees", "and nothing else"))
        memory.add("Answer in Chinese", kind="rule")
        found = lines(memory, kinds=["fact"])
        assert [r["content"] for r in found if r["type"] == "turn"] == ["I keep bees"]
        assert [r["content"] for r in found if r["type"] == "memory"] == ["The user keeps bees."]
        memory.export_to(tmp_path / "facts.jsonl", kinds=["fact"])
        report = copy.import_from(tmp_path / "facts.jsonl")
        assert not report.left
        assert any("selection" in notice for notice in report.notices)
        assert copy.get(memory.list(kind="fact")[0].id).source.quote == "I keep bees"


def test_a_dry_run_says_the_same_and_changes_nothing(tmp_path: Path, mem: Memory) -> None:
    mem.add("I keep bees")
    mem.log(said("hello"))
    mem.export_to(tmp_path / "me.jsonl")
    with other(tmp_path) as second:
        copy = second.user("me")
        preview = copy.import_from(tmp_path / "me.jsonl", dry_run=True)
        assert lines(copy) == []
        assert preview.counts == copy.import_from(tmp_path / "me.jsonl").counts


def test_a_cut_export_says_so(tmp_path: Path, mem: Memory) -> None:
    mem.add("I keep bees")
    mem.export_to(tmp_path / "me.jsonl")
    whole = (tmp_path / "me.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (tmp_path / "cut.jsonl").write_text("".join(whole[:-1]), encoding="utf-8")
    (tmp_path / "hole.jsonl").write_text("".join([*whole[:1], *whole[2:]]), encoding="utf-8")
    with other(tmp_path) as second:
        assert "cut" in second.user("a").import_from(tmp_path / "cut.jsonl").left[0].reason
        reasons = [item.reason for item in second.user("b").import_from(tmp_path / "hole.jsonl").left]
        assert any("this file has" in reason for reason in reasons)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"kind": "gossip"}, "there is no kind"),
        ({"importance": 7}, "it does not fit"),
        ({"importance": "high"}, "it does not fit"),
        ({"content": None}, "it does not fit"),
        ({"content": "half \ud800"}, "no text"),
        ({"created_at": "yesterday"}, "is no time"),
        ({"status": "loved"}, "it does not fit"),
        ({"source_turn": ["s", "t"]}, "rests on a"),
        ({"source_turn": 17}, "names no turn"),
        ({"surprise": 1}, "has no `surprise`"),
        ({"type": "memoir"}, "no kind of record"),
        ({"data": "x" * 3}, "must be an object"),
        ({"pinned": [1]}, "cannot be list"),
    ],
)
def test_a_strange_record_is_named_and_the_others_are_taken(
    tmp_path: Path, mem: Memory, change: dict[str, Any], reason: str
) -> None:
    mem.add("I keep bees")
    mem.add("I keep goats")
    mem.export_to(tmp_path / "me.jsonl")
    found = [json.loads(line) for line in (tmp_path / "me.jsonl").read_text(encoding="utf-8").splitlines()]
    first = next(r for r in found if r["type"] == "memory")
    first |= change
    (tmp_path / "odd.jsonl").write_text("\n".join(map(json.dumps, found)), encoding="utf-8")
    with other(tmp_path) as second:
        copy = second.user("me")
        report = copy.import_from(tmp_path / "odd.jsonl")
        if reason:
            assert next(i.where for i in report.left) == "line 2"
            assert reason in report.left[0].reason
        assert "I keep goats" in [m.content for m in copy.list(limit=0)]
        assert second.check() == []


def test_what_was_changed_here_stays_and_is_named(tmp_path: Path, mem: Memory) -> None:
    uid = mem.add("I keep bees")
    mem.export_to(tmp_path / "me.jsonl")
    mem.edit(uid, "I keep goats")
    report = mem.import_from(tmp_path / "me.jsonl")
    assert [item.what for item in report.left] == ["memory"]
    assert mem.get(uid).content == "I keep goats"


def test_the_same_words_under_another_id_are_no_second_memory(tmp_path: Path, mem: Memory) -> None:
    mem.add("I keep bees")
    mem.export_to(tmp_path / "me.jsonl")
    with other(tmp_path) as second:
        copy = second.user("me")
        mine = copy.add("I keep bees.")
        report = copy.import_from(tmp_path / "me.jsonl")
        assert report.counts == {"memory": {"duplicate": 1}, "history": {"duplicate": 1}}
        assert [m.id for m in copy.list(limit=0, status="any")] == [mine]


def test_an_id_of_somebody_else_in_the_file_is_refused(tmp_path: Path, store: MemoryFile, mem: Memory) -> None:
    mem.add("I keep bees")
    mem.export_to(tmp_path / "me.jsonl")
    report = store.user("you").import_from(tmp_path / "me.jsonl")
    assert ["taken" in item.reason for item in report.left if item.what == "memory"] == [True]
    assert {item.outcome for item in report.items} == {"left"}
    assert store.user("you").list(limit=0) == []


def test_an_erased_change_keeps_the_chain(tmp_path: Path, mem: Memory) -> None:
    mem.add("I keep bees")
    with mem.file.engine.write() as tx:
        tx.execute("UPDATE history SET payload = NULL, salt = NULL")
    mem.export_to(tmp_path / "me.jsonl")
    with other(tmp_path) as second:
        second.user("me").import_from(tmp_path / "me.jsonl")
        assert second.user("me").history(limit=0)[0].reason == "(erased)"
        assert second.check() == []


def test_a_newer_export_is_refused(tmp_path: Path, mem: Memory) -> None:
    for head in ({"type": "edgemem", "format": 2, "schema": 1}, {"type": "edgemem", "format": 1, "schema": 99}):
        (tmp_path / "new.jsonl").write_text(json.dumps(head), encoding="utf-8")
        with pytest.raises(InvalidInput, match="newer"):
            mem.import_from(tmp_path / "new.jsonl")


def test_nothing_is_overwritten_unless_told(tmp_path: Path, mem: Memory) -> None:
    mem.add("I keep bees")
    for name in ("me.jsonl", "me.csv", "notes"):
        mem.export_to(tmp_path / name)
        with pytest.raises(InvalidInput, match="there already"):
            mem.export_to(tmp_path / name)
        mem.export_to(tmp_path / name, overwrite=True)
    with pytest.raises(InvalidInput, match="cannot be written"):
        mem.export_to(tmp_path / "no" / "me.jsonl")
    with pytest.raises(InvalidInput, match="several files"):
        mem.export_to(io.StringIO(), form="markdown")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["me.csv", "me.edgemem", "me.edgemem-shm", "me.edgemem-wal",
                                                          "me.jsonl", "notes"]  # fmt: skip


def test_csv_is_a_table_that_runs_no_formula(tmp_path: Path, mem: Memory) -> None:
    mem.add('=HYPERLINK("x")')
    mem.add('He said "two, three"\nand left')
    mem.export_to(tmp_path / "me.csv")
    rows = list(csv.DictReader((tmp_path / "me.csv").open(encoding="utf-8", newline="")))
    assert [r["content"] for r in rows] == ['\'=HYPERLINK("x")', 'He said "two, three"\nand left']
    assert rows[0]["created_at"] == "2026-05-06T12:00:00+00:00"
    mem.forget(mem.list()[0].id)
    assert len(list(csv.reader(io.StringIO(as_csv(mem))))) == 2


def test_notes_are_read_back_as_the_same_memories(tmp_path: Path, store_path: Path) -> None:
    with opened(store_path, model=FACTS) as file, other(tmp_path) as second:
        memory = file.user("me")
        memory.learn(said("I keep bees"))
        memory.add("Answer in Chinese", kind="rule")
        memory.export_to(tmp_path / "notes")
        text = (tmp_path / "notes" / "me.md").read_text(encoding="utf-8")
        assert "since 2026-05-06" in text
        assert "“I keep bees”" in text
        copy = second.user("me")
        report = copy.import_from(tmp_path / "notes")
        assert not report.left
        assert {(m.content, m.kind) for m in copy.list(limit=0)} == {(m.content, m.kind) for m in memory.list(limit=0)}
        assert {i.outcome for i in copy.import_from(tmp_path / "notes").items} == {"known"}


def test_records_are_carried_in_an_order_that_can_be_read_back(mem: Memory) -> None:
    mem.log(said("hello"))
    with mem.file.engine.read() as tx:
        kinds = [r["type"] for r in carry_out.records(tx, 1)]
    assert kinds == sorted(kinds, key=list(TABLES).index)
