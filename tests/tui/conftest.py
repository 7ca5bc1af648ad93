"""A scripted model and a word-counting embedder: enough to drive the app without any model file."""

from __future__ import annotations

import contextlib
import hashlib
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

import pytest
from edgemem_tui.app import EdgememApp, make_app
from textual.app import App
from textual.css.query import NoMatches
from textual.pilot import Pilot

import edgemem.memory
from edgemem.errors import ModelMissing
from edgemem.memory import Memory, MemoryFile
from edgemem.ports import Embedder, Generation, LanguageModel, Message, Priority
from edgemem.settings import Settings

WAIT = 90.0


class ScriptedModel:
    """Streams ``script`` word by word; ``hold`` keeps it before a piece, ``hold_prompt`` while it reads the prompt."""

    name = "scripted"
    context_size = 2048

    def __init__(self) -> None:
        self.thoughts: list[str] = []
        self.script: list[str] = ["Hello ", "there, ", "**friend**."]
        self.hold_at: int | None = None
        self.hold_prompt = False
        self.deaf = False
        self.fails: Exception | None = None
        self.release = threading.Event()
        self.asked: list[str] = []

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    def count_messages(self, messages: Sequence[Message]) -> int:
        return sum(self.count_tokens(m.content) + 4 for m in messages)

    def generate(self, messages: Sequence[Message], **_: Any) -> Generation:
        return Generation("", "stop")

    def stream(
        self, messages: Sequence[Message], *, max_tokens: int = 1024, temperature: float = 0.7, seed: int = 0,
        stop: Callable[[], bool] | None = None, on_prompt: Callable[[int, int], None] | None = None,
        on_thinking: Callable[[str], None] | None = None,
    ) -> Iterator[str]:  # fmt: skip
        self.asked.append(messages[-1].content)
        if on_prompt is not None:
            on_prompt(340, 900)
        if self.hold_prompt and self._held(stop):
            return
        if on_thinking is not None:
            for thought in self.thoughts:
                on_thinking(thought)
        for n, piece in enumerate(self.script):
            if n == self.hold_at and self._held(stop):
                return
            if self.fails is not None and n == 1:
                raise self.fails
            yield piece

    def _held(self, stop: Callable[[], bool] | None) -> bool:
        end = time.monotonic() + WAIT
        while not self.release.is_set() and time.monotonic() < end:
            if stop is not None and stop() and not self.deaf:
                return True
            self.release.wait(0.01)
        return stop is not None and stop()

    def choose(
        self, prefix: Sequence[Message], questions: Sequence[str], options: Sequence[str], *,
        priority: Priority = "background",
    ) -> list[dict[str, float]]:  # fmt: skip
        return [{option: float(n == len(options) - 1) for n, option in enumerate(options)} for _ in questions]

    def close(self) -> None:
        self.release.set()


class WordEmbedder:
    """Texts that share words point the same way."""

    fingerprint = "words-64"
    dim = 64

    def embed(
        self, texts: Sequence[str], kind: Literal["query", "passage"], *, priority: Priority = "background"
    ) -> list[list[float]]:
        return [self._one(text) for text in texts]

    def _one(self, text: str) -> list[float]:
        vector = [0.01] * self.dim
        for word in text.lower().replace("?", "").replace(".", "").split():
            vector[hashlib.md5(word.encode("utf-8", "replace")).digest()[0] % self.dim] += 1.0
        norm = sum(x * x for x in vector) ** 0.5
        return [x / norm for x in vector]

    def calibrate(self, cosine: float) -> float:
        return max(0.0, cosine)

    def close(self) -> None:
        pass


class Nothing:
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
        pass


@pytest.fixture
def model() -> ScriptedModel:
    return ScriptedModel()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "me.edgemem"


@pytest.fixture
def file(path: Path, model: ScriptedModel) -> Iterator[MemoryFile]:
    settings = Settings(background=False)
    with edgemem.memory.open(
        path, language_model=model, embedder=WordEmbedder(), provider=Nothing(), settings=settings
    ) as opened:
        yield opened
        model.release.set()


@pytest.fixture
def bare(path: Path) -> Iterator[MemoryFile]:
    """A file on a machine without models."""
    with edgemem.memory.open(path, provider=Nothing(), settings=Settings(background=False)) as opened:
        yield opened


@pytest.fixture
def mem(file: MemoryFile) -> Memory:
    return file.user("me")


def app_of(file: MemoryFile) -> EdgememApp:
    """The app with settings of its own, so that a test neither reads nor writes those of whoever runs it."""
    return make_app(file, "me", poll_seconds=0.2, config_path=file.path.with_name("tui.toml"))


async def wait_until(pilot: Pilot[Any], true: Callable[[], object], seconds: float = WAIT) -> None:
    """Let the app run until something is true; fail if it does not become so."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        await pilot.pause(0.02)
        # A screen that has just come may have nothing on it yet.
        with contextlib.suppress(NoMatches):
            if true():
                return
    raise AssertionError(f"it did not become true; the screen shows:\n{shown(pilot.app)}")


async def say(pilot: Pilot[Any], text: str) -> None:
    """Type a message and send it."""
    from edgemem_tui.widgets.composer import Composer

    composer = pilot.app.screen.query_one(Composer)
    composer.take(text)
    composer.focus()
    await pilot.press("enter")


def shown(app: App[Any]) -> str:
    """All that stands on the screen now, as lines of text."""
    size = app.size
    lines = app.screen._compositor.render_strips(size)
    return "\n".join(strip.text for strip in lines)
