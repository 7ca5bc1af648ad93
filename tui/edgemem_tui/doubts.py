"""What waits for a person's yes or no, whatever it is: one list for the review screen. Runs in worker threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from edgemem.browse import MemoryFilter
from edgemem.errors import NotFound
from edgemem.records import Memory, Relation
from edgemem.reports import Dropped, Proposal
from edgemem.view import Memory as View

MOST = 500
"""Doubtful things of each sort that are listed at once."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """One thing to decide. ``yes``, ``no`` and ``edit`` write; the words in brackets say what each does.

    ``memory`` is what it is about or rests on. What ``yes`` and ``no`` return are the changes ``undo`` takes back.
    """

    key: str
    sort: str
    words: str
    sure: float | None
    why: str
    yes: Callable[[], Sequence[str]]
    no: Callable[[], Sequence[str]]
    yes_means: str
    no_means: str
    memory: Memory | None = None
    edit: Callable[[str], Sequence[str]] | None = None
    editable: str = ""
    """What ``edit`` begins with."""


def removals(view: View) -> list[Doubt]:
    """What tidying up would put out of use. Looks at every memory: not for every second."""
    return [_of_removal(view, d) for d in view.maintain(preview=True).dropped[:MOST] if d.what == "memory"]


def doubts(view: View) -> list[Doubt]:
    """What waits for a yes: doubtful memories, what reflection proposes, then doubtful relations."""
    waiting = view.browse(MemoryFilter(status="review"), limit=MOST).memories
    return [
        *(_of_memory(view, memory) for memory in waiting),
        *(_of_proposal(view, proposal) for proposal in view.proposals()[:MOST]),
        *(_of_relation(view, relation) for relation in view.graph.reviews()[:MOST]),
    ]


def _of_memory(view: View, memory: Memory) -> Doubt:
    if memory.sensitivity != "normal":
        return _of_secret(view, memory)
    return Doubt(
        memory.id, "memory", memory.content, memory.confidence, f"{memory.kind}, {memory.confidence:.0%} sure",
        yes=lambda: [view.confirm(memory.id)], no=lambda: [view.forget(memory.id, reason="not true")],
        yes_means="true: it is used from now on", no_means="not true: it is forgotten", memory=memory,
        edit=lambda words: [view.edit(memory.id, words, expect=memory.version), view.confirm(memory.id)],
        editable=memory.content,
    )  # fmt: skip


def _of_secret(view: View, memory: Memory) -> Doubt:
    return Doubt(
        memory.id, "secret", memory.content, None, "said in a chat, masked here",
        yes=lambda: [view.confirm(memory.id)], no=lambda: [view.forget(memory.id, reason="not to be kept")],
        yes_means="keep it, sealed with the passphrase", no_means="do not keep it", memory=memory,
    )  # fmt: skip


_ACCEPTED = {
    "merge": "they are one: the second goes into the first", "contradiction": "the older one goes",
    "reassess": "it no longer holds: it goes", "stale": "let it go: undo brings it back",
}  # fmt: skip


def _of_proposal(view: View, proposal: Proposal) -> Doubt:
    def accepted() -> Sequence[str]:
        change = view.accept(proposal.id).change
        return () if change is None else (change,)

    def rejected() -> Sequence[str]:
        view.reject(proposal.id)
        return ()

    return Doubt(
        proposal.id, proposal.topic, "  ⇄  ".join(proposal.contents), None, proposal.reason, yes=accepted, no=rejected,
        yes_means=_ACCEPTED.get(proposal.topic, "do it"), no_means="leave it: it is not proposed again",
        memory=_memory_of(view, proposal.memories[0] if proposal.memories else None),
    )  # fmt: skip


def _of_relation(view: View, relation: Relation) -> Doubt:
    def settle(act: Callable[[str], Relation]) -> Sequence[str]:
        act(relation.id)
        return ()

    def renamed(predicate: str) -> Sequence[str]:
        view.graph.reject(relation.id)
        view.graph.relate(relation.subject_id, predicate, relation.object_id, memory=relation.memory)
        return ()

    words = f"{relation.subject} — {relation.predicate} → {relation.object}"
    return Doubt(
        relation.id, "relation", words, relation.confidence, "drawn from a memory" if relation.memory else "said by hand",
        yes=partial(settle, view.graph.accept), no=partial(settle, view.graph.reject),
        yes_means="true: it goes into the graph", no_means="not true: not proposed again",
        memory=_memory_of(view, relation.memory), edit=renamed, editable=relation.predicate,
    )  # fmt: skip


def _memory_of(view: View, uid: str | None) -> Memory | None:
    try:
        return view.get(uid) if uid else None
    except NotFound:
        return None


def _of_removal(view: View, dropped: Dropped) -> Doubt:
    return Doubt(
        dropped.id, "removal", dropped.content, None, dropped.reason,
        yes=lambda: [view.forget(dropped.id, reason=dropped.reason)], no=lambda: [view.pin(dropped.id)],
        yes_means="let it go: undo brings it back", no_means="keep it: it is pinned", memory=_memory_of(view, dropped.id),
    )  # fmt: skip
