"""Text that no file can hold, inside a file that is imported: what it stands in is named and left out, or the file is refused."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from edgemem.errors import EdgememError
from edgemem.intake import ImportReport
from edgemem.view import Memory
from tests.interop.test_formats import DATA, ME, NAMES

MARK = "quagga"
BAD = {"NUL": f" {MARK}\0s", "half": f" {MARK}\ud800s"}
TEXTS = [name for name in NAMES if name.endswith(".txt")] + ["vault/People/Anna.md"]
DOCUMENTS = [name for name in NAMES if name.endswith((".json", ".jsonl", ".af"))]


def _spoiled(value: Any, bad: str) -> Iterator[Any]:
    """A JSON value once for each text in it, with that text spoiled."""
    if isinstance(value, str):
        yield value + bad
    elif isinstance(value, dict):
        yield from ({**value, key: other} for key, inner in value.items() for other in _spoiled(inner, bad))
    elif isinstance(value, list):
        for n, inner in enumerate(value):
            yield from ([*value[:n], other, *value[n + 1 :]] for other in _spoiled(inner, bad))


def _cases(name: str, bad: str) -> list[str]:
    """The file as it is, and once for each text in it with that one spoiled."""
    text = (DATA / name).read_text(encoding="utf-8")
    if not name.endswith(".jsonl"):
        return [text, *map(json.dumps, _spoiled(json.loads(text), bad))]
    lines = text.splitlines()[:4]
    spoiled = (
        [*lines[:n], json.dumps(o), *lines[n + 1 :]]
        for n, line in enumerate(lines)
        for o in _spoiled(json.loads(line), bad)
    )
    return ["\n".join(case) for case in (lines, *spoiled)]


def _told(report: ImportReport) -> tuple[int, set[str]]:
    """How much is in the file now, and everything that was said."""
    items = report.items
    return sum(i.outcome != "left" for i in items), {f"{i.where}: {i.reason}" for i in items} | {*report.notices}


def _imported(mem: Memory, path: Path, me: str | None = None) -> ImportReport | None:
    """None for a file that is refused as a whole, with what to do."""
    try:
        return mem.import_from(path, me=me, zone="UTC", extract=False)
    except EdgememError as refused:
        hint = refused.hint
    assert hint
    return None


def _holds_no_mark(mem: Memory) -> bool:
    with mem.file.engine.read() as tx:
        tables = [row[0] for row in tx.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return not any(MARK in repr(tuple(row)) for name in tables for row in tx.execute(f"SELECT * FROM {name}"))


@pytest.mark.parametrize("kind", BAD)
@pytest.mark.parametrize("name", DOCUMENTS)
def test_what_a_text_stands_in_that_no_file_can_hold_is_named(
    tmp_path: Path, mem: Memory, name: str, kind: str
) -> None:
    path = tmp_path / Path(name).name
    whole, *cases = _cases(name, BAD[kind])
    path.write_text(whole, encoding="utf-8")
    usual, said = _told(mem.import_from(path, zone="UTC", extract=False))
    assert len(cases) > 10
    for case in cases:
        path.write_text(case, encoding="utf-8")
        report = _imported(mem, path)
        if report is not None:
            taken, now_said = _told(report)
            assert taken >= usual or now_said - said, case
    assert _holds_no_mark(mem)
    assert mem.file.check() == []


def test_a_record_of_many_parts_loses_only_the_spoiled_one(tmp_path: Path, mem: Memory) -> None:
    entity = {"type": "entity", "name": "Ana", "entityType": "person", "observations": ["swims", "a\0b", "sings"]}
    (tmp_path / "m.jsonl").write_text(json.dumps(entity), encoding="utf-8")
    report = mem.import_from(tmp_path / "m.jsonl")
    assert {m.content for m in mem.list()} == {"Ana: swims", "Ana: sings"}
    assert [(i.where, "NUL" in i.reason) for i in report.left] == [("line 1, observation 2", True)]


@pytest.mark.parametrize("bad", [b"\0", b"\xff", b"\xed\xa0\x80"], ids=["NUL", "byte", "half"])
@pytest.mark.parametrize("name", TEXTS)
def test_so_is_a_line_of_text(tmp_path: Path, mem: Memory, name: str, bad: bytes) -> None:
    path = tmp_path / Path(name).name
    lines = (DATA / name).read_bytes().splitlines(keepends=True)
    for n, line in enumerate(lines):
        path.write_bytes(b"".join([*lines[:n], line.rstrip() + b" " + MARK.encode() + bad + b"s\n", *lines[n + 1 :]]))
        report = _imported(mem, path, me=ME.get(name))
        assert report is None or report.left or report.notices
    assert _holds_no_mark(mem)
