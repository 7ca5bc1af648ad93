"""check, backup and restore by command."""

from __future__ import annotations

from pathlib import Path

from .conftest import Run


def test_backup_list_and_restore(run: Run, store_path: Path, tmp_path: Path) -> None:
    run("add", "I keep bees")
    listed = run("backup", "--list")
    assert (listed.code, listed.out) == (0, "")
    assert "no backup yet" in listed.err
    made = run("backup", "--json")
    assert made.code == 0
    assert Path(made.json["path"]).stat().st_size == made.json["bytes"]
    assert not made.json["automatic"]
    assert made.json["path"] in run("backup", "--list").out
    assert [b["path"] for b in run("backup", "--list", "--json").json["backups"]] == [made.json["path"]]
    by_name = run("backup", tmp_path / "copy.edgemem")
    assert by_name.out == f"{tmp_path / 'copy.edgemem'}\n"
    run("add", "later")
    restored = run("restore", "latest", "--json")
    assert restored.code == 0
    assert restored.json["restored"] == made.json["path"]
    assert "later" not in run("list").out
    assert "later" in run("list", "--file", restored.json["kept"]).out
    assert "is kept" in run("restore", tmp_path / "copy.edgemem").err
    assert run("check").code == 0


def test_what_cannot_be_backed_up_or_restored_is_named(run: Run, store_path: Path, tmp_path: Path) -> None:
    none = run("restore", "latest")
    assert (none.code, none.out) == (1, "")
    assert "no backup beside" in none.err
    run("add", "I keep bees")
    assert "is there already" in run("backup", store_path).err
    assert run("backup", tmp_path, "--list").code == 2
    (tmp_path / "text").write_text("no database" * 1000)
    bad = run("restore", tmp_path / "text")
    assert bad.code == 1
    assert "not an edgemem file" in bad.err
    assert "I keep bees" in run("list").out
