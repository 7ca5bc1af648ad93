"""An answer while it is written, and the way it is handed to the caller piece by piece."""

from __future__ import annotations

import queue
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, Literal

from edgemem.ports import Generation
from edgemem_models.lane import Job
from edgemem_models.prompt import Prompt
from edgemem_models.sampler import Picked
from edgemem_models.thinking import ThinkingFilter
from edgemem_models.vocabulary import TextStream, Vocabulary

_POLL_SECONDS: Final = 0.05


@dataclass(frozen=True, slots=True)
class Thought:
    """More of what a model thinks aloud before it answers."""

    text: str


@dataclass(frozen=True, slots=True)
class Listeners:
    """Whom to ask whether to stop, and whom to tell of the prompt and of thoughts; all on the caller's thread."""

    stop: Callable[[], bool] | None = None
    on_prompt: Callable[[int, int], None] | None = None
    on_thinking: Callable[[str], None] | None = None


Pieces = queue.SimpleQueue[str | Thought | tuple[int, int] | None]
"""Texts of an answer and of the thoughts before it, progress of its prompt as (done, total), and None at the end."""


@dataclass(slots=True)
class Request:
    """What a job needs to write an answer."""

    prompt: Prompt
    max_tokens: int
    temperature: float
    seed: int
    grammar: str | None = None
    on_text: Callable[[str], None] | None = None
    on_prompt: Callable[[int, int], None] | None = None
    on_thought: Callable[[str], None] | None = None


class Answer:
    """What was written so far, thoughts apart. Inside a grammar nothing is taken for a thought."""

    def __init__(self, vocabulary: Vocabulary, request: Request) -> None:
        self._stream = TextStream(vocabulary)
        self._request = request
        self._filter = ThinkingFilter(request.prompt.thinks) if request.grammar is None else None
        self._texts: list[str] = []
        self._logprobs: list[float] = []

    def add(self, picked: Picked) -> None:
        """Take one token; its text is the characters it completes."""
        text = self._stream.feed(picked.token)
        if self._filter is not None:
            text = self._filter.feed(text)
            self._think(self._filter)
            if self._filter.inside:
                return
        self._texts.append(text)
        self._logprobs.append(picked.logprob)
        self._tell(text)

    def finished(self, finish: Literal["stop", "length", "aborted"], reused: int) -> Generation:
        """The whole; what was held back, as it might have begun a thought, is told now."""
        rest = ""
        if self._filter is not None:
            rest = self._filter.end()
            self._think(self._filter)
        if rest and self._texts:
            self._texts[-1] += rest
            self._tell(rest)
        return Generation(
            "".join(self._texts),
            finish,
            tuple(self._texts),
            tuple(self._logprobs),
            prompt_tokens=len(self._request.prompt.tokens),
            cached_tokens=reused,
            thinking=self._filter.thinking.strip() if self._filter is not None else "",
        )

    def _think(self, thoughts: ThinkingFilter) -> None:
        fresh = thoughts.fresh() if self._request.on_thought is not None else ""
        if fresh and self._request.on_thought is not None:
            self._request.on_thought(fresh)

    def _tell(self, text: str) -> None:
        if text and self._request.on_text is not None:
            self._request.on_text(text)


def deliver(job: Job[Generation], pieces: Pieces, listeners: Listeners) -> Iterator[str]:
    """Hand the pieces of a running job to the caller; stopping, closing or dropping the iterator cancels the job."""
    iterator = _delivered(job, pieces, listeners)
    # A generator that was never asked for anything has no ``finally`` to run.
    weakref.finalize(iterator, job.drop).atexit = False
    return iterator


def _delivered(job: Job[Generation], pieces: Pieces, listeners: Listeners) -> Iterator[str]:
    stop, on_prompt, on_thinking = listeners.stop, listeners.on_prompt, listeners.on_thinking
    try:
        while True:
            if stop is not None and stop():
                return
            try:
                piece = pieces.get(timeout=_POLL_SECONDS if stop is not None else None)
            except queue.Empty:
                continue
            if piece is None:
                job.future.result()
                return
            if isinstance(piece, str):
                yield piece
            elif isinstance(piece, Thought):
                if on_thinking is not None:
                    on_thinking(piece.text)
            elif on_prompt is not None:
                on_prompt(*piece)
    finally:
        job.drop()
