"""The documentation says what the code does."""

from __future__ import annotations

import ast
import json
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import click
import pytest

import edgemem
from edgemem.cli.main import cli
from tests import docs_api
from tests.docs_reference import TARGET, commands, render

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "examples/README.md", *sorted((ROOT / "docs").glob("*.md"))]


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
            rf"(?:`|\$ |^)edgemem {re.escape(words.split()[0])}\b", page.read_text(encoding="utf-8"), re.M
        )
        assert in_code is None, f"{page.name} names `edgemem {words}`"


def test_the_settings_for_hosts_are_json_and_start_the_server() -> None:
    blocks = re.findall(r"^```json\n(.*?)^```", (ROOT / "docs/mcp.md").read_text(encoding="utf-8"), re.M | re.S)
    assert len(blocks) == 3
    serve = dict(commands(cli))[("edgemem", "mcp")]
    for block in blocks:
        ((_, servers),) = json.loads(block).items()
        for server in servers.values():
            assert server["command"] == "edgemem"
            name, *options = server["args"]
            assert name == "mcp"
            serve.make_parser(click.Context(serve)).parse_args(options)


def test_the_library_reference_is_what_the_code_says() -> None:
    assert docs_api.TARGET.read_text(encoding="utf-8") == docs_api.render(), "run: make docs"


def rows(page: str, width: int) -> list[list[str]]:
    """The rows of a page's tables that have so many columns, without heads and rules."""
    lines = (ROOT / "docs" / page).read_text(encoding="utf-8").splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    return [row for row in cells if len(row) == width]


CONSTANTS = [row for row in rows("formulas.md", 4) if row[0].startswith("`")]


@pytest.mark.parametrize(("name", "value", "module"), [row[:3] for row in CONSTANTS], ids=[r[0] for r in CONSTANTS])
def test_the_constants_in_the_formulas_are_those_of_the_code(name: str, value: str, module: str) -> None:
    found: Any = import_module(module.strip("`"))
    for part in name.strip("`").split("."):
        found = getattr(found, part) if part != "Settings" else edgemem.Settings()
    assert found == ast.literal_eval(value.strip("`"))


def test_the_signals_and_half_lives_in_the_formulas_are_those_of_the_code() -> None:
    from edgemem.recall import passages, weigh
    from edgemem.upkeep.value import HALFLIFE
    from edgemem.write.apply import IMPORTANCE

    three = rows("formulas.md", 3)
    assert {row[0].strip("`"): float(row[1]) for row in three if row[0].startswith("`")} == {
        **passages.SIGNALS,
        **weigh.SIGNALS,
    }
    kinds = {row[0]: (float(row[1]), float(row[2])) for row in three if row[0] in HALFLIFE}
    assert kinds == {kind: (HALFLIFE[kind], IMPORTANCE[kind]) for kind in HALFLIFE}


def test_each_promise_of_privacy_names_a_test_that_is_there() -> None:
    proofs = [row[2].strip("`") for row in rows("private.md", 3) if row[2].startswith("`tests/")]
    assert len(proofs) >= 7
    for proof in proofs:
        file, _, name = proof.partition("::")
        assert f"def {name}" in (ROOT / file).read_text(encoding="utf-8"), proof
