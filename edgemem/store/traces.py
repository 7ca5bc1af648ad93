"""Traces: what each step of one write saw and decided."""

from __future__ import annotations

import json
from collections.abc import Sequence

from edgemem.records import JsonValue
from edgemem.store import row_seals
from edgemem.store.engine import Row, Tx
from edgemem.store.stored import from_json


def add(tx: Tx, user: int, uid: str, kind: str, turn: int | None, steps: Sequence[JsonValue], now: str) -> None:
    """Keep a trace under its id."""
    tx.execute(
        "INSERT INTO trace(user_id, uid, kind, turn_id, steps, at) VALUES (?,?,?,?,?,?)",
        (user, uid, kind, turn, json.dumps(steps, ensure_ascii=False), now),
    )


def get(tx: Tx, user: int, uid: str) -> list[JsonValue] | None:
    """The steps of one trace."""
    row = tx.execute("SELECT * FROM trace WHERE user_id = ? AND uid = ?", (user, uid)).fetchone()
    return None if row is None else _steps(row)


def of_turn(tx: Tx, user: int, turn: int) -> list[tuple[str, str, list[JsonValue]]]:
    """The traces of one turn, oldest first: id, when, steps."""
    rows = tx.execute("SELECT * FROM trace WHERE user_id = ? AND turn_id = ? ORDER BY id", (user, turn))
    return [(row["uid"], row["at"], _steps(row)) for row in rows]


def _steps(row: Row) -> list[JsonValue]:
    row_seals.check(row_seals.is_whole("trace", row), "traces")
    return list(from_json(row["steps"]))
