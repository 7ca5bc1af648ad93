"""Bytes that are no text, as a terminal hands them on, are refused wherever a command takes text; nothing ever shows a trace."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest

from edgemem.cli.main import cli
from edgemem.cli.unlock import typed_unseen
from edgemem.errors import InvalidInput
from edgemem.testing import ScriptedModel, WordsEmbedder
from tests.cli.conftest import Run
from tests.docs_reference import commands
from tests.helpers import files

BYTE = b"I keep \xff bees".decode("utf-8", "surrogateescape")
BAD = {"NUL": "I keep\0bees", "half": "I keep \ud800 bees", "byte": BYTE}


def _places() -> Iterator[tuple[tuple[str, ...], click.Command, click.Parameter]]:
    for path, command in commands(cli):
        for parameter in command.params if not isinstance(command, click.Group) else ():
            if isinstance(parameter.type, click.types.StringParamType | click.Path):
                yield path[1:], command, parameter


PLACES = list(_places())


def _line(path: tuple[str, ...], command: click.Command, at: click.Parameter, bad: str) -> list[str]:
    """The command with the text in one place, and something in the others that must be given."""
    line = list(path) if isinstance(at, click.Argument) else [*path, max(at.opts, key=len), bad]
    given = [p for p in command.params if isinstance(p, click.Argument)]
    options = [p for p in command.params if isinstance(p, click.Option) and p.required and p is not at]
    line += [word for p in options for word in (max(p.opts, key=len), _some(p))]
    return [*line, "--", *(bad if p is at else _some(p) for p in given)]


def _some(parameter: click.Parameter) -> str:
    if isinstance(parameter.type, click.Choice):
        return str(parameter.type.choices[0])
    return "2026-05-08" if isinstance(parameter.type, click.DateTime) else "given"


@pytest.mark.parametrize("kind", BAD)
@pytest.mark.parametrize("group", sorted({path[0] for path, _, _ in PLACES}))
def test_every_option_that_takes_text_refuses_it(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, group: str, kind: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("given").write_text("")
    for path, command, at in (place for place in PLACES if place[0][0] == group):
        if kind == "byte" and isinstance(at.type, click.Path):
            continue  # the name of a file may be any bytes
        done = run(*_line(path, command, at, BAD[kind]))
        where = f"{' '.join(path)} {at.name}: {done.err}"
        assert done.code in (1, 2), where
        assert " at position " in done.err, where
        assert "ype it again" in done.err, where
    assert files(tmp_path) == ["given"]


@pytest.mark.parametrize("name", ["EDGEMEM_USER", "EDGEMEM_PASSPHRASE"])
def test_so_is_what_the_environment_gives(run: Run, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, BYTE)
    done = run("add", "I keep bees")
    assert done.code == 2
    assert "half a character" in done.err
    assert "ype it again" in done.err


STDIN = {
    "learn": (("learn", "-"), b'{"role": "user", "content": "I keep %s bees"}'),
    "add": (("add", "-"), b"I keep %s bees"),
    "observe": (("observe", "-"), b"I keep %s bees"),
    "recall": (("recall", "-"), b"do I keep %s bees"),
    "context": (("context", "-"), b"do I keep %s bees"),
    "needs": (("needs", "-"), b"do I keep %s bees"),
    "sensitive": (("add", "-", "--sensitive", "--label", "bees"), b"I keep %s bees"),
    "chat": (("chat", "--plain"), b"I keep %s bees"),
}
BYTES = [(name, bad) for name in STDIN for bad in (b"\0", b"\xff", b"\xed\xa0\x80")]
ESCAPES = [("learn", b"\\u0000"), ("learn", b"\\ud800")]


@pytest.mark.parametrize(("name", "bad"), BYTES + ESCAPES)
def test_so_is_what_standard_input_gives(run: Run, models: Callable[..., None], name: str, bad: bytes) -> None:
    models(ScriptedModel(), WordsEmbedder())
    line, text = STDIN[name]
    run("add", "I keep goats")
    done = run(*line, stdin=text % bad + b"\n")
    assert done.code in (1, 2), done
    assert any(word in done.err for word in ("NUL", "not UTF-8", "half a", "control character")), done.err
    assert [m["content"] for m in run("list", "--json").json["memories"]] == ["I keep goats"]
    assert run("sessions", "--json").json["sessions"] == []


def test_so_is_what_is_typed_unseen(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def typed(*_: object, **__: object) -> str:
        return b"I keep \xff".decode()

    monkeypatch.setattr(click.termui, "hidden_prompt_func", typed)
    with pytest.raises(InvalidInput) as told:
        typed_unseen("Sensitive text")
    assert told.value.hint
