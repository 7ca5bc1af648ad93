"""What rows hang on: sessions and tasks whose entry is gone are found again by what is theirs."""

from __future__ import annotations

from typing import Any

from edgemem.store import row_seals
from edgemem.store.engine import Row
from edgemem.store.spares import Spares
from edgemem.text import counted


def mend_sessions(tx: Any, spares: Spares, done: list[str]) -> None:
    """A session whose row is gone is found again by its turns, which are as they were said."""
    gone = (
        "SELECT session_id, min(user_id) AS user, min(said_at) AS first, max(said_at) AS last FROM turn"
        " WHERE session_id NOT IN (SELECT id FROM session) GROUP BY session_id"
    )
    for row in tx.execute(gone).fetchall():
        spare = _spare_session(tx, spares, row["session_id"])
        uid, title = (spare["uid"], spare["title"]) if spare else (f"recovered-{row['session_id']}", "")
        tx.execute(
            "INSERT INTO session(id, user_id, uid, title, started_at, last_at) VALUES (?,?,?,?,?,?)",
            (row["session_id"], row["user"], uid, title, row["first"], row["last"]),
        )
        how = "again" if spare else "under a new name: its own was lost"
        done.append(f"session {uid} has its entry {how}")


def _spare_session(tx: Any, spares: Spares, key: int) -> Row | None:
    """A session as a backup has it, if it is the same: an erased one may have had its number."""
    query = (
        "SELECT s.* FROM session s WHERE s.id = ? AND EXISTS (SELECT 1 FROM turn t WHERE t.session_id = s.id"
        " AND t.uid = ? AND t.said_at = ? AND t.content = ?)"
    )
    turn = tx.execute("SELECT uid, said_at, content FROM turn WHERE session_id = ?", (key,)).fetchone()
    found = spares.rows(query, (key, *turn))
    # A backup of an older schema has no seal there.
    return next((s for s in found if "seal" not in s.keys() or row_seals.is_whole("session", s)), None)  # noqa: SIM118 - a row is no mapping


def mend_tasks(tx: Any, done: list[str]) -> None:
    """A task whose row is gone is found again by its fields, which are as they were written."""
    gone = (
        "SELECT task_id, min(user_id) AS user, min(updated_at) AS first, count(*) AS n FROM state"
        " WHERE task_id NOT IN (SELECT id FROM task) GROUP BY task_id"
    )
    for row in tx.execute(gone).fetchall():
        name = f"recovered-{row['task_id']}"
        tx.execute(
            "INSERT INTO task(id, user_id, name, started_at) VALUES (?,?,?,?)",
            (row["task_id"], row["user"], name, row["first"]),
        )
        done.append(f"task {name} keeps {counted(row['n'], 'field')}, under a new name: its own was lost")
