"""The structured profile as rows: fields with a value, read exactly and without a model."""

from __future__ import annotations

import json
from collections.abc import Sequence

from edgemem.records import JsonValue, ProfileField
from edgemem.store import memories, row_seals
from edgemem.store.engine import Row, Tx
from edgemem.store.states import as_json
from edgemem.store.stored import from_json
from edgemem.times import from_db


def put(
    tx: Tx, user: int, field: str, value: JsonValue, now: str, *, avoid: bool = False, readers: Sequence[str] = ()
) -> None:
    """Set a field. What is to be avoided is a field of its own beside the one of the same name."""
    tx.execute(
        "INSERT INTO profile(user_id, field, value, avoid, readers, updated_at) VALUES (?,?,?,?,?,?)"
        " ON CONFLICT(user_id, field, avoid) DO UPDATE SET value = excluded.value, readers = excluded.readers,"
        " confidence = 1, memory_id = NULL, updated_at = excluded.updated_at",
        (user, field, as_json(value), int(avoid), json.dumps(sorted(set(readers)), ensure_ascii=False), now),
    )


def remove(tx: Tx, user: int, field: str, *, avoid: bool) -> bool:
    """Take a field out; false when it was not there."""
    gone = tx.execute(
        "DELETE FROM profile WHERE user_id = ? AND field = ? AND avoid = ? RETURNING field", (user, field, int(avoid))
    )
    return gone.fetchone() is not None


LEARNED = ("name", "called")
"""Attributes of the user that are fields of the profile as long as a live memory tells them."""


def listed(tx: Tx, user: int) -> list[ProfileField]:
    """All fields by name, whoever may read them; what is to be avoided after what is wanted.

    A field set by hand stands before what a memory tells under the same name.
    """
    by_hand = _set(tx, user)
    taken = {field.field for field in by_hand if not field.avoid}
    learned = [field for field in _learned(tx, user) if field.field not in taken]
    return sorted([*by_hand, *learned], key=lambda field: (field.field, field.avoid))


def _learned(tx: Tx, user: int) -> list[ProfileField]:
    """What live memories tell, each attribute from the newest."""
    rows = tx.execute(
        f"{memories.SELECT} WHERE m.user_id = ?1 AND m.subject = 'user' AND m.attribute IN (SELECT value FROM json_each(?2))"
        " AND m.status = 'live' AND m.polarity = 1 AND m.sensitivity = 'normal' AND m.value IS NOT NULL"
        " ORDER BY m.valid_from, m.id",
        (user, json.dumps(LEARNED)),
    )
    newest = {m.attribute: m for m in map(memories.record, rows.fetchall())}
    return [
        ProfileField(str(name), m.value, False, m.confidence, (), m.id, m.valid_from or m.updated_at)
        for name, m in newest.items()
    ]


def _set(tx: Tx, user: int) -> list[ProfileField]:
    rows = tx.execute(
        f"SELECT *, {row_seals.whole('profile', 'p')} AS whole FROM profile p WHERE user_id = ? ORDER BY field, avoid",
        (user,),
    )
    return [_record(tx, user, row) for row in rows.fetchall()]


def _record(tx: Tx, user: int, r: Row) -> ProfileField:
    row_seals.check(r["whole"], "profile")
    return ProfileField(
        r["field"], from_json(r["value"]), bool(r["avoid"]), r["confidence"], tuple(from_json(r["readers"])),
        _memory(tx, user, r["memory_id"]), from_db(r["updated_at"]),
    )  # fmt: skip


def _memory(tx: Tx, user: int, key: int | None) -> str | None:
    row = tx.execute("SELECT uid FROM memory WHERE user_id = ? AND id = ?", (user, key)).fetchone()
    return None if row is None else row[0]
