"""The whole app in a real terminal: tmux, the tiny real model, and a kill in the middle of a sentence."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from edgemem.errors import ModelMissing
from tests.helpers import ROOT, environment

WAIT = 90.0
"""Seconds for the tiny model to load and write on a busy machine."""


class Terminal:
    """A tmux session with a window of 100×30."""

    def __init__(self, name: str, folder: Path) -> None:
        self._name = name
        self._folder, self._count = folder, 0
        self._socket = str(folder / "tmux")

    def _tmux(self, *words: str) -> str:
        done = subprocess.run(
            ["tmux", "-S", self._socket, *words], capture_output=True, text=True, timeout=30, check=False
        )
        return done.stdout

    def start(self, command: str, env: dict[str, str]) -> None:
        """Run a command in it, under a server of its own: one that is just ending takes no new session."""
        self._count += 1
        self._socket = str(self._folder / f"tmux{self._count}")
        words = ["env", "-i", *(f"{k}={v}" for k, v in env.items()), "sh", "-c", command]
        self._tmux("new-session", "-d", "-s", self._name, "-x", "100", "-y", "30", shlex.join(words))

    def press(self, *keys: str) -> None:
        """Press keys by tmux's names, or type a text."""
        self._tmux("send-keys", "-t", self._name, *keys)

    def seen(self) -> str:
        """What stands on it."""
        return self._tmux("capture-pane", "-p", "-t", self._name)

    def wait(self, true: Callable[[str], object]) -> str:
        """Wait until what stands on it is so."""
        end = time.monotonic() + WAIT
        while time.monotonic() < end:
            text = self.seen()
            if true(text):
                return text
            time.sleep(0.2)
        raise AssertionError(f"it did not become so; the terminal shows:\n{self.seen()}")

    def process(self) -> int:
        """The id of what runs in it."""
        return int(self._tmux("list-panes", "-t", self._name, "-F", "#{pane_pid}").strip())

    def end(self) -> None:
        """End this session's own server."""
        self._tmux("kill-server")


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    if shutil.which("tmux") is None:
        pytest.skip("tmux is not installed")
    made = Terminal("app", tmp_path)
    yield made
    made.end()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A models folder in which the tiny model is the chosen one."""
    from edgemem_models.registry import path_of

    try:
        tiny, embedder = path_of("smollm2-135m"), path_of("multilingual-e5-small")
    except ModelMissing as error:
        pytest.skip(f"{error} {error.hint}")
    models = tmp_path / "home" / "models"
    models.mkdir(parents=True)
    for path in (tiny, embedder):
        (models / path.name).symlink_to(path)
    (models / "models.toml").write_text('chat = "smollm2-135m"\n', encoding="utf-8")
    return tmp_path / "home"


@pytest.mark.model
def test_a_chat_in_a_terminal_survives_a_kill(terminal: Terminal, home: Path, tmp_path: Path) -> None:
    env = environment({"EDGEMEM_HOME": str(home), "HOME": str(tmp_path), "TERM": "screen-256color", "LANG": "C.UTF-8"})
    command = f"cd {ROOT} && exec {sys.executable} -m edgemem tui --file {tmp_path / 'me.edgemem'}"
    terminal.start(command, env)
    terminal.wait(lambda text: "Everything stays on this machine" in text)
    terminal.wait(lambda text: "smollm2-135m" in text and "loading" not in text)
    terminal.press("-l", "Say hello to Mia.")
    terminal.press("Enter")
    terminal.wait(lambda text: "Assistant" in text and "tokens/s" in text)
    terminal.press("M-2")  # as Escape and the digit: tmux knows no other way
    terminal.wait(lambda text: "Search by words and meaning" in text)
    terminal.press("Escape")
    terminal.wait(lambda text: "Say hello to Mia." in text)
    terminal.press("-l", "and tell her that")
    time.sleep(3)  # what is typed is kept after a moment of quiet
    os.kill(terminal.process(), signal.SIGKILL)
    terminal.end()
    terminal.start(command, env)
    text = terminal.wait(lambda text: "and tell her that" in text and "Say hello to Mia." in text)
    assert "Assistant" in text
    terminal.press("C-q")
    terminal.wait(lambda text: not text.strip())
