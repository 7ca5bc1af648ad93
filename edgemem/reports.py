"""What work on the store reports: what upkeep dropped, what a walk came upon, what was split, what reflection found."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from edgemem.records import Entity, LoggedTurn, Relation


@dataclass(frozen=True, slots=True)
class Spent:
    """What an answer cost: ``prompt_tokens`` read and ``tokens`` written by ``model``, in so many ``seconds``."""

    model: str
    prompt_tokens: int
    tokens: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Need:
    """Whether a message needs long-term memory; ``chance`` that it does, 0..1, and ``why``, in a sentence."""

    needed: bool
    chance: float
    why: str


@dataclass(frozen=True, slots=True)
class Dropped:
    """One thing that upkeep took, or would take, out of use.

    ``what``: memory, task or summary. ``id`` is a memory's or summary's id or a task's name, ``value`` what the memory was
    worth (0..1, see ``edgemem.upkeep.value``; None where that is not the reason), ``change`` what
    ``undo`` takes to bring it back.
    """

    what: str
    id: str
    content: str
    reason: str
    value: float | None = None
    change: str | None = None


@dataclass(frozen=True, slots=True)
class Tidied:
    """What a round of upkeep did, or would do: ``preview`` true changed nothing."""

    dropped: tuple[Dropped, ...]
    live: int
    budget: int
    preview: bool


@dataclass(frozen=True, slots=True)
class Walk:
    """What a walk through the graph came upon: entities, nearest first, and the relations between them.

    ``cut`` true: there was more than a walk looks at.
    """

    entities: tuple[Entity, ...]
    relations: tuple[Relation, ...]
    cut: bool


@dataclass(frozen=True, slots=True)
class Split:
    """What became of a memory that was split: ``change`` takes it back, ``memories`` are the parts' ids in order."""

    change: str
    memories: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Insight:
    """A pattern drawn from several memories, with the evidence it rests on: memory ids, and the turns that told them.

    ``status``: live, withdrawn (its evidence no longer carries it) or rejected (by the user: it does not come
    back). ``checked_at``: when it was last held against its evidence; None when that has changed since. Until the
    next reflection nothing uses it then.
    """

    id: str
    content: str
    confidence: float
    memories: tuple[str, ...]
    turns: tuple[LoggedTurn, ...]
    created_at: datetime
    checked_at: datetime | None
    status: str = "live"


@dataclass(frozen=True, slots=True)
class Proposal:
    """What reflection would do if the user agrees. Nothing of it is done by itself.

    ``topic``: merge (two memories say the same), contradiction (two disagree: the older goes), reassess (what
    the user did since speaks against a preference: it goes) or stale (nobody asked for it in a long time: it
    goes). ``memories``: the ids it is about; the first is the one that stays or, of reassess and stale, the one that goes. ``turns`` are
    what speaks for it. ``status``: open, accepted or rejected; ``change`` is what ``undo`` takes once accepted.
    """

    id: str
    topic: str
    reason: str
    memories: tuple[str, ...]
    contents: tuple[str, ...]
    turns: tuple[LoggedTurn, ...]
    created_at: datetime
    status: str = "open"
    change: str | None = None


@dataclass(frozen=True, slots=True)
class Reflected:
    """What a round of reflection did.

    ``insights`` are new or said anew; ``withdrawn`` are the ids of those whose evidence no longer carries them;
    ``proposals`` wait for the user; ``refused`` wordings of the model failed a check and a plain one stands instead.
    ``degraded`` says in plain sentences what could not be looked at.
    """

    insights: tuple[Insight, ...]
    withdrawn: tuple[str, ...]
    proposals: tuple[Proposal, ...]
    refused: int = 0
    degraded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Drift:
    """A sentence of a summary that is not what its message says, and why. ``key``: the summary's own integer."""

    summary: str
    session: str
    sentence: str
    reason: str
    key: int = 0
