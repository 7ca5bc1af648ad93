"""What went wrong once under rough handling: odd files, odd arguments, odd text."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers import ROOT, opened, plain_connection

from .conftest import Run, process


@pytest.fixture
def bad_text(store_path: Path) -> Path:
    """A closed file with bytes in a memory and in the schema that are no UTF-8."""
    with opened(store_path, words_only=True) as file:
        file.user("me").add("I keep bees")
    store_path.write_bytes(store_path.read_bytes().replace(b"I keep bees", b"I keep \xff\xfees"))
    return store_path


def test_text_that_became_none_is_damage_with_a_name(run: Run, bad_text: Path) -> None:
    for args in (("list",), ("show", "bees"), ("history",), ("add", "another one")):
        shown = run(*args)
        assert shown.code in {0, 1}
        assert "Traceback" not in shown.err
    assert "is damaged" in run("list").err
    found = run("check", "--json")
    assert found.code == 1
    assert not found.json["ok"]


def test_a_schema_that_cannot_be_read_is_a_finding_of_check(run: Run, bad_text: Path) -> None:
    bad_text.write_bytes(bad_text.read_bytes().replace(b"CREATE TABLE memory", b"CREATE TA\xff\xfe memory"))
    shown = run("list")
    assert shown.code == 1
    assert f"edgemem check --file {bad_text}" in shown.err
    found = run("check", "--json")
    assert found.code == 1
    assert found.json["problems"][0]["area"] == "integrity"


def test_a_time_that_became_none_is_damage(run: Run, store_path: Path) -> None:
    with opened(store_path, words_only=True) as file:
        file.user("me").add("I keep bees")
    db = plain_connection(store_path)
    db.execute("UPDATE memory SET updated_at = '2026-11-3x'")
    db.close()
    shown = run("list")
    assert shown.code == 1
    assert "was altered on the disk" in shown.err
    assert run("check").code == 1


def test_a_link_to_itself_is_no_stack_trace(run: Run, tmp_path: Path) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    shown = run("add", "I keep bees", "--file", loop)
    assert shown.code == 1
    assert "cannot be opened" in shown.err


@pytest.mark.parametrize(
    "args",
    [
        ("recall", "bees", "-k", "9" * 20),
        ("list", "-n", "9" * 20),
        ("list", "--kind", "facts"),
        ("list", "--status", "gone"),
        ("recall", "bees", "--kind", "facts"),
        ("state", "set", "t", "f", "[" * 50_000),
    ],
    ids=lambda args: " ".join(args)[:24],
)
def test_arguments_nobody_can_mean_are_wrong_usage(run: Run, args: tuple[str, ...]) -> None:
    run("add", "I keep bees")
    shown = run(*args)
    assert (shown.code, shown.out) == (2, "")
    assert "Error: " in shown.err


def test_a_number_longer_than_python_reads_is_kept_as_text(run: Run) -> None:
    assert run("state", "set", "t", "f", "1" * 5000).code == 0
    assert run("state", "get", "t", "f", "--json").json["fields"][0]["value"] == "1" * 5000


def test_a_filter_that_fits_nothing_does_not_say_there_are_no_memories(run: Run) -> None:
    run("add", "I keep bees")
    assert run("list", "--kind", "rule").err == "No memory fits.\n"


def test_a_session_that_is_not_there_is_a_failure(run: Run) -> None:
    run("add", "I keep bees")
    shown = run("log", "nowhere")
    assert (shown.code, shown.out) == (1, "")
    assert "There is no session" in shown.err


def test_stored_text_cannot_drive_the_terminal(run: Run) -> None:
    uid = run("add", "first\nsecond \x1b[31mred\x07").out.strip()
    shown = run("show", uid)
    assert shown.out.startswith("first\nsecond [31mred\n")
    assert "\x1b" not in shown.out
    run("observe", "a \x1b]0;title\x07", "--session", "s")
    assert "\x1b" not in run("log", "s").out


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_output_that_cannot_be_written_is_named(bare: dict[str, str], store_path: Path) -> None:
    assert process(bare, "add", "I keep bees", "--file", store_path).code == 0
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "edgemem", "list", "--file", store_path],
            cwd=ROOT, env=bare, stdout=full, stderr=subprocess.PIPE, check=False,
        )  # fmt: skip
    assert done.returncode == 1
    assert b"No space left" in done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("text", ["", "\n \n", "not json\n"])
def test_a_file_without_any_turn_needs_no_model(run: Run, tmp_path: Path, text: str) -> None:
    source = tmp_path / "none.jsonl"
    source.write_text(text, encoding="utf-8")
    done = run("learn", str(source))
    assert done.code == 2
    assert "no turn" in done.err or "format" in done.err


def test_changing_a_memory_that_is_out_of_use_says_so(run: Run) -> None:
    uid = run("add", "I keep bees").out.strip()
    run("forget", uid)
    for words in (("edit", uid, "I keep goats"), ("pin", uid)):
        done = run(*words)
        assert done.code == 0
        assert "The memory is forgotten" in done.err
    assert "forgotten" not in run("pin", run("add", "I keep wolves").out.strip()).err


@pytest.mark.parametrize("text", ["\u200b\u200d", "\u2060", "\u3164", " \u00ad ", "\ufeff", "\u2800", "\u0301"])
def test_words_that_nobody_can_see_are_no_memory(run: Run, text: str) -> None:
    done = run("add", text)
    assert done.code == 2
    assert "needs words" in done.err


@pytest.mark.parametrize("text", ["7", "?!", "🐝", "蜂", "ก"])
def test_the_shortest_things_that_can_be_seen_are(run: Run, text: str) -> None:
    assert run("add", text).code == 0


def test_a_time_without_offset_is_shown_with_one(run: Run) -> None:
    done = run("add", "x", "--expires", "2026-12-31T18:00")
    assert done.code == 2
    assert "2026-12-31T18:00:00+02:00" in done.err


def test_a_budget_too_small_is_not_nothing_relevant(run: Run) -> None:
    run("add", "I keep bees behind the house, and they are mild")
    done = run("context", "bees", "--budget", "1")
    assert "none fits into the budget" in done.err
    assert "Nothing relevant" in run("context", "submarines").err


def test_what_would_drive_the_terminal_is_taken_out_of_a_context(run: Run) -> None:
    run("add", "bees \x1b[31m and \x07 honey")
    assert "\x1b" not in run("context", "bees").out
    assert "\x07" not in run("context", "bees").out


def test_an_export_that_meets_an_altered_row_prints_nothing(run: Run, store_path: Path) -> None:
    for words in ("I keep bees", "I keep goats"):
        run("add", words)
    run("state", "set", "trip", "city", "Porto")
    with contextlib.closing(plain_connection(store_path)) as db:
        db.execute("UPDATE state SET value = '\"Paris\"'")
    ran = run("export", "-")
    assert ran.code == 1
    assert ran.out == ""
    assert "altered" in ran.err
