"""What tests of all rooms share: opening files, a model that answers by rule, child processes, waiting."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import edgemem
from edgemem.errors import ModelMissing
from edgemem.memory import MemoryFile
from edgemem.ports import Embedder, Generation, LanguageModel, Message, Priority
from edgemem.settings import Settings
from edgemem.store import row_seals
from edgemem.store.driver import driver
from edgemem.store.key import Key
from edgemem.testing import ScriptedModel, WordsEmbedder
from edgemem.view import Memory
from edgemem.write.prompts import GATE_OPTIONS
from tests.guard import sockets

ROOT = Path(__file__).resolve().parent.parent
NOW = datetime(2026, 5, 6, 12, 0, tzinfo=UTC)
QUIET = Settings(background=False, rules_first=False)
"""No work behind the back of a test, and every clause asked of the model that the test has scripted."""

CHILD_SECONDS = 60.0
"""A child process that takes longer hangs."""


class SetClock:
    """Stands still until a test moves it."""

    def __init__(self, moment: datetime = NOW) -> None:
        self.moment = moment

    def now(self) -> datetime:
        return self.moment

    def forward(self, **span: float) -> None:
        self.moment += timedelta(**span)


class NoModels:
    """A machine without models."""

    def language_model(self) -> LanguageModel:
        raise ModelMissing("There is no chat model yet.", "Fetch one with: edgemem models pull")

    def embedder(self) -> Embedder:
        raise ModelMissing("There is no embedding model yet.", "Fetch one with: edgemem models pull")

    def clause_judge(self) -> None:
        return None

    def relation_judge(self) -> None:
        return None

    def close(self) -> None:
        """Nothing to free."""


@dataclass(frozen=True)
class Fact:
    """What the model finds when ``quote`` stands in a message."""

    quote: str
    memory: str
    kind: str = "fact"


_LETTERS = {"fact": "F", "event": "F", "skill": "F", "preference": "P", "rule": "P", "state": "S"}
_RELATIONS = {"duplicate": "A", "refine": "B", "conflict": "C", "distinct": "D"}


class RuleModel(ScriptedModel):
    """Extracts the facts whose quote is in the message, and relates memories as ``relation`` says."""

    def __init__(self, *facts: Fact, relation: str = "distinct") -> None:
        super().__init__()
        self.facts = facts
        self.relation = relation

    def generate(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int = 512,
        grammar: str | None = None,
        temperature: float = 0.0,
        seed: int = 0,
        priority: Priority = "background",
    ) -> Generation:
        self.prompts.append(tuple(messages))
        passage = messages[-1].content.rpartition("Message:\n")[2]
        items = [
            {"quote": f.quote, "memory": f.memory, "kind": f.kind} for f in self.facts if found_in(f.quote, passage)
        ]
        return written(json.dumps(items, ensure_ascii=False))

    def _odds(self, question: str, options: Sequence[str]) -> dict[str, float]:
        if tuple(options) != GATE_OPTIONS:
            picked = _RELATIONS[self.relation]
        else:
            asked = question.rpartition("\n")[2]
            picked = next((_LETTERS[f.kind] for f in self.facts if overlap(f.quote, asked)), options[-1])
        return {o: 0.97 if o == picked else 0.03 / (len(options) - 1) for o in options}


def found_in(quote: str, text: str) -> bool:
    return "".join(quote.split()) in "".join(text.split())


def overlap(quote: str, clause: str) -> bool:
    return found_in(quote, clause) or found_in(clause, quote)


def written(text: str) -> Generation:
    """A whole answer of a model that is sure of itself."""
    tokens = tuple(text)
    return Generation(text, "stop", tokens, tuple(-0.01 for _ in tokens))


def opened(
    path: Path,
    model: LanguageModel | None = None,
    embedder: Embedder | None = None,
    *,
    settings: Settings = QUIET,
    clock: SetClock | None = None,
    words_only: bool = False,
    read_only: bool = False,
    passphrase: str | None = None,
    key: Key | None = None,
) -> MemoryFile:
    """A file with doubles for models; ``words_only`` leaves the embedder out."""
    vectors = None if words_only else embedder or WordsEmbedder(2048)  # wide enough for words not to collide
    return edgemem.open(
        path, language_model=model, embedder=vectors, provider=NoModels(), settings=settings, clock=clock,
        read_only=read_only, passphrase=passphrase, key=key,
    )  # fmt: skip


def said(*contents: str, session: str = "s", role: str = "user", at: datetime = NOW) -> list[edgemem.Turn]:
    """Turns a minute apart, with ids of their own."""
    return [
        edgemem.Turn(role, text, at=at + timedelta(minutes=n), session=session, id=f"{session}-{at:%d%H}-{n}")
        for n, text in enumerate(contents)
    ]


def assert_sourced(memory: Memory) -> None:
    """Every memory learned from a turn names a turn that is there and words that are in it."""
    for found in memory.list(limit=0, status="any"):
        source = found.source
        if source.turn is None:
            continue
        assert source.session is not None
        if found.sensitivity != "normal":
            continue  # a secret that was told waits in the review without its words
        assert source.quote
        assert source.start is not None
        content = memory.turn(source.session, source.turn).content
        assert content[source.start : source.start + len(source.quote)] == source.quote


def wait_until(true: Callable[[], object], seconds: float = 30.0) -> None:
    """Return as soon as something is true; fail when it does not become so."""
    end = time.monotonic() + seconds
    pause = threading.Event()
    while not true():
        assert time.monotonic() < end, "it did not become true"
        pause.wait(0.005)


def python(
    code: str, *args: object, env: Mapping[str, str] | None = None, uid: int | None = None, expect: int | None = 0
) -> subprocess.CompletedProcess[str]:
    """Run a piece of Python in a process of its own. ``uid`` drops the rights first; ``expect`` is the exit code."""
    # Whoever has no rights may not be able to import either, so that comes first.
    drop = f"import numpy, sqlcipher3.dbapi2, tests.helpers, os; os.setgid({uid}); os.setuid({uid})\n"
    head = "" if uid is None else drop
    done = subprocess.run(
        [sys.executable, "-c", head + code, *map(str, args)],
        cwd=ROOT, env=environment(env), capture_output=True, text=True, timeout=CHILD_SECONDS, check=False,
    )  # fmt: skip
    assert expect is None or done.returncode == expect, done.stdout + done.stderr
    return done


@contextlib.contextmanager
def child(code: str, *args: object) -> Iterator[subprocess.Popen[str]]:
    """A Python process that runs beside the test and is gone after it."""
    process = subprocess.Popen(
        [sys.executable, "-c", code, *map(str, args)],
        cwd=ROOT, env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def environment(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of a child process: this code, no file or models of the machine."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("EDGEMEM_")}
    paths = [str(ROOT / "tests" / "guard"), str(ROOT), str(ROOT / "models"), str(ROOT / "tui")]
    return (
        kept
        | {"PYTHONPATH": os.pathsep.join(paths), "PYTHONUTF8": "1"}
        | sockets.child_environment()
        | dict(more or {})
    )


def plain_connection(path: Path, *, sealing: bool = False) -> Any:
    """The file seen without edgemem, to damage it or to look under the hood; ``sealing``: rows written get their seals."""
    connection = driver().connect(str(path), isolation_level=None)
    if sealing:
        row_seals.install(connection)
        row_seals.watch(connection)
    return connection


def files(folder: Path) -> list[str]:
    return sorted(p.name for p in folder.iterdir())
