"""Turns that are not what was said: right again by their seal or a backup, or out."""

from __future__ import annotations

from typing import Any

from edgemem.store import turn_seals
from edgemem.store.engine import Row
from edgemem.store.one_bit import Tries, what_changed
from edgemem.store.spares import Spares


def mend_turns(
    tx: Any, errors: tuple[type[Exception], ...], spares: Spares, tries: Tries, done: list[str], lost: list[str]
) -> None:
    """Put right what is not as it was written. ``errors`` is what the driver raises for a place that is taken."""
    query = "SELECT t.*, s.uid AS session FROM turn t LEFT JOIN session s ON s.id = t.session_id"
    for row in tx.execute(query).fetchall():
        if turn_seals.is_whole(row):
            continue
        name = f"turn {row['session']}/{row['uid']}"
        values = {c: row[c] for c in turn_seals.COLUMNS}
        right: Any = tries.put_right(values, row["hash"], turn_seals.digest)
        how = "from a backup" if right is None else what_changed(values, right)
        right = right or _spare(spares, row)
        if right is None:
            tx.execute("DELETE FROM turn WHERE id = ?", (row["id"],))
            lost.append(f"{name}: its words changed on the disk; they read {shown(row['content'])}")
            continue
        said = {c: right[c] for c in turn_seals.COLUMNS}
        try:
            _write(tx, row["id"], said)
        except errors:  # another turn was given its place, or its id, since
            said["session_id"] = _own_session(tx, row["id"], said)
            _write(tx, row["id"], said)
            how += "; its place is taken, so it has a session of its own"
        done.append(f"{name} is what was said again: {how}")


def _write(tx: Any, key: int, said: dict[str, Any]) -> None:
    marks = ", ".join(f"{c} = ?" for c in said)
    tx.execute(f"UPDATE turn SET {marks}, hash = ? WHERE id = ?", (*said.values(), turn_seals.digest(said), key))


def _own_session(tx: Any, turn: int, said: dict[str, Any]) -> int:
    """The key of a session that is made for a turn."""
    values = (said["user_id"], f"recovered-turn-{turn}", said["said_at"], said["said_at"])
    made = "INSERT INTO session(user_id, uid, started_at, last_at) VALUES (?,?,?,?) RETURNING id"
    return int(tx.execute(made, values).fetchone()[0])


def _spare(spares: Spares, row: Row) -> Row | None:
    """The turn as a backup has it."""
    query = "SELECT t.*, s.uid AS session FROM turn t JOIN session s ON s.id = t.session_id WHERE t.id = ?"
    found = spares.rows(query, (row["id"],))
    whole = (s for s in found if turn_seals.is_whole(s) or turn_seals.was_whole(s))
    # Where more than one column differs, it is another turn: an erased one may have had its number.
    return next((s for s in whole if sum(s[c] != row[c] for c in turn_seals.COLUMNS) <= 1), None)


def shown(content: str) -> str:
    """What is left of a text, for a report that is read by people and programs."""
    return repr(content.encode("utf-8", "surrogateescape").decode("utf-8", "replace"))
