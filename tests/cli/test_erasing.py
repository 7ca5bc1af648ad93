"""`edgemem erase`: a preview unless told otherwise, a receipt, an exit code that scripts can trust."""

from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Run
from tests.helpers import child
from tests.store.test_erase import _READER


def test_without_yes_nothing_is_touched(run: Run) -> None:
    run("add", "about otters")
    shown = run("erase", "--search", "otters")
    assert (shown.code, "about otters" in shown.out, "--yes" in shown.err) == (0, True, True)
    assert run("list", "--json").json["memories"][0]["content"] == "about otters"
    assert run("erase", "--search", "otters", "--json").json == {
        "done": False,
        "items": [{"what": "memory", "id": run("list", "--json").json["memories"][0]["id"], "effect": "erased",
                   "content": "about otters"}],
        "echoes": [],
    }  # fmt: skip


def test_with_yes_it_is_gone_and_the_receipt_says_so(run: Run, store_path: Path) -> None:
    run("add", "about otters")
    run("add", "about about")
    done = run("erase", "--search", "otters", "--yes", "--verify", "--json")
    assert done.code == 0
    assert done.json["done"]
    assert done.json["scrubbed"]
    assert done.json["proof"]["found"] == {}
    assert done.json["proof"]["words"] >= 1
    assert "about" in done.json["proof"]["kept"]
    assert "otters" not in done.out
    assert b"otter" not in store_path.read_bytes()
    assert run("erase", "--search", "otters", "--yes").err.startswith("There was nothing")


def test_a_memory_by_part_of_its_id_and_a_whole_user(run: Run) -> None:
    uid = run("add", "about otters").out.strip()
    run("add", "about bob", "--user", "bob")
    assert run("erase", uid[-8:], "--yes").code == 0
    assert run("list", "--json").json["memories"] == []
    told = run("erase", "--all", "--user", "bob", "--yes", "--verify")
    assert told.code == 0
    assert "0 found" in told.out
    assert run("info", "--json").json["users"] == ["me"]


def test_wrong_use(run: Run) -> None:
    run("add", "I keep bees")
    assert run("erase").code == 2
    assert run("erase", "abcdefgh", "--search", "x").code == 2
    assert run("erase", "--find", "x", "--all").code == 2
    assert run("erase", "--session", "none", "--yes").code == 1


def test_a_reader_elsewhere_gives_exit_code_three(run: Run, store_path: Path) -> None:
    from tests.helpers import plain_connection

    run("add", "about otters")
    with child(_READER, store_path) as reader:
        assert reader.stdout is not None
        assert reader.stdout.readline() == "reading\n"
        done = run("erase", "--search", "otters", "--yes", "--wait", "0.2")
        assert done.code == 3
        assert "--find" in done.err
    plain_connection(store_path).close()
    looked = run("erase", "--find", "otters", "--json")
    assert (looked.code, looked.json["proof"]["found"]) == (0, {})


def test_copies_that_still_hold_it_are_named_and_removed(run: Run) -> None:
    uid = run("add", "about otters").out.strip()
    run("add", "about bees")
    old = run("backup").out.strip()
    told = run("erase", uid, "--yes")
    assert told.code == 0
    assert old in told.err
    assert "--backups" in told.err
    newer = run("backup").out.strip()
    again = run("erase", "--search", "bees", "--yes", "--backups", "--json").json["copies"]
    assert (sorted(again["removed"]), again["holding"]) == (sorted([old, newer]), [])
    assert not Path(old).exists()


def test_restoring_keeps_erased_what_was_erased(run: Run) -> None:
    uid = run("add", "about otters").out.strip()
    run("add", "about bees")
    old = run("backup").out.strip()
    run("erase", uid, "--yes")
    told = run("restore", old)
    assert "stays erased" in told.err
    assert [m["content"] for m in run("list", "--json").json["memories"]] == ["about bees"]
    assert run("restore", old, "--revive", "--json").json["erased"] == 0
    assert "about otters" in run("list").out
