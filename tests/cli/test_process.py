"""The command as a process of its own: exit codes, streams, pipes, interruption, machines without anything."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers import ROOT, opened, wait_until

from .conftest import process

TURN = b'{"role": "user", "content": "I keep bees"}\n'


def test_a_machine_without_models(bare: dict[str, str], store_path: Path) -> None:
    ran = process(bare, "learn", "-", "--file", store_path, stdin=TURN)
    assert (ran.code, ran.out) == (4, "")
    assert "edgemem models pull" in ran.err
    assert "Traceback" not in ran.err
    kept = process(bare, "sessions", "--file", store_path, "--json")
    assert (kept.code, json.loads(kept.out)["sessions"][0]["turns"]) == (0, 1)
    added = process(bare, "add", "I keep bees", "--file", store_path)
    assert added.code == 0
    found = process(bare, "recall", "bees", "--file", store_path, "--json")
    assert found.code == 0
    assert {h["content"] for h in json.loads(found.out)["hits"]} == {"I keep bees"}
    assert "by words only" in found.err
    assert process(bare, "chat", "--plain", "--file", store_path, stdin=b"hi\n").code == 4


def test_the_default_file_is_in_the_users_data_folder(bare: dict[str, str]) -> None:
    assert process(bare, "add", "I keep bees").code == 0
    shown = process(bare, "info", "--json").json["path"]
    assert shown.startswith(bare["HOME"])
    assert shown.endswith("me.edgemem")


def test_a_data_folder_that_cannot_be_made_is_named(bare: dict[str, str], tmp_path: Path) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_text("a file, not a folder")
    ran = process(bare | {"XDG_DATA_HOME": str(blocked), "HOME": str(blocked)}, "add", "x")
    assert ran.code == 1
    assert "cannot be made" in ran.err
    assert "Traceback" not in ran.err


def test_a_reader_that_goes_away_is_no_error_to_shout_about(bare: dict[str, str], store_path: Path) -> None:

    with opened(store_path, words_only=True) as file, file.engine.write():
        for n in range(3000):
            file.user("me").add(f"fact number {n} with a few more words to fill the pipe")
    running = subprocess.Popen(
        [sys.executable, "-m", "edgemem", "list", "-n", "0", "--file", store_path],
        cwd=ROOT, env=bare, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert running.stdout is not None
    assert running.stdout.readline().startswith(b"id")
    running.stdout.close()
    assert running.stderr is not None
    errors = running.stderr.read()
    running.wait(60)
    running.stderr.close()
    assert running.returncode in {0, 1}
    assert b"Traceback" not in errors
    assert b"BrokenPipe" not in errors


@pytest.mark.skipif(not hasattr(signal, "SIGINT"), reason="no signals here")
def test_interrupted_is_130_and_says_that_nothing_is_lost(bare: dict[str, str], store_path: Path) -> None:
    running = subprocess.Popen(
        [sys.executable, "-m", "edgemem", "learn", "-", "--file", store_path],
        cwd=ROOT, env=bare, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        # A shell that runs the tests in the background has them ignore the signal, and their children too.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 - it only resets a signal
    )  # fmt: skip
    assert running.stdin is not None
    running.stdin.write(TURN)
    running.stdin.flush()
    # It waits for the rest of its input once it has imported all it needs.
    wait_until(lambda: _waits_for_input(running.pid))
    running.send_signal(signal.SIGINT)
    _, errors = running.communicate(timeout=60)
    assert running.returncode == 130
    assert errors.decode().strip() == "Interrupted. What was finished is kept."


def _waits_for_input(pid: int) -> bool:
    where = Path(f"/proc/{pid}/wchan")
    if not where.parent.exists():
        pytest.skip("cannot see what a process waits for here")
    waiting = Path(f"/proc/{pid}/syscall")
    try:
        return waiting.read_text().startswith("0 0x0 ")  # read(0, …
    except OSError:
        pytest.skip("cannot see what a process waits for here")


def test_bytes_that_are_no_text_are_named_not_a_stack_trace(bare: dict[str, str], store_path: Path) -> None:
    opened(store_path).close()
    done = subprocess.run(
        [sys.executable.encode(), b"-m", b"edgemem", b"recall", b"\xff\xfe", b"--file", str(store_path).encode()],
        cwd=ROOT, env=bare, capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert b"half a character" in done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_terminal_that_cannot_show_a_text_is_no_crash(bare: dict[str, str], store_path: Path, encoding: str) -> None:
    env = bare | {"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0", "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0"}
    assert process(bare, "add", "用户住在里斯本 — café", "--file", store_path).code == 0
    for args in (("list",), ("recall", "cafe", "--json"), ("show", "nothing")):
        ran = subprocess.run(
            [sys.executable, "-m", "edgemem", *args, "--file", store_path],
            cwd=ROOT,
            env=env,
            capture_output=True,
            check=False,
        )
        assert b"Traceback" not in ran.stderr
        assert ran.returncode in {0, 1}
        if "--json" in args:
            assert json.loads(ran.stdout)["hits"][0]["content"] == "用户住在里斯本 — café"
