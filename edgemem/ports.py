"""The seams: what edgemem asks of a model, an embedder and a clock.

Any object with these methods will do. ``edgemem_models`` implements them with
llama.cpp; an app may pass its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, Protocol, runtime_checkable

Priority = Literal["chat", "background"]
"""``chat`` goes first; ``background`` work yields to it within one token."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a prompt: ``role`` is system, user or assistant.

    ``constant`` says that a program brings these words along and sends them again and again: instructions and
    examples. An engine may keep its evaluation of them on disk, so nothing a user said may be constant.
    """

    role: str
    content: str
    constant: bool = False


@dataclass(frozen=True, slots=True)
class Generation:
    """What a model wrote.

    ``finish`` is ``stop`` (the model ended, or the grammar was complete),
    ``length`` (cut by ``max_tokens`` or by the window) or ``aborted``.
    ``logprobs`` holds the natural-log probability of each produced token under
    the model's own distribution, before any grammar; ``tokens`` their texts. ``thinking``
    is what the model thought aloud first; it is no part of ``text``, and never to be stored.
    """

    text: str
    finish: Literal["stop", "length", "aborted"]
    tokens: tuple[str, ...] = ()
    logprobs: tuple[float, ...] = ()
    prompt_tokens: int = 0
    cached_tokens: int = 0
    thinking: str = ""


class LanguageModel(Protocol):
    """A chat model. Safe to call from several threads; calls queue."""

    @property
    def name(self) -> str:
        """Short name, as a person would say it."""

    @property
    def context_size(self) -> int:
        """Window in tokens, prompt and answer together."""

    def count_tokens(self, text: str) -> int:
        """Number of tokens of ``text`` alone, without template or special tokens."""

    def count_messages(self, messages: Sequence[Message]) -> int:
        """Number of tokens of the rendered prompt, template included."""

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
        """Answer ``messages``. ``grammar`` is GBNF whose root rule is ``root``.

        Raises ``ContextTooSmall``, ``GrammarRefused``, ``Aborted`` or another ``ModelError``.
        """

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
        """Yield the answer in pieces of whole characters, at chat priority.

        ``stop`` is polled between tokens and during prompt evaluation; once it is
        true the iterator ends. ``on_prompt(done, total)`` reports prompt tokens evaluated.
        ``on_thinking(text)`` is told, piece by piece, what the model thinks aloud first; that is no part of the answer.
        """

    def choose(
        self,
        prefix: Sequence[Message],
        questions: Sequence[str],
        options: Sequence[str],
        *,
        priority: Priority = "background",
    ) -> list[dict[str, float]]:
        """Probability of each option as the whole answer to each question.

        Each question is put as the last user message after ``prefix``. Returns one
        dict per question; its values sum to 1 over ``options``.
        """

    def close(self) -> None:
        """Free the model. Idempotent."""


class Embedder(Protocol):
    """A text embedding model. Safe to call from several threads; calls queue."""

    @property
    def fingerprint(self) -> str:
        """Stable id of weights, pooling and prefixes; vectors of different fingerprints never mix."""

    @property
    def dim(self) -> int:
        """Number of components of a vector."""

    def embed(
        self, texts: Sequence[str], kind: Literal["query", "passage"], *, priority: Priority = "background"
    ) -> list[list[float]]:
        """Unit-length vectors, one of ``dim`` floats for each text, whatever its length.

        Raises ``OutputInvalid`` if the model returns NaN or a zero vector.
        """

    def calibrate(self, cosine: float) -> float:
        """Map a cosine of this model to a similarity 0..1 that means the same for every model:

        0 unrelated, 0.5 same topic, 0.75 closely related, 0.92 and above the same statement.
        """

    def close(self) -> None:
        """Free the model. Idempotent."""


@runtime_checkable
class StateModel(Protocol):
    """A language model that shows what it holds of a text in one of its layers. Not every one does."""

    @property
    def fingerprint(self) -> str:
        """Stable id of the model's file."""

    def states(
        self, prefix: Sequence[Message], questions: Sequence[str], layer: int, *, priority: Priority = "background"
    ) -> list[list[float]]:
        """One list of numbers a question, put as the last user message after ``prefix``; ``layer`` counts from 0."""


class SecondLook(Protocol):
    """Learned weights over the states of one language model: for clauses of which the first look is not sure."""

    @property
    def model(self) -> str:
        """Fingerprint of that language model."""

    @property
    def layer(self) -> int:
        """The layer whose states are seen."""

    def judge(
        self, clauses: Sequence[tuple[str, str, str | None]], states: Sequence[Sequence[float]]
    ) -> list[dict[str, float]]:
        """Probabilities as of ``ClauseJudge.judge``; ``states`` has a list of numbers for each clause."""


class ClauseJudge(Protocol):
    """Learned weights that say whether a clause is worth a memory. Optional: without it the language model is asked."""

    @property
    def fingerprint(self) -> str:
        """Stable id of the weights and of the embedder they were trained for."""

    @property
    def second(self) -> SecondLook | None:
        """A second look through the language model's states, if there are weights for it."""

    def judge(self, clauses: Sequence[tuple[str, str, str | None]]) -> list[dict[str, float]]:
        """Probabilities of F, P, S and N (see ``write.gate``), one dict a clause; each sums to 1.

        A clause is given as its text, the whole message, and the assistant's question just before or None.
        """


class RelationJudge(Protocol):
    """Learned weights that say how a new memory relates to a stored one. Optional: without it the language model is asked."""

    @property
    def fingerprint(self) -> str:
        """Stable id of the weights and of the embedder they were trained for."""

    def relate(self, pairs: Sequence[tuple[str, str]]) -> list[dict[str, float]]:
        """Probabilities of duplicate, refine, conflict and distinct, one dict for each pair (old, new); each sums to 1."""


class NeedJudge(Protocol):
    """Learned weights that say whether a message needs long-term memory. Optional: without it, what no rule decides does."""

    @property
    def fingerprint(self) -> str:
        """Stable id of the weights and of the embedder they were trained for."""

    def chance(self, seen: Mapping[str, float], vector: Sequence[float]) -> float:
        """Probability (0..1) that memory is needed. ``seen`` are the signs of ``recall.need``; ``vector`` the message as a query."""


class ModelProvider(Protocol):
    """Loads the models the first time they are needed. Raises ``ModelMissing`` when there is none."""

    def language_model(self) -> LanguageModel:
        """The chat and extraction model."""

    def embedder(self) -> Embedder:
        """The embedding model."""

    def clause_judge(self) -> ClauseJudge | None:
        """Learned weights that fit the embedding model, if there are any."""

    def relation_judge(self) -> RelationJudge | None:
        """Learned weights that relate memories and fit the embedding model, if there are any."""

    def close(self) -> None:
        """Free what was loaded. Idempotent."""


@runtime_checkable
class NeedProvider(Protocol):
    """What a ``ModelProvider`` may offer besides."""

    def need_judge(self) -> NeedJudge | None:
        """Learned weights that say what needs memory and fit the embedding model, if there are any."""


def need_judge_of(provider: ModelProvider) -> NeedJudge | None:
    """The provider's weights that say what needs memory, if it offers any."""
    return provider.need_judge() if isinstance(provider, NeedProvider) else None


class Clock(Protocol):
    """Where the time comes from."""

    def now(self) -> datetime:
        """Now, with a zone."""


class SystemClock:
    """The machine's clock and zone."""

    def now(self) -> datetime:
        """Now, in the machine's zone."""
        return datetime.now().astimezone()


@dataclass(slots=True)
class FixedModels:
    """A provider around models an app already holds; ``close()`` leaves them to their owner."""

    language: LanguageModel | None = None
    embedding: Embedder | None = None
    fallback: ModelProvider | None = field(default=None)

    def language_model(self) -> LanguageModel:
        """The given model, else the fallback's."""
        from edgemem.errors import ModelMissing

        if self.language is not None:
            return self.language
        if self.fallback is None:
            raise ModelMissing(
                "No language model was given.", "Pass language_model= or install one: edgemem models pull"
            )
        return self.fallback.language_model()

    def embedder(self) -> Embedder:
        """The given embedder, else the fallback's."""
        from edgemem.errors import ModelMissing

        if self.embedding is not None:
            return self.embedding
        if self.fallback is None:
            raise ModelMissing("No embedding model was given.", "Pass embedder= or install one: edgemem models pull")
        return self.fallback.embedder()

    def clause_judge(self) -> ClauseJudge | None:
        """The fallback's, unless another embedder was given."""
        return self.fallback.clause_judge() if self.fallback is not None and self.embedding is None else None

    def relation_judge(self) -> RelationJudge | None:
        """The fallback's, unless another embedder was given."""
        return self.fallback.relation_judge() if self.fallback is not None and self.embedding is None else None

    def need_judge(self) -> NeedJudge | None:
        """The fallback's, unless another embedder was given."""
        return need_judge_of(self.fallback) if self.fallback is not None and self.embedding is None else None

    def close(self) -> None:
        """Close the fallback only."""
        if self.fallback is not None:
            self.fallback.close()
