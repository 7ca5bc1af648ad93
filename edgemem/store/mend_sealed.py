"""Rows that carry a seal of ``row_seals``: right again by their seal or a backup, or out.

A change of the history has its chain besides: what its seal does not put right is left for ``mend`` to look at.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final

from edgemem.ids import new_id
from edgemem.store import graves, history, jobs, row_seals
from edgemem.store.engine import Row
from edgemem.store.one_bit import Tries, Values, what_changed
from edgemem.store.spares import Spares

_CALLED: Final = {"history": "change"}


def mend_sealed(tx: Any, spares: Spares, tries: Tries, done: list[str], lost: list[str]) -> None:
    """Put right what is not as it was written. First of all: what is changed later is sealed as it is then."""
    for table in row_seals.COLUMNS:
        for row in tx.execute(f"SELECT * FROM {table}").fetchall():
            if not row_seals.is_whole(table, row):
                right = tries.put_right({c: row[c] for c in row_seals.COLUMNS[table]}, row["seal"], _digest(table))
                _mend(tx, spares, table, row, right, done, lost)
    _mend_jobs(tx, done)
    _mend_graves(tx, tries, done, lost)


def _mend_graves(tx: Any, tries: Tries, done: list[str], lost: list[str]) -> None:
    for row in graves.altered(tx):
        values = graves.values_of(row)
        right = tries.put_right(values, row["digest"][len(values["digest"]) :], graves.seal_of)
        graves.put_right(tx, row, right)
        name = _readable(f"the note that a {row['kind']} was erased")
        if right is not None:
            done.append(f"{name} is what was written again: {what_changed(values, right)}")
        else:
            lost.append(f"{name}: it changed on the disk; a merge, an import or a restored backup may bring that back")


def _mend_jobs(tx: Any, done: list[str]) -> None:
    """How far a job is, no seal covers: one of which that makes no sense is done from its beginning."""
    for key, uid in jobs.astray(tx):
        jobs.begin_again(tx, key)
        done.append(f"job {_readable(uid)} waits in the queue again: where it stood there was altered")


def mend_payloads(tx: Any, tries: Tries, done: list[str]) -> None:
    """What a change says, or its digest, where one bit of it changed."""
    for row in tx.execute("SELECT * FROM history WHERE payload IS NOT NULL").fetchall():
        if history.payload_whole(row) or not isinstance(row["salt"], bytes):
            continue
        digest = functools.partial(_payload_digest, row["salt"])
        right = tries.put_right({"payload": row["payload"]}, row["digest"], digest)
        if right is not None:
            found = (right["payload"], digest(right), row["seq"])
            tx.execute("UPDATE history SET payload = ?, digest = ? WHERE seq = ?", found)
            done.append(f"change {row['uid']} says what was written again: one bit had changed")


def _payload_digest(salt: bytes, values: Values) -> bytes:
    return history.digest_of(salt, values["payload"])


def mend_meta(tx: Any, now: str, done: list[str]) -> None:
    """The file's own notes that are gone: it gets others."""
    for name in missing_notes(tx):
        tx.execute("INSERT INTO meta(key, value) VALUES (?, ?)", (name, new_id() if name == "file_id" else now))
        done.append(f"the file's note of its {name} was lost, and is made anew")


def missing_notes(tx: Any) -> list[str]:
    """Which of the notes that every file has are not there."""
    known = {row[0] for row in tx.execute("SELECT key FROM meta").fetchall()}
    return [name for name in ("file_id", "created_at") if name not in known]


def _mend(
    tx: Any, spares: Spares, table: str, row: Row, right: Any, done: list[str], lost: list[str]
) -> None:  # fmt: skip
    """Put a row right: to ``right``, the values of which one bit had changed, if there are such."""
    columns = row_seals.COLUMNS[table]
    name, where = _readable(f"{_CALLED.get(table, table)} {row_seals.name(table, row)}"), _by_key(table)
    key = [_raw(row[column]) for column in row_seals.KEYS[table]]
    how = "" if right is None else what_changed({c: row[c] for c in columns}, right)
    if right is None:
        right, how = _spare(spares, table, row, key), "from a backup"
    if right is not None and _write(tx, table, right, where, key):
        done.append(f"{name} is what was written again: {how}")
    elif table == "user":
        # All that is theirs hangs on it, so the person stays, under the name that can be read.
        person = _readable(row["name"])
        tx.execute(f"UPDATE user SET name = ?, seal = NULL WHERE {where}", (person, *key))
        done.append(f"{name} was altered; the person is kept, and called {person}, as it reads now")
    elif table != "history":  # of that, the chain tells more
        tx.execute(f"DELETE FROM {table} WHERE {where}", key)
        read = ", ".join(_readable(str(row[column])) for column in columns)
        lost.append(f"{name}: it changed on the disk; it read {read}")


def _digest(table: str) -> Callable[[Values], bytes]:
    return lambda values: row_seals.digest(table, *(values[column] for column in row_seals.COLUMNS[table]))


def _write(tx: Any, table: str, right: Any, where: str, key: list[Any]) -> bool:
    """Give a row the values it had; false when its name was given to another one since."""
    columns = row_seals.COLUMNS[table]
    marks = ", ".join(f"{column} = ?" for column in columns)
    values = (*(right[column] for column in columns), *key)
    return bool(tx.execute(f"UPDATE OR IGNORE {table} SET {marks}, seal = NULL WHERE {where}", values).rowcount)


def _spare(spares: Spares, table: str, row: Row, key: list[Any]) -> Row | None:
    """The row as a backup has it: where that differs in more than one column, the row was changed since."""
    for found in spares.rows(f"SELECT * FROM {table} WHERE {_by_key(table)}", tuple(key)):
        if "seal" not in found.keys() or not row_seals.is_whole(table, found):  # noqa: SIM118 - a row is no mapping
            continue  # a backup of an older schema
        changed = sum(found[column] != row[column] for column in row_seals.COLUMNS[table])
        return found if changed <= 1 or table == "user" else None
    return None


def _by_key(table: str) -> str:
    # As bytes: a text may hold some that are none.
    return " AND ".join(f"CAST({column} AS BLOB) IS CAST(? AS BLOB)" for column in row_seals.KEYS[table])


def _raw(value: Any) -> Any:
    return value.encode("utf-8", "surrogateescape") if isinstance(value, str) else value


def _readable(text: str) -> str:
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
