"""What the command line says of itself is true: examples, --json, completion, spec, colours."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest

from edgemem import errors
from edgemem.cli.describing import EXIT_CODES
from edgemem.cli.main import cli
from tests.cli.conftest import Run, process
from tests.docs_reference import commands
from tests.helpers import ROOT

LEAVES = [(path, command) for path, command in commands(cli) if not isinstance(command, click.Group)]
IDS = [" ".join(path[1:]) for path, _ in LEAVES]


def examples(command: click.Command) -> list[str]:
    return [line.strip() for part in (command.help or "").split("\b")[1:] for line in part.splitlines() if line.strip()]


@pytest.mark.parametrize(("path", "command"), LEAVES, ids=IDS)
def test_each_command_has_examples_that_it_understands(path: tuple[str, ...], command: click.Command) -> None:
    found = examples(command)
    assert found
    for line in found:
        words = shlex.split(line, comments=True)
        words = words[words.index("edgemem") :]
        words = words[: next((n for n, word in enumerate(words) if word in (">", "|")), None)]
        assert tuple(words[: len(path)]) == path, line
        context = click.Context(command, info_name=" ".join(path), help_option_names=["-h", "--help"])
        command.make_parser(context).parse_args(words[len(path) :])


@pytest.mark.parametrize(("path", "command"), LEAVES, ids=IDS)
def test_each_command_takes_json_and_the_file(path: tuple[str, ...], command: click.Command) -> None:
    flags = {flag for parameter in command.params for flag in parameter.opts}
    if path[1] != "models" and path[1] != "eval":
        assert {"--json", "--file", "--user"} <= flags
    assert "--json" in flags


def test_the_spec_names_every_command_with_its_options(run: Run) -> None:
    described = run("spec", "--json").json
    by_name = {c["name"]: c for c in described["commands"]}
    assert set(by_name) == {" ".join(path) for path, _ in LEAVES}
    kind = next(o for o in by_name["edgemem add"]["options"] if o["name"] == "kind")
    assert (kind["flags"], kind["default"], kind["type"]) == (["--kind"], "fact", "text")
    assert by_name["edgemem completion"]["arguments"][0]["choices"] == ["bash", "zsh", "fish"]
    assert by_name["edgemem list"]["examples"][0].startswith("edgemem list")
    assert "edgemem add  Store one sentence" in run("spec").out


def test_the_exit_codes_are_those_of_the_errors() -> None:
    classes = [
        value for value in vars(errors).values() if isinstance(value, type) and issubclass(value, errors.EdgememError)
    ]
    assert {c.exit_code for c in classes} <= set(EXIT_CODES)


def test_completion_knows_commands_and_options(bare: dict[str, str], run: Run) -> None:
    assert "_EDGEMEM_COMPLETE" in run("completion", "zsh").out
    assert run("completion", "fish", "--json").json["shell"] == "fish"
    asked = bare | {"_EDGEMEM_COMPLETE": "bash_complete", "COMP_WORDS": "edgemem expo", "COMP_CWORD": "1"}
    assert process(asked).out.splitlines() == ["plain,export"]
    asked |= {"COMP_WORDS": "edgemem export --sen", "COMP_CWORD": "2"}
    assert process(asked).out.splitlines() == ["plain,--sensitive"]


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo terminal")
def test_without_colours_there_are_none(bare: dict[str, str], tmp_path: Path) -> None:
    ours, theirs = os.openpty()
    env = bare | {"NO_COLOR": "1", "TERM": "xterm-256color", "EDGEMEM_FILE": str(tmp_path / "a.edgemem")}
    for words in (
        ["add", "I keep bees"],
        ["list"],
        ["models", "list"],
        ["import", str(ROOT / "tests/data/imports/mem0.json")],
    ):
        subprocess.run(
            [sys.executable, "-m", "edgemem", *words], cwd=ROOT, env=env, stdout=theirs, stderr=theirs, check=False
        )
    os.close(theirs)
    shown = b""
    while chunk := _read(ours):
        shown += chunk
    os.close(ours)
    assert b"I keep bees" in shown
    assert b"\x1b[3" not in shown
    assert b"\x1b[9" not in shown


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo terminal")
@pytest.mark.parametrize(
    ("words", "told"), [([], b"Usage:"), (["tui"], b"chat --plain"), (["tui", "--demo"], b"chat --plain")]
)
def test_a_dumb_terminal_is_not_drawn_on(bare: dict[str, str], tmp_path: Path, words: list[str], told: bytes) -> None:
    ours, theirs = os.openpty()
    env = bare | {"TERM": "dumb", "EDGEMEM_FILE": str(tmp_path / "a.edgemem")}
    subprocess.run(
        [sys.executable, "-m", "edgemem", *words], cwd=ROOT, env=env, stdin=theirs, stdout=theirs, stderr=theirs, check=False
    )  # fmt: skip
    os.close(theirs)
    shown = b""
    while chunk := _read(ours):
        shown += chunk
    os.close(ours)
    assert told in b" ".join(shown.split())
    assert b"\x1b" not in shown
    assert not (tmp_path / "a.edgemem").exists()


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 65536)
    except OSError:
        return b""
