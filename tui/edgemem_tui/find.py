"""Finding memories for the list: a page of all, or what fits some words. Runs in worker threads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from edgemem.browse import MemoryFilter
from edgemem.records import Hit, Memory
from edgemem.view import Memory as View
from edgemem_tui.widgets.rows import PAGE

LETTERS = 100
"""Memories at most that are listed for half-typed words, which the indexes cannot find."""

ARMS = ("vector", "text")
"""What a search in the list asks: memories alone, not the log."""


@dataclass(frozen=True, slots=True)
class Found:
    """Memories for the list, and what they answer. ``note`` says how the search was narrower than it could be.

    ``letters`` are those found by the letters typed alone, None when nobody has looked for them yet. ``near``: nothing fits,
    these only come near.
    """

    query: str
    wanted: MemoryFilter
    memories: Sequence[Memory]
    total: int
    first: int = 0
    note: str = ""
    hits: Mapping[str, Hit] = field(default_factory=dict)
    letters: Sequence[Memory] | None = None
    near: bool = False


def listed(memory: View, wanted: MemoryFilter, first: int) -> Found:
    """A page of the memories that pass the filter."""
    page = memory.browse(wanted, limit=PAGE, offset=first)
    return Found("", wanted, page.memories, page.total, first)


def by_words(memory: View, query: str, wanted: MemoryFilter) -> Found:
    """What has the words, best first; where nothing has, what holds the letters typed so far. No model is asked."""
    found = _ranked(memory, Found(query, wanted, (), 0), ("text",))
    return found if found.memories else _ranked(memory, _lettered(memory, found), ("text",))


def by_meaning(memory: View, first: Found) -> Found:
    """The same with what means the same."""
    return _ranked(memory, first, ARMS)


def with_letters(memory: View, found: Found) -> Found:
    """And then all that holds the letters typed so far: for those every memory must be looked at, so they come last."""
    if found.letters is not None:
        return found
    letters = _lettered(memory, found).letters or ()
    if found.near and letters:
        found = replace(found, memories=(), hits={}, near=False, note="")
    known = {m.id for m in found.memories}
    every = (*found.memories, *(m for m in letters if m.id not in known))
    return replace(found, memories=every, total=len(every), letters=letters)


def _lettered(memory: View, found: Found) -> Found:
    if found.letters is not None:
        return found
    wanted = replace(found.wanted, holding=found.query)
    return replace(found, letters=memory.browse(wanted, limit=LETTERS).memories)


def searched(memory: View, query: str, wanted: MemoryFilter) -> Found:
    """What fits the words by meaning and by words, then what holds the letters typed so far."""
    return with_letters(memory, by_meaning(memory, by_words(memory, query, wanted)))


def _ranked(memory: View, first: Found, arms: Sequence[str]) -> Found:
    wanted = first.wanted
    kinds = (wanted.kind,) if wanted.kind else ()
    recall = memory.recall(first.query, limit=100, kinds=kinds, namespace=wanted.namespace, arms=arms, counted=False)
    hits = {hit.memory.id: hit for hit in recall.hits if hit.memory is not None and passes(wanted, hit.memory)}
    best = [hit.memory for hit in hits.values() if hit.memory is not None]
    best += [m for m in first.letters or () if m.id not in hits]
    notes = ["by words only: no embedding model"] if recall.degraded else [] if arms == ARMS else ["by words so far"]
    nothing = not best
    if nothing:
        near = [hit for hit in recall.near_misses if hit.memory is not None and passes(wanted, hit.memory)]
        hits = {hit.memory.id: hit for hit in near if hit.memory is not None}
        best = [hit.memory for hit in near if hit.memory is not None]
        notes += ["nothing fits well, these come nearest"] if best else []
    return replace(first, memories=best, total=len(best), note=" · ".join(notes), hits=hits, near=nothing)


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
