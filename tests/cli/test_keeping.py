"""check, backup and restore by command."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.helpers import opened, plain_connection, said

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


def test_check_and_repair(run: Run, store_path: Path) -> None:
    run("add", "I keep bees")
    assert run("check", "--repair").out == "All is well.\n"
    db = plain_connection(store_path)
    db.execute("UPDATE memory SET content = 'I keep wasps'")
    db.close()
    assert run("check").code == 1
    done = run("check", "--repair", "--json")
    assert done.code == 0
    assert done.json["ok"]
    assert {p["area"] for p in done.json["found"]} >= {"rows"}
    assert any("its history says" in line for line in done.json["done"])
    assert (done.json["lost"], done.json["left"]) == ([], [])
    assert Path(done.json["kept"]).exists()
    assert "I keep bees" in run("list").out
    assert run("check").code == 0


def test_what_repair_cannot_save_is_exit_1_and_told(run: Run, store_path: Path) -> None:
    with opened(store_path, words_only=True) as file:
        file.user("me").log(said("hello there"))
    db = plain_connection(store_path)
    db.execute("UPDATE turn SET content = 'I never said this'")
    db.close()
    done = run("check", "--repair")
    assert done.code == 1
    assert "lost: turn s/" in done.out
    assert "is kept" in done.err
    assert run("check").code == 0


def test_merge(run: Run, store_path: Path, tmp_path: Path) -> None:
    run("add", "I keep bees")
    other = tmp_path / "desktop.edgemem"
    shutil.copy(store_path, other)
    uid = run("list", "--json").json["memories"][0]["id"]
    run("add", "from the desktop", "--file", other)
    run("edit", uid, "I keep ducks")
    run("edit", uid, "I keep geese", "--file", other)
    done = run("merge", other, "--json")
    assert done.code == 0
    assert done.json["added"]["memory"] == 1
    assert [d["kept"] for d in done.json["disagreements"]] == ["I keep geese"]
    listed = run("list").out
    assert "from the desktop" in listed
    assert "I keep geese" in listed
    again = run("merge", other)
    assert (again.code, again.out) == (0, "")
    assert "New: nothing" in again.err
    assert run("merge", store_path).code == 2
