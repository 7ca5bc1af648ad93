"""Memories as they were at an earlier time: from their validity, and their words from the history.

A memory counts as true at a time when it was said before, or is said to hold since before, and was replaced, expired
or ended only later. What the user had forgotten since is not brought back, and what was never learned then but said
then (an old log read in today) is.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from edgemem.records import Memory
from edgemem.store import history, vectors
from edgemem.store.engine import Tx
from edgemem.store.memories import SELECT, record
from edgemem.store.vectors import Scope
from edgemem.times import from_db, to_db

MOST = 5_000
"""Replaced and expired memories that are looked at, the latest first."""


def true_at(tx: Tx, user: int, at: str, keys: Iterable[int]) -> dict[int, Memory]:
    """Those of the memories that were true at a time, and all that were then and are replaced or expired now."""
    then = (
        " AND coalesce(m.valid_from, m.created_at) <= ?2 AND (m.valid_to IS NULL OR m.valid_to > ?2)"
        " AND (m.expires_at IS NULL OR m.expires_at > ?2)"
    )
    known = tx.execute(
        f"{SELECT} WHERE +m.user_id = ?1 AND +m.status IN ('live', 'superseded', 'expired')"
        f" AND m.id IN (SELECT value FROM json_each(?3)){then}",
        (user, at, json.dumps(list(keys))),
    ).fetchall()
    gone = tx.execute(
        f"{SELECT} WHERE m.user_id = ?1 AND m.status IN ('superseded', 'expired'){then} ORDER BY m.updated_at DESC LIMIT ?3",
        (user, at, MOST),
    ).fetchall()
    return {row["id"]: _worded(tx, user, record(row), from_db(at)) for row in (*known, *gone)}


def _worded(tx: Tx, user: int, memory: Memory, at: datetime) -> Memory:
    """The memory with the words it had then; the first it ever had, if it was written down later."""
    if memory.updated_at <= at or memory.version == 1:
        return memory
    states = [(c.at, c.after) for c in history.of_memory(tx, user, memory.id) if c.after is not None]
    before = [after for when, after in states if when <= at]
    fields = before[-1] if before else states[0][1] if states else None
    return memory if fields is None else _as_told(memory, fields)


def _as_told(memory: Memory, fields: Mapping[str, Any]) -> Memory:
    told = {name: fields[name] for name in ("content", "kind", "importance", "confidence", "value", "polarity")}
    return replace(memory, **told)


def turns_then(tx: Tx, user: int, turns: Iterable[int], at: datetime) -> set[int]:
    """Those of the turns from which memories were drawn of which none was true at a time."""
    rows = tx.execute(
        "SELECT source_turn FROM memory WHERE +user_id = ? AND source_turn IN (SELECT value FROM json_each(?))"
        " AND status <> 'review' GROUP BY source_turn HAVING sum(status = 'live'"
        " OR (status IN ('superseded', 'expired') AND coalesce(valid_to, updated_at) > ?)) = 0",
        (user, json.dumps(list(turns)), to_db(at)),
    )
    return {r[0] for r in rows}


def similarities_then(tx: Tx, scope: Scope, query: Sequence[float], keys: Iterable[int]) -> dict[int, float]:
    """The cosines of memories to a query, also of those that are out of use."""
    import numpy as np

    rows = vectors.of_any(tx, scope, len(query), keys)
    values = rows.vectors.astype(np.float32) @ np.asarray(query, np.float32)
    return dict(zip(rows.owners.tolist(), values.tolist(), strict=True))
