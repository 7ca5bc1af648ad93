"""Insights as rows, with their evidence: the memories and the turns they rest on."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from edgemem.ids import new_id
from edgemem.reports import Insight
from edgemem.store import changes, row_seals, turns
from edgemem.store.engine import Row, Tx
from edgemem.times import from_db


class Resting(NamedTuple):
    """An insight as it lies in the file: its keys, and those of its evidence. ``sound``: nothing of that changed since."""

    key: int
    uid: str
    content: str
    memories: tuple[int, ...]
    turns: tuple[int, ...]
    sound: bool
    status: str


def add(
    tx: Tx, user: int, content: str, confidence: float, memories: Sequence[int], told: Sequence[int], now: str
) -> str:
    """Write a new insight; returns its id."""
    uid = new_id()
    key = tx.execute(
        "INSERT INTO insight(user_id, uid, content, confidence, created_at, checked_at) VALUES (?,?,?,?,?,?) RETURNING id",
        (user, uid, content, confidence, now, now),
    ).fetchone()[0]
    _evidence(tx, key, memories, told)
    changes.note(tx, user, "insight", key)
    return uid


def put(
    tx: Tx, user: int, key: int, content: str, confidence: float, memories: Sequence[int], told: Sequence[int], now: str
) -> None:
    """Say an insight anew, or find it sound: it was held against this evidence now."""
    old = tx.execute("SELECT content FROM insight WHERE user_id = ? AND id = ?", (user, key)).fetchone()[0]
    tx.execute(
        "UPDATE insight SET content = ?, confidence = ?, status = 'live', checked_at = ? WHERE user_id = ? AND id = ?",
        (content, confidence, now, user, key),
    )
    tx.execute("DELETE FROM evidence WHERE insight_id = ?", (key,))
    _evidence(tx, key, memories, told)
    if content != old:
        tx.execute("DELETE FROM vector WHERE user_id = ? AND owner = 'insight' AND owner_id = ?", (user, key))
    changes.note(tx, user, "insight", key)


def _evidence(tx: Tx, key: int, memories: Sequence[int], told: Sequence[int]) -> None:
    rows = [(m, None) for m in memories] + [(None, t) for t in told]
    tx.executemany(
        "INSERT INTO evidence(insight_id, n, memory_id, turn_id) VALUES (?,?,?,?)",
        [(key, n, memory, turn) for n, (memory, turn) in enumerate(rows)],
    )


def settle(tx: Tx, user: int, key: int, status: str) -> None:
    """Take an insight out of use: withdrawn or rejected."""
    tx.execute("UPDATE insight SET status = ? WHERE user_id = ? AND id = ?", (status, user, key))
    tx.execute("DELETE FROM vector WHERE user_id = ? AND owner = 'insight' AND owner_id = ?", (user, key))
    changes.note(tx, user, "insight", key)


_WHOLE = (
    f"{row_seals.whole('insight', 'i')} AND NOT EXISTS"
    f" (SELECT 1 FROM evidence e WHERE e.insight_id = i.id AND NOT {row_seals.whole('evidence', 'e')})"
)

_RESTING = f"""SELECT i.id, i.uid, i.content, i.status, {_WHOLE} AS whole,
 (SELECT json_group_array(e.memory_id) FROM evidence e WHERE e.insight_id = i.id AND e.memory_id IS NOT NULL) AS memories,
 (SELECT json_group_array(e.turn_id) FROM evidence e WHERE e.insight_id = i.id AND e.turn_id IS NOT NULL) AS turns,
 i.checked_at IS NOT NULL AND NOT EXISTS (SELECT 1 FROM evidence e LEFT JOIN memory m ON m.id = e.memory_id
  AND m.user_id = i.user_id WHERE e.insight_id = i.id AND e.memory_id IS NOT NULL
  AND (m.id IS NULL OR m.status <> 'live' OR m.expires_at <= ?2)) AS sound
FROM insight i WHERE i.user_id = ?1"""


def resting(tx: Tx, user: int, now: str, *, status: str = "live") -> list[Resting]:
    """The user's insights of a status, oldest first."""
    rows = tx.execute(f"{_RESTING} AND i.status = ?3 ORDER BY i.id", (user, now, status))
    return [_resting(row) for row in rows.fetchall()]


def find(tx: Tx, user: int, uid: str, now: str) -> Resting | None:
    """One insight by id, or by a part of at least 6 characters; None when not just one fits."""
    fits = "i.uid = ?3 OR length(?3) >= 6 AND instr(i.uid, ?3)"
    rows = tx.execute(f"{_RESTING} AND ({fits})", (user, now, uid)).fetchall()
    return _resting(rows[0]) if len(rows) == 1 else None


def _resting(row: Row) -> Resting:
    row_seals.check(row["whole"], "insights")
    memories, told = (tuple(json.loads(row[name])) for name in ("memories", "turns"))
    return Resting(row["id"], row["uid"], row["content"], memories, told, bool(row["sound"]), row["status"])


def records(tx: Tx, user: int, keys: Iterable[int]) -> list[Insight]:
    """Insights with their evidence, surest first."""
    rows = tx.execute(
        f"SELECT i.*, {_WHOLE} AS whole FROM insight i WHERE +user_id = ? AND id IN (SELECT value FROM json_each(?))"
        " ORDER BY confidence DESC, id",
        (user, json.dumps(list(keys))),
    ).fetchall()
    return [_record(tx, user, row) for row in rows]


def _record(tx: Tx, user: int, row: Row) -> Insight:
    row_seals.check(row["whole"], "insights")
    uids = tx.execute(
        "SELECT m.uid FROM evidence e JOIN memory m ON m.id = e.memory_id WHERE e.insight_id = ? ORDER BY e.n",
        (row["id"],),
    ).fetchall()
    keys = [
        r[0]
        for r in tx.execute(
            "SELECT turn_id FROM evidence WHERE insight_id = ? AND turn_id IS NOT NULL ORDER BY n", (row["id"],)
        )
    ]
    known = turns.by_keys(tx, user, keys)
    told = tuple(known[key] for key in keys if key in known)
    checked = from_db(row["checked_at"]) if row["checked_at"] else None
    return Insight(row["uid"], row["content"], row["confidence"], tuple(u[0] for u in uids), told,
                   from_db(row["created_at"]), checked, row["status"])  # fmt: skip


def tellings(tx: Tx, user: int) -> dict[int, set[int]]:
    """By memory key, the turns that told it: the one it came from, and those that said it again."""
    rows = tx.execute(
        "SELECT m.id, m.source_turn FROM memory m WHERE m.user_id = ?1 AND m.source_turn IS NOT NULL"
        " UNION SELECT m.id, t.turn_id FROM trace t, json_each(t.steps) s, json_each(s.value, '$.items') i"
        " JOIN memory m ON m.uid = json_extract(i.value, '$.id') AND m.user_id = ?1"
        " WHERE t.user_id = ?1 AND t.turn_id IS NOT NULL AND json_extract(s.value, '$.step') = 'apply'",
        (user,),
    )
    told: dict[int, set[int]] = {}
    for memory, turn in rows:
        told.setdefault(memory, set()).add(turn)
    return told


def news(tx: Tx, user: int) -> tuple[int, int]:
    """Since the last reflection: memories that are new or changed, and those that replaced another."""
    row = tx.execute(
        "SELECT count(DISTINCT memory_uid), coalesce(sum(action = 'replace'), 0) FROM history WHERE user_id = ? AND seq > ?"
        " AND action IN ('add','refine','replace','edit')",
        (user, _mark(tx, user)),
    ).fetchone()
    return int(row[0]), int(row[1])


def mark(tx: Tx, user: int) -> None:
    """Everything up to now was reflected on."""
    last = tx.execute("SELECT coalesce(max(seq), 0) FROM history WHERE user_id = ?", (user,)).fetchone()[0]
    tx.execute(
        "INSERT INTO meta(key, value) VALUES (?,?) ON CONFLICT(key) DO UPDATE SET value = excluded.value",
        (f"reflected_{user}", str(last)),
    )


def _mark(tx: Tx, user: int) -> int:
    row = tx.execute("SELECT value FROM meta WHERE key = ?", (f"reflected_{user}",)).fetchone()
    return 0 if row is None else int(row[0])
