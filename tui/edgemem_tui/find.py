"""Finding memories for the list: a page of all, or what fits some words. Runs in worker threads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from edgemem.records import Memory
from edgemem.view import Memory as View

PAGE = 200
"""Memories read at a time."""

SCANNED = 1_000
"""Latest memories looked through for half-typed words, which the indexes cannot find."""


@dataclass(frozen=True, slots=True)
class Found:
    """Memories for the list, and what they answer. ``note`` says how the search was narrower than it could be."""

    query: str
    kind: str | None
    memories: Sequence[Memory]
    more: bool = False
    note: str = ""


def listed(memory: View, kind: str | None, offset: int, limit: int) -> Found:
    """A page of all memories, latest change first."""
    rows = memory.list(limit=limit + 1, offset=offset, kind=kind)
    return Found("", kind, rows[:limit], more=len(rows) > limit)


def searched(memory: View, query: str, kind: str | None) -> Found:
    """What fits the words by meaning and by words, then what holds the letters typed so far."""
    recall = memory.recall(query, limit=100, kinds=(kind,) if kind else (), arms=("vector", "text"), counted=False)
    best = [hit.memory for hit in recall.hits if hit.memory is not None]
    known = {one.id for one in best}
    typed = query.casefold()
    best += [m for m in memory.list(limit=SCANNED, kind=kind) if m.id not in known and typed in m.content.casefold()]
    notes = ["by words only: no embedding model"] if recall.degraded else []
    if not best:
        best = [hit.memory for hit in recall.near_misses if hit.memory is not None]
        notes += ["nothing fits well, these come nearest"] if best else []
    return Found(query, kind, best, note=" · ".join(notes))
