"""The history: append-only, chained per user, and what undo needs."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Iterator, Mapping
from typing import Any, Final

from edgemem.errors import StoreCorrupt
from edgemem.ids import new_id
from edgemem.records import Change
from edgemem.store import row_seals
from edgemem.store.engine import Row, Tx
from edgemem.store.memories import FIELDS, Snapshot
from edgemem.store.stored import from_json
from edgemem.times import from_db

ROOT = bytes(32)
"""What the first change of a user's chain follows."""


def append(
    tx: Tx, user: int, *, memory: str, action: str, author: str, reason: str, decision: str, now: str,
    before: Snapshot | None, after: Snapshot | None, undoes: str | None = None,
) -> str:  # fmt: skip
    """Add one change to the end of the user's chain; returns its id."""
    uid, salt = new_id(), secrets.token_bytes(16)
    payload = as_payload(reason, before, after)
    words = {"uid": uid, "memory_uid": memory, "decision": decision, "action": action, "author": author, "at": now,
             "undoes": undoes}  # fmt: skip
    restore(tx, user, words, salt, payload, digest_of(salt, payload))
    return uid


def as_payload(reason: str, before: Snapshot | None, after: Snapshot | None) -> str:
    """What a change holds and may lose, as the text that is hashed."""
    states = {"before": _short(before), "after": _short(after)}
    return json.dumps({"reason": reason, **states}, ensure_ascii=False, separators=(",", ":"))


_USUAL: Final[Mapping[str, Any]] = {
    "agent": None, "about": "user", "data": "{}", "subject": None, "attribute": None, "value": None, "polarity": 1,
    "confidence": 1.0, "valid_to": None, "expires_at": None, "pinned": 0, "sensitivity": "normal",
    "superseded_by": None, "source_turn": None, "source_quote": None, "source_start": None, "trace": None,
}  # fmt: skip
"""What a memory mostly is: a change does not write it down (since schema 7). Never altered: it is in all files."""

_AS_CREATED: Final = ("updated_at", "valid_from")
"""Times that are not written down where they are the time of creation."""


def _short(state: Snapshot | None) -> Snapshot | None:
    if state is None:
        return None
    usual = _usual(state)
    return {name: value for name, value in state.items() if name not in usual or usual[name] != value}


def _usual(state: Mapping[str, Any]) -> Mapping[str, Any]:
    return {**_USUAL, **dict.fromkeys(_AS_CREATED, state["created_at"])} if "created_at" in state else _USUAL


def payload_of(text: str) -> dict[str, Any]:
    """What a change holds, read back: ``reason``, and ``before`` and ``after`` with all their fields, or None."""
    payload: dict[str, Any] = from_json(text)
    for part in ("before", "after"):
        payload[part] = _whole(payload[part])
    return payload


def _whole(state: Snapshot | None) -> Snapshot | None:
    """A state with what was not written down; one of an older schema has it all."""
    if state is None:
        return None
    full = {**_usual(state), **state}
    return {name: full[name] for name in FIELDS if name in full}


def digest_of(salt: bytes, payload: str) -> bytes:
    """SHA-256 of the salt and the payload."""
    return hashlib.sha256(salt + payload.encode("utf-8")).digest()


WORDS = ("uid", "memory_uid", "decision", "action", "author", "at", "undoes")
"""What a change keeps when its content is erased."""


def restore(
    tx: Tx, user: int, words: Mapping[str, str | None], salt: bytes | None, payload: str | None, digest: bytes
) -> None:
    """Put a change at the end of the user's chain under the id, time and author it has; ``words`` holds those.

    ``salt`` and ``payload`` are None for a change whose content was erased; its digest is all that is left.
    """
    values = [words[name] for name in WORDS]
    link = _link(_tip(tx, user), digest, *values)
    tx.execute(
        "INSERT INTO history(user_id, uid, memory_uid, decision, action, author, at, undoes, salt, payload, digest, hash)"
        " VALUES (?,?,?,?,?,?,?,?,?,?,?,?)",
        (user, *values, salt, payload, digest, link),
    )


def _tip(tx: Tx, user: int) -> bytes:
    row = tx.execute("SELECT hash FROM history WHERE user_id = ? ORDER BY seq DESC LIMIT 1", (user,)).fetchone()
    return ROOT if row is None else bytes(row[0])


def _link(previous: bytes, digest: bytes, *words: str | None) -> bytes:
    return hashlib.sha256(previous + digest + "\x1f".join(w or "" for w in words).encode("utf-8")).digest()


def of_memory(tx: Tx, user: int, memory: str) -> list[Change]:
    """Changes of one memory, oldest first."""
    rows = tx.execute("SELECT * FROM history WHERE user_id = ? AND memory_uid = ? ORDER BY seq", (user, memory))
    return [record(row) for row in rows]


def latest(tx: Tx, user: int, limit: int) -> list[Change]:
    """The user's last changes, newest first."""
    rows = tx.execute("SELECT * FROM history WHERE user_id = ? ORDER BY seq DESC LIMIT ?", (user, limit or -1))
    return [record(row) for row in rows]


def last(tx: Tx) -> int:
    """Number of the last change in the file, whosever it is; 0 when there is none."""
    return int(tx.execute("SELECT coalesce(max(seq), 0) FROM history").fetchone()[0])


def since(tx: Tx, seq: int) -> list[tuple[str, Change]]:
    """The changes of all users after a number, oldest first, each with its user's name."""
    rows = tx.execute(
        "SELECT h.*, u.name AS user_name FROM history h JOIN user u ON u.id = h.user_id WHERE h.seq > ? ORDER BY h.seq",
        (seq,),
    )
    return [(row["user_name"], record(row)) for row in rows]


def get(tx: Tx, user: int, uid: str) -> Change | None:
    """One change by id."""
    row = tx.execute("SELECT * FROM history WHERE user_id = ? AND uid = ?", (user, uid)).fetchone()
    return None if row is None else record(row)


def find_part(tx: Tx, user: int, part: str) -> list[Change]:
    """Up to two changes in whose id ``part`` stands."""
    rows = tx.execute(
        "SELECT * FROM history WHERE user_id = ? AND instr(uid, ?) LIMIT 2",
        (user, part),
    )
    return [record(row) for row in rows]


def of_decision(tx: Tx, user: int, decision: str) -> list[Change]:
    """The changes that belong together, newest first."""
    rows = tx.execute("SELECT * FROM history WHERE user_id = ? AND decision = ? ORDER BY seq DESC", (user, decision))
    return [record(row) for row in rows]


def undone_by(tx: Tx, user: int, uid: str) -> str | None:
    """Id of the change that undid this one, if any."""
    row = tx.execute("SELECT uid FROM history WHERE user_id = ? AND undoes = ? LIMIT 1", (user, uid)).fetchone()
    return None if row is None else row[0]


def record(row: Row) -> Change:
    """A history row as a record; an erased payload reads as empty. Raises ``StoreCorrupt`` for one that was altered."""
    if not (row_seals.is_whole("history", row) and payload_whole(row)):
        raise StoreCorrupt(f"Change {row['uid']} was altered on the disk.", "Repair it: edgemem check --repair")
    erased = {"reason": "(erased)", "before": None, "after": None}
    payload: dict[str, Any] = payload_of(row["payload"]) if row["payload"] else erased
    return Change(
        row["uid"], row["seq"], row["memory_uid"], row["action"], row["author"], payload["reason"], from_db(row["at"]),
        row["decision"], payload["before"], payload["after"], row["undoes"],
    )  # fmt: skip


def link_of(row: Row, previous: bytes) -> bytes | None:
    """The seal that a change has when it follows this one; None when its columns are not even of their types."""
    words = (row["uid"], row["memory_uid"], row["decision"], row["action"], row["author"], row["at"], row["undoes"])
    try:
        return _link(previous, row["digest"], *words)
    except (UnicodeEncodeError, TypeError):
        return None


def payload_whole(row: Row) -> bool:
    """Whether a change says what was written, or was erased."""
    if row["payload"] is None:
        return True
    try:
        return bool(hashlib.sha256(row["salt"] + row["payload"].encode()).digest() == row["digest"])
    except (UnicodeEncodeError, TypeError, AttributeError):
        return False


def breaks(tx: Tx) -> Iterator[str]:
    """Say where a chain is broken or a payload is not what was written. Reads the whole history."""
    tips: dict[int, bytes] = {}
    for row in tx.execute("SELECT * FROM history ORDER BY seq"):
        user = row["user_id"]
        if link_of(row, tips.get(user, ROOT)) != row["hash"]:
            yield f"change {row['uid']} does not follow from the one before it"
        if not payload_whole(row):
            yield f"change {row['uid']} was altered"
        tips[user] = bytes(row["hash"] or b"")


def last_states(tx: Tx) -> Iterator[tuple[int, str, Snapshot]]:
    """The user and id of each memory, and what its last change left it as; memories of which anything was erased or altered are passed by."""
    query = (
        "SELECT * FROM history WHERE seq IN (SELECT max(seq) FROM history GROUP BY memory_uid"
        " HAVING sum(payload IS NULL) = 0)"
    )
    for row in tx.execute(query).fetchall():
        state = payload_of(row["payload"])["after"] if payload_whole(row) else None
        if state is not None:
            yield row["user_id"], row["memory_uid"], state
