"""A question on its way through the arms, and the names of the arms."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from edgemem import filters

if TYPE_CHECKING:
    from datetime import datetime

    from edgemem.records import LoggedTurn
    from edgemem.settings import Settings
    from edgemem.store.engine import Tx
    from edgemem.store.scopes import ScopeCache

BY_MEANING = frozenset({"vector", "insight", "log"})
"""The arms that need a vector of the question. Without any of them no model is loaded and none is waited for."""

ARMS = ("key", "slot", "vector", "text", "graph", "insight", "summary", "log")
"""Profile and task fields by their name, and what is dangerous to forget; memories by subject and attribute, by
meaning, by words, by what hangs together with whom the question names; insights; summaries of the last sessions; the raw log."""

STANDING = ("pinned", "avoid", "rule", "state", "profile")
"""What may stand in a context block whatever is asked, the most important first."""

RANKINGS = ("answers", "weighted", "decay")
"""How hits are ordered: by how likely they answer, or by one of the presets of ``presets``."""


@dataclass(frozen=True, slots=True)
class Question:
    """A query with its hard filters. ``arms`` are those of ``ARMS`` that may answer.

    ``without``: a session and the position from which on its turns are before the asker's eyes anyway.
    ``reader``: who is going to read it; None is told nothing that is meant for certain readers only.
    ``as_of``: the answer is to be what was true then; None is now. ``ranking`` is one of ``RANKINGS``.
    ``faint``: passages that hardly answer are wanted too, behind the others, to fill a block of a given size.
    """

    text: str
    limit: int
    kinds: frozenset[str] = frozenset()
    namespace: str | None = None
    arms: frozenset[str] = frozenset(ARMS)
    without: tuple[str, int] | None = None
    reader: str | None = None
    as_of: datetime | None = None
    ranking: str = RANKINGS[0]
    faint: bool = False

    @property
    def only_memories(self) -> bool:
        """Whether a filter asks for memories alone: fields, summaries and turns have no kind and no namespace."""
        return bool(self.kinds) or self.namespace is not None


def question_of(
    text: str, limit: int, kinds: Iterable[str], namespace: str | None, arms: Iterable[str],
    without: tuple[str, int] | None, reader: str | None, as_of: datetime | None, ranking: str,
) -> Question:  # fmt: skip
    """A caller's question. Raises ``InvalidInput`` for kinds, arms and rankings that there are not, and a limit below 1."""
    filters.check_count(limit, 1, "limit")
    filters.check_name(namespace, "namespace")
    chosen, over = filters.checked_kinds(kinds), filters.checked(arms, ARMS, "arm")
    filters.checked([ranking], RANKINGS, "ranking")
    return Question(text, limit, chosen, namespace, over, without, reader, as_of, ranking)


def in_view(turn: LoggedTurn, without: tuple[str, int] | None) -> bool:
    """Whether a turn is among those before the asker's eyes."""
    return without is not None and turn.session == without[0] and turn.position >= without[1]


@dataclass(frozen=True, slots=True)
class QueryVector:
    """An embedded query: unit length, and the fingerprint of the model that made it."""

    fingerprint: str
    values: Sequence[float]


@dataclass(frozen=True, slots=True)
class Look:
    """All that an arm may need: the question, its vector if there is one, and one user's rows in one transaction.

    ``now`` is the time of asking, or that of ``as_of``. ``statement`` is the question put as a statement and ``words``
    are other words for it, both for a second look; ``calibrate`` maps a cosine to the similarity that means the same
    for every embedding model.
    """

    tx: Tx
    cache: ScopeCache
    user: int
    settings: Settings
    question: Question
    now: datetime
    vector: QueryVector | None = None
    statement: QueryVector | None = None
    words: str = ""
    calibrate: Callable[[float], float] = field(default=float)
