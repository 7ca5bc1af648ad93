"""Entities, their names and the relations between them as rows. Edges are closed, never dropped."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import NamedTuple

from edgemem.ids import new_id
from edgemem.records import Entity, Relation
from edgemem.store import row_seals
from edgemem.store.engine import Row, Tx
from edgemem.store.stored import names
from edgemem.text import fold, is_han, simplified
from edgemem.times import from_db

_WHOLE = " AND ".join(row_seals.whole(*of) for of in (("relation", "r"), ("entity", "s"), ("entity", "o")))

_EDGE = f"""SELECT r.*, {_WHOLE} AS whole, s.name AS subject, o.name AS object, s.uid AS subject_uid, o.uid AS object_uid, m.uid AS memory_uid
FROM relation r JOIN entity s ON s.id = r.subject_id JOIN entity o ON o.id = r.object_id
LEFT JOIN memory m ON m.id = r.memory_id"""

# Valid at ?N, or never closed when no moment is asked for.
_VALID = (
    "(?{n} IS NULL AND r.status = 'live' OR ?{n} IS NOT NULL AND r.status IN ('live','closed')"
    " AND coalesce(r.valid_from, r.recorded_at) <= ?{n} AND (r.valid_to IS NULL OR r.valid_to > ?{n}))"
)


class Edge(NamedTuple):
    """A relation with the keys of its ends, and of the memory it rests on."""

    subject: int
    object: int
    relation: Relation
    memory: int | None


def name_key(name: str) -> str:
    """What two spellings of one name have in common."""
    return " ".join(fold(name).split())


def add_entity(tx: Tx, user: int, name: str, kind: str, now: str) -> int:
    """A new entity that answers to ``name``; returns its key. Others of that name may exist."""
    key = _new_entity(tx, user, name, kind, now)
    add_alias(tx, user, key, name)
    return key


def split_off(tx: Tx, user: int, name: str, kind: str, now: str) -> int:
    """A new entity that takes a name from another, in both scripts unless somebody answers to the simplified one."""
    plain = simplified(name)
    taken = name_key(plain) != name_key(name) and bool(_answering(tx, user, "", name_key(plain)))
    key = _new_entity(tx, user, name, kind, now)
    for spelled in {name} if taken else {name, plain}:
        add_spelling(tx, user, key, spelled)
    return key


def _new_entity(tx: Tx, user: int, name: str, kind: str, now: str) -> int:
    key: int = tx.execute(
        "INSERT INTO entity(user_id, uid, name, kind, created_at) VALUES (?,?,?,?,?) RETURNING id",
        (user, new_id(), name, kind, now),
    ).fetchone()[0]
    return key


def add_alias(tx: Tx, user: int, key: int, name: str) -> None:
    """Let an entity answer to one more name, in traditional characters also in simplified ones."""
    for spelled in spellings(name):
        add_spelling(tx, user, key, spelled)


def add_spelling(tx: Tx, user: int, key: int, name: str) -> None:
    """Let an entity answer to one more name as it is spelled, in no other script."""
    tx.execute(
        "INSERT INTO alias(user_id, folded, entity_id, name) VALUES (?,?,?,?) ON CONFLICT DO NOTHING",
        (user, name_key(name), key, name),
    )


def spellings(name: str) -> list[str]:
    """A name as it is written, and in simplified characters where it is not in these."""
    return list(dict.fromkeys((name, simplified(name))))


def drop_spelling(tx: Tx, user: int, key: int, name: str) -> None:
    """Take a name from an entity as it is spelled, in no other script."""
    tx.execute("DELETE FROM alias WHERE user_id = ? AND entity_id = ? AND folded = ?", (user, key, name_key(name)))


def named(tx: Tx, user: int, name: str) -> list[int]:
    """Keys of the live entities that answer to a name, or have this id; oldest first.

    Who is spelled so goes before who is in the other Chinese script.
    """
    exact, plain = name_key(name), name_key(simplified(name))
    return _answering(tx, user, name, exact) or (_answering(tx, user, name, plain) if plain != exact else [])


def _answering(tx: Tx, user: int, uid: str, folded: str) -> list[int]:
    rows = tx.execute(
        f"SELECT e.id, {row_seals.whole('entity', 'e')} AND NOT EXISTS (SELECT 1 FROM alias a WHERE a.user_id = ?1"
        f" AND a.folded = ?3 AND a.entity_id = e.id AND NOT {row_seals.whole('alias', 'a')})"
        " FROM entity e WHERE e.user_id = ?1 AND e.status = 'live' AND (e.uid = ?2 OR e.id IN"
        " (SELECT entity_id FROM alias WHERE user_id = ?1 AND folded = ?3)) ORDER BY e.id",
        (user, uid, folded),
    )
    return _keys(rows)


def _keys(rows: Iterable[Row]) -> list[int]:
    """The first of each row, whose last says whether it is whole."""
    found = []
    for row in rows:
        row_seals.check(row[len(row) - 1], "graph")
        found.append(row[0])
    return found


def first_named(tx: Tx, user: int, name: str) -> list[int]:
    """Keys of the live entities whose name goes on after these words: Hugo is Hugo Prins, if there is no other Hugo."""
    begun = f"{name_key(name)} "
    if is_han(name):
        return []
    rows = tx.execute(
        "SELECT DISTINCT e.id FROM entity e JOIN alias a ON a.entity_id = e.id AND a.user_id = e.user_id"
        " WHERE e.user_id = ?1 AND e.status = 'live' AND substr(a.folded, 1, length(?2)) = ?2 ORDER BY e.id LIMIT 2",
        (user, begun),
    )
    return [row[0] for row in rows]


def mentioned(tx: Tx, user: int, text: str) -> list[tuple[int, str]]:
    """Live entities one of whose names stands in ``text``, which is folded; with that name, longest first."""
    rows = tx.execute(
        f"SELECT a.entity_id, a.folded, {row_seals.whole('alias', 'a')} FROM alias a JOIN entity e ON e.id = a.entity_id AND e.user_id = a.user_id"
        " WHERE a.user_id = ? AND e.status = 'live' AND instr(?, a.folded) > 0 ORDER BY length(a.folded) DESC, a.entity_id",
        (user, text),
    )
    found = rows.fetchall()
    return [(key, row[1]) for key, row in zip(_keys(found), found, strict=True)]


def people(tx: Tx, user: int, names: Iterable[str], relations: Iterable[str]) -> dict[str, Entity]:
    """Those of the folded names that a live person answers to, with that person; of several the first.

    A person is what was added as one, and what stands in one of the ``relations``.
    """
    related = (
        "EXISTS (SELECT 1 FROM relation r WHERE r.user_id = ?1 AND r.{} = e.id AND r.status = 'live'"
        " AND EXISTS (SELECT 1 FROM json_each(?3) p WHERE p.value = r.predicate))"
    )
    rows = tx.execute(
        f"SELECT a.entity_id, a.folded, {row_seals.whole('alias', 'a')} FROM json_each(?2) j"
        " CROSS JOIN alias a ON a.user_id = ?1 AND a.folded = j.value CROSS JOIN entity e ON e.id = a.entity_id"
        f" WHERE e.user_id = ?1 AND e.status = 'live' AND (lower(e.kind) = 'person' OR {related.format('subject_id')}"
        f" OR {related.format('object_id')}) ORDER BY e.id DESC",
        (user, json.dumps(list(names)), json.dumps(list(relations))),
    ).fetchall()
    keys = _keys(rows)
    known = entities(tx, user, keys)
    return {row[1]: known[key] for key, row in zip(keys, rows, strict=True)}


def entities(tx: Tx, user: int, keys: Iterable[int]) -> dict[int, Entity]:
    """Entities of this user by key, with all their names."""
    rows = tx.execute(
        "SELECT e.id, e.uid, e.name, e.kind, json_group_array(a.name) FILTER (WHERE a.name IS NOT NULL AND a.name <> e.name),"
        f" min({row_seals.whole('entity', 'e')} AND (a.name IS NULL OR {row_seals.whole('alias', 'a')}))"
        " FROM entity e LEFT JOIN alias a ON a.entity_id = e.id AND a.user_id = e.user_id"
        " WHERE +e.user_id = ? AND e.id IN (SELECT value FROM json_each(?)) GROUP BY e.id",
        (user, json.dumps(list(keys))),
    )
    found = rows.fetchall()
    return {
        key: Entity(row[1], row[2], row[3], tuple(sorted(json.loads(row[4]))))
        for key, row in zip(_keys(found), found, strict=True)
    }


def listed(tx: Tx, user: int, limit: int) -> list[Entity]:
    """Live entities by name; ``limit`` 0 means all."""
    rows = tx.execute(
        "SELECT id FROM entity WHERE user_id = ? AND status = 'live' ORDER BY name, id LIMIT ?", (user, limit or -1)
    ).fetchall()
    found = entities(tx, user, [row[0] for row in rows])
    return [found[row[0]] for row in rows]


def insert(
    tx: Tx, user: int, subject: int, predicate: str, object_: int, *, confidence: float, status: str, now: str,
    valid_from: str | None = None, valid_to: str | None = None, memory: int | None = None, turn: int | None = None,
) -> str:  # fmt: skip
    """Write a relation; returns its id.

    One that is there already is kept at the higher confidence; a rejected one comes back only when it is certain.
    """
    same = tx.execute(
        "SELECT id, uid, status FROM relation WHERE user_id = ? AND subject_id = ? AND predicate = ? AND object_id = ?"
        " AND status <> 'closed'",
        (user, subject, predicate, object_),
    ).fetchone()
    if same is not None:
        if same["status"] != "rejected" or confidence == 1:
            _strengthen(tx, user, same["id"], confidence, status, memory)
        return str(same["uid"])
    uid = new_id()
    tx.execute(
        "INSERT INTO relation(user_id, uid, subject_id, predicate, object_id, confidence, status, valid_from, valid_to,"
        " memory_id, turn_id, recorded_at) VALUES (?,?,?,?,?,?,?,?,?,?,?,?)",
        (user, uid, subject, predicate, object_, confidence, status, valid_from, valid_to, memory, turn, now),
    )
    return uid


def _strengthen(tx: Tx, user: int, key: int, confidence: float, status: str, memory: int | None) -> None:
    tx.execute(
        "UPDATE relation SET confidence = max(confidence, ?1), memory_id = coalesce(memory_id, ?3),"
        " status = CASE WHEN ?2 = 'live' THEN 'live' ELSE status END WHERE user_id = ?4 AND id = ?5",
        (confidence, status, memory, user, key),
    )


def relation(tx: Tx, user: int, uid: str) -> Relation | None:
    """One relation by id, or by the end of it that lists print; None when not just one fits."""
    rows = tx.execute(f"{_EDGE} WHERE r.user_id = ?1 AND {names('r.uid')}", (user, uid)).fetchall()
    return _record(rows[0]) if len(rows) == 1 else None


def every_relation(tx: Tx, user: int, *, live: bool) -> list[Relation]:
    """All relations between live entities, oldest first; only those that hold now if ``live``."""
    rows = tx.execute(
        f"{_EDGE} WHERE r.user_id = ?1 AND (NOT ?2 OR r.status = 'live') AND s.status = 'live' AND o.status = 'live'"
        " ORDER BY r.id",
        (user, live),
    )
    return [_record(row) for row in rows]


def in_review(tx: Tx, user: int) -> list[Relation]:
    """Relations that wait for a person, oldest first."""
    rows = tx.execute(f"{_EDGE} WHERE r.user_id = ? AND r.status = 'review' ORDER BY r.id", (user,))
    return [_record(row) for row in rows]


def set_status(tx: Tx, user: int, uid: str, status: str, valid_to: str | None) -> None:
    """Settle or close a relation."""
    tx.execute(
        "UPDATE relation SET status = ?, valid_to = ? WHERE user_id = ? AND uid = ?", (status, valid_to, user, uid)
    )


def follow(tx: Tx, user: int, memory: int, *, live: bool, at: str) -> None:
    """Close the edges that rest on a memory when it goes out of use at ``at``; open these again when it comes back."""
    if live:
        tx.execute(
            "UPDATE relation SET status = 'live', valid_to = NULL WHERE user_id = ? AND memory_id = ? AND status = 'closed'"
            " AND valid_to = ?",
            (user, memory, at),
        )
    else:
        tx.execute(
            "UPDATE relation SET status = 'closed', valid_to = ? WHERE user_id = ? AND memory_id = ? AND status = 'live'",
            (at, user, memory),
        )


def next_unread(tx: Tx, user: int) -> tuple[int, str | None, str] | None:
    """The next change whose memory was not looked through for relations: its number, the memory if live, its words."""
    row = tx.execute(
        "SELECT h.seq, CASE WHEN m.status = 'live' THEN m.uid END, coalesce(m.content, '') FROM history h"
        " LEFT JOIN memory m ON m.uid = h.memory_uid AND m.user_id = h.user_id"
        " WHERE h.user_id = ?1 AND h.seq > ?2 ORDER BY h.seq LIMIT 1",
        (user, _mark(tx, user)),
    ).fetchone()
    return None if row is None else (row[0], row[1], row[2])


def unread(tx: Tx, user: int) -> int:
    """How many changes were not looked through yet."""
    counted = tx.execute("SELECT count(*) FROM history WHERE user_id = ? AND seq > ?", (user, _mark(tx, user)))
    return int(counted.fetchone()[0])


def mark_read(tx: Tx, user: int, seq: int) -> None:
    """Everything up to this change was looked through."""
    tx.execute(
        "INSERT INTO meta(key, value) VALUES (?,?) ON CONFLICT(key) DO UPDATE SET value = excluded.value",
        (_mark_key(user), str(seq)),
    )


def _mark(tx: Tx, user: int) -> int:
    row = tx.execute("SELECT value FROM meta WHERE key = ?", (_mark_key(user),)).fetchone()
    return 0 if row is None else int(row[0])


def _mark_key(user: int) -> str:
    return f"graph_read_{user}"


def edges(tx: Tx, user: int, keys: Iterable[int], as_of: str | None, most: int) -> list[Edge]:
    """Edges at these entities in either direction, surest first, at most ``most``.

    ``as_of`` asks for those valid at a moment, None for those valid now.
    """
    ends = json.dumps(list(keys))
    valid = _VALID.format(n=3)
    rows = tx.execute(
        f"{_EDGE} WHERE r.id IN (SELECT id FROM relation WHERE user_id = ?1 AND subject_id IN (SELECT value FROM json_each(?2))"
        " UNION SELECT id FROM relation WHERE user_id = ?1 AND object_id IN (SELECT value FROM json_each(?2)))"
        f" AND {valid} ORDER BY r.confidence DESC, r.id LIMIT ?4",
        (user, ends, as_of, most),
    )
    return [Edge(row["subject_id"], row["object_id"], _record(row), row["memory_id"]) for row in rows]


def of_entity(tx: Tx, user: int, key: int) -> list[Edge]:
    """All edges of one entity, whatever their status."""
    rows = tx.execute(
        f"{_EDGE} WHERE r.user_id = ?1 AND (r.subject_id = ?2 OR r.object_id = ?2) ORDER BY r.id", (user, key)
    )
    return [Edge(row["subject_id"], row["object_id"], _record(row), row["memory_id"]) for row in rows]


def move(tx: Tx, user: int, source: int, target: int, relations: Iterable[str]) -> None:
    """Hang these relations of one entity onto another."""
    for uid in relations:
        for end in ("subject_id", "object_id"):
            tx.execute(
                f"UPDATE relation SET {end} = ? WHERE user_id = ? AND uid = ? AND {end} = ?",
                (target, user, uid, source),
            )


def set_entity_status(tx: Tx, user: int, key: int, status: str) -> None:
    """live, or merged into another."""
    tx.execute("UPDATE entity SET status = ? WHERE user_id = ? AND id = ?", (status, user, key))


def _record(row: Row) -> Relation:
    row_seals.check(row["whole"], "graph")
    since, until = row["valid_from"], row["valid_to"]
    return Relation(
        row["uid"], row["subject"], row["predicate"], row["object"], row["confidence"], row["status"],
        from_db(since) if since else None, from_db(until) if until else None, row["memory_uid"],
        row["subject_uid"], row["object_uid"],
    )  # fmt: skip
