"""The arms: each brings candidates of its own, ranked, from one user's rows only."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from edgemem.store import fulltext
from edgemem.store.engine import Tx
from edgemem.store.scopes import ScopeCache
from edgemem.store.vectors import Scope, find_model

Ranking = list[tuple[int, float]]
"""Row keys with the arm's own value, best first."""

NEIGHBOUR_WEIGHT = 0.2
"""How much the turns next to it count in a turn's similarity: what it answers, or what answers it, stands there.

Chosen on the development sets together with the fusion weights; see docs/evaluation.md.
"""

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
    """Search by meaning; the value is the cosine."""
    model = find_model(tx, query.fingerprint, len(query.values))
    return [] if model is None else cache.nearest(tx, Scope(user, owner, model), query.values, limit)


def turns_by_vector(tx: Tx, cache: ScopeCache, user: int, query: QueryVector, limit: int) -> Ranking:
    """The log by meaning, each turn together with its neighbours; the value is the mean cosine, weighted."""
    model = find_model(tx, query.fingerprint, len(query.values))
    if model is None:
        return []
    scope = Scope(user, "turn", model)
    own = dict(cache.nearest(tx, scope, query.values, NEIGHBOURS))
    near = _neighbours(tx, user, list(own))
    around = {key for pair in near.values() for key in pair} | set(near)
    own |= cache.similarities(tx, scope, query.values, around - set(own))
    # A turn without a neighbour on one side has nothing to gain there.
    floor = min(own.values(), default=0.0)
    scored = {
        key: (own[key] + NEIGHBOUR_WEIGHT * (own.get(before, floor) + own.get(after, floor)))
        / (1 + 2 * NEIGHBOUR_WEIGHT)
        for key, (before, after) in near.items()
        if key in own
    }
    return sorted(scored.items(), key=lambda item: -item[1])[:limit]


def _neighbours(tx: Tx, user: int, keys: Sequence[int]) -> dict[int, tuple[int, int]]:
    """For each turn, and for those next to it, the keys of the turns before and after (0 where there is none)."""
    rows = tx.execute(
        "SELECT t.id, coalesce(p.id, 0), coalesce(n.id, 0) FROM turn k JOIN turn t ON t.session_id = k.session_id"
        " AND t.position BETWEEN k.position - 1 AND k.position + 1"
        " LEFT JOIN turn p ON p.session_id = t.session_id AND p.position = t.position - 1"
        " LEFT JOIN turn n ON n.session_id = t.session_id AND n.position = t.position + 1"
        " WHERE k.user_id = ? AND k.id IN (SELECT value FROM json_each(?))",
        (user, json.dumps(list(keys))),
    )
    return {row[0]: (row[1], row[2]) for row in rows}
