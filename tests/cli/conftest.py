"""Running the command line: in this process for its words, as a process of its own for its manners."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import edgemem.folders
import edgemem.memory
from edgemem.cli.main import main
from edgemem.ports import Embedder, FixedModels, LanguageModel
from edgemem.testing import WordsEmbedder
from tests.helpers import CHILD_SECONDS, ROOT, NoModels, environment


@dataclass(frozen=True)
class Ran:
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Run = Callable[..., Ran]


@pytest.fixture
def models(monkeypatch: pytest.MonkeyPatch) -> Callable[[LanguageModel | None, Embedder | None], None]:
    """Call it to say which models this machine has."""

    def use(language: LanguageModel | None = None, embedding: Embedder | None = None) -> None:
        monkeypatch.setattr(edgemem.memory, "_installed", lambda: FixedModels(language, embedding, NoModels()))

    use(None, WordsEmbedder())
    return use


@pytest.fixture
def run(store_path: Path, models: object, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """``run("add", "x")``: one command on the test's own file; ``stdin`` is text or bytes."""
    monkeypatch.setenv("EDGEMEM_FILE", str(store_path))
    monkeypatch.delenv("EDGEMEM_USER", raising=False)
    # What is said once a day is said anew in each test.
    monkeypatch.setattr(edgemem.folders, "cache_home", lambda _: store_path.parent / "cache")

    def call(*args: object, stdin: str | bytes = b"") -> Ran:
        monkeypatch.setattr(sys, "argv", ["edgemem", *map(str, args)])
        data = stdin.encode() if isinstance(stdin, str) else stdin
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))
        with pytest.raises(SystemExit) as left:
            main()
        captured = capsys.readouterr()
        return Ran(int(left.value.code or 0), captured.out, captured.err)

    return call


@pytest.fixture
def bare(tmp_path: Path) -> dict[str, str]:
    """The environment of a machine on which nothing was ever installed."""
    home = tmp_path / "home"
    home.mkdir()
    (home / "models").mkdir()
    return environment(
        {"HOME": str(home), "EDGEMEM_HOME": str(home / "models"), "XDG_DATA_HOME": str(home / "data"),
         "XDG_CACHE_HOME": str(home / "cache"), "HF_HOME": str(home / "hf")}
    )  # fmt: skip


def process(env: dict[str, str], *args: object, stdin: bytes = b"") -> Ran:
    """One command as a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "edgemem", *map(str, args)], cwd=ROOT, env=env, input=stdin, capture_output=True,
        timeout=CHILD_SECONDS, check=False,
    )  # fmt: skip
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())
