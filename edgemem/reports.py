"""What work on the store reports: what upkeep dropped, what a walk through the graph came upon,
what became of a memory that was split."""

from __future__ import annotations

from dataclasses import dataclass

from edgemem.records import Entity, Relation


@dataclass(frozen=True, slots=True)
class Dropped:
    """One thing that upkeep took, or would take, out of use.

    ``what``: memory or task. ``id`` is a memory's id or a task's name, ``value`` what the memory was
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
