"""What can be wrong with a file, found by reading it. Nothing is changed here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from edgemem.records import Problem
from edgemem.store import history, memories, snapshots, turns
from edgemem.store.engine import Engine, Tx

_REBUILD = "The rows are whole; back the file up and report this."


def problems(engine: Engine) -> Iterator[Problem]:
    """Everything found, the worst first. Raises ``StoreCorrupt`` if the file cannot be read at all."""
    yield from _known_faults(engine)
    with engine.read() as tx:
        for row in tx.execute("PRAGMA integrity_check(20)").fetchall():
            if row[0] != "ok":
                yield Problem("integrity", row[0], "Restore a backup, or export what can still be read.")
        for row in tx.execute("PRAGMA foreign_key_check").fetchall():
            yield Problem("orphans", f"{row[0]} row {row[1]} points to a missing {row[2]}")
        yield from _rows(tx)
        yield from (Problem("history", message) for message in history.breaks(tx))
        yield from _fulltext(tx)
        yield from _vectors(tx)


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
    query = (
        "SELECT t.uid, s.uid AS session, t.role, t.speaker, t.content, t.said_at, t.hash"
        " FROM turn t JOIN session s ON s.id = t.session_id"
    )
    for r in tx.execute(query):
        if turns.digest(r["session"], r["uid"], r["role"], r["speaker"], r["content"], r["said_at"]) != r["hash"]:
            yield Problem("rows", f"turn {r['session']}/{r['uid']} is not what was written")
    for r in tx.execute("SELECT * FROM memory"):
        if memories.row_hash(r["uid"], memories.snapshot(r)) != r["row_hash"]:
            yield Problem("rows", f"memory {r['uid']} is not what was written", "Its history may hold the right text.")


def _fulltext(tx: Tx) -> Iterator[Problem]:
    for table, live in (("memory_fts", "memory WHERE status = 'live'"), ("turn_fts", "turn")):
        indexed = _keys(tx, f"SELECT rowid FROM {table}")
        wanted = _keys(tx, f"SELECT id FROM {live}")
        if indexed != wanted:
            missing, extra = len(wanted - indexed), len(indexed - wanted)
            yield Problem("fulltext", f"{table}: {missing} rows missing, {extra} too many", _REBUILD)


def _keys(tx: Tx, query: str) -> set[int]:
    return {row[0] for row in tx.execute(query)}


def _vectors(tx: Tx) -> Iterator[Problem]:
    for owner in ("memory", "turn"):
        orphans = tx.execute(
            f"SELECT count(*) FROM vector v WHERE v.owner = ? AND NOT EXISTS"
            f" (SELECT 1 FROM {owner} o WHERE o.id = v.owner_id AND o.user_id = v.user_id)",
            (owner,),
        ).fetchone()[0]
        if orphans:
            yield Problem("vectors", f"{orphans} vectors of {owner}s that are not there")
    bad = tx.execute(
        "SELECT count(*) FROM vector v JOIN embedding_model e ON e.id = v.model_id WHERE length(v.v) <> 2 * e.dim"
    ).fetchone()[0]
    if bad:
        yield Problem("vectors", f"{bad} vectors have the wrong length")
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
