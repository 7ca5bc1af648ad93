"""Working memory: typed fields per task, changed by compare-and-set."""

from __future__ import annotations

import json

from edgemem.errors import Conflict, InvalidInput
from edgemem.records import JsonValue, StateField
from edgemem.store import row_seals
from edgemem.store.engine import Row, Tx
from edgemem.store.stored import from_json
from edgemem.text import check_texts
from edgemem.times import from_db

APP = "app:"
"""How the name of a task begins in which an app keeps something for itself: it is never recalled and in no context."""

_WHOLE = f"{row_seals.whole('state', 's')} AND {row_seals.whole('task', 't')}"


def as_json(value: JsonValue) -> str:
    """The value as JSON text. Raises ``InvalidInput`` for what JSON cannot say, or no file can hold."""
    try:
        check_texts(value, "A structured value")
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(
            f"Structured values must be JSON: {error}.", "Use text, numbers, lists or mappings."
        ) from error


def put(tx: Tx, user: int, task: str, field: str, value: JsonValue, now: str, expect: int | None = None) -> int:
    """Set a field; returns its new version, from 1. A task that had ended is open again.

    ``expect`` is the version the caller read (0: "not there yet"); another one raises ``Conflict``.
    """
    text = as_json(value)
    tx.execute(
        "INSERT INTO task(user_id, name, started_at) VALUES (?,?,?) ON CONFLICT(user_id, name) DO UPDATE SET"
        " status = 'open', ended_at = NULL, expires_at = NULL WHERE task.status <> 'open'",
        (user, task, now),
    )
    key = tx.execute("SELECT id FROM task WHERE user_id = ? AND name = ?", (user, task)).fetchone()[0]
    current = tx.execute(
        "SELECT version FROM state WHERE user_id = ? AND task_id = ? AND field = ?", (user, key, field)
    ).fetchone()
    version = 0 if current is None else int(current[0])
    if expect is not None and expect != version:
        raise Conflict(f"{task}/{field} is at version {version}, not {expect}.", "Read it again and decide anew.")
    tx.execute(
        "INSERT INTO state(user_id, task_id, field, value, version, updated_at) VALUES (?,?,?,?,?,?)"
        " ON CONFLICT(user_id, task_id, field) DO UPDATE SET value = excluded.value, version = excluded.version,"
        " updated_at = excluded.updated_at",
        (user, key, field, text, version + 1, now),
    )
    return version + 1


def fields(tx: Tx, user: int, task: str | None = None, field: str | None = None) -> list[StateField]:
    """The fields of one task, or of all that are not archived, by name."""
    rows = tx.execute(
        f"SELECT t.name, s.field, s.value, s.version, s.updated_at, {_WHOLE} FROM state s JOIN task t ON t.id = s.task_id"
        " WHERE s.user_id = ?1 AND t.user_id = ?1 AND (?3 IS NULL OR s.field = ?3)"
        " AND CASE WHEN ?2 IS NULL THEN t.status <> 'archived' ELSE t.name = ?2 END"
        " ORDER BY t.name, s.field",
        (user, task, field),
    )
    return [_record(r) for r in rows]


def _record(r: Row) -> StateField:
    row_seals.check(r[5], f"state of {r[0]}")
    return StateField(r[0], r[1], from_json(r[2]), r[3], from_db(r[4]))


def recallable(tx: Tx, user: int) -> list[StateField]:
    """The fields of all tasks that are not archived, but for what apps keep for themselves."""
    return [field for field in fields(tx, user) if not field.task.startswith(APP)]
