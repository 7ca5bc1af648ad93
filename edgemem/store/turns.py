"""The raw log: sessions and turns, and their full-text rows."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from edgemem.errors import Conflict, StoreCorrupt
from edgemem.records import LoggedTurn, Session
from edgemem.store import changes, fulltext, row_seals, turn_seals
from edgemem.store.engine import Row, Tx
from edgemem.times import from_db, local, to_db

_COLUMNS = f"t.*, s.uid AS session, {row_seals.whole('session', 's')} AS whole"
# With the user on both sides, a session is found by name, and only its own turns are read.
_FROM = "FROM turn t JOIN session s ON s.id = t.session_id AND s.user_id = t.user_id"

_LAST = 1 << 62
"""A position that no turn has."""


@dataclass(frozen=True, slots=True)
class NewTurn:
    """A validated turn on its way into the log; times are database text."""

    session: str
    uid: str
    role: str
    content: str
    said_at: str
    zone: str
    speaker: str | None


def append(tx: Tx, user: int, turns: Sequence[NewTurn], *, extracted: int = 0) -> list[tuple[LoggedTurn, bool]]:
    """Log turns in order; the flag says whether the turn is new.

    A turn whose id is known in its session is taken as the same one when its words are the same,
    else ``Conflict`` is raised and nothing of the call is kept.
    """
    return [_append_one(tx, user, turn, extracted) for turn in turns]


def _append_one(tx: Tx, user: int, turn: NewTurn, extracted: int) -> tuple[LoggedTurn, bool]:
    session = _session(tx, user, turn.session, turn.said_at)
    known = tx.execute(
        f"SELECT {_COLUMNS} {_FROM} WHERE t.session_id = ? AND t.uid = ?", (session, turn.uid)
    ).fetchone()
    if known is not None:
        return _same(known, turn), False
    position = tx.execute(
        "SELECT coalesce(max(position) + 1, 0) FROM turn WHERE session_id = ?", (session,)
    ).fetchone()[0]
    row = {
        "user_id": user, "session_id": session, "uid": turn.uid, "position": position, "role": turn.role,
        "speaker": turn.speaker, "content": turn.content, "said_at": turn.said_at, "zone": turn.zone,
    }  # fmt: skip
    key = tx.execute(
        "INSERT INTO turn(user_id, session_id, uid, position, role, speaker, content, said_at, zone, hash, extracted)"
        " VALUES (?,?,?,?,?,?,?,?,?,?,?) RETURNING id",
        (*row.values(), turn_seals.digest(row), extracted),
    ).fetchone()[0]
    tx.execute("UPDATE session SET last_at = max(last_at, ?) WHERE id = ?", (turn.said_at, session))
    fulltext.add_turn(tx, user, session, position)
    changes.note(tx, user, "turn", key)
    logged = LoggedTurn(
        key, turn.uid, turn.session, position, turn.role, turn.content, from_db(turn.said_at), turn.zone, turn.speaker
    )
    return logged, True


def _session(tx: Tx, user: int, uid: str, now: str) -> int:
    tx.execute(
        "INSERT INTO session(user_id, uid, started_at, last_at) VALUES (?,?,?,?) ON CONFLICT(user_id, uid) DO NOTHING",
        (user, uid, now, now),
    )
    return int(tx.execute("SELECT id FROM session WHERE user_id = ? AND uid = ?", (user, uid)).fetchone()[0])


def _same(row: Row, turn: NewTurn) -> LoggedTurn:
    checked(row)
    if row["content"] != turn.content or row["role"] != turn.role:
        raise Conflict(
            f"Session {turn.session!r} already has a turn {turn.uid!r} with other words.",
            "Give the new turn an id of its own, or leave the id out.",
        )
    return record(row)


def checked(row: Row) -> Row:
    """The row of a turn. Raises ``StoreCorrupt`` when it is not what was said."""
    if not turn_seals.is_whole(row):
        raise StoreCorrupt(f"Turn {row['uid']} was altered on the disk.", "Repair it: edgemem check --repair")
    return row


def record(row: Row) -> LoggedTurn:
    """A row of this module's queries as a record. Raises ``StoreCorrupt`` when it is not what was said."""
    checked(row)
    row_seals.check(row["whole"], "sessions")
    return LoggedTurn(
        row["id"], row["uid"], row["session"], row["position"], row["role"], row["content"],
        from_db(row["said_at"]), row["zone"], row["speaker"],
    )  # fmt: skip


def by_keys(tx: Tx, user: int, keys: Iterable[int]) -> dict[int, LoggedTurn]:
    """Those of the turns that are this user's."""
    rows = tx.execute(
        f"SELECT {_COLUMNS} {_FROM} WHERE +t.user_id = ? AND t.id IN (SELECT value FROM json_each(?))",
        (user, json.dumps(list(keys))),
    )
    return {row["id"]: record(row) for row in rows}


def find(tx: Tx, user: int, session: str, uid: str) -> LoggedTurn | None:
    """A turn by the ids its caller gave it."""
    row = tx.execute(
        f"SELECT {_COLUMNS} {_FROM} WHERE t.user_id = ? AND s.uid = ? AND t.uid = ?",
        (user, session, uid),
    ).fetchone()
    return None if row is None else record(row)


def named(tx: Tx, user: int, uid: str) -> list[LoggedTurn]:
    """The turns of all sessions that have one id, oldest first: callers often number the turns of each session anew."""
    return [
        record(row)
        for row in tx.execute(f"SELECT {_COLUMNS} {_FROM} WHERE t.user_id = ? AND t.uid = ? ORDER BY t.id", (user, uid))
    ]


def around(tx: Tx, user: int, turn: LoggedTurn, before: int, after: int = 0) -> list[LoggedTurn]:
    """The turns next to one in its session, in order, without itself."""
    rows = tx.execute(
        f"SELECT {_COLUMNS} {_FROM} WHERE t.user_id = ? AND s.uid = ? AND t.position BETWEEN ? AND ?"
        " AND t.position <> ? ORDER BY t.position",
        (user, turn.session, turn.position - before, turn.position + after, turn.position),
    )
    return [record(row) for row in rows]


def previous_by_user(tx: Tx, user: int, turn: LoggedTurn) -> LoggedTurn | None:
    """The user's own message before this one in its session."""
    row = tx.execute(
        f"SELECT {_COLUMNS} {_FROM} WHERE t.user_id = ? AND s.uid = ? AND t.position < ? AND t.role = 'user'"
        " ORDER BY t.position DESC LIMIT 1",
        (user, turn.session, turn.position),
    ).fetchone()
    return None if row is None else record(row)


def by_user_before(tx: Tx, user: int, turn: LoggedTurn, words: Sequence[str]) -> list[LoggedTurn]:
    """The user's own messages before this one in its session in order: all, or those that have one of some ``words``."""
    having = " OR ".join("instr(lower(t.content), ?) > 0" for _ in words) or "1"
    rows = tx.execute(
        f"SELECT {_COLUMNS} {_FROM} WHERE t.user_id = ? AND s.uid = ? AND t.position < ? AND t.role = 'user'"
        f" AND ({having}) ORDER BY t.position",
        (user, turn.session, turn.position, *words),
    )
    return [record(row) for row in rows]


def neighbours(tx: Tx, user: int, keys: Iterable[int]) -> dict[int, tuple[int, int]]:
    """For each of the turns, the keys of the turns before and after it in its session; 0 where there is none."""
    rows = tx.execute(
        "SELECT t.id, coalesce(p.id, 0), coalesce(n.id, 0) FROM turn t"
        " LEFT JOIN turn p ON p.session_id = t.session_id AND p.position = t.position - 1"
        " LEFT JOIN turn n ON n.session_id = t.session_id AND n.position = t.position + 1"
        " WHERE +t.user_id = ? AND t.id IN (SELECT value FROM json_each(?))",
        (user, json.dumps(list(keys))),
    )
    return {row[0]: (row[1], row[2]) for row in rows}


def first_and_last(tx: Tx, user: int) -> tuple[datetime, datetime] | None:
    """When the first and the last turn of a user were said; None when there is none."""
    first, last = (
        tx.execute(f"SELECT {which}(said_at) FROM turn WHERE user_id = ?", (user,)).fetchone()[0]
        for which in ("min", "max")
    )
    return None if first is None else (from_db(first), from_db(last))


def of_day(tx: Tx, user: int, day: date, limit: int) -> list[int]:
    """Keys of the first turns said on a day of the calendar, by the clock each was said by."""
    around = datetime(day.year, day.month, day.day, tzinfo=UTC)
    rows = tx.execute(
        "SELECT id, said_at, zone FROM turn WHERE user_id = ? AND said_at BETWEEN ? AND ? ORDER BY said_at, id",
        (user, to_db(around - timedelta(hours=14)), to_db(around + timedelta(hours=38))),
    )
    return [row[0] for row in rows if local(from_db(row[1]), row[2]).date() == day][:limit]


def of_session(
    tx: Tx, user: int, session: str, *, last: int | None = None, before: int | None = None
) -> list[LoggedTurn]:
    """A session's turns in order: all, or the ``last`` ones before a position."""
    rows = tx.execute(
        f"SELECT {_COLUMNS} {_FROM} WHERE t.session_id = (SELECT id FROM session WHERE user_id = ?1 AND uid = ?2)"
        " AND t.user_id = ?1 AND t.position < ?3 ORDER BY t.position DESC LIMIT ?4",
        (user, session, _LAST if before is None else before, -1 if last is None else last),
    ).fetchall()
    return [record(row) for row in reversed(rows)]


def sessions(tx: Tx, user: int, limit: int) -> list[Session]:
    """The user's sessions, latest first. ``limit`` 0 means all."""
    rows = tx.execute(
        "SELECT s.uid, s.title, s.started_at, s.last_at, (SELECT count(*) FROM turn t WHERE t.session_id = s.id) AS n,"
        f" {row_seals.whole('session', 's')} AS whole FROM session s WHERE s.user_id = ?"
        " ORDER BY s.last_at DESC, s.id DESC LIMIT ?",
        (user, limit or -1),
    )
    return [_session_record(r) for r in rows]


def _session_record(r: Row) -> Session:
    row_seals.check(r["whole"], "sessions")
    return Session(r["uid"], r["title"], from_db(r["started_at"]), from_db(r["last_at"]), r["n"])


def name_session(tx: Tx, user: int, session: str, title: str) -> None:
    """Give a session that has no title one."""
    tx.execute("UPDATE session SET title = ? WHERE user_id = ? AND uid = ? AND title = ''", (title, user, session))


def retitle(tx: Tx, user: int, session: str, title: str) -> str | None:
    """Give a session another title; returns the one it had, None when there is no such session."""
    row = tx.execute("SELECT title FROM session WHERE user_id = ? AND uid = ?", (user, session)).fetchone()
    tx.execute("UPDATE session SET title = ? WHERE user_id = ? AND uid = ?", (title, user, session))
    return None if row is None else str(row[0])


def is_there(tx: Tx, user: int, turn: LoggedTurn) -> bool:
    """Whether a turn that was read is still in the log. Its key alone does not tell: a later turn may have it."""
    return by_keys(tx, user, [turn.key]).get(turn.key) == turn


def are_there(tx: Tx, user: int, read: Sequence[LoggedTurn]) -> bool:
    """Whether all these turns are still in the log as they were read."""
    known = by_keys(tx, user, [turn.key for turn in read])
    return all(known.get(turn.key) == turn for turn in read)


def mark_extracted(tx: Tx, user: int, key: int) -> None:
    """Note that a turn's memories were taken."""
    tx.execute("UPDATE turn SET extracted = 1 WHERE user_id = ? AND id = ?", (user, key))


def never_extract(tx: Tx, user: int, key: int) -> None:
    """A turn whose memories are not wanted: a waiting extraction will find nothing to do."""
    tx.execute("UPDATE turn SET extracted = 2 WHERE user_id = ? AND id = ?", (user, key))


def is_extracted(tx: Tx, user: int, key: int) -> bool:
    """Whether a turn's memories were taken already, or are not wanted."""
    row = tx.execute("SELECT extracted FROM turn WHERE user_id = ? AND id = ?", (user, key)).fetchone()
    return row is not None and row[0] != 0
