"""Rolling summaries as rows: which turns are folded, and the sentences that stand for them."""

from __future__ import annotations

from collections.abc import Iterable

from edgemem.ids import new_id
from edgemem.records import LoggedTurn, Summary
from edgemem.store.engine import Tx
from edgemem.times import from_db


def add(tx: Tx, user: int, turns: list[LoggedTurn], sentences: Iterable[tuple[str, int]], now: str) -> str:
    """Write the summary of consecutive turns of one session; a sentence comes with the key of its turn."""
    uid = new_id()
    key = tx.execute(
        "INSERT INTO summary(user_id, uid, session_id, first_turn, last_turn, created_at)"
        " SELECT ?1, ?2, t.session_id, ?3, ?4, ?5 FROM turn t WHERE t.user_id = ?1 AND t.id = ?3 RETURNING id",
        (user, uid, turns[0].key, turns[-1].key, now),
    ).fetchone()[0]
    for n, (content, turn) in enumerate(sentences):
        tx.execute("INSERT INTO summary_sentence(summary_id, n, content) VALUES (?,?,?)", (key, n, content))
        tx.execute("INSERT INTO summary_source(summary_id, n, turn_id) VALUES (?,?,?)", (key, n, turn))
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
        "SELECT y.n, y.content, t.uid FROM summary_sentence y JOIN summary_source o ON o.summary_id = y.summary_id AND o.n = y.n"
        " JOIN turn t ON t.id = o.turn_id WHERE y.summary_id = ? ORDER BY y.n, t.position",
        (key,),
    )
    found: dict[int, tuple[str, tuple[str, ...]]] = {}
    for n, content, uid in rows:
        found[n] = (content, (*found.get(n, ("", ()))[1], uid))
    return tuple(found.values())


def of_turns(tx: Tx, user: int, session: str, before: int) -> list[str]:
    """Sentences that stand for the turns of a session before a position, in order."""
    rows = tx.execute(
        "SELECT y.content FROM summary_sentence y JOIN summary u ON u.id = y.summary_id JOIN session s ON s.id = u.session_id"
        " JOIN summary_source o ON o.summary_id = y.summary_id AND o.n = y.n JOIN turn t ON t.id = o.turn_id"
        " WHERE u.user_id = ?1 AND s.user_id = ?1 AND s.uid = ?2 AND u.status = 'live' AND t.position < ?3"
        " GROUP BY y.summary_id, y.n ORDER BY min(t.position), y.n",
        (user, session, before),
    )
    return [row[0] for row in rows]


def long_unfolded(tx: Tx, user: int, turns: int) -> list[str]:
    """Sessions with at least this many turns after the last folded one, oldest first."""
    rows = tx.execute(
        "SELECT s.uid FROM session s JOIN turn t ON t.session_id = s.id WHERE s.user_id = ?1 AND t.position >= coalesce("
        "(SELECT max(l.position) + 1 FROM summary y JOIN turn l ON l.id = y.last_turn WHERE y.session_id = s.id AND y.status = 'live'), 0)"
        " GROUP BY s.id HAVING count(*) >= ?2 ORDER BY s.id",
        (user, turns),
    )
    return [row[0] for row in rows]
