"""Files of other tools: told apart, taken whole, taken once; what is strange is named."""

from __future__ import annotations

import json
import sqlite3
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from edgemem.errors import InvalidInput
from edgemem.intake import ImportReport
from edgemem.interop import formats
from edgemem.interop.found import Found
from edgemem.view import Memory
from tests.interop.test_readers import PUBLISHED_LOCOMO

DATA = Path(__file__).parents[1] / "data" / "imports"


def found(name: str | Path, **options: str) -> Found:
    result = formats.read(DATA / name, **options)
    assert isinstance(result, Found)
    return result


def left(result: Found) -> list[str]:
    return [str(place) for place in result.left]


def outcomes(report: ImportReport) -> set[str]:
    return {item.outcome for item in report.items if item.outcome != "left"}


NAMES = {
    "chatgpt.json": "chatgpt", "claude.json": "claude", "mem0.json": "mem0", "letta.af": "letta", "graphiti.json": "graphiti",
    "langmem.json": "langmem", "mcp-memory.jsonl": "mcp-memory", "vault": "markdown", "roles.txt": "plain", "irc.txt": "plain",
    "whatsapp.txt": "plain", "../conversation.jsonl": "turns",
}  # fmt: skip
ME = {"irc.txt": "mo", "whatsapp.txt": "Ida"}


@pytest.mark.parametrize("name", NAMES)
def test_each_format_is_told_and_taken_once(mem: Memory, name: str) -> None:
    first = mem.import_from(DATA / name, me=ME.get(name), zone="UTC")
    assert first.format == NAMES[name]
    assert outcomes(first) == {"added"}
    rows = mem.counts()
    second = mem.import_from(DATA / name, me=ME.get(name), zone="UTC")
    assert outcomes(second) == {"known"}
    assert [i.reason for i in second.left] == [i.reason for i in first.left]
    assert mem.counts() == rows
    assert mem.file.check() == []


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize(
    ("form", "document"),
    [
        ("locomo", PUBLISHED_LOCOMO),
        ("memorybank", {"Wei": {"history": {"2023-04-27": [{"query": "Hi", "response": ""}]}}}),
    ],
)
def test_what_learn_reads_is_imported_too(
    mem: Memory, tmp_path: Path, form: str, document: Any, indent: int | None
) -> None:
    (tmp_path / "x.json").write_text(json.dumps(document, indent=indent), encoding="utf-8")
    first = mem.import_from(tmp_path / "x.json")
    assert (first.format, outcomes(first)) == (form, {"added"})
    assert outcomes(mem.import_from(tmp_path / "x.json")) == {"known"}


@pytest.mark.parametrize("name", NAMES)
def test_the_preview_of_each_format_is_what_then_happens(mem: Memory, name: str) -> None:
    preview = mem.import_from(DATA / name, me=ME.get(name), zone="UTC", dry_run=True)
    assert mem.counts()["turn"] == mem.counts()["memory"] == mem.counts()["history"] == 0
    assert preview.counts == mem.import_from(DATA / name, me=ME.get(name), zone="UTC").counts


@pytest.mark.parametrize("name", [n for n in NAMES if n not in ME])
def test_a_format_that_is_named_must_be_the_right_one(name: str) -> None:
    assert found(name, form=NAMES[name]).format == NAMES[name]
    with pytest.raises(InvalidInput):
        formats.read(DATA / name, form="graphiti" if NAMES[name] != "graphiti" else "claude")


def test_chatgpt_takes_the_branch_that_was_last_on_the_screen(mem: Memory) -> None:
    result = found("chatgpt.json")
    assert [t.content for t in result.turns if t.session == "c-1"] == [
        "I get seasick, so no boats please",
        "Then the train along the cliffs.",
        "[image asset pointer]\nThis is my usual bag",
        "It fits on the train.",
    ]
    assert any("2 messages of branches" in notice for notice in result.notices)
    assert left(result) == [
        "conversation 2, message b2: unknown role 'narrator'",
        "conversation 2, message b3: it has no text: [audio asset pointer]",
        "conversation 3: `mapping` must be an object, this is null",
    ]
    mem.import_from(DATA / "chatgpt.json")
    assert {s.id: s.title for s in mem.sessions()} == {"c-1": "Trip to the coast", "c-2": "Odd ones"}
    assert mem.turns("c-1")[0].at == datetime(2024, 5, 1, 8, 0, 0, 500_000, tzinfo=UTC)
    assert {j.kind for j in mem.jobs()} == {"extract"}
    assert len(mem.jobs()) == 3


def test_chatgpt_trees_that_are_broken_still_give_what_they_hold(tmp_path: Path) -> None:
    document = json.loads((DATA / "chatgpt.json").read_text(encoding="utf-8"))[:1]
    document[0]["mapping"]["n1"]["parent"] = "n4"  # a ring
    document[0]["mapping"]["n4"]["parent"] = "n1"
    (tmp_path / "ring.json").write_text(json.dumps(document), encoding="utf-8")
    ring = found(tmp_path / "ring.json")
    assert any("broken" in line for line in left(ring))
    assert "It fits on the train." in [t.content for t in ring.turns]
    document[0].pop("current_node")
    document[0]["mapping"] = json.loads((DATA / "chatgpt.json").read_text(encoding="utf-8"))[0]["mapping"]
    (tmp_path / "lost.json").write_text(json.dumps(document), encoding="utf-8")
    assert found(tmp_path / "lost.json").turns[-1].content == "It fits on the train."


def test_a_whole_zip_and_its_folder_are_taken(tmp_path: Path) -> None:
    (tmp_path / "conversations.json").write_bytes((DATA / "claude.json").read_bytes())
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.write(tmp_path / "conversations.json", "export/conversations.json")
    assert found(tmp_path / "all.zip").turns == found(tmp_path).turns == found("claude.json").turns
    with zipfile.ZipFile(tmp_path / "none.zip", "w") as archive:
        archive.writestr("x.txt", "x")
    with pytest.raises(InvalidInput, match="holds no"):
        formats.read(tmp_path / "none.zip")


def test_claude() -> None:
    result = found("claude.json")
    assert [(t.role, t.content) for t in result.turns] == [
        ("user", "My sourdough starter is called Bruno"),
        ("assistant", "Hello Bruno."),
        ("user", "See the recipe\n[attached: recipe.txt]\n500 g rye\n[attached: loaf.jpg]"),
    ]
    assert left(result) == [
        "conversation 1, message 4: it has no text",
        "conversation 1, message 5: unknown sender 'ghost'",
        "conversation 2: `uuid` or `id` is missing or empty",
    ]


def test_mem0(mem: Memory) -> None:
    report = mem.import_from(DATA / "mem0.json")
    assert {m.content for m in mem.list()} == {"Prefers aisle seats", "Owns a green kayak"}
    kayak = next(m for m in mem.list() if "kayak" in m.content)
    assert kayak.valid_from == datetime(2025, 2, 1, tzinfo=UTC)
    assert kayak.data["import"]["from"] == "mem0"
    assert kayak.data["import"]["id"] == "22222222-bbbb"
    assert mem.history(kayak.id)[0].reason == "imported from mem0"
    assert [item.where for item in report.left] == ["memory 3", "memory 4", "relations"]


def mem0_history(path: Path) -> Path:
    connection = sqlite3.connect(path)
    connection.execute(
        "CREATE TABLE history (id TEXT PRIMARY KEY, memory_id TEXT, old_memory TEXT, new_memory TEXT, event TEXT,"
        " created_at DATETIME, updated_at DATETIME, is_deleted INTEGER, actor_id TEXT, role TEXT)"
    )
    rows = [
        ("1", "a", None, "Has one cat", "ADD", "2025-01-01T00:00:00+00:00", None, 0),
        (
            "2",
            "a",
            "Has one cat",
            "Has two cats",
            "UPDATE",
            "2025-01-01T00:00:00+00:00",
            "2025-02-01T00:00:00+00:00",
            0,
        ),
        ("3", "b", None, "Rents a garage", "ADD", "2025-01-05T00:00:00+00:00", None, 0),
        ("4", "b", "Rents a garage", None, "DELETE", "2025-03-01T00:00:00+00:00", "2025-03-01T00:00:00+00:00", 1),
        ("5", "c", None, None, "ADD", "2025-01-01T00:00:00+00:00", None, 0),
    ]
    connection.executemany("INSERT INTO history VALUES (?,?,?,?,?,?,?,?,NULL,NULL)", rows)
    connection.commit()
    connection.close()
    return path


def test_mem0_history_keeps_what_was_said_before(tmp_path: Path, mem: Memory) -> None:
    report = mem.import_from(mem0_history(tmp_path / "history.db"))
    cats, garage = sorted(mem.list(status="any"), key=lambda m: m.content)
    assert cats.content == "Has two cats"
    assert [c.after and c.after["content"] for c in mem.history(cats.id)] == ["Has one cat", "Has two cats"]
    assert (garage.status, garage.valid_to) == ("superseded", datetime(2025, 3, 1, tzinfo=UTC))
    assert [item.where for item in report.left] == ["memory c"]
    assert outcomes(mem.import_from(tmp_path / "history.db")) == {"known"}
    other = sqlite3.connect(tmp_path / "x.db")
    other.execute("CREATE TABLE t (x)")
    other.close()
    with pytest.raises(InvalidInput, match="not mem0"):
        formats.read(tmp_path / "x.db")


def test_letta(mem: Memory) -> None:
    report = mem.import_from(DATA / "letta.af")
    assert {(m.content, m.about) for m in mem.list()} == {
        ("Name: Wren", "user"), ("Works nights at the harbour", "user"), ("The shed needs a new roof", "project"),
    }  # fmt: skip
    assert [t.content for t in mem.turns("letta-agent-0")] == ["My dentist is Dr. Okafor", "Noted."]
    assert [item.where for item in report.left] == ["block 4", "agent 1, message 5", "files"]


def test_graphiti_keeps_when_a_fact_held(mem: Memory) -> None:
    report = mem.import_from(DATA / "graphiti.json")
    by_words = {m.content: m for m in mem.list(status="any")}
    mill = by_words["Ines works at the mill"]
    assert (mill.status, mill.valid_from, mill.valid_to) == (
        "superseded", datetime(2018, 1, 1, tzinfo=UTC), datetime(2021, 6, 1, tzinfo=UTC),
    )  # fmt: skip
    assert by_words["Ines lives in Porto"].status == "live"
    assert by_words["Ines: a neighbour with two dogs"].about == "Ines"
    assert [item.where for item in report.left] == ["edge 3", "episodes"]


def test_langmem(mem: Memory) -> None:
    report = mem.import_from(DATA / "langmem.json")
    assert {m.content for m in mem.list()} == {
        "Likes the blinds half open", "Bikes to work", '{"kind": "Profile", "content": {"name": "Sam", "shoe_size": 43}}',
    }  # fmt: skip
    assert [item.where for item in report.left] == ["item 4"]


def test_mcp_memory_as_lines_and_as_one_graph(tmp_path: Path, mem: Memory) -> None:
    report = mem.import_from(DATA / "mcp-memory.jsonl")
    assert {m.content for m in mem.list()} == {
        "Ana_Ruiz: Speaks Basque", "Ana Ruiz swims at dawn", "Iruna Press is a company",
        "Ana_Ruiz works at Iruna Press",
    }  # fmt: skip
    assert [item.where for item in report.left] == ["line 1, observation 3", "line 4", "line 5"]
    records = [json.loads(line) for line in (DATA / "mcp-memory.jsonl").read_text(encoding="utf-8").splitlines()]
    graph = {
        "entities": [r for r in records if r["type"] == "entity"],
        "relations": [r for r in records if r["type"] == "relation"],
    }
    (tmp_path / "graph.json").write_text(json.dumps(graph), encoding="utf-8")
    assert outcomes(mem.import_from(tmp_path / "graph.json")) == {"known"}


def test_a_vault(mem: Memory) -> None:
    report = mem.import_from(DATA / "vault")
    assert {(m.content, m.kind) for m in mem.list()} == {
        ("Anna teaches chemistry in Graz.", "fact"), ("Anna, Gifts: loves marzipan", "fact"),
        ("Anna, Gifts: find a scarf", "state"), ("Anna, Gifts: order tea", "state"),
        ("House: Keep the boiler at 55 degrees", "fact"),
    }  # fmt: skip
    assert {m.valid_from for m in mem.list() if m.about == "Anna"} == {datetime(2024, 2, 3, tzinfo=UTC)}
    assert [item.where for item in report.left] == ["House.md, front matter", "People/Anna.md, line 14"]


def test_plain_logs() -> None:
    whatsapp = found("whatsapp.txt", me="Ida", zone="+01:00")
    assert [(t.role, t.content) for t in whatsapp.turns] == [
        ("user", "Happy Christmas\nand a good year"), ("assistant", "Same to you"), ("user", "I moved to the second floor"),
    ]  # fmt: skip
    assert whatsapp.turns[2].at == datetime.fromisoformat("2025-01-03T21:05:00+01:00")
    assert left(whatsapp) == ["line 1: it belongs to no message"]
    assert [t.at for t in found("irc.txt", me="mo").turns] == [None, None]
    roles = found("roles.txt")
    assert [(t.role, t.content) for t in roles.turns] == [
        ("user", "I water the plants on Sundays"), ("assistant", "Good rhythm.\nIt also helps to turn them."),
        ("user", "Note: the fern wants shade"),
    ]  # fmt: skip
    assert left(roles) == ["line 4: the message is empty"]


def test_a_log_must_say_who_is_the_user() -> None:
    with pytest.raises(InvalidInput, match="who of them") as refused:
        formats.read(DATA / "irc.txt")
    assert "mo, lu" in refused.value.hint
    with pytest.raises(InvalidInput, match="Nobody"):
        formats.read(DATA / "irc.txt", me="Zed")


def test_days_that_could_be_months_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("[03/04/2025, 21:05] Ida: hi\n[03/04/2025, 21:06] Bo: hi\n", encoding="utf-8")
    result = found(tmp_path / "x.txt", me="Ida", zone="UTC")
    assert [t.at for t in result.turns] == [None, None]
    assert any("day or the month" in notice for notice in result.notices)


def test_an_imported_memory_that_was_forgotten_stays_forgotten(mem: Memory) -> None:
    mem.import_from(DATA / "mem0.json")
    mem.forget(mem.list()[0].id)
    mem.import_from(DATA / "mem0.json")
    assert len(mem.list()) == 1


def test_what_the_other_tool_changed_is_brought_up_to_date_unless_it_was_changed_here(
    tmp_path: Path, mem: Memory
) -> None:
    document = json.loads((DATA / "mem0.json").read_text(encoding="utf-8"))
    mem.import_from(DATA / "mem0.json")
    document["results"][0]["memory"] = "Prefers window seats"
    (tmp_path / "later.json").write_text(json.dumps(document), encoding="utf-8")
    assert "updated" in outcomes(mem.import_from(tmp_path / "later.json"))
    seats = next(m for m in mem.list() if "seats" in m.content)
    assert seats.content == "Prefers window seats"
    mem.edit(seats.id, "Prefers any seat")
    document["results"][0]["memory"] = "Prefers the dining car"
    (tmp_path / "later.json").write_text(json.dumps(document), encoding="utf-8")
    report = mem.import_from(tmp_path / "later.json")
    assert [item.outcome for item in report.left].count("differs") == 1
    assert mem.get(seats.id).content == "Prefers any seat"


def test_what_is_too_long_for_a_memory_is_named(tmp_path: Path, mem: Memory) -> None:
    (tmp_path / "m.json").write_text(json.dumps([{"id": "1", "memory": "x" * 10_001}]), encoding="utf-8")
    (item,) = mem.import_from(tmp_path / "m.json").left
    assert "10,000" in item.reason


def test_conversations_can_go_into_the_log_only(mem: Memory) -> None:
    mem.import_from(DATA / "claude.json", extract=False)
    assert mem.counts()["turn"] == 3
    assert mem.jobs() == []


@pytest.mark.parametrize("data", [b"", b"Dear diary, it rained.\n", b'{"a": 1}', b"[]", b"\x00\x01", b"\xff\xfea\x00"])
def test_other_files_are_refused_with_the_list_of_formats(tmp_path: Path, mem: Memory, data: bytes) -> None:
    (tmp_path / "x").write_bytes(data)
    with pytest.raises(InvalidInput) as refused:
        mem.import_from(tmp_path / "x")
    assert refused.value.hint
    with pytest.raises(InvalidInput, match="no format"):
        mem.import_from(tmp_path / "x", form="papyrus")
