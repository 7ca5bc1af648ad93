"""With ``--json`` every command prints JSON on standard output and nothing else, where it succeeds and where it fails.

The commands are those of the command line itself: a new one without a case here fails the first test.
"""

from __future__ import annotations

import json
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import pytest

from edgemem.cli import evaluate
from edgemem.cli.describing import EXIT_CODES
from edgemem.cli.main import cli
from edgemem.ports import Embedder, LanguageModel
from edgemem.records import Turn
from edgemem.testing import WordsEmbedder
from edgemem.write import manual
from tests.cli.conftest import Ran, Run
from tests.docs_reference import commands
from tests.evals.fakes import FakeOpener
from tests.evals.tiny import EXTRACTION, MEMORYBANK, PAIRS, write_lines
from tests.helpers import SetClock, opened, said
from tests.models.tiny_gguf import write_gguf
from tests.upkeep.test_reflect import RUNS, Wording, learn_on_days

NAMES = [" ".join(path[1:]) for path, command in commands(cli) if not isinstance(command, click.Group)]

CASES: dict[str, str | tuple[str, ...]] = {
    "add": "add 'I play the oboe'",
    "learn": "learn {chat}",
    "observe": "observe 'I keep bees'",
    "edit": "edit {bees} 'I keep wasps'",
    "pin": "pin {bees}",
    "join": "join {bees} {hives} --text 'I keep bees in two hives'",
    "split": "split {bees} 'I keep bees' 'I like honey'",
    "confirm": "confirm {doubted}",
    "forget": "forget {bees}",
    "undo": "undo {change}",
    "recall": "recall bees --explain",
    "context": "context bees",
    "needs": "needs 'Do I keep bees?'",
    "list": "list --status any",
    "show": "show {bees}",
    "history": "history {bees}",
    "believed": "believed 2026-05-08",
    "stats": "stats",
    "sessions": "sessions",
    "rename": "rename s 'About bees'",
    "log": "log s",
    "why": "why {learned}",
    "trace": "trace {turn} --session {session}",
    "erase": ("erase {bees}", "erase {bees} --yes --verify", "erase --find bees"),
    "encrypt": "encrypt",
    "decrypt": ("encrypt", "decrypt"),
    "passphrase": ("encrypt", "passphrase"),
    "state end": "state end trip",
    "state get": ("state get trip", "state get trip seat"),
    "state list": "state list",
    "state set": "state set trip row 4",
    "state step": "state step trip pack",
    "maintain": ("maintain --preview", "maintain"),
    "summarize": "summarize s",
    "info": "info",
    "index": "index",
    "jobs cancel": "jobs cancel {job}",
    "jobs list": "jobs list",
    "jobs pause": "jobs pause",
    "jobs resume": "jobs resume",
    "jobs run": "jobs run",
    "profile get": "profile get language",
    "profile list": "profile list",
    "profile set": "profile set tone warm",
    "profile unset": "profile unset language",
    "reflect": "reflect",
    "insights drop": "insights drop {insight}",
    "insights list": "insights list",
    "insights show": "insights show {insight}",
    "review accept": "review accept {proposal}",
    "review list": "review list",
    "review reject": "review reject {proposal}",
    "graph accept": "graph accept {doubtful}",
    "graph add": "graph add Tom 'works at' Acme --confidence 0.5",
    "graph alias": "graph alias Mia Mimi",
    "graph build": "graph build",
    "graph close": "graph close {relation}",
    "graph list": "graph list",
    "graph merge": "graph merge Mia Tom",
    "graph path": "graph path Mia Tom",
    "graph reject": "graph reject {doubtful}",
    "graph review": "graph review",
    "graph show": "graph show Mia",
    "graph split": ("graph alias Mia Mimi", "graph split Mia Mimi"),
    "graph unmerge": "graph unmerge {merge}",
    "check": ("check", "check --repair"),
    "backup": ("backup", "backup --list"),
    "restore": ("backup", "restore latest"),
    "merge": "merge {other}",
    "export": ("export {folder}/me.jsonl", "export -"),
    "import": "import {export}",
    "models list": "models list",
    "models path": "models path",
    "models use": "models use chat {folder}/own.gguf",
    "eval extraction": "eval extraction {extraction}",
    "eval pairs": "eval pairs {pairs}",
    "eval retrieval": "eval retrieval {retrieval}",
    "eval score": "eval score pairs {pairs} {predictions}",
    "demo": "demo {chat} --questions {questions}",
    "completion": "completion bash",
    "spec": "spec",
}
"""What each command is called with; several lines are called one after the other, and each must answer in JSON."""

FAILS: dict[str, tuple[int, str]] = {
    "postgres push": (1, "postgres push 'host={folder} user=nobody'"),
    "postgres pull": (1, "postgres pull 'host={folder} user=nobody'"),
    "confirm": (1, "confirm {bees}"),
    "jobs retry": (1, "jobs retry {job}"),
    "models pull": (1, "models pull no-such-model"),
    "models use": (1, "models use chat no-such-model"),
    "eval sessions": (2, "eval sessions {chat}"),
    "eval router": (2, "eval router {pairs}"),
    "eval graph": (2, "eval graph {pairs}"),
    "eval insights": (2, "eval insights {pairs}"),
    "eval summaries": (2, "eval summaries {pairs}"),
    "tui": (2, "tui"),
    "mcp": (1, "mcp --read-only --file {folder}/none.edgemem"),
}
"""What needs a doubtful memory, a failed job, a server, a network, a terminal, or speaks another protocol: its error, with the exit code."""

OTHERWISE = {"chat": "a document for each line that it is given", "models check": "a report, also of what failed"}
"""What has a test of its own below."""

NO_FILE = {
    "completion",
    "spec",
    "demo",
    "learn",
    "import",
    "chat",
    "merge",
    "tui",
    *(n for n in NAMES if n.split()[0] in ("models", "eval")),
}
"""What opens no file of the user's, or something else before it."""


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """A folder with a file that has something of everything in it, and the ids of it."""
    folder = tmp_path_factory.mktemp("lived")
    clock = SetClock()
    with opened(folder / "me.edgemem", Wording(*RUNS), clock=clock) as file:
        mem = file.user("me")
        learn_on_days(mem, clock, RUNS)
        names = {"insight": mem.reflect().insights[0].id, "learned": mem.list()[0].id}
        source = mem.get(names["learned"]).source
        names |= {"turn": str(source.turn), "session": str(source.session)}
        names["bees"] = mem.add("I keep bees and like honey")
        names["hives"] = mem.add("I have two hives")
        names["change"] = mem.edit(names["hives"], "I have three hives")
        mem.add("The user drinks green tea in the morning.")
        mem.add("The user drinks green tea in the early morning.")
        names["proposal"] = mem.reflect().proposals[0].id
        names["doubted"] = mem.add("I have a third hive")
        with file.engine.write() as tx:
            manual.edit(tx, mem._key, names["doubted"], file.now(), status="review")
        mem.set_state("trip", "seat", "by the window")
        mem.set_profile("language", "English")
        names["relation"] = mem.graph.relate("Mia", "sister of", "Tom").id
        names["doubtful"] = mem.graph.relate("Tom", "owns", "Rex", confidence=0.5).id
        mem.graph.relate("Ann", "likes", "jazz")
        mem.graph.relate("Anna", "likes", "tea")
        names["merge"] = mem.graph.merge("Anna", "Ann")
        mem.log(said("I keep bees", session="s"))
        mem.observe([Turn("user", "I keep many bees", session="s")])
        names["job"] = mem.jobs(limit=0)[-1].id
        mem.export_to(folder / "export.jsonl")
    with opened(folder / "other.edgemem") as file:
        file.user("me").add("I sing in a choir")
    write_gguf(folder / "own.gguf")
    write_lines(folder / "chat.jsonl", [{"role": "user", "content": "I keep bees", "id": "a"}])
    write_lines(folder / "questions.jsonl", [{"question": "Do I keep bees?", "answer": "Yes.", "evidence": ["a"]}])
    write_lines(folder / "extraction.jsonl", EXTRACTION)
    write_lines(folder / "pairs.jsonl", PAIRS)
    write_lines(folder / "retrieval.jsonl", MEMORYBANK)
    write_lines(folder / "predictions.jsonl", [{"id": pair["id"], "relation": "distinct"} for pair in PAIRS])
    return folder, names


@pytest.fixture
def call(
    lived: tuple[Path, dict[str, str]], tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch,
    models: Callable[[LanguageModel | None, Embedder | None], None],
) -> Callable[..., Ran]:  # fmt: skip
    """``call("show {bees}")`` on a copy of that file, with ``--json``."""
    template, names = lived
    folder = tmp_path / "copy"
    shutil.copytree(template, folder)
    models(Wording(*RUNS), WordsEmbedder(2048))
    fake = SimpleNamespace(
        language_model=lambda: SimpleNamespace(name="fake"),
        embedder=lambda: SimpleNamespace(fingerprint="fake"),
        close=lambda: None,
    )
    monkeypatch.setattr(evaluate, "provider_for", lambda _model: fake)
    monkeypatch.setattr(evaluate, "opener_for", lambda _provider: FakeOpener())
    for name, value in {"EDGEMEM_FILE": folder / "me.edgemem", "EDGEMEM_HOME": tmp_path / "home", "HOME": tmp_path,
                        "EDGEMEM_PASSPHRASE": "words", "EDGEMEM_NEW_PASSPHRASE": "other words"}.items():  # fmt: skip
        monkeypatch.setenv(name, str(value))
    places = {path.stem: str(path) for path in folder.glob("*.jsonl")} | {
        "other": str(folder / "other.edgemem"),
        "folder": str(folder),
    }

    def called(line: str, *more: str, stdin: str = "") -> Ran:
        return run(*(word.format(**names, **places) for word in shlex.split(line)), *more, "--json", stdin=stdin)

    return called


def test_every_command_has_a_case() -> None:
    assert set(CASES) | set(FAILS) | set(OTHERWISE) == set(NAMES)
    assert set(NAMES) >= NO_FILE


@pytest.mark.parametrize("name", CASES)
def test_what_succeeds_prints_one_json_document(call: Callable[..., Ran], name: str) -> None:
    lines = CASES[name]
    for line in (lines,) if isinstance(lines, str) else lines:
        done = call(line)
        assert done.code == 0, (line, done.out, done.err)
        if line == "export -":
            assert [json.loads(row) for row in done.out.splitlines()]
        else:
            assert isinstance(done.json, dict | list)


@pytest.mark.parametrize("name", FAILS)
def test_what_cannot_be_done_here_says_so_in_json(call: Callable[..., Ran], name: str) -> None:
    code, line = FAILS[name]
    _is_error(call(line), code)


def test_a_failed_job_waits_again(call: Callable[..., Ran], tmp_path: Path) -> None:
    with opened(tmp_path / "copy" / "me.edgemem") as file, file.engine.write() as tx:
        tx.execute("UPDATE job SET status = 'failed' WHERE status = 'queued'")
    assert call("jobs retry {job}").json["status"] == "queued"


def test_a_chat_prints_a_document_for_each_answer(call: Callable[..., Ran]) -> None:
    done = call("chat", stdin="Do I keep bees?\nWhere do I run?\n")
    decoder, rest, found = json.JSONDecoder(), done.out.strip(), []
    while rest:
        document, end = decoder.raw_decode(rest)
        found.append(document)
        rest = rest[end:].lstrip()
    assert [set(document) for document in found] == [{"text", "session", "used"}] * 2


@pytest.mark.parametrize("name", NAMES)
def test_wrong_use_is_told_in_json(call: Callable[..., Ran], name: str) -> None:
    _is_error(call(name, "--no-such-option"), 2)


@pytest.mark.parametrize("name", [name for name in CASES if name not in NO_FILE])
def test_a_file_that_is_none_of_ours_is_told_in_json(call: Callable[..., Ran], name: str, tmp_path: Path) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_text("Dear diary, " * 100, encoding="utf-8")
    lines = CASES[name]
    line = lines if isinstance(lines, str) else lines[-1]
    _is_error(call(line, "--file", str(notes)), 1)
    assert notes.read_text(encoding="utf-8").startswith("Dear diary")


def test_a_command_that_answered_already_tells_its_error_in_words_only(call: Callable[..., Ran]) -> None:
    done = call("models check no-such-model")
    assert (done.code, done.json["ok"]) == (1, False)
    assert done.err.startswith("Error: ")


def _is_error(done: Ran, code: int) -> None:
    told: dict[str, Any] = done.json
    assert set(told) == {"error"}
    assert set(told["error"]) == {"kind", "message", "hint", "exit_code"}
    assert (done.code, told["error"]["exit_code"]) == (code, code), (told, done.err)
    assert code in EXIT_CODES
    assert "Traceback" not in done.err
    assert told["error"]["message"].splitlines()[0] in done.err, "people read the same on standard error"
