"""Doubles for tests of apps that embed edgemem: a model with a queue of answers, an embedder of words.

They follow ``edgemem.ports`` and need no model file. They say nothing about quality.
"""

from __future__ import annotations

import hashlib
import math
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Literal

from edgemem.ports import Generation, Message, Priority
from edgemem.text import query_tokens

Answer = str | Generation | Exception
"""What a scripted model gives: text, a whole generation, or an error to raise."""


class ScriptedModel:
    """A language model that answers from queues, and remembers what it was asked.

    ``answers`` feeds ``generate`` and ``stream``; when it is empty they answer ``[]``.
    ``choices`` maps a part of a question to the option that gets probability 0.97 in ``choose``;
    where none fits, the last option gets it. A call for a single token only has the prompt evaluated, as the
    background does when a chat begins; it takes no answer.
    """

    def __init__(self, answers: Sequence[Answer] = (), choices: dict[str, str] | None = None) -> None:
        self.answers: deque[Answer] = deque(answers)
        self.choices = choices or {}
        self.prompts: list[tuple[Message, ...]] = []
        self._lock = threading.Lock()

    name = "scripted"
    context_size = 4096

    def count_tokens(self, text: str) -> int:
        """A word or a wide character is a token."""
        return len(text.split()) + sum(ord(c) > 0x2E7F for c in text)

    def count_messages(self, messages: Sequence[Message]) -> int:
        """Four more for each message."""
        return sum(self.count_tokens(m.content) + 4 for m in messages)

    def _next(self, messages: Sequence[Message]) -> Generation:
        with self._lock:
            self.prompts.append(tuple(messages))
            answer = self.answers.popleft() if self.answers else "[]"
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, Generation):
            return answer
        tokens = tuple(answer)
        return Generation(answer, "stop", tokens, tuple(-0.01 for _ in tokens), self.count_messages(messages), 0)

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
        """The next answer of the queue, whatever the grammar."""
        if max_tokens <= 1:
            return Generation("", "length", (), (), self.count_messages(messages), 0)
        return self._next(messages)

    def stream(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int = 1024,
        temperature: float = 0.7,
        seed: int = 0,
        stop: Callable[[], bool] | None = None,
        on_prompt: Callable[[int, int], None] | None = None,
        on_thinking: Callable[[str], None] | None = None,
    ) -> Iterator[str]:
        """The next answer of the queue, word by word; the ``thinking`` of a ``Generation`` first."""
        answer = self._next(messages)
        if on_prompt is not None:
            on_prompt(1, 1)
        if on_thinking is not None and answer.thinking:
            on_thinking(answer.thinking)
        for piece in answer.text.split(" "):
            if stop is not None and stop():
                return
            yield piece + " "

    def choose(
        self,
        prefix: Sequence[Message],
        questions: Sequence[str],
        options: Sequence[str],
        *,
        priority: Priority = "background",
    ) -> list[dict[str, float]]:
        """0.97 for the option that ``choices`` names, the rest shared."""
        return [self._odds(question, options) for question in questions]

    def _odds(self, question: str, options: Sequence[str]) -> dict[str, float]:
        picked = next((o for part, o in self.choices.items() if part in question and o in options), options[-1])
        return {o: 0.97 if o == picked else 0.03 / (len(options) - 1) for o in options}

    def close(self) -> None:
        """Nothing to free."""


class WordsEmbedder:
    """An embedder of shared words: each search token adds to a component chosen by its hash."""

    def __init__(self, dim: int = 64, fingerprint: str = "words-1") -> None:
        self.dim = dim
        self.fingerprint = fingerprint

    def embed(
        self, texts: Sequence[str], kind: Literal["query", "passage"], *, priority: Priority = "background"
    ) -> list[list[float]]:
        """Unit-length vectors; a text without any word gets a fixed direction of its own."""
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> list[float]:
        vector = [0.0] * self.dim
        vector[0] = 1e-3
        for token, _ in query_tokens(text):
            digest = hashlib.blake2b(token.encode("utf-8"), digest_size=8).digest()
            vector[int.from_bytes(digest, "big") % self.dim] += 1.0
        norm = math.sqrt(sum(x * x for x in vector))
        return [x / norm for x in vector]

    def calibrate(self, cosine: float) -> float:
        """The cosine itself, cut to 0..1."""
        return min(1.0, max(0.0, cosine))

    def close(self) -> None:
        """Nothing to free."""
