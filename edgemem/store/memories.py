"""Memories as rows. Every change goes through here, with its history, full text and change log."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from edgemem.errors import StoreCorrupt
from edgemem.records import Memory, Source
from edgemem.store import changes, fulltext, graph
from edgemem.store.engine import Row, Tx
from edgemem.store.stored import from_json
from edgemem.text import content_hash
from edgemem.times import from_db

FIELDS = (
    "agent", "namespace", "kind", "content", "about", "data", "subject", "attribute", "value", "polarity",
    "importance", "confidence", "created_at", "updated_at", "valid_from", "valid_to", "expires_at", "pinned",
    "sensitivity", "status", "version", "superseded_by", "source_turn", "source_quote", "source_start", "trace",
)  # fmt: skip
"""What a snapshot in the history holds: everything of a memory but its keys, its hashes and its use."""

_REAL = frozenset({"importance", "confidence"})
"""Fields that come back from the file as floats, also when a whole number was given."""

SELECT = """SELECT m.*, s.uid AS session_uid, t.uid AS turn_uid, t.said_at AS turn_at, t.zone AS turn_zone
FROM memory m LEFT JOIN turn t ON t.id = m.source_turn LEFT JOIN session s ON s.id = t.session_id"""
"""What ``record`` needs, as the beginning of a query."""

Snapshot = dict[str, Any]
"""The FIELDS of one memory, as they are stored."""


def row_hash(user: int, uid: str, fields: Mapping[str, Any]) -> bytes:
    """Seal over a memory's fields and whose it is; use counts are left out, since reading changes them."""
    return digest(user, uid, *field_values(fields))


def field_values(fields: Mapping[str, Any]) -> list[Any]:
    """A memory's fields in the order and of the types in which they are sealed."""
    return [float(fields[name]) if name in _REAL else fields[name] for name in FIELDS]


def digest(*values: Any) -> bytes:
    """SHA-256 over values as JSON."""
    text = json.dumps(values, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8")).digest()


def is_sealed(row: Row) -> bool:
    """Whether all of a memory's columns are here as they were written."""
    try:
        return bool(
            row_hash(row["user_id"], row["uid"], snapshot(row)) == row["row_hash"]
            and content_hash(row["content"]) == row["content_hash"]
        )
    except (UnicodeEncodeError, TypeError):  # text that is none, a column of another type
        return False


def snapshot(row: Row) -> Snapshot:
    """The FIELDS of a row."""
    return {name: row[name] for name in FIELDS}


def insert(tx: Tx, user: int, uid: str, fields: Snapshot) -> int:
    """Write a new memory; returns its key. The caller has made sure that it is not there yet."""
    columns = ("user_id", "uid", *FIELDS, "content_hash", "row_hash")
    values = (
        user, uid, *(fields[name] for name in FIELDS), content_hash(fields["content"]),
        row_hash(user, uid, fields),
    )  # fmt: skip
    marks = ",".join("?" * len(columns))
    key: int = tx.execute(f"INSERT INTO memory({', '.join(columns)}) VALUES ({marks}) RETURNING id", values).fetchone()[
        0
    ]
    if fields["status"] == "live":
        fulltext.add_memory(tx, user, key, fields["content"])
    changes.note(tx, user, "memory", key)
    return key


def update(tx: Tx, user: int, uid: str, fields: Snapshot) -> None:
    """Give a memory other fields. Its vectors are dropped when its words changed. Raises ``StoreCorrupt`` for an altered one."""
    old = checked(row(tx, user, uid))
    key = old["id"]
    if old["status"] == "live":
        fulltext.remove_memory(tx, user, key, old["content"])
    assignments = ", ".join(f"{name} = ?" for name in (*FIELDS, "content_hash", "row_hash"))
    values = (*(fields[name] for name in FIELDS), content_hash(fields["content"]), row_hash(user, uid, fields))
    tx.execute(f"UPDATE memory SET {assignments} WHERE user_id = ? AND id = ?", (*values, user, key))
    if fields["status"] == "live":
        fulltext.add_memory(tx, user, key, fields["content"])
    if fields["content"] != old["content"]:
        tx.execute("DELETE FROM vector WHERE user_id = ? AND owner = 'memory' AND owner_id = ?", (user, key))
    _edges_follow(tx, user, key, old, fields)
    if (fields["content"], fields["status"]) != (old["content"], old["status"]):
        # What was concluded from the old words is to be held against the new ones first.
        tx.execute(
            "UPDATE insight SET checked_at = NULL WHERE user_id = ?1 AND id IN (SELECT insight_id FROM evidence WHERE"
            " memory_id = ?2)",
            (user, key),
        )
    changes.note(tx, user, "memory", key)


def _edges_follow(tx: Tx, user: int, key: int, old: Row, new: Snapshot) -> None:
    """What the graph took from the old words no longer holds; a memory that comes back brings its edges with it."""
    if new["content"] != old["content"]:
        graph.follow(tx, user, key, live=False, at=new["updated_at"])
    elif new["status"] != old["status"]:
        back = new["status"] == "live"
        seen = old if back else new
        graph.follow(tx, user, key, live=back, at=seen["valid_to"] or seen["updated_at"])


def row(tx: Tx, user: int, uid: str) -> Row:
    """The row of one memory of this user, or None."""
    return tx.execute(f"{SELECT} WHERE m.user_id = ? AND m.uid = ?", (user, uid)).fetchone()


def row_by_key(tx: Tx, user: int, key: int) -> Row:
    """The row of one memory of this user by the file's own key, or None."""
    return tx.execute(f"{SELECT} WHERE m.user_id = ? AND m.id = ?", (user, key)).fetchone()


def find_part(tx: Tx, user: int, part: str) -> list[str]:
    """Full ids of this user's memories in which ``part`` stands (what people copy from a table)."""
    rows = tx.execute(
        "SELECT uid FROM memory WHERE user_id = ?1 AND instr(uid, ?2) LIMIT 3",
        (user, part),
    )
    return [r[0] for r in rows]


def live_with_hash(tx: Tx, user: int, content: str) -> Row:
    """The live memory with the same words, in whatever namespace, or None. Raises ``StoreCorrupt`` for an altered one."""
    found = tx.execute(
        f"{SELECT} WHERE m.user_id = ? AND m.status = 'live' AND m.content_hash = ? LIMIT 1",
        (user, content_hash(content)),
    ).fetchone()
    return None if found is None else checked(found)


def any_names(tx: Tx, user: int, names: Sequence[str]) -> bool:
    """Whether one of these names stands in a live memory."""
    query = "SELECT 1 FROM memory WHERE user_id = ? AND status = 'live' AND instr(content, ?) > 0 LIMIT 1"
    return any(tx.execute(query, (user, name)).fetchone() is not None for name in names)


_LIVE_OF = (
    " WHERE +m.user_id = ?1 AND +m.status = 'live' AND m.id IN (SELECT value FROM json_each(?2))"
    " AND (m.expires_at IS NULL OR m.expires_at > ?3)"
)
"""The plus signs keep SQLite from going through all live rows of the user, by the index on them, for a few that it has the keys of."""


def live_by_keys(tx: Tx, user: int, keys: Iterable[int], now: str) -> dict[int, Memory]:
    """Those of the keys that are live memories of this user and have not expired."""
    rows = tx.execute(f"{SELECT}{_LIVE_OF}", (user, json.dumps(list(keys)), now))
    return {r["id"]: record(r) for r in rows}


def live_words(
    tx: Tx, user: int, keys: Iterable[int], now: str, *, kinds: frozenset[str], namespace: str | None
) -> dict[int, str]:
    """The words of those of the keys that are live memories of this user, have not expired, and pass the filters."""
    rows = tx.execute(
        f"SELECT m.id, m.content, m.kind FROM memory m{_LIVE_OF} AND (?4 IS NULL OR m.namespace = ?4)",
        (user, json.dumps(list(keys)), now, namespace),
    )
    return {key: content for key, content, kind in rows if not kinds or kind in kinds}


def standing(tx: Tx, user: int, now: str, limit: int) -> list[Memory]:
    """What counts whatever is asked: live pinned memories and rules, the pinned first, then the most important."""
    rows = tx.execute(
        # In the words of the index, else it is not used.
        f"{SELECT} WHERE m.user_id = ?1 AND m.status = 'live' AND (m.pinned = 1 OR m.kind = 'rule')"
        " AND (m.expires_at IS NULL OR m.expires_at > ?2)"
        " ORDER BY m.pinned DESC, m.importance DESC, m.updated_at DESC LIMIT ?3",
        (user, now, limit),
    )
    return [record(r) for r in rows]


def subjects(tx: Tx, user: int, names: Iterable[str]) -> list[str]:
    """Those of the names that are the subject of a memory, in the order given."""
    rows = tx.execute(
        "SELECT j.value FROM json_each(?2) j WHERE EXISTS"
        " (SELECT 1 FROM memory m WHERE m.user_id = ?1 AND m.subject = j.value) ORDER BY j.key",
        (user, json.dumps(list(names))),
    )
    return [r[0] for r in rows]


def slots(tx: Tx, user: int, about: Iterable[str], attributes: Iterable[str]) -> list[int]:
    """Keys of the live memories about one of the subjects that tell one of the attributes, newest first."""
    rows = tx.execute(
        "SELECT m.id FROM json_each(?2) s CROSS JOIN json_each(?3) a CROSS JOIN memory m"
        " ON m.user_id = ?1 AND m.subject = s.value AND m.attribute = a.value"
        " WHERE m.status = 'live' ORDER BY m.valid_from DESC, m.id DESC",
        (user, json.dumps(list(about)), json.dumps(list(attributes))),
    )
    return [r[0] for r in rows]


def telling(tx: Tx, user: int, attributes: Iterable[str], most: int) -> list[int]:
    """Keys of at most ``most`` live memories that tell one of the attributes, of whomever, newest first."""
    rows = tx.execute(
        "SELECT id FROM memory WHERE user_id = ?1 AND subject IS NOT NULL AND status = 'live'"
        " AND attribute IN (SELECT value FROM json_each(?2))"
        " ORDER BY valid_from DESC, id DESC LIMIT ?3",
        (user, json.dumps(list(attributes)), most),
    )
    return [r[0] for r in rows]


def listed(
    tx: Tx, user: int, *, limit: int, offset: int = 0, kind: str | None = None, namespace: str | None = None,
    status: str = "live",
) -> list[Memory]:  # fmt: skip
    """Memories, latest change first. ``limit`` 0 means all; ``status`` ``any`` means all states."""
    rows = tx.execute(
        f"{SELECT} WHERE m.user_id = ?1 AND (?2 IS NULL OR m.kind = ?2) AND (?3 IS NULL OR m.namespace = ?3)"
        " AND (?4 = 'any' OR m.status = ?4) ORDER BY m.updated_at DESC, m.id DESC LIMIT ?5 OFFSET ?6",
        (user, kind, namespace, status, limit or -1, offset),
    )
    return [record(r) for r in rows]


def expired_before(tx: Tx, user: int, moment: str) -> list[Memory]:
    """What upkeep put out of use before a moment, and nobody brought back or pinned; longest ago first."""
    rows = tx.execute(
        f"{SELECT} WHERE m.user_id = ? AND m.status = 'expired' AND m.pinned = 0 AND m.updated_at <= ? ORDER BY m.updated_at, m.id",
        (user, moment),
    )
    return [record(r) for r in rows]


def guarded(tx: Tx, user: int) -> list[Memory]:
    """The memories that are marked as sensitive, in whatever state."""
    return [record(r) for r in tx.execute(f"{SELECT} WHERE m.user_id = ? AND m.sensitivity <> 'normal'", (user,))]


def imported(tx: Tx, user: int, source: str) -> dict[str, str]:
    """Memories that came from another tool, whatever became of them: that tool's id to ours."""
    rows = tx.execute(
        "SELECT json_extract(data, '$.import.id'), uid FROM memory"
        " WHERE user_id = ? AND json_extract(data, '$.import.from') = ? ORDER BY id DESC",
        (user, source),
    )
    return {row[0]: row[1] for row in rows}


def standing_of_turn(tx: Tx, user: int, turn: int) -> list[str]:
    """Ids of the memories that were drawn from a turn and are in use or wait for a person."""
    rows = tx.execute(
        "SELECT uid FROM memory WHERE user_id = ? AND source_turn = ? AND status IN ('live', 'review') ORDER BY id",
        (user, turn),
    )
    return [r[0] for r in rows]


def live_of_turn(tx: Tx, user: int, turn: int, now: str) -> list[Memory]:
    """The memories in use that were drawn from a turn, oldest first."""
    rows = tx.execute("SELECT id FROM memory WHERE user_id = ? AND source_turn = ? ORDER BY id", (user, turn))
    return list(live_by_keys(tx, user, [r[0] for r in rows], now).values())


def turns_out_of_use(tx: Tx, user: int, turns: Iterable[int]) -> set[int]:
    """Those of the turns from which memories were drawn that are all out of use now: replaced, forgotten or expired.

    What upkeep put aside for want of room is as true as it was, so its turns are not among them.
    """
    rows = tx.execute(
        "SELECT source_turn, status = 'live' OR (status = 'expired' AND (expires_at IS NULL OR expires_at > updated_at)), uid"
        " FROM memory WHERE +user_id = ? AND source_turn IN (SELECT value FROM json_each(?)) AND status <> 'review'",
        (user, json.dumps(list(turns))),
    ).fetchall()
    used = {turn for turn, true, uid in rows if true or _stands(tx, user, uid)}
    return {row[0] for row in rows} - used


def _stands(tx: Tx, user: int, uid: str) -> bool:
    """Whether another live memory stands for this one because the two were joined."""
    query = (
        "SELECT n.uid, n.status FROM memory o JOIN memory n ON n.uid = o.superseded_by AND n.user_id = o.user_id"
        " WHERE o.user_id = ? AND o.uid = ? AND json_extract(o.data, '$.joined') IS NOT NULL"
    )
    seen = {uid}
    while (row := tx.execute(query, (user, uid)).fetchone()) is not None and row[0] not in seen:
        uid = row[0]
        seen.add(uid)
        if row[1] == "live":
            return True
    return False


def joined_into(tx: Tx, user: int, keys: Iterable[int]) -> set[int]:
    """Keys of the memories that these stand for, directly or through others."""
    query = (
        "SELECT o.id FROM memory o JOIN memory n ON n.uid = o.superseded_by AND n.user_id = o.user_id WHERE o.user_id = ?"
        " AND json_extract(o.data, '$.joined') IS NOT NULL AND n.id IN (SELECT value FROM json_each(?))"
    )
    found: set[int] = set()
    front = set(keys)
    while front:
        front = {r[0] for r in tx.execute(query, (user, json.dumps(sorted(front))))} - found
        found |= front
    return found


def add_uses(tx: Tx, user: int, key: int, others: Iterable[int]) -> None:
    """Count the uses of other memories as uses of this one. As with ``note_use``, no change of the memory."""
    tx.execute(
        "UPDATE memory SET use_count = use_count + o.uses, last_used_at = nullif(max(coalesce(last_used_at, ''), o.last), '')"
        " FROM (SELECT sum(use_count) AS uses, coalesce(max(last_used_at), '') AS last FROM memory WHERE user_id = ?1"
        " AND id IN (SELECT value FROM json_each(?3))) AS o WHERE memory.user_id = ?1 AND memory.id = ?2",
        (user, key, json.dumps(list(others))),
    )


def count(tx: Tx, user: int, status: str = "live") -> int:
    """How many memories are in a state."""
    return int(tx.execute("SELECT count(*) FROM memory WHERE user_id = ? AND status = ?", (user, status)).fetchone()[0])


def note_use(tx: Tx, user: int, keys: Iterable[int], now: str) -> None:
    """Count a use of each memory. Not a change of the memory: no version, no history."""
    tx.executemany(
        "UPDATE memory SET use_count = use_count + 1, last_used_at = max(coalesce(last_used_at, ''), ?)"
        " WHERE user_id = ? AND id = ?",
        [(now, user, key) for key in keys],
    )


def checked(r: Row) -> Row:
    """The row of a memory. Raises ``StoreCorrupt`` when it is not what was written: nothing is built on it."""
    if not is_sealed(r):
        raise StoreCorrupt(f"Memory {r['uid']} was altered on the disk.", "Repair it: edgemem check --repair")
    return r


def record(r: Row) -> Memory:
    """A row of this module's queries as a record. Raises ``StoreCorrupt`` when it is not what was written."""
    checked(r)
    return Memory(
        id=r["uid"], key=r["id"], content=r["content"], kind=r["kind"], namespace=r["namespace"], about=r["about"],
        created_at=from_db(r["created_at"]), updated_at=from_db(r["updated_at"]), source=_source(r), agent=r["agent"],
        data=from_json(r["data"]), subject=r["subject"], attribute=r["attribute"], value=r["value"],
        polarity=r["polarity"], importance=r["importance"], confidence=r["confidence"],
        last_used_at=_time(r["last_used_at"]), use_count=r["use_count"], valid_from=_time(r["valid_from"]),
        valid_to=_time(r["valid_to"]), expires_at=_time(r["expires_at"]), pinned=bool(r["pinned"]),
        sensitivity=r["sensitivity"], status=r["status"], version=r["version"], superseded_by=r["superseded_by"],
        trace=r["trace"],
    )  # fmt: skip


def _source(r: Row) -> Source:
    return Source(
        r["session_uid"], r["turn_uid"], r["source_quote"], r["source_start"], _time(r["turn_at"]), r["turn_zone"]
    )


def _time(text: str | None) -> Any:
    return from_db(text) if text else None
