"""What waits for a person, or was settled by one."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from edgemem.ids import new_id
from edgemem.records import JsonValue
from edgemem.store import row_seals
from edgemem.store.engine import Row, Tx

_WHOLE = row_seals.whole("review", "r")


def add(
    tx: Tx, user: int, topic: str, subject: str, proposal: Mapping[str, JsonValue], now: str, status: str = "open"
) -> str:
    """Put a proposal down; returns its id. ``subject`` is the id of what it is about."""
    uid = new_id()
    settled = None if status == "open" else now
    tx.execute(
        "INSERT INTO review(user_id, uid, topic, subject_uid, proposal, status, created_at, settled_at) VALUES (?,?,?,?,?,?,?,?)",
        (user, uid, topic, subject, json.dumps(proposal, ensure_ascii=False), status, now, settled),
    )
    return uid


def get(tx: Tx, user: int, uid: str, topic: str) -> tuple[str, dict[str, JsonValue], str] | None:
    """Subject, proposal and status of one review of a topic."""
    row = tx.execute(
        f"SELECT subject_uid, proposal, status, {_WHOLE} FROM review r WHERE user_id = ? AND uid = ? AND topic = ?",
        (user, uid, topic),
    ).fetchone()
    if row is not None:
        row_seals.check(row[3], "reviews")
    return None if row is None else (row["subject_uid"], json.loads(row["proposal"]), row["status"])


def settle(tx: Tx, user: int, uid: str, status: str, now: str) -> None:
    """Say how a review ended: accepted or rejected."""
    tx.execute("UPDATE review SET status = ?, settled_at = ? WHERE user_id = ? AND uid = ?", (status, now, user, uid))


def last(tx: Tx) -> int:
    """Number of the last review in the file; 0 when there is none."""
    return int(tx.execute("SELECT coalesce(max(id), 0) FROM review").fetchone()[0])


def since(tx: Tx, number: int) -> list[tuple[str, str, str, str]]:
    """What has begun to wait after a number: the user's name, the review's id, its topic, what it is about."""
    rows = tx.execute(
        "SELECT u.name, r.uid, r.topic, r.subject_uid FROM review r JOIN user u ON u.id = r.user_id"
        " WHERE r.id > ? AND r.status = 'open' ORDER BY r.id",
        (number,),
    )
    return [(row[0], row[1], row[2], row[3]) for row in rows]


def listed(tx: Tx, user: int, topics: Iterable[str], status: str = "open") -> list[Row]:
    """Proposals of these topics, oldest first; ``status`` ``any`` means all."""
    found = list(
        tx.execute(
            f"SELECT *, {_WHOLE} AS whole FROM review r WHERE user_id = ?1 AND topic IN (SELECT value FROM json_each(?2))"
            " AND (?3 = 'any' OR status = ?3) ORDER BY id",
            (user, json.dumps(list(topics)), status),
        ).fetchall()
    )
    for row in found:
        row_seals.check(row["whole"], "reviews")
    return found


def note(tx: Tx, user: int, uid: str, proposal: Mapping[str, JsonValue]) -> None:
    """Put other words into a proposal."""
    tx.execute(
        "UPDATE review SET proposal = ? WHERE user_id = ? AND uid = ?",
        (json.dumps(proposal, ensure_ascii=False), user, uid),
    )


def drop(tx: Tx, user: int, uid: str) -> None:
    """Take a proposal back that nobody answered."""
    tx.execute("DELETE FROM review WHERE user_id = ? AND uid = ? AND status = 'open'", (user, uid))
