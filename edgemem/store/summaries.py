"""Rolling summaries as rows: which turns are folded, and the sentences that stand for them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from edgemem.ids import new_id
from edgemem.records import LoggedTurn, Summary
from edgemem.store import row_seals
from edgemem.store.engine import Tx
from edgemem.times import from_db

_WHOLE = f"{row_seals.whole('summary_sentence', 'y')} AND {row_seals.whole('summary_source', 'o')}"


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a summary: ``id`` is the summary's with its number, ``turn`` the last turn it rests on: the answer to a question, a correction."""

    id: str
    content: str
    session: str
    turn: str
    at: datetime
    zone: str
    key: int = 0


def add(tx: Tx, user: int, turns: list[LoggedTurn], sentences: Iterable[tuple[str, tuple[int, ...]]], now: str) -> str:
    """Write the summary of consecutive turns of one session; a sentence comes with the keys of its turns, one a line."""
    uid = new_id()
    key = tx.execute(
        "INSERT INTO summary(user_id, uid, session_id, first_turn, last_turn, created_at)"
        " SELECT ?1, ?2, t.session_id, ?3, ?4, ?5 FROM turn t WHERE t.user_id = ?1 AND t.id = ?3 RETURNING id",
        (user, uid, turns[0].key, turns[-1].key, now),
    ).fetchone()[0]
    _put(tx, key, sentences)
    return uid


def folded_to(tx: Tx, user: int, session: str) -> int:
    """The position after the last folded turn of a session; 0 when none is folded."""
    row = tx.execute(
        "SELECT max(t.position) FROM summary y JOIN session s ON s.id = y.session_id JOIN turn t ON t.id = y.last_turn"
        " WHERE y.user_id = ?1 AND s.user_id = ?1 AND s.uid = ?2 AND y.status = 'live'",
        (user, session),
    ).fetchone()
    return 0 if row[0] is None else int(row[0]) + 1


def of_session(tx: Tx, user: int, session: str) -> list[Summary]:
    """The summaries of a session in order."""
    rows = tx.execute(
        "SELECT y.id, y.uid, y.created_at FROM summary y JOIN session s ON s.id = y.session_id"
        " WHERE y.user_id = ?1 AND s.user_id = ?1 AND s.uid = ?2 AND y.status = 'live' ORDER BY y.first_turn",
        (user, session),
    ).fetchall()
    return [Summary(row[1], session, _sentences(tx, row[0]), from_db(row[2])) for row in rows]


def _sentences(tx: Tx, key: int) -> tuple[tuple[str, tuple[str, ...]], ...]:
    rows = tx.execute(
        f"SELECT y.n, y.content, t.uid, {_WHOLE} FROM summary_sentence y JOIN summary_source o ON o.summary_id = y.summary_id AND o.n = y.n"
        " JOIN turn t ON t.id = o.turn_id WHERE y.summary_id = ? ORDER BY y.n, t.position",
        (key,),
    )
    found: dict[int, tuple[str, tuple[str, ...]]] = {}
    for n, content, uid, whole in rows:
        row_seals.check(whole, "summaries")
        found[n] = (content, (*found.get(n, ("", ()))[1], uid))
    return tuple(found.values())


def of_turns(tx: Tx, user: int, session: str, before: int) -> list[str]:
    """Sentences that stand for the turns of a session before a position, in order."""
    rows = tx.execute(
        f"SELECT y.content, min({_WHOLE}) FROM summary_sentence y JOIN summary u ON u.id = y.summary_id JOIN session s ON s.id = u.session_id"
        " JOIN summary_source o ON o.summary_id = y.summary_id AND o.n = y.n JOIN turn t ON t.id = o.turn_id"
        " WHERE u.user_id = ?1 AND s.user_id = ?1 AND s.uid = ?2 AND u.status = 'live' AND t.position < ?3"
        " GROUP BY y.summary_id, y.n ORDER BY min(t.position), y.n",
        (user, session, before),
    )
    found = rows.fetchall()
    for row in found:
        row_seals.check(row[1], "summaries")
    return [row[0] for row in found]


def long_unfolded(tx: Tx, user: int, turns: int) -> list[str]:
    """Sessions with at least this many turns after the last folded one, oldest first."""
    rows = tx.execute(
        "SELECT s.uid FROM session s JOIN turn t ON t.session_id = s.id WHERE s.user_id = ?1 AND t.position >= coalesce("
        "(SELECT max(l.position) + 1 FROM summary y JOIN turn l ON l.id = y.last_turn WHERE y.session_id = s.id AND y.status = 'live'), 0)"
        " GROUP BY s.id HAVING count(*) >= ?2 ORDER BY s.id",
        (user, turns),
    )
    return [row[0] for row in rows]


def latest(tx: Tx, user: int, sessions: int, *, without: str | None = None) -> list[Sentence]:
    """The sentences of the summaries of the last sessions that have any, latest session first, each in its order."""
    rows = tx.execute(
        "SELECT y.uid, n.n, n.content, s.uid, t.uid, t.said_at, t.zone, t.id,"
        f" {row_seals.whole('summary', 'y')} AND {row_seals.whole('summary_sentence', 'n')} FROM ("
        " SELECT s.id, s.uid, s.last_at FROM session s WHERE s.user_id = ?1 AND s.uid IS NOT ?2"
        # Asked once, before any session is looked at: most users have no summary at all.
        " AND EXISTS (SELECT 1 FROM summary y WHERE y.user_id = ?1) AND EXISTS"
        " (SELECT 1 FROM summary y WHERE y.user_id = ?1 AND y.session_id = s.id AND y.status = 'live')"
        " ORDER BY s.last_at DESC, s.id DESC LIMIT ?3) s"
        " JOIN summary y ON y.user_id = ?1 AND y.session_id = s.id AND y.status = 'live'"
        " JOIN summary_sentence n ON n.summary_id = y.id"
        " JOIN turn t ON t.id = (SELECT max(o.turn_id) FROM summary_source o WHERE o.summary_id = y.id AND o.n = n.n)"
        " ORDER BY s.last_at DESC, s.id DESC, y.first_turn, n.n",
        (user, without, sessions),
    )
    found = rows.fetchall()
    for r in found:
        row_seals.check(r[8], "summaries")
    return [Sentence(f"{r[0]}/{r[1]}", r[2], r[3], r[4], from_db(r[5]), r[6], r[7]) for r in found]


class Sourced(NamedTuple):
    """A sentence (the ``n``-th of its summary) beside a message it is taken from; ``turn`` None: there is none."""

    key: int
    n: int
    summary: str
    session: str
    content: str
    speaker: str
    turn: str | None


def sourced(tx: Tx, user: int) -> list[Sourced]:
    """All sentences of a user's summaries, each with every message it names, in the order of the messages."""
    rows = tx.execute(
        "SELECT y.id, c.n, y.uid, s.uid, c.content, coalesce(t.speaker, t.role, ''), t.content,"
        f" {row_seals.whole('summary', 'y')} AND {row_seals.whole('summary_sentence', 'c')} FROM summary y"
        " JOIN session s ON s.id = y.session_id JOIN summary_sentence c ON c.summary_id = y.id"
        " LEFT JOIN summary_source o ON o.summary_id = y.id AND o.n = c.n"
        " LEFT JOIN turn t ON t.id = o.turn_id AND t.user_id = y.user_id"
        " WHERE y.user_id = ? AND y.status = 'live' ORDER BY y.id, c.n, t.position",
        (user,),
    )
    found = rows.fetchall()
    for row in found:
        row_seals.check(row[7], "summaries")
    return [Sourced(*tuple(row)[:7]) for row in found]


def span(tx: Tx, user: int, key: int) -> tuple[str, int, int] | None:
    """The session of a summary, and the positions of the first and last turn it stands for."""
    row = tx.execute(
        "SELECT s.uid, f.position, l.position FROM summary y JOIN session s ON s.id = y.session_id"
        " JOIN turn f ON f.id = y.first_turn JOIN turn l ON l.id = y.last_turn WHERE y.user_id = ? AND y.id = ?",
        (user, key),
    ).fetchone()
    return None if row is None else (row[0], row[1], row[2])


def rewrite(tx: Tx, user: int, key: int, sentences: Iterable[tuple[str, tuple[int, ...]]]) -> None:
    """Give a summary other sentences, each with the keys of its turns."""
    tx.execute("DELETE FROM summary_source WHERE summary_id = ?", (key,))
    tx.execute("DELETE FROM summary_sentence WHERE summary_id = ?", (key,))
    _put(tx, key, sentences)
    tx.execute("DELETE FROM vector WHERE user_id = ? AND owner = 'summary' AND owner_id = ?", (user, key))


def _put(tx: Tx, key: int, sentences: Iterable[tuple[str, tuple[int, ...]]]) -> None:
    for n, (content, turns) in enumerate(sentences):
        tx.execute("INSERT INTO summary_sentence(summary_id, n, content) VALUES (?,?,?)", (key, n, content))
        for turn in turns:
            tx.execute("INSERT INTO summary_source(summary_id, n, turn_id) VALUES (?,?,?)", (key, n, turn))
