"""Memories by the page, what was believed at a moment, and figures. Fast also with a hundred thousand memories."""

from __future__ import annotations

from datetime import date
from typing import Any

from edgemem.browse import Believed, MemoryFilter, MemoryPage, Statistics
from edgemem.store import history, memories, traces
from edgemem.store.engine import Tx
from edgemem.times import parse, to_db

_ORDERS = {
    "changed": "m.updated_at DESC, m.id DESC",
    "stored": "m.created_at DESC, m.id DESC",
    "confidence": "m.confidence, m.id DESC",
    "importance": "m.importance DESC, m.id DESC",
    "used": "m.use_count DESC, m.id DESC",
}
"""The orders there are, each with a tie break, so that pages never overlap."""

_STEPS = 10
"""Steps of the confidence that are counted apart."""

_FAVOURITES = 10
"""Memories named as the most used."""


def page(tx: Tx, user: int, wanted: MemoryFilter, limit: int, offset: int) -> MemoryPage:
    """The memories that pass the filter from ``offset`` on, and how many pass it; ``limit`` 0 means all."""
    where, values = _conditions(user, wanted)
    # The ids are found first: what is skipped is never joined with its source.
    order = _ORDERS[wanted.order]
    keys = f"SELECT m.id FROM memory m WHERE {where} ORDER BY {order} LIMIT ? OFFSET ?"
    rows = tx.execute(
        f"{memories.SELECT} WHERE m.id IN ({keys}) ORDER BY {order}", (*values, limit or -1, offset)
    ).fetchall()
    if (rows or not offset) and (not limit or len(rows) < limit):
        total = offset + len(rows)  # this was the end: counting would look through all of them once more
    else:
        total = int(tx.execute(f"SELECT count(*) FROM memory m WHERE {where}", values).fetchone()[0])
    return MemoryPage(tuple(memories.record(row) for row in rows), total, offset)


def _conditions(user: int, wanted: MemoryFilter) -> tuple[str, list[Any]]:
    # Only what is asked for stands in the query: an index serves no "or the parameter is null".
    asked: list[tuple[str, Any]] = [
        ("m.status = ?", None if wanted.status == "any" else wanted.status),
        ("m.kind = ?", wanted.kind),
        ("m.namespace = ?", wanted.namespace),
        ("m.pinned = ?", None if wanted.pinned is None else int(wanted.pinned)),
        ("m.updated_at >= ?", None if wanted.since is None else to_db(parse(wanted.since))),
        ("m.updated_at < ?", None if wanted.until is None else to_db(parse(wanted.until))),
        ("m.confidence < ?", wanted.sure_below),
        ("m.confidence >= ?", wanted.sure_from),
    ]
    given = [(text, value) for text, value in asked if value is not None]
    parts = ["m.user_id = ?", *(text for text, _ in given)]
    if wanted.expiring:
        parts.append("m.expires_at IS NOT NULL")
    patterns = _patterns(wanted.holding)
    if patterns:
        parts.append(f"({' OR '.join([_HOLDS] * len(patterns))})")
    return " AND ".join(parts), [user, *(value for _, value in given), *patterns]


_HOLDS = r"m.content LIKE ? ESCAPE '\'"


def _patterns(letters: str) -> list[str]:
    """What LIKE is to look for: it takes upper for lower case in ASCII alone."""
    cases = (letters, letters.lower(), letters.upper(), letters.capitalize()) if not letters.isascii() else (letters,)
    escaped = (case.replace("\\", r"\\").replace("%", r"\%").replace("_", r"\_") for case in cases if case)
    return [f"%{one}%" for one in dict.fromkeys(escaped)]


_IN_USE = """json_extract(h.payload, '$.after.status') = 'live'
AND coalesce(json_extract(h.payload, '$.after.expires_at'), '9999') > ?2"""

_COUNT_AT = f"""WITH last AS (SELECT max(seq) AS seq FROM history WHERE user_id = ?1 AND at <= ?2 GROUP BY memory_uid)
SELECT count(*) FROM last JOIN history h ON h.seq = last.seq WHERE {_IN_USE}"""

_PAGE_AT = f"""SELECT h.* FROM history h WHERE h.user_id = ?1 AND h.at <= ?2 AND {_IN_USE} AND NOT EXISTS
(SELECT 1 FROM history l WHERE l.user_id = ?1 AND l.memory_uid = h.memory_uid AND l.seq > h.seq AND l.at <= ?2)
ORDER BY h.seq DESC LIMIT ?3 OFFSET ?4"""
"""From the newest change back: a page is full long before all changes are read, and nothing is sorted."""


def believed(tx: Tx, user: int, at: str, limit: int, offset: int) -> Believed:
    """What was in use at a moment, latest change first."""
    total = tx.execute(_COUNT_AT, (user, at)).fetchone()[0]
    rows = tx.execute(_PAGE_AT, (user, at, limit or -1, offset)).fetchall()
    return Believed(tuple(history.record(row) for row in rows), int(total))


def statistics(tx: Tx, user: int, file_bytes: int) -> Statistics:
    """Figures on what a user has."""
    live = "user_id = ? AND status = 'live'"
    steps = dict(
        tx.execute(
            f"SELECT min(CAST(confidence * {_STEPS} AS INTEGER), {_STEPS - 1}), count(*) FROM memory WHERE {live} GROUP BY 1",
            (user,),
        ).fetchall()
    )
    used = f"SELECT coalesce(sum(use_count), 0), coalesce(sum(use_count = 0), 0) FROM memory WHERE {live}"
    uses, never = tx.execute(used, (user,)).fetchone()
    best = page(tx, user, MemoryFilter(order="used"), _FAVOURITES, 0).memories
    return Statistics(
        kinds=_counted(tx, f"SELECT kind, count(*) FROM memory WHERE {live} GROUP BY 1 ORDER BY 2 DESC", user),
        namespaces=_counted(tx, f"SELECT namespace, count(*) FROM memory WHERE {live} GROUP BY 1 ORDER BY 2 DESC", user),
        statuses=_counted(tx, "SELECT status, count(*) FROM memory WHERE user_id = ? GROUP BY 1 ORDER BY 2 DESC", user),
        confidence=tuple(steps.get(n, 0) for n in range(_STEPS)),
        stored_on=_days(tx, "memory", "created_at", user),
        said_on=_days(tx, "turn", "said_at", user),
        uses=int(uses), never_used=int(never), most_used=tuple(m for m in best if m.use_count), file_bytes=file_bytes,
        cost_on=traces.cost(tx, user),
    )  # fmt: skip


def _counted(tx: Tx, query: str, user: int) -> dict[str, int]:
    return {row[0]: int(row[1]) for row in tx.execute(query, (user,)).fetchall()}


def _days(tx: Tx, table: str, column: str, user: int) -> dict[date, int]:
    query = f"SELECT substr({column}, 1, 10), count(*) FROM {table} WHERE user_id = ? GROUP BY 1 ORDER BY 1"
    return {date.fromisoformat(row[0]): int(row[1]) for row in tx.execute(query, (user,)).fetchall()}
