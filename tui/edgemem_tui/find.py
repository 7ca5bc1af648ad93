"""Finding memories for the list: a page of all, or what fits some words. Runs in worker threads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from edgemem.browse import MemoryFilter
from edgemem.records import Hit, Memory
from edgemem.view import Memory as View

PAGE = 200
"""Memories read at a time."""

SCANNED = 1_000
"""Latest memories looked through for half-typed words, which the indexes cannot find."""


@dataclass(frozen=True, slots=True)
class Found:
    """Memories for the list, and what they answer. ``note`` says how the search was narrower than it could be."""

    query: str
    wanted: MemoryFilter
    memories: Sequence[Memory]
    total: int
    first: int = 0
    note: str = ""
    hits: Mapping[str, Hit] = field(default_factory=dict)


def listed(memory: View, wanted: MemoryFilter, first: int) -> Found:
    """A page of the memories that pass the filter."""
    page = memory.browse(wanted, limit=PAGE, offset=first)
    return Found("", wanted, page.memories, page.total, first)


def searched(memory: View, query: str, wanted: MemoryFilter) -> Found:
    """What fits the words by meaning and by words, then what holds the letters typed so far."""
    kinds = (wanted.kind,) if wanted.kind else ()
    recall = memory.recall(
        query, limit=100, kinds=kinds, namespace=wanted.namespace, arms=("vector", "text"), counted=False
    )
    hits = {hit.memory.id: hit for hit in recall.hits if hit.memory is not None and passes(wanted, hit.memory)}
    best = [hit.memory for hit in hits.values() if hit.memory is not None]
    typed = query.casefold()
    latest = memory.browse(wanted, limit=SCANNED).memories
    best += [m for m in latest if m.id not in hits and typed in m.content.casefold()]
    notes = ["by words only: no embedding model"] if recall.degraded else []
    if not best:
        near = [hit for hit in recall.near_misses if hit.memory is not None and passes(wanted, hit.memory)]
        hits = {hit.memory.id: hit for hit in near if hit.memory is not None}
        best = [hit.memory for hit in near if hit.memory is not None]
        notes += ["nothing fits well, these come nearest"] if best else []
    return Found(query, wanted, best, len(best), note=" · ".join(notes), hits=hits)


def passes(wanted: MemoryFilter, memory: Memory) -> bool:
    """Whether a memory that a search found passes the filter too."""
    return (
        wanted.status in ("any", memory.status)
        and wanted.kind in (None, memory.kind)
        and wanted.namespace in (None, memory.namespace)
        and wanted.pinned in (None, memory.pinned)
        and (wanted.since is None or memory.updated_at >= wanted.since)
        and (wanted.until is None or memory.updated_at < wanted.until)
        and (wanted.sure_from is None or memory.confidence >= wanted.sure_from)
        and (wanted.sure_below is None or memory.confidence < wanted.sure_below)
        and (not wanted.expiring or memory.expires_at is not None)
    )
