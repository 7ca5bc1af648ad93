"""The arms: each brings candidates of its own, ranked, from one user's rows only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from edgemem.store import fulltext
from edgemem.store.engine import Tx
from edgemem.store.scopes import ScopeCache
from edgemem.store.vectors import Scope, find_model

Ranking = list[tuple[int, float]]
"""Row keys with the arm's own value, best first."""


@dataclass(frozen=True, slots=True)
class QueryVector:
    """An embedded query: unit length, and the fingerprint of the model that made it."""

    fingerprint: str
    values: Sequence[float]


def by_text(tx: Tx, table: str, user: int, query: str, limit: int) -> Ranking:
    """Full text; the value is BM25, higher is better."""
    return fulltext.search(tx, table, user, query, limit)


def by_vector(tx: Tx, cache: ScopeCache, user: int, owner: str, query: QueryVector, limit: int) -> Ranking:
    """Search by meaning; the value is the cosine."""
    model = find_model(tx, query.fingerprint, len(query.values))
    return [] if model is None else cache.nearest(tx, Scope(user, owner, model), query.values, limit)
