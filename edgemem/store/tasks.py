"""Tasks as rows: open, done, archived, gone."""

from __future__ import annotations

from edgemem.records import Task
from edgemem.store import row_seals
from edgemem.store.engine import Row, Tx
from edgemem.times import from_db

_SELECT = f"SELECT *, {row_seals.whole('task', 't')} AS whole FROM task t"


def find(tx: Tx, user: int, name: str) -> Task | None:
    """One task by name."""
    row = tx.execute(f"{_SELECT} WHERE user_id = ? AND name = ?", (user, name)).fetchone()
    return None if row is None else _record(row)


def listed(tx: Tx, user: int, *, archived: bool) -> list[Task]:
    """Tasks, latest first; archived ones only when asked for."""
    rows = tx.execute(
        f"{_SELECT} WHERE user_id = ? AND (? OR status <> 'archived') ORDER BY started_at DESC, id DESC",
        (user, archived),
    )
    return [_record(row) for row in rows]


def end(tx: Tx, user: int, name: str, now: str, expires: str) -> None:
    """Mark a task as done; ending it again changes nothing."""
    tx.execute(
        "UPDATE task SET status = 'done', ended_at = ?, expires_at = ? WHERE user_id = ? AND name = ? AND status = 'open'",
        (now, expires, user, name),
    )


def due(tx: Tx, user: int, now: str) -> list[Task]:
    """Ended tasks whose time is over: done ones go to the archive, archived ones go."""
    rows = tx.execute(
        f"{_SELECT} WHERE user_id = ? AND status <> 'open' AND expires_at <= ? ORDER BY expires_at, id",
        (user, now),
    )
    return [_record(row) for row in rows]


def archive(tx: Tx, user: int, name: str, expires: str) -> None:
    """Take a done task out of the lists until ``expires``."""
    tx.execute(
        "UPDATE task SET status = 'archived', expires_at = ? WHERE user_id = ? AND name = ? AND status = 'done'",
        (expires, user, name),
    )


def delete(tx: Tx, user: int, name: str) -> None:
    """Remove a task with its fields."""
    tx.execute(
        "DELETE FROM state WHERE user_id = ?1 AND task_id = (SELECT id FROM task WHERE user_id = ?1 AND name = ?2)",
        (user, name),
    )
    tx.execute("DELETE FROM task WHERE user_id = ? AND name = ?", (user, name))


def _record(row: Row) -> Task:
    row_seals.check(row["whole"], "tasks")
    ended, expires = row["ended_at"], row["expires_at"]
    return Task(
        row["name"], row["status"], from_db(row["started_at"]), from_db(ended) if ended else None,
        from_db(expires) if expires else None,
    )  # fmt: skip
