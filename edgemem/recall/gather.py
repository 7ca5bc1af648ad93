"""The arms: each brings candidates of its own, ranked, from one user's rows only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from edgemem.store import fulltext
from edgemem.store.engine import Tx
from edgemem.store.vectors import ScopeCache, find_model, similarities

Ranking = list[tuple[int, float]]
"""Row keys with the arm's own value, best first."""

PREVIOUS_WEIGHT = 0.5
"""How much of the turn before counts in a turn's similarity: what a turn answers stands in the one before."""

NEIGHBOURS = 200
"""Turns, best by themselves, whose neighbourhood is looked at."""


@dataclass(frozen=True, slots=True)
class QueryVector:
    """An embedded query: unit length, and the fingerprint of the model that made it."""

    fingerprint: str
    values: Sequence[float]


def by_text(tx: Tx, table: str, user: int, query: str, limit: int) -> Ranking:
    """Full text; the value is BM25, higher is better."""
    return fulltext.search(tx, table, user, query, limit)


def by_vector(tx: Tx, cache: ScopeCache, user: int, owner: str, query: QueryVector, limit: int) -> Ranking:
    """Exact search by meaning; the value is the cosine."""
    values = _similarities(tx, cache, user, owner, query)
    return sorted(values.items(), key=lambda item: -item[1])[:limit]


def turns_by_vector(tx: Tx, cache: ScopeCache, user: int, query: QueryVector, limit: int) -> Ranking:
    """The log by meaning, each turn together with the one before it."""
    own = _similarities(tx, cache, user, "turn", query)
    best = sorted(own, key=lambda key: -own[key])[:NEIGHBOURS]
    previous = _previous(tx, user, best)
    floor = min(own.values(), default=0.0)
    scored = {
        key: (own[key] + PREVIOUS_WEIGHT * own.get(before, floor)) / (1 + PREVIOUS_WEIGHT)
        for key, before in previous.items()
        if key in own
    }
    return sorted(scored.items(), key=lambda item: -item[1])[:limit]


def _similarities(tx: Tx, cache: ScopeCache, user: int, owner: str, query: QueryVector) -> dict[int, float]:
    model = find_model(tx, query.fingerprint)
    if model is None:
        return {}
    return similarities(cache.scope(tx, user, model, owner, len(query.values)), query.values)


def _previous(tx: Tx, user: int, keys: Sequence[int]) -> dict[int, int]:
    """For each turn, and for the turn after it, the key of the one before (0 at a session's start)."""
    found: dict[int, int] = {}
    for key in keys:
        rows = tx.execute(
            "SELECT t.id, coalesce(p.id, 0) FROM turn k JOIN turn t ON t.session_id = k.session_id"
            " AND t.position BETWEEN k.position AND k.position + 1"
            " LEFT JOIN turn p ON p.session_id = t.session_id AND p.position = t.position - 1"
            " WHERE k.id = ? AND k.user_id = ?",
            (key, user),
        )
        found.update((row[0], row[1]) for row in rows)
    return found
