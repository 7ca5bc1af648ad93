"""The documentation says what the code does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import edgemem.memory
from edgemem.cli.main import cli
from edgemem.ports import FixedModels
from edgemem.testing import ScriptedModel, WordsEmbedder
from tests import docs_api
from tests.docs_reference import TARGET, commands, render
from tests.helpers import NoModels

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]


def test_command_reference_is_what_help_prints() -> None:
    assert TARGET.read_text(encoding="utf-8") == render(), "run: make docs"


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?://)([^)#]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_commands_named_in_the_text_exist(page: Path) -> None:
    known = {" ".join(path) for path, _ in commands(cli)}
    for words in re.findall(r"\bedgemem ((?:[a-z]+ ?)+)", page.read_text(encoding="utf-8")):
        if f"edgemem {words.split()[0]}" in known:
            continue
        # Prose such as "edgemem keeps" is fine; inside code it has to be a command.
        in_code = re.search(
            rf"(?:`|\$ |^)edgemem {re.escape(words.split()[0])}", page.read_text(encoding="utf-8"), re.M
        )
        assert in_code is None, f"{page.name} names `edgemem {words}`"


def test_the_library_reference_is_what_the_code_says() -> None:
    assert docs_api.TARGET.read_text(encoding="utf-8") == docs_api.render(), "run: make docs"


RUN = ("README.md", "library.md", "moving.md")
"""Pages whose Python is run as it stands; the others' needs a terminal, a training run, or a host."""


@pytest.mark.parametrize("page", [p for p in PAGES if p.name in RUN], ids=lambda p: p.name)
def test_the_code_in_the_text_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    models = FixedModels(ScriptedModel(), WordsEmbedder(2048), NoModels())
    monkeypatch.setattr(edgemem.memory, "_installed", lambda: models)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "conversations.json").write_bytes((ROOT / "tests/data/imports/claude.json").read_bytes())
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.S)
    assert blocks
    for block in blocks:
        exec(compile(block, page.name, "exec"), {"__name__": "__main__"})
