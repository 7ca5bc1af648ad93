"""Make the rows of a file agree with their seals and with each other, and build anew what is derived from them.

Works inside one write on a copy that nobody uses. A memory is put right from its history, a turn and a
change from a backup; what cannot be put right is taken out and named, since wrong words are worse than
none. What was erased stays so: a backup never adds a row, and the history has no content of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from edgemem.errors import StoreCorrupt
from edgemem.ids import new_id
from edgemem.store import changes, fulltext, history, memories, owner_seals, pointers, row_seals, vectors
from edgemem.store.engine import Engine, Row
from edgemem.store.loading import loading
from edgemem.store.memories import FIELDS, Snapshot
from edgemem.store.mend_parents import mend_sessions, mend_tasks
from edgemem.store.mend_sealed import mend_meta, mend_payloads, mend_sealed
from edgemem.store.mend_turns import mend_turns, shown
from edgemem.store.migrations import mend_steps
from edgemem.store.one_bit import Tries, Values, what_changed
from edgemem.store.salvage import Table, tables
from edgemem.store.spares import Spares
from edgemem.store.tables import TIMES
from edgemem.text import content_hash, counted, first_surrogate
from edgemem.times import from_db


@dataclass(slots=True)
class Mended:
    """What was done, and what could not be saved, a sentence each."""

    done: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)


def mend(engine: Engine, spares: Spares, now: str, *, last_change: int | None = None, salvaged: bool = False) -> Mended:
    """Put a copy in order. Nothing of it is assumed to be right but that its pages can be read.

    ``last_change`` is the number of the last change that a salvaged file ever had, as far as that is known.
    """
    result = Mended()
    with loading(engine) as tx:
        tries = Tries(numbers=_numbers(tx))
        mender = _Mender(engine, tx, spares, tries, now, result)
        if salvaged:
            mender.expect(last_change)
        mend_sealed(tx, spares, tries, result.done, result.lost)
        mend_meta(tx, now, result.done)
        if mend_steps(tx):
            result.done.append("the list of the steps that the file has had is in order again")
        mender.texts(tables(engine))
        mend_turns(tx, engine.driver_errors, spares, tries, result.done, result.lost)
        mend_sessions(tx, spares, result.done)
        mend_tasks(tx, result.done)
        mend_payloads(tx, tries, result.done)
        mender.chain()
        mender.memories()
        mender.missing_memories()
        mender.agree()
        # When no altered row names somebody who never was.
        mender.people()
        mender.sources()
        mender.pointers()
        mender.vectors()
        fulltext.rebuild(tx)
        fulltext.note_segmenter(tx)
    if tries.passed_by:
        result.done.append(
            f"not looked for one changed bit, since so much is damaged: {counted(tries.passed_by, 'altered row')}"
        )
    return result


_KEYS_TRIED = 10_000


def _numbers(tx: Any) -> set[int]:
    """Numbers that a column of an altered row may have had: small ones, and the keys of people and of the last sessions."""
    keys = (
        tx.execute(f"SELECT id FROM {table} ORDER BY id DESC LIMIT ?", (_KEYS_TRIED,)) for table in ("user", "session")
    )
    return set(range(1024)).union(*([row[0] for row in found] for found in keys))


_SEALED = frozenset({"memory", "turn"})

_CHANGE = ("uid", "memory_uid", "decision", "action", "author", "at", "undoes", "salt", "payload", "digest", "hash")
"""Columns of a change but its number and its user."""


class _Mender:
    def __init__(
        self, engine: Engine, tx: Any, spares: Spares, tries: Tries, now: str, result: Mended
    ) -> None:  # fmt: skip
        self._errors = engine.driver_errors
        self._tx = tx
        self._spares = spares
        self._tries = tries
        self._now = now
        self._done = result.done
        self._lost = result.lost
        self._holes = False

    def expect(self, last_change: int | None) -> None:
        """Whether all changes there ever were came over; if not, the last one left may not be the last there was."""
        last = self._tx.execute("SELECT max(seq) FROM history").fetchone()[0] or 0
        self._holes = last_change != last

    def texts(self, known: Sequence[Table]) -> None:
        """Bytes that are no text are marked as such, where no seal says what the text was."""
        for table in known:
            if table.name not in _SEALED:
                self._texts(table)
        self._last_uses()

    def _texts(self, table: Table) -> None:
        marks = ["CAST(? AS TEXT)" if kind == "TEXT" else "?" for kind in table.types]
        where = " AND ".join(f"{table.columns[n]} IS {marks[n]}" for n in table.key)
        for row in self._tx.execute(f"SELECT {', '.join(table.columns)} FROM {table.name}").fetchall():
            bad = [n for n, value in enumerate(row) if isinstance(value, str) and first_surrogate(value) is not None]
            late = [n for n, value in enumerate(row) if table.columns[n] in TIMES and not _is_time(value)]
            if late:
                self._times(table, late, where, [_raw(row[n]) for n in table.key])
            bad = [n for n in bad if n not in late]
            if not bad:
                continue
            key = [_raw(row[n]) for n in table.key]
            given = ", ".join(f"{table.columns[n]} = ?" for n in bad)
            values = [_raw(row[n]).decode("utf-8", "replace") for n in bad]
            try:
                self._tx.execute(f"UPDATE {table.name} SET {given} WHERE {where}", (*values, *key))
                self._done.append(f"a text of {table.name} had bytes that are none: now {values[0]!r}")
            except self._errors:  # a text that must be JSON, a name that is taken
                self._tx.execute(f"DELETE FROM {table.name} WHERE {where}", key)
                self._lost.append(f"a row of {table.name}: {values[0]!r}")

    def _times(self, table: Table, late: list[int], where: str, key: list[Any]) -> None:
        """A time that is none becomes the time of the repair, or none where there need not be one."""
        given = ", ".join(f"{table.columns[n]} = ?" for n in late)
        values = [self._now if table.required[n] else None for n in late]
        self._tx.execute(f"UPDATE {table.name} SET {given} WHERE {where}", (*values, *key))
        self._done.append(f"a time of {table.name} was none, and is now {values[0] or 'left out'}")

    def _last_uses(self) -> None:
        used = self._tx.execute("SELECT id, last_used_at FROM memory WHERE last_used_at IS NOT NULL")
        for key, at in used.fetchall():
            if not _is_time(at):
                self._tx.execute("UPDATE memory SET last_used_at = NULL WHERE id = ?", (key,))
                self._done.append("a memory's last use was no time, and is left out")

    def people(self) -> None:
        """A person whose row is gone is found again by the rows that name them."""
        tables = ("session", "turn", "memory", "history", "task")
        named = " UNION ".join(f"SELECT user_id FROM {t}" for t in tables)
        gone = f"SELECT user_id FROM ({named}) WHERE user_id NOT IN (SELECT id FROM user)"
        for (user,) in self._tx.execute(gone).fetchall():
            spare = next(self._spares.rows("SELECT name, created_at FROM user WHERE id = ?", (user,)), None)
            name, created = (spare[0], spare[1]) if spare else (f"recovered-{user}", self._now)
            self._tx.execute("INSERT INTO user(id, name, created_at) VALUES (?,?,?)", (user, name, created))
            how = "again" if spare else "now: the name was lost"
            self._done.append(f"the user of {user} is called {name} {how}")

    def chain(self) -> None:
        """Changes that were altered are taken from a backup, or keep only that they happened; the chain is closed again."""
        while self._moved():
            pass
        resealed: list[str] = []
        for (user,) in self._tx.execute("SELECT DISTINCT user_id FROM history").fetchall():
            rows = self._tx.execute("SELECT * FROM history WHERE user_id = ? ORDER BY seq", (user,)).fetchall()
            tip, stored = history.ROOT, history.ROOT
            for row, following in zip(rows, [*rows[1:], None], strict=True):
                fits = row["hash"] in (history.link_of(row, tip), history.link_of(row, stored))
                if not fits and not row_seals.is_whole("history", row):
                    row = self._whole_change(row, tip, following)
                elif not history.payload_whole(row):
                    row = self._whole_change(row, tip, None)  # only its content is wrong
                stored, tip = row["hash"], history.link_of(row, tip) or history.ROOT
                if tip != row["hash"]:
                    self._tx.execute("UPDATE history SET hash = ? WHERE seq = ?", (tip, row["seq"]))
                    resealed.append(row["uid"])
        self._tx.execute(f"UPDATE history SET at = at, seal = NULL WHERE NOT {row_seals.whole('history', 'history')}")
        self._holes = self._history_has_holes()
        if resealed:
            self._done.append(
                f"the history's chain is closed again: {counted(len(resealed), 'change')} sealed anew, from {resealed[0]} on"
            )

    def _moved(self) -> bool:
        """A change that fits nowhere among its user's, of a memory that is another's: it was theirs."""
        for (user,) in self._tx.execute("SELECT DISTINCT user_id FROM history").fetchall():
            rows = self._tx.execute("SELECT * FROM history WHERE user_id = ? ORDER BY seq", (user,)).fetchall()
            stored = history.ROOT
            for row in rows:
                memory = self._tx.execute("SELECT * FROM memory WHERE uid = ?", (row["memory_uid"],)).fetchone()
                if memory is not None and memory["user_id"] != user and self._was_of(row, stored, memory):
                    self._tx.execute("UPDATE history SET user_id = ? WHERE seq = ?", (memory["user_id"], row["seq"]))
                    self._done.append(f"change {row['uid']} is among those of the user of its memory again")
                    return True
                stored = row["hash"]
        return False

    def _was_of(self, row: Row, stored: bytes, memory: Row) -> bool:
        """Whether a change is of its memory's user, and not of the one it names, where it follows ``stored``."""
        if row_seals.is_whole("history", row):
            return False
        fits = row["hash"] == history.link_of(row, stored)
        return not fits or memories.is_sealed(memory) or self._fits_among(row, memory["user_id"])

    def _fits_among(self, row: Row, user: int) -> bool:
        """Whether a change lies between two of a user's. Alone it does not tell: the first change of all follows nothing."""
        query = "SELECT * FROM history WHERE user_id = ? AND seq {} ? ORDER BY seq {} LIMIT 1"
        before = self._tx.execute(query.format("<", "DESC"), (user, row["seq"])).fetchone()
        after = self._tx.execute(query.format(">", "ASC"), (user, row["seq"])).fetchone()
        follows = history.link_of(row, history.ROOT if before is None else before["hash"]) == row["hash"]
        return follows and after is not None and history.link_of(after, row["hash"]) == after["hash"]

    def _whole_change(self, row: Row, tip: bytes, following: Row | None) -> Row:
        """A change from a backup, where that one fits and ours does not; else what can be kept of ours."""
        query = "SELECT * FROM history WHERE seq = ? AND user_id = ?"
        for spare in self._spares.rows(query, (row["seq"], row["user_id"])):
            # Content that was erased since the backup is not in our row, and must not come back.
            fits = history.payload_whole(spare) and history.link_of(spare, tip) == spare["hash"]
            if fits and row["payload"] is not None and spare["payload"] is not None:
                marks = ", ".join(f"{n} = ?" for n in _CHANGE)
                values = (*(spare[n] for n in _CHANGE), row["seq"])
                self._tx.execute(f"UPDATE history SET {marks} WHERE seq = ?", values)
                self._done.append(f"change {spare['uid']} is what was written again, from a backup")
                return spare
        # Its seal alone may be what was altered: then the next change, which follows the right one, still fits.
        link = history.link_of(row, tip)
        proven = following is not None and link is not None and history.link_of(following, link) == following["hash"]
        known = self._tx.execute("SELECT 1 FROM memory WHERE uid = ?", (row["memory_uid"],)).fetchone()
        if not history.payload_whole(row) or not (proven or known):
            self._tx.execute("UPDATE history SET salt = NULL, payload = NULL WHERE seq = ?", (row["seq"],))
            self._lost.append(f"change {row['uid']} of memory {row['memory_uid']}: what it said changed on the disk")
            self._holes = True
        return self._tx.execute("SELECT * FROM history WHERE seq = ?", (row["seq"],)).fetchone()

    def _history_has_holes(self) -> bool:
        last, count = self._tx.execute("SELECT max(seq), count(*) FROM history").fetchone()
        given = self._tx.execute("SELECT seq FROM sqlite_sequence WHERE name = 'history'").fetchone()
        return self._holes or (last or 0) != count or (given is not None and given[0] != (last or 0))

    def _last_words(self) -> Iterator[tuple[int, str, Snapshot | None, bool]]:
        """Of each memory in the history: its user, id, last state, and whether its content was erased or lost."""
        query = (
            "SELECT user_id, memory_uid, max(seq) AS last, sum(payload IS NULL) AS blank, sum(action = 'erase') AS erased"
            " FROM history GROUP BY user_id, memory_uid"
        )
        for row in self._tx.execute(query).fetchall():
            payload = self._tx.execute("SELECT payload FROM history WHERE seq = ?", (row["last"],)).fetchone()[0]
            state = history.payload_of(payload)["after"] if payload is not None else None
            yield row["user_id"], row["memory_uid"], state, bool(row["blank"] or row["erased"])

    def memories(self) -> None:
        """A memory that is not what was written is what its history says, or is taken out."""
        last: dict[str, tuple[int, Snapshot | None]] = {}
        for user, uid, state, _ in self._last_words():
            # Where its changes name two, the one whose row it is.
            named = self._tx.execute("SELECT 1 FROM memory WHERE uid = ? AND user_id = ?", (uid, user)).fetchone()
            if uid not in last or named is not None:
                last[uid] = (user, state)
        for row in self._tx.execute("SELECT * FROM memory").fetchall():
            if memories.is_sealed(row):
                continue
            user, state = last.get(row["uid"], (row["user_id"], None))
            if state is None:
                if self._by_its_seal(row, user):
                    continue
                self._tx.execute("DELETE FROM memory WHERE id = ?", (row["id"],))
                self._lost.append(
                    f"memory {row['uid']}: its words changed on the disk; they read {shown(row['content'])}"
                )
                continue
            # With changes missing, the last one left may not be the last there was: a person decides.
            doubtful = state["status"] == "live" and self._holes
            self._write(row["id"], user, row["uid"], state | ({"status": "review"} if doubtful else {}))
            if doubtful:
                self._note(user, row["uid"], state, state | {"status": "review"}, "put right from a history with gaps")
            more = ", for review: changes are missing" if doubtful else ""
            self._done.append(f"memory {row['uid']} is what its history says again{more}")

    def _by_its_seal(self, row: Row, user: int) -> bool:
        """Put a memory right whose history does not tell what it was; false when its seal does not either."""
        if owner_seals.was_sealed(row):
            self._write(row["id"], user, row["uid"], memories.snapshot(row))
            self._done.append(f"memory {row['uid']} is as it was written, and belongs to the user of its history")
            return True
        values = {"user_id": row["user_id"], "uid": row["uid"], **memories.snapshot(row)}
        right = self._tries.put_right(values, row["row_hash"], _memory_seal)
        if right is None:
            return False
        self._write(row["id"], right["user_id"], right["uid"], right)
        self._done.append(f"memory {right['uid']} is what was written again: {what_changed(values, right)}")
        return True

    def missing_memories(self) -> None:
        """A memory that the history has and no row: it comes back as it was last, unless it was erased."""
        for user, uid, state, blank in list(self._last_words()):
            known = self._tx.execute("SELECT 1 FROM memory WHERE uid = ?", (uid,)).fetchone()
            if known is not None or blank or state is None:
                continue
            # With changes missing, the last one left may not be the last there was: a person decides.
            doubtful = state["status"] == "live" and self._holes
            self._insert(user, uid, state | ({"status": "review"} if doubtful else {}))
            more = ", for review: changes are missing" if doubtful else ""
            self._done.append(f"memory {uid} is back from its history{more}")

    def agree(self) -> None:
        """A whole row and a whole history that differ: one of them lost its newest part, and follows the other."""
        for _, uid, state in history.last_states(self._tx):
            row = self._tx.execute("SELECT * FROM memory WHERE uid = ?", (uid,)).fetchone()
            if row is None or memories.snapshot(row) == state:
                continue
            if state["version"] > row["version"]:
                self._write(row["id"], row["user_id"], uid, state)
                self._done.append(f"memory {uid} is as its last change left it again")
            else:
                self._note(
                    row["user_id"], uid, state, memories.snapshot(row), "changes before this one were lost to damage"
                )
                self._done.append(f"memory {uid} has a change in its history for those that were lost")

    def _insert(self, user: int, uid: str, state: Snapshot) -> None:
        columns = ("user_id", "uid", *FIELDS, "content_hash", "row_hash")
        insert = f"INSERT INTO memory({', '.join(columns)}) VALUES ({','.join('?' * len(columns))})"
        for fields in (state, state | {"status": "review"}):  # what says the same may be live by now
            values = (
                user,
                uid,
                *(fields[n] for n in FIELDS),
                content_hash(fields["content"]),
                memories.row_hash(user, uid, fields),
            )
            try:
                self._tx.execute(insert, values)
            except self._errors:
                continue
            if fields["status"] != state["status"] or state["status"] == "review":
                self._note(user, uid, None, fields, "came back for review after damage")
            return

    def _write(self, key: int, user: int, uid: str, fields: Snapshot) -> None:
        marks = ", ".join(f"{n} = ?" for n in ("user_id", "uid", *FIELDS, "content_hash", "row_hash"))
        seals = (content_hash(fields["content"]), memories.row_hash(user, uid, fields))
        values = (user, uid, *(fields[n] for n in FIELDS), *seals)
        self._tx.execute(f"UPDATE memory SET {marks} WHERE id = ?", (*values, key))

    def _note(self, user: int, uid: str, before: Snapshot | None, after: Snapshot, reason: str) -> None:
        history.append(
            self._tx, user, memory=uid, action="repair", author="rule", reason=reason, decision=new_id(), now=self._now,
            before=before, after=after,
        )  # fmt: skip

    def sources(self) -> None:
        """A memory whose turn is gone says so, with a change of its own."""
        query = "SELECT * FROM memory WHERE source_turn IS NOT NULL AND source_turn NOT IN (SELECT id FROM turn)"
        for row in self._tx.execute(query).fetchall():
            before = memories.snapshot(row)
            after = before | {"source_turn": None, "updated_at": self._now, "version": before["version"] + 1}
            self._write(row["id"], row["user_id"], row["uid"], after)
            self._note(row["user_id"], row["uid"], before, after, "its turn was lost to damage")
            self._done.append(f"memory {row['uid']} no longer names its turn, which is gone")

    def pointers(self) -> None:
        """Rows that point to what is not there: the pointer goes, or the row where it is nothing without it."""
        for table, parent, n in pointers.cut(self._tx, self._errors):
            self._done.append(f"{counted(n, 'row')} of {table} pointed to a {parent} that is not there")

    def vectors(self) -> None:
        """Vectors that cannot be right go, and are made anew when the embedding model is next at hand."""
        gone = vectors.wrong(self._tx)
        for row in gone:
            self._tx.execute("DELETE FROM vector WHERE id = ?", (row["id"],))
            changes.note(self._tx, row["user_id"], row["owner"], row["owner_id"])
        for table in ("snapshot_chunk", "snapshot"):
            self._tx.execute(f"DELETE FROM {table}")
        if gone:
            self._done.append(f"to be made anew: {counted(len(gone), 'vector')}")


def _memory_seal(values: Values) -> bytes:
    return memories.row_hash(values["user_id"], values["uid"], values)


def _is_time(value: Any) -> bool:
    if value is None:
        return True
    try:
        return from_db(value).tzinfo is not None
    except StoreCorrupt:
        return False


def _raw(value: Any) -> Any:
    return value.encode("utf-8", "surrogateescape") if isinstance(value, str) else value
