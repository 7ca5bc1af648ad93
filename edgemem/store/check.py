"""What can be wrong with a file, found by reading it. Nothing is changed here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from edgemem.errors import InvalidInput, StoreError
from edgemem.records import Problem
from edgemem.store import fulltext, graves, history, jobs, memories, row_seals, schema, snapshots, turn_seals, vectors
from edgemem.store.engine import Engine, Tx
from edgemem.store.mend_sealed import missing_notes
from edgemem.text import counted

_REPAIR = "Repair it: edgemem check --repair"


def problems(engine: Engine) -> Iterator[Problem]:
    """Everything found, the worst first. Raises ``StoreCorrupt`` only if not even the schema can be read."""
    yield from _known_faults(engine)
    with engine.read() as tx:
        for look in (_pages, _mark, _orphans, _rows, _history, _fulltext, _vectors):
            try:
                with engine.errors_named():
                    yield from look(tx)
            except (
                StoreError,
                InvalidInput,
            ) as error:  # what cannot be read is a finding, and the other parts are looked at
                yield Problem("integrity", str(error), _REPAIR)
            except (TypeError, ValueError, KeyError, AttributeError) as error:
                # Columns of other types than were written: damage that no error of SQLite's tells of.
                yield Problem("integrity", f"rows cannot be read as what they should be: {error}", _REPAIR)


def _pages(tx: Tx) -> Iterator[Problem]:
    for row in tx.execute("PRAGMA integrity_check(20)").fetchall():
        if row[0] != "ok":
            yield Problem("integrity", row[0], _REPAIR)


def _mark(tx: Tx) -> Iterator[Problem]:
    mark = tx.execute("PRAGMA application_id").fetchone()[0]
    version = tx.execute("PRAGMA user_version").fetchone()[0]
    if mark != schema.APPLICATION_ID:
        yield Problem("integrity", "the mark that says what kind of file this is was altered", _REPAIR)
    if not 1 <= version <= schema.VERSION:
        yield Problem("integrity", f"schema {version} is none that this version knows", _REPAIR)
    for name in missing_notes(tx):
        yield Problem("rows", f"the file's note of its {name} is gone", _REPAIR)


def _orphans(tx: Tx) -> Iterator[Problem]:
    for row in tx.execute("PRAGMA foreign_key_check").fetchall():
        yield Problem("orphans", f"{row[0]} row {row[1]} points to a missing {row[2]}", _REPAIR)


def _known_faults(engine: Engine) -> Iterator[Problem]:
    version = tuple(int(n) for n in engine.sqlite_version.split("."))
    fixed = (
        version >= (3, 51, 3) or (version[:2] == (3, 50) and version >= (3, 50, 7)) or (3, 44, 6) <= version < (3, 45)
    )
    if not fixed:
        yield Problem(
            "sqlite",
            f"SQLite {engine.sqlite_version} can damage a file that several programs write at once.",
            "Install sqlcipher3, which brings a newer SQLite: pip install sqlcipher3",
        )


def _rows(tx: Tx) -> Iterator[Problem]:
    for r in tx.execute("SELECT t.*, s.uid AS session FROM turn t LEFT JOIN session s ON s.id = t.session_id"):
        if not turn_seals.is_whole(r):
            yield Problem("rows", f"turn {r['session']}/{r['uid']} is not what was written", _REPAIR)
    for r in tx.execute("SELECT * FROM memory"):
        if not memories.is_sealed(r):
            yield Problem("rows", f"memory {r['uid']} is not what was written", _REPAIR)
    for table, row in row_seals.altered(tx):
        yield Problem("rows", f"{table} {row_seals.name(table, row)} is not what was written", _REPAIR)
    for row in graves.altered(tx):
        yield Problem("rows", f"the note that a {row['kind']} was erased is not what was written", _REPAIR)
    for _, uid in jobs.astray(tx):
        yield Problem("rows", f"where job {uid} stands in the queue is not what was written", _REPAIR)


def _history(tx: Tx) -> Iterator[Problem]:
    yield from (Problem("history", message, _REPAIR) for message in history.breaks(tx))
    for user, uid, state in history.last_states(tx):
        row = tx.execute("SELECT * FROM memory WHERE uid = ?", (uid,)).fetchone()
        if row is not None and row["user_id"] != user:
            yield Problem("history", f"memory {uid} belongs to another user than its history", _REPAIR)
        elif row is None:
            yield Problem("history", f"memory {uid} is in the history but not in the file", _REPAIR)
        elif memories.is_sealed(row) and memories.snapshot(row) != state:
            yield Problem("history", f"memory {uid} is not as its last change left it", _REPAIR)


def _fulltext(tx: Tx) -> Iterator[Problem]:
    for table, live in (("memory_fts", "memory WHERE status = 'live'"), ("turn_fts", "turn")):
        indexed = _keys(tx, f"SELECT rowid FROM {table}")
        wanted = _keys(tx, f"SELECT id FROM {live}")
        if indexed != wanted:
            missing, extra = len(wanted - indexed), len(indexed - wanted)
            yield Problem("fulltext", f"{table}: {counted(missing, 'row')} missing, {extra} too many", _REPAIR)
        elif not fulltext.agrees(tx, table):
            yield Problem("fulltext", f"{table}: the words of some rows are not those of their text", _REPAIR)


def _keys(tx: Tx, query: str) -> set[int]:
    return {row[0] for row in tx.execute(query)}


def _vectors(tx: Tx) -> Iterator[Problem]:
    wrong = vectors.wrong(tx)
    if wrong:
        yield Problem("vectors", f"damaged, or belonging to nothing: {counted(len(wrong), 'vector')}", _REPAIR)
    yield from (
        Problem("vectors", message, "Build it again: edgemem index --anew") for message in snapshots.problems(tx)
    )


def counts(tx: Tx, user: int | None) -> dict[str, Any]:
    """How many rows there are: of one user, or of the whole file."""
    where = "" if user is None else f" WHERE user_id = {int(user)}"
    tables = (
        "session",
        "turn",
        "memory",
        "history",
        "vector",
        "job",
        "profile",
        "state",
        "entity",
        "relation",
        "insight",
    )
    found: dict[str, Any] = {t: tx.execute(f"SELECT count(*) FROM {t}{where}").fetchone()[0] for t in tables}
    for status, n in tx.execute(f"SELECT status, count(*) FROM memory{where} GROUP BY status").fetchall():
        found[f"memory.{status}"] = n
    return found
