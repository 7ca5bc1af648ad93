"""What the evaluation needs of a memory file, so that it can be tested without models."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from edgemem.errors import ContextTooSmall, GrammarRefused, InvalidInput, OutputInvalid
from edgemem.ports import ClauseJudge, Embedder, LanguageModel, ModelProvider, NeedJudge, RelationJudge, need_judge_of
from edgemem.records import Context, Hit, Memory, Receipt, Turn
from edgemem.testing import ScriptedModel

ITEM_ERRORS = (ContextTooSmall, GrammarRefused, InvalidInput, OutputInvalid)
"""Errors that spoil one item and not the run."""


class EvaluatedMemory(Protocol):
    """One user's memory, as far as the evaluation uses it."""

    @property
    def pipeline_version(self) -> str:
        """Changes whenever prompts or steps of the pipeline change."""

    def learn(self, turns: Sequence[Turn], /) -> Receipt:
        """Extract memories from turns."""

    def log(self, turns: Sequence[Turn], /) -> tuple[str, ...]:
        """Store turns without extraction; their ids as stored."""

    def get(self, id: str, /) -> Memory:  # noqa: A002 - the library's own name
        """One memory."""

    def search_log(self, query: str, /, *, limit: int) -> Sequence[Hit]:
        """Turns of the log, best first."""

    def context(self, query: str, /, *, budget: int) -> Context:
        """A context block of at most ``budget`` tokens."""

    def relate(self, old: str, new: str, /) -> tuple[str, dict[str, float]]:
        """How ``new`` relates to ``old``, with the probability of each relation."""


class EvaluatedFile(Protocol):
    """A memory file, as far as the evaluation uses it."""

    def user(self, name: str, /) -> EvaluatedMemory:
        """One user's view."""


Opener = Callable[[Path], AbstractContextManager[EvaluatedFile]]
"""Opens a fresh memory file at a path; closing it must leave the models loaded."""


class Narrator(Protocol):
    """Is told how a run goes on."""

    def note(self, text: str) -> None:
        """Something is about to take a while."""

    def item(self, done: int, total: int, name: str) -> None:
        """An item is finished."""


class Silent:
    """A narrator that says nothing."""

    def note(self, text: str) -> None:
        """Nothing."""

    def item(self, done: int, total: int, name: str) -> None:
        """Nothing."""


class KeepLoaded:
    """A provider for many files in turn: closing one of them does not unload the models."""

    def __init__(self, provider: ModelProvider) -> None:
        self._provider = provider

    def language_model(self) -> LanguageModel:
        """The wrapped provider's chat model."""
        return self._provider.language_model()

    def embedder(self) -> Embedder:
        """The wrapped provider's embedder."""
        return self._provider.embedder()

    def clause_judge(self) -> ClauseJudge | None:
        """The wrapped provider's learned gate."""
        return self._provider.clause_judge()

    def relation_judge(self) -> RelationJudge | None:
        """The wrapped provider's relation head."""
        return self._provider.relation_judge()

    def need_judge(self) -> NeedJudge | None:
        """The wrapped provider's weights that say what needs memory."""
        return need_judge_of(self._provider)

    def close(self) -> None:
        """Nothing: the models belong to the wrapped provider, which the caller closes."""


class WithoutLanguage(KeepLoaded):
    """The same without the language model: asked to find something it finds nothing, asked to choose it takes "none of these"."""

    def language_model(self) -> LanguageModel:
        """A model that has nothing to say."""
        return ScriptedModel()
