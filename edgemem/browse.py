"""Looking through a memory: which memories, a page of them, and figures on all of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime

from edgemem.records import Change, Memory

ORDERS = ("changed", "stored", "confidence", "importance", "used")
"""Orders of a list: last changed or stored first, least sure first, most important or most used first."""


@dataclass(frozen=True, slots=True)
class MemoryFilter:
    """Which memories to look at, and in what order (one of ``ORDERS``).

    ``since`` and ``until`` are of the last change (until is left out), ``sure_from`` and ``sure_below`` bounds of the
    confidence (0..1; below 1 leaves the certain ones out), ``expiring`` true only those with a date of expiry.
    ``status`` ``any`` means all. ``holding``: letters that must stand in their words, in any case, also within a word.
    """

    kind: str | None = None
    namespace: str | None = None
    status: str = "live"
    pinned: bool | None = None
    since: datetime | None = None
    until: datetime | None = None
    sure_from: float | None = None
    sure_below: float | None = None
    expiring: bool = False
    holding: str = ""
    order: str = "changed"


@dataclass(frozen=True, slots=True)
class MemoryPage:
    """Some of the memories that pass a filter, those from ``offset`` on; ``total`` is how many pass it."""

    memories: tuple[Memory, ...]
    total: int
    offset: int


@dataclass(frozen=True, slots=True)
class Believed:
    """What was in use at a moment: for each memory its last change until then. ``total`` counts all of them."""

    changes: tuple[Change, ...]
    total: int


@dataclass(frozen=True, slots=True)
class Cost:
    """What the models did on a day: tokens read and written for so many ``answers``, and seconds of work.

    ``answering`` and ``learning`` are seconds: writing answers, and taking memories from messages.
    """

    answers: int = 0
    prompt_tokens: int = 0
    tokens: int = 0
    answering: float = 0.0
    learning: float = 0.0


@dataclass(frozen=True, slots=True)
class Statistics:
    """Figures on one user's memory.

    ``kinds``, ``namespaces`` and ``confidence`` (ten steps from 0 to 1) are of the memories in use, ``statuses`` of all.
    ``stored_on`` and ``said_on`` count memories and messages by day of UTC. ``uses`` is how often memories were
    recalled, ``never_used`` how many in use never were, ``most_used`` those used most. ``cost_on`` is what the models did
    by day of UTC, of the latest 5,000 answers and readings.
    """

    kinds: Mapping[str, int]
    namespaces: Mapping[str, int]
    statuses: Mapping[str, int]
    confidence: tuple[int, ...]
    stored_on: Mapping[date, int]
    said_on: Mapping[date, int]
    uses: int
    never_used: int
    most_used: tuple[Memory, ...]
    file_bytes: int = 0
    cost_on: Mapping[date, Cost] = field(default_factory=dict)
