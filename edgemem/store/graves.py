"""What was erased, told without its words: other copies of the file learn from it what must go there too.

A grave is a salted digest of a row's name (a turn's session and id, a task's name, a person's name), and the
moment of the erasure: what was said or made later under that name is something else. Memories need none:
their history stays, without content. Graves travel with ``merge`` and stand up to ``restore``.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from edgemem.store import row_seals
from edgemem.store.engine import Row, Tx
from edgemem.store.erasure import Plan

USER: Final = "user"
_SALT = 16
_DIGEST = 32
_COLUMNS = ("user_id", "kind", "salt", "digest", "at", "undo")

ROWS: Final[Mapping[str, tuple[str, str]]] = {
    "turn": (
        "turns",
        "SELECT t.id, NULL, s.uid, t.uid, t.said_at FROM turn t JOIN session s ON s.id = t.session_id WHERE t.user_id = ?",
    ),
    "insight": ("insights", "SELECT id, NULL, uid, '', created_at FROM insight WHERE user_id = ?"),
    "entity": ("entities", "SELECT id, NULL, uid, '', created_at FROM entity WHERE user_id = ?"),
    "task": ("tasks", "SELECT id, NULL, name, '', started_at FROM task WHERE user_id = ?"),
    "state": (
        "fields",
        (
            "SELECT s.task_id, s.field, t.name, s.field, s.updated_at FROM state s JOIN task t ON t.id = s.task_id"
            " WHERE s.user_id = ?"
        ),
    ),
    "profile": ("profile", "SELECT field, avoid, field, avoid, updated_at FROM profile WHERE user_id = ?"),
    "sentence": (
        "sentences",
        (
            "SELECT s.id, n.n, s.uid, n.n, s.created_at FROM summary s JOIN summary_sentence n ON n.summary_id = s.id"
            " WHERE s.user_id = ?"
        ),
    ),
    # By the id that the memory had in the tool it was imported from: it would come again under another of ours.
    "import": (
        "memories",
        (
            "SELECT id, NULL, json_extract(data, '$.import.from'), json_extract(data, '$.import.id'), created_at FROM memory"
            " WHERE user_id = ? AND json_extract(data, '$.import.id') IS NOT NULL"
        ),
    ),
}
"""Of each kind of row with a grave: where a plan names it, and the query for its key (one or two values), its name, its time."""


@dataclass(frozen=True, slots=True)
class Grave:
    """``kind`` of row, digest of its name, moment. ``undo``: what was learned from a turn went with it."""

    kind: str
    salt: bytes
    digest: bytes
    at: str
    undo: bool = False


@dataclass(slots=True)
class Graves:
    """What one file knows to have been erased: of each person by name, and the people themselves."""

    people: list[Grave] = field(default_factory=list)
    rows: dict[str, list[Grave]] = field(default_factory=lambda: defaultdict(list))
    memories: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    changes: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))


def digest_of(salt: bytes, *name: object) -> bytes:
    """SHA-256 of the salt and a row's name."""
    return hashlib.sha256(salt + json.dumps([str(part) for part in name]).encode()).digest()


def bury(tx: Tx, user: int, plan: Plan, now: str) -> None:
    """Note what a plan takes, before it is carried out."""
    salt = _salt(tx, user)
    for kind, (keys, _) in ROWS.items():
        for key, name, at in rows(tx, user, kind) if getattr(plan, keys) else ():
            if key in getattr(plan, keys):
                # A message may carry a time of its own that is still to come.
                add(tx, user, Grave(kind, salt, digest_of(salt, *name), max(now, at), plan.undo))


def bury_user(tx: Tx, name: str, now: str) -> None:
    """Note that a person was erased."""
    salt = _salt(tx, 0)
    add(tx, 0, Grave(USER, salt, digest_of(salt, name), now))


def add(tx: Tx, user: int, grave: Grave) -> None:
    """Keep a grave of this file or of another; the later of two erasures counts. ``user`` 0: of a person.

    Raises ``StoreCorrupt`` where the grave is there already and was altered.
    """
    before = [_whole(row) for row in tx.execute(f"SELECT * FROM erased WHERE {_SAME}", _same(user, grave)).fetchall()]
    at, undo = max([grave.at, *(g.at for g in before)]), any(g.undo for g in (grave, *before))
    remove(tx, user, grave)
    _insert(tx, user, replace(grave, at=at, undo=undo))


def remove(tx: Tx, user: int, grave: Grave) -> None:
    """What was erased may come back."""
    tx.execute(f"DELETE FROM erased WHERE {_SAME}", _same(user, grave))


_SAME = "user_id = ? AND kind = ? AND salt = ? AND digest BETWEEN ? AND ?"


def _same(user: int, grave: Grave) -> tuple[object, ...]:
    return user, grave.kind, grave.salt, grave.digest, grave.digest + b"\xff" * 17


def _insert(tx: Tx, user: int, grave: Grave) -> None:
    """The seal stands behind the digest: a column of its own would need another schema."""
    values = (user, grave.kind, grave.salt, grave.digest, grave.at, int(grave.undo))
    sealed = grave.digest + row_seals.digest("erased", *values)
    tx.execute(
        "INSERT OR REPLACE INTO erased(user_id, kind, salt, digest, at, undo) VALUES (?,?,?,?,?,?)",
        (*values[:3], sealed, *values[4:]),
    )


def _whole(row: Any) -> Grave:
    """A row as a grave. Raises ``StoreCorrupt`` for one that was altered: it would erase, or bring back, something else."""
    row_seals.check(is_whole(row), "erasures")
    return Grave(row["kind"], bytes(row["salt"]), bytes(row["digest"][:_DIGEST]), row["at"], bool(row["undo"]))


def is_whole(row: Any) -> bool:
    """Whether a row of ``erased`` is as it was written; of one without a seal, nobody knows."""
    return bool(len(row["digest"]) == _DIGEST or seal_of(values_of(row)) == row["digest"][_DIGEST:])


def values_of(row: Any) -> dict[str, Any]:
    """What the seal of a row covers."""
    return {column: row[column] for column in _COLUMNS} | {"digest": row["digest"][:_DIGEST]}


def seal_of(values: Mapping[str, Any]) -> bytes:
    """The seal of a row with these values."""
    return row_seals.digest("erased", *(values[column] for column in _COLUMNS))


def altered(tx: Tx) -> list[Row]:
    """Rows that are not what was written."""
    return [row for row in tx.execute("SELECT * FROM erased").fetchall() if not is_whole(row)]


def put_right(tx: Tx, row: Row, values: Mapping[str, Any] | None) -> None:
    """Give an altered row its values again, or take it out (None)."""
    tx.execute("DELETE FROM erased WHERE digest = ?", (row["digest"],))
    if values is not None:
        grave = Grave(values["kind"], values["salt"], values["digest"], values["at"], bool(values["undo"]))
        _insert(tx, values["user_id"], grave)


def renew(tx: Tx) -> None:
    """Seal the graves of an older file."""
    for row in tx.execute("SELECT * FROM erased WHERE length(digest) = ?", (_DIGEST,)).fetchall():
        grave = _whole(row)
        remove(tx, row["user_id"], grave)
        _insert(tx, row["user_id"], grave)


def _salt(tx: Tx, user: int) -> bytes:
    """One for all graves of a person: another file's rows are then looked up with one digest each."""
    row = tx.execute("SELECT salt FROM erased WHERE user_id = ? LIMIT 1", (user,)).fetchone()
    return secrets.token_bytes(_SALT) if row is None else bytes(row[0])


def rows(tx: Tx, user: int, kind: str) -> Iterator[tuple[Any, tuple[Any, Any], str]]:
    """Rows of a kind as a plan names them, with their names and times."""
    for r in tx.execute(ROWS[kind][1], (user,)).fetchall():
        yield (r[0] if r[1] is None else (r[0], r[1])), (r[2], r[3]), r[4]


_NOT_AGED = "NOT EXISTS (SELECT 1 FROM history d WHERE d.user_id = h.user_id AND d.memory_uid = h.memory_uid AND d.action = 'delete')"
"""What upkeep deleted after its grace was not erased: another file may still use it."""


def known(tx: Tx) -> Graves:
    """All that a file knows to have been erased. Raises ``StoreCorrupt`` where a note of it was altered."""
    graves = Graves()
    names: dict[int, str] = {row[0]: row[1] for row in tx.execute("SELECT id, name FROM user").fetchall()}
    for r in tx.execute("SELECT user_id, kind, salt, digest, at, undo FROM erased").fetchall():
        grave = _whole(r)
        if r["kind"] == USER:
            graves.people.append(grave)
        elif r["user_id"] in names:
            graves.rows[names[r["user_id"]]].append(grave)
    gone = (
        "SELECT DISTINCT h.user_id, h.memory_uid FROM history h WHERE h.payload IS NULL"
        f" AND NOT EXISTS (SELECT 1 FROM memory m WHERE m.user_id = h.user_id AND m.uid = h.memory_uid) AND {_NOT_AGED}"
    )
    for user, uid in tx.execute(gone).fetchall():
        graves.memories[names[user]].add(uid)
    blank = f"SELECT h.user_id, h.uid FROM history h WHERE h.payload IS NULL AND {_NOT_AGED}"
    for user, uid in tx.execute(blank).fetchall():
        graves.changes[names[user]].add(uid)
    return graves
