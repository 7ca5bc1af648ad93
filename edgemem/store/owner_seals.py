"""Seals of files before schema 10, which did not tell whose a memory or a change is, made anew.

A row that was altered in the old file, or whose owner the other rows contradict, keeps what it has: it is no
row that is whole today either, so nobody is shown it before it is repaired.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from edgemem.store import history, memories, row_seals
from edgemem.text import content_hash

NOT_WHOLE: Final = b""
"""The seal of a change that did not fit where it stood: that of no row."""


def renew(tx: Any) -> None:
    """Seal the changes and memories of an older file as they are sealed now."""
    for (user,) in tx.execute("SELECT DISTINCT user_id FROM history").fetchall():
        tx.executemany("UPDATE history SET seal = ? WHERE seq = ?", list(_changes(tx, user)))
    tx.executemany("UPDATE memory SET row_hash = ? WHERE id = ?", list(_memories(tx)))


def was_sealed(row: Any) -> bool:
    """Whether a memory is as a file before schema 10 sealed it. That says nothing of whose it is."""
    try:
        words = memories.digest(row["uid"], *memories.field_values(memories.snapshot(row)))
        return bool(words == row["row_hash"] and content_hash(row["content"]) == row["content_hash"])
    except (UnicodeEncodeError, TypeError, ValueError):  # text that is none, a column of another type
        return False


def _changes(tx: Any, user: int) -> Iterator[tuple[bytes, int]]:
    """The seal of each change of a user, with its number."""
    rows = tx.execute("SELECT * FROM history WHERE user_id = ? ORDER BY seq", (user,)).fetchall()
    tip: object = history.ROOT
    for row, following in zip(rows, [*rows[1:], None], strict=True):
        whole = history.payload_whole(row) and _follows(row, tip) and _is_theirs(tx, row, tip, following)
        yield _seal(row) if whole else NOT_WHOLE, row["seq"]
        tip = row["hash"]


def _follows(row: Any, tip: object) -> bool:
    return isinstance(tip, bytes) and row["hash"] == history.link_of(row, tip)


def _is_theirs(tx: Any, row: Any, tip: object, following: Any) -> bool:
    """Whether a change stands in its own user's chain. The first change of all follows nothing, so it fits into any."""
    if tip != history.ROOT or (following is not None and _follows(following, row["hash"])):
        return True
    owner = tx.execute("SELECT user_id FROM memory WHERE uid = ?", (row["memory_uid"],)).fetchone()
    return owner is None or owner[0] == row["user_id"]


def _seal(row: Any) -> bytes:
    return row_seals.digest("history", *(row[column] for column in row_seals.COLUMNS["history"]))


def _memories(tx: Any) -> Iterator[tuple[bytes, int]]:
    """The seal of each memory that is whole and belongs to the user of its changes, with its key."""
    query = (
        "SELECT m.*, w.lowest, w.highest FROM memory m LEFT JOIN (SELECT memory_uid, min(user_id) AS lowest,"
        " max(user_id) AS highest FROM history WHERE seal <> x'' GROUP BY memory_uid) w ON w.memory_uid = m.uid"
    )
    for row in tx.execute(query):
        user = row["user_id"]
        theirs = row["lowest"] == row["highest"] == user or (row["lowest"] is None and _may_be(tx, row["uid"], user))
        if theirs and was_sealed(row):
            yield memories.row_hash(user, row["uid"], memories.snapshot(row)), row["id"]


def _may_be(tx: Any, uid: str, user: int) -> bool:
    """Whether no change of a memory is left that is whole, and one that is not, or none at all, speaks for this user."""
    said = tx.execute("SELECT max(user_id = ?) FROM history WHERE memory_uid = ?", (user, uid)).fetchone()[0]
    return said is None or bool(said)
