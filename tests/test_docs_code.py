"""The code in the documentation runs as it stands, and the commands print what stands below them."""

from __future__ import annotations

import contextlib
import doctest
import re
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import edgemem.memory
from edgemem.ports import Embedder, FixedModels, LanguageModel
from edgemem.testing import ScriptedModel, WordsEmbedder
from tests.cli.conftest import Run, models, run  # noqa: F401 - fixtures
from tests.helpers import ROOT, Fact, NoModels, RuleModel
from tests.models.conftest import e5, e5_path, tiny_model_path  # noqa: F401 - fixtures
from tests.test_docs import PAGES

with contextlib.suppress(
    ImportError
):  # what stands for stderr at its import is its default for good, and a test's own may be no file
    import mcp.client.stdio  # noqa: F401

NOT_RUN = {"tui.md": "it opens the terminal app on the user's own file"}
"""Pages whose Python is not run, and why."""

REAL = ("learned-gate.md", "heads.md", "models.md")
"""Pages whose Python needs real model files."""


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page.read_text(encoding="utf-8"), re.S)


WITH_PYTHON = [page for page in PAGES if blocks(page, "python") and page.name not in NOT_RUN]
WITH_COMMANDS = [page for page in PAGES if blocks(page, "console")]


def test_what_is_not_run_has_code() -> None:
    assert all(blocks(ROOT / "docs" / name, "python") for name in NOT_RUN)


@pytest.mark.parametrize("page", [p for p in WITH_PYTHON if p.name not in REAL], ids=lambda p: p.name)
def test_the_code_in_the_text_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if "mcp" in page.name:
        pytest.importorskip("mcp", reason="the extra mcp is not installed")
    scripted = FixedModels(ScriptedModel(), WordsEmbedder(2048), NoModels())
    monkeypatch.setattr(edgemem.memory, "_installed", lambda: scripted)
    monkeypatch.chdir(tmp_path)
    # What a block starts is this environment's edgemem, in a home of its own.
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=":")
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "conversations.json").write_bytes((ROOT / "tests/data/imports/claude.json").read_bytes())
    _execute(page, {})


@pytest.mark.model
@pytest.mark.parametrize("name", REAL)
def test_the_code_about_models_runs(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, e5: Embedder, tiny_model_path: Path,  # noqa: F811
) -> None:  # fmt: skip
    from edgemem_models.provider import LocalModels

    monkeypatch.chdir(tmp_path)
    installed = LocalModels()
    monkeypatch.setattr(edgemem.memory, "default_path", lambda: tmp_path / "me.edgemem")
    monkeypatch.setattr(edgemem.memory, "_installed", lambda: installed)
    try:
        _execute(
            ROOT / "docs" / name, {"embedder": e5, "path": tiny_model_path, "folder": tmp_path, "edgemem": edgemem}
        )
    finally:
        installed.close()


def _execute(page: Path, names: dict[str, Any]) -> None:
    for block in blocks(page, "python"):
        exec(compile(block, page.name, "exec"), {"__name__": "__main__", **names})


CHAT = '{"role": "user", "content": "I moved to Porto in May. How do I get a tax number?", "session": "mon"}\n'
LEARNS = RuleModel(
    Fact("I moved to Porto in May", "The user moved to Porto in May.", "event"),
    Fact("We moved from Lyon to Xiamen last September", "The user moved from Lyon to Xiamen last September.", "event"),
)


@pytest.mark.parametrize("page", WITH_COMMANDS, ids=lambda p: p.name)
def test_commands_print_what_stands_below_them(
    page: Path,
    run: Run,  # noqa: F811
    models: Callable[[LanguageModel | None, Embedder | None], None],  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    models(LEARNS, WordsEmbedder(2048))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "chat.jsonl").write_text(CHAT, encoding="utf-8")
    check = doctest.OutputChecker().check_output
    for block in blocks(page, "console"):
        for command, expected in re.findall(r"^\$ edgemem (.*)\n((?:(?!\$ ).*\n)*)", block, re.M):
            done = run(*shlex.split(command, comments=True))
            assert done.code == 0, (command, done.err)
            shown = done.out + done.err
            assert check(expected, shown or "\n", doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE), (command, shown)
