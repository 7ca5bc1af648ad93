"""`edgemem export` and `edgemem import` as a user types them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run

DATA = Path(__file__).parents[1] / "data" / "imports"


def test_a_memory_moves_to_another_file(run: Run, tmp_path: Path) -> None:
    run("add", "I keep bees")
    assert run("export", tmp_path / "me.jsonl").code == 0
    first = run("import", tmp_path / "me.jsonl", "--file", tmp_path / "b.edgemem")
    assert (first.code, first.out) == (0, "memory: 1 added\nhistory: 1 added\n")
    assert run("import", tmp_path / "me.jsonl", "--file", tmp_path / "b.edgemem").out.startswith("memory: 1 known")
    listed = run("list", "--json", "--file", tmp_path / "b.edgemem").json
    assert [m["content"] for m in listed["memories"]] == ["I keep bees"]


def test_an_export_can_go_into_a_pipe(run: Run) -> None:
    run("add", "I keep bees")
    lines = run("export", "-", "--json").out.splitlines()
    assert [json.loads(line)["type"] for line in lines] == ["edgemem", "memory", "history", "end"]
    assert "I keep bees" in run("export", "-", "--format", "csv").out


def test_the_export_says_what_it_wrote(run: Run, tmp_path: Path) -> None:
    run("add", "I keep bees")
    done = run("export", tmp_path / "notes", "--json").json
    assert done == {"records": 1, "masked": 0, "path": str(tmp_path / "notes")}
    again = run("export", tmp_path / "notes")
    assert again.code == 2
    assert "--force" in again.err
    assert run("export", tmp_path / "x.csv", "--kind", "gossip").code == 2


def test_an_import_names_what_it_left(run: Run) -> None:
    preview = run("import", DATA / "mem0.json", "--dry-run", "--json")
    assert preview.code == 1
    assert preview.json["counts"] == {"record": {"left": 3}, "memory": {"added": 2}}
    assert preview.json["dry_run"] is True
    done = run("import", DATA / "mem0.json")
    assert done.code == 1
    assert "not taken: memory 3" in done.err
    assert "2 added" in done.out
    assert "would be" not in done.out


def test_an_imported_conversation_waits_for_a_worker(run: Run) -> None:
    done = run("import", DATA / "roles.txt")
    assert "jobs run" in done.err
    assert len(run("jobs", "list", "--json").json["jobs"]) == 2
    assert run("import", DATA / "nothing.txt").code == 2


def test_an_encrypted_export_moves_with_its_own_passphrase(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("add", "I keep bees")
    refused = run("export", tmp_path / "me.jsonl", "--encrypt")
    assert (refused.code, "EDGEMEM_EXPORT_PASSPHRASE" in refused.err) == (1, True)
    monkeypatch.setenv("EDGEMEM_EXPORT_PASSPHRASE", "battery horse")
    assert run("export", tmp_path / "me.jsonl", "--encrypt").code == 0
    assert b"bees" not in (tmp_path / "me.jsonl").read_bytes()
    assert run("import", tmp_path / "me.jsonl", "--file", tmp_path / "b.edgemem").out.startswith("memory: 1 added")
    monkeypatch.delenv("EDGEMEM_EXPORT_PASSPHRASE")
    assert run("import", tmp_path / "me.jsonl", "--file", tmp_path / "b.edgemem").code == 1


def test_the_graph_is_exported_by_its_name(run: Run, tmp_path: Path) -> None:
    run("graph", "add", "Mia", "sister of", "Tom")
    assert run("export", tmp_path / "g.dot", "--json").json["records"] == 1
    assert 'label="sister of"' in (tmp_path / "g.dot").read_text(encoding="utf-8")
    assert "<graphml" in run("export", "-", "--format", "graphml").out
