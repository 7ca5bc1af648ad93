"""The arms that rank memories: each brings candidates of its own, from one user's rows only."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from edgemem.recall.dangers import dangers
from edgemem.recall.question import Look
from edgemem.recall.related import related
from edgemem.recall.slots import by_slot
from edgemem.store import fulltext
from edgemem.store.vectors import Scope, find_model

Ranking = list[tuple[int, float]]
"""Row keys with the arm's own value, best first."""


def by_text(look: Look) -> Ranking:
    """Full text; the value is BM25, higher is better."""
    return fulltext.search(look.tx, "memory_fts", look.user, look.question.text, wide(look))


def by_vector(look: Look) -> Ranking:
    """Search by meaning; the value is the calibrated similarity, 0..1."""
    if look.vector is None:
        return []
    model = find_model(look.tx, look.vector.fingerprint, len(look.vector.values))
    if model is None:
        return []
    nearest = look.cache.nearest(look.tx, Scope(look.user, "memory", model), look.vector.values, wide(look))
    return [(key, look.calibrate(cosine)) for key, cosine in nearest]


def by_graph(look: Look) -> Ranking:
    """What hangs together with whom the question names; the value falls with the place, from 1."""
    return _placed(related(look.tx, look.user, look.question.text, most=look.settings.candidates))


RANKERS: Mapping[str, tuple[str, Callable[[Look], Ranking]]] = {
    "danger": ("key", dangers),
    "slot": ("slot", lambda look: _placed(by_slot(look))),
    "text": ("text", by_text),
    "vector": ("vector", by_vector),
    "graph": ("graph", by_graph),
}
"""What brings memories, by the name it has in a hit's parts: the arm it belongs to, and the search."""


def rankings(look: Look) -> dict[str, Ranking]:
    """What each of the arms that are asked found; an arm that found nothing is left out."""
    found = {name: search(look) for name, (arm, search) in RANKERS.items() if arm in look.question.arms}
    return {name: ranking for name, ranking in found.items() if ranking}


def wide(look: Look) -> int:
    """How many candidates an arm may bring: with a hard filter the best of all may all fall out of it."""
    return look.settings.candidates * (20 if look.question.only_memories else 1)


def _placed(keys: list[int]) -> Ranking:
    return [(key, 1 / rank) for rank, key in enumerate(keys, start=1)]
