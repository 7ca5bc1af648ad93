"""Graphs as rows: written whole or not at all, checked before use, and never the only copy of anything."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from edgemem.store import graph_layout, hnsw, usearch_library
from edgemem.store.engine import Row, Tx
from edgemem.store.vectors import Scope

CHUNK = 1 << 18
"""Bytes of one row."""

_THIS = "user_id = ? AND owner = ? AND model_id = ?"


class Unusable(Exception):
    """A stored graph cannot be used, and why. It is built again from the rows."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A graph's links as they were at change ``upto``, with ``nodes`` vectors."""

    tail: bytes
    upto: int
    nodes: int


def read(tx: Tx, scope: Scope) -> Stored | None:
    """The stored graph, or None when there is none. Raises ``Unusable``; links are not looked at yet."""
    row = _row(tx, scope)
    if row is None or not row["nodes"]:
        return None
    reason = _mismatch(row)
    if reason:
        raise Unusable(reason)
    tail = b"".join(
        r[0] for r in tx.execute(f"SELECT data FROM snapshot_chunk WHERE {_THIS} ORDER BY n", scope).fetchall()
    )
    if len(tail) != row["bytes"]:
        raise Unusable(f"it has {len(tail):,} bytes instead of {row['bytes']:,}")
    if zlib.crc32(tail) != row["crc"]:
        raise Unusable("its checksum is wrong")
    return Stored(tail, row["upto"], row["nodes"])


def _row(tx: Tx, scope: Scope) -> Row:
    return tx.execute(f"SELECT * FROM snapshot WHERE {_THIS}", scope).fetchone()


def _mismatch(row: Row) -> str:
    if row["library"] != usearch_library.version():
        return f"it was made by {row['library']}, this is {usearch_library.version()}"
    if row["settings"] != _settings():
        return f"it was made with other settings: {row['settings']}"
    return ""


def _settings() -> str:
    return json.dumps(hnsw.SETTINGS, sort_keys=True)


def save(tx: Tx, scope: Scope, stored: Stored, *, anew: bool) -> bool:
    """Store a graph in place of the one before; false when that one knows more and stays.

    ``anew``: the one before was found unusable or full of dead nodes, so it does not count.
    """
    row = _row(tx, scope)
    usable = row is not None and row["nodes"] and not anew and not _mismatch(row)
    # A process that was slow, or has only begun to build, must not undo the work of another.
    if usable and (stored.upto < row["upto"] or stored.nodes * 10 < row["nodes"] * 9):
        return False
    tx.execute(
        "INSERT INTO snapshot(user_id, owner, model_id, upto, nodes, bytes, crc, library, settings)"
        " VALUES (?,?,?,?,?,?,?,?,?) ON CONFLICT(user_id, owner, model_id) DO UPDATE SET upto = excluded.upto,"
        " nodes = excluded.nodes, bytes = excluded.bytes, crc = excluded.crc, library = excluded.library,"
        " settings = excluded.settings",
        (
            *scope,
            stored.upto,
            stored.nodes,
            len(stored.tail),
            zlib.crc32(stored.tail),
            usearch_library.version(),
            _settings(),
        ),
    )
    tx.execute(f"DELETE FROM snapshot_chunk WHERE {_THIS}", scope)
    tx.executemany(
        "INSERT INTO snapshot_chunk(user_id, owner, model_id, n, data) VALUES (?,?,?,?,?)",
        ((*scope, n, stored.tail[at : at + CHUNK]) for n, at in enumerate(range(0, len(stored.tail), CHUNK))),
    )
    return True


def drop(tx: Tx, scope: Scope) -> None:
    """Forget a stored graph."""
    tx.execute(f"DELETE FROM snapshot_chunk WHERE {_THIS}", scope)
    tx.execute(f"DELETE FROM snapshot WHERE {_THIS}", scope)


def nodes(tx: Tx, scope: Scope) -> int:
    """Vectors in the stored graph; 0 when there is none of use."""
    row = _row(tx, scope)
    return 0 if row is None or _mismatch(row) else int(row["nodes"])


def claim(tx: Tx, scope: Scope, who: str, now: float, seconds: float) -> bool:
    """Take or keep the right to build a scope's graph; false while another process has it."""
    taken = tx.execute(
        "INSERT INTO snapshot(user_id, owner, model_id, upto, nodes, bytes, crc, library, settings, lease_by, lease_until)"
        " VALUES (?1,?2,?3,0,0,0,0,'','{}',?4,?6) ON CONFLICT(user_id, owner, model_id) DO UPDATE"
        " SET lease_by = ?4, lease_until = ?6 WHERE lease_by IS NULL OR lease_by = ?4 OR lease_until <= ?5 RETURNING 1",
        (*scope, who, int(now), int(now + seconds)),
    )
    return taken.fetchone() is not None


def give_up(tx: Tx, who: str) -> None:
    """Let others build."""
    tx.execute("UPDATE snapshot SET lease_by = NULL, lease_until = 0 WHERE lease_by = ?", (who,))


def problems(tx: Tx) -> Iterator[str]:
    """Say which stored graphs cannot be used. One that is merely behind the rows is no problem."""
    for row in tx.execute("SELECT s.*, e.dim FROM snapshot s JOIN embedding_model e ON e.id = s.model_id").fetchall():
        scope = Scope(row["user_id"], row["owner"], row["model_id"])
        try:
            stored = read(tx, scope)
            if stored is not None:
                hnsw.keys_of(stored.tail, row["dim"])
        except (Unusable, graph_layout.Malformed) as error:
            yield f"the vector index of user {scope.user}'s {scope.owner}s cannot be used: {error}"
    strays = tx.execute(
        "SELECT count(*) FROM snapshot_chunk c WHERE NOT EXISTS (SELECT 1 FROM snapshot s"
        " WHERE s.user_id = c.user_id AND s.owner = c.owner AND s.model_id = c.model_id)"
    ).fetchone()[0]
    if strays:
        yield f"{strays} pieces of a vector index that is not there"


def overview(tx: Tx, exact_up_to: int) -> list[dict[str, Any]]:
    """Each scope of the file: its user, kind and model, how many vectors, and how they are searched."""
    rows = tx.execute(
        "SELECT u.name, v.owner, e.fingerprint, v.n, s.nodes, s.bytes, s.library, s.settings FROM"
        " (SELECT user_id, owner, model_id, count(*) AS n FROM vector GROUP BY user_id, owner, model_id) v"
        " JOIN user u ON u.id = v.user_id JOIN embedding_model e ON e.id = v.model_id"
        " LEFT JOIN snapshot s ON s.user_id = v.user_id AND s.owner = v.owner AND s.model_id = v.model_id"
        " ORDER BY u.name, v.owner, e.fingerprint"
    ).fetchall()
    return [
        {"user": r["name"], "owner": r["owner"], "model": r["fingerprint"], "vectors": r["n"],
         "indexed": r["nodes"] or 0, "bytes": r["bytes"] or 0, "state": _state(r, exact_up_to)}
        for r in rows
    ]  # fmt: skip


def _state(row: Row, exact_up_to: int) -> str:
    if row["n"] <= exact_up_to:
        return "exact"
    if not row["nodes"]:
        return "not built yet"
    return _mismatch(row) or ("built" if row["nodes"] * 2 >= row["n"] else "half built")
