"""What waits for a person, or was settled by one."""

from __future__ import annotations

import json
from collections.abc import Mapping

from edgemem.ids import new_id
from edgemem.records import JsonValue
from edgemem.store.engine import Tx


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
        "SELECT subject_uid, proposal, status FROM review WHERE user_id = ? AND uid = ? AND topic = ?",
        (user, uid, topic),
    ).fetchone()
    return None if row is None else (row["subject_uid"], json.loads(row["proposal"]), row["status"])


def settle(tx: Tx, user: int, uid: str, status: str, now: str) -> None:
    """Say how a review ended: accepted or rejected."""
    tx.execute("UPDATE review SET status = ?, settled_at = ? WHERE user_id = ? AND uid = ?", (status, now, user, uid))
