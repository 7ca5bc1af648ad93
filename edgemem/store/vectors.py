"""Embeddings as rows, and exact search over one user's scope.

A scope is one user's vectors of one owner kind under one model. Its float32 matrix is cached and
brought up to date from the change log before each search, so that another process's writes and
deletions count at once.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from edgemem.errors import OutputInvalid
from edgemem.store import changes
from edgemem.store.engine import Tx

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Matrix = npt.NDArray[np.float32]

_LIVE = {
    "memory": "EXISTS (SELECT 1 FROM memory o WHERE o.id = v.owner_id AND o.user_id = v.user_id AND o.status = 'live')",
    "turn": "EXISTS (SELECT 1 FROM turn o WHERE o.id = v.owner_id AND o.user_id = v.user_id)",
}
_PENDING = {
    "memory": "SELECT o.id, o.content FROM memory o WHERE o.user_id = ?1 AND o.status = 'live'",
    # The speaker's name belongs to what was said: a turn that greets somebody is not by them.
    "turn": "SELECT o.id, iif(o.speaker IS NULL, o.content, o.speaker || ': ' || o.content) FROM turn o WHERE o.user_id = ?1 AND o.role <> 'system'",
}


def model_key(tx: Tx, fingerprint: str, dim: int) -> int:
    """Key of an embedding model, made if new."""
    tx.execute(
        "INSERT INTO embedding_model(fingerprint, dim) VALUES (?,?) ON CONFLICT(fingerprint) DO NOTHING",
        (fingerprint, dim),
    )
    return find_model(tx, fingerprint) or 0


def find_model(tx: Tx, fingerprint: str) -> int | None:
    """Key of an embedding model, or None when the file has none of its vectors."""
    row = tx.execute("SELECT id FROM embedding_model WHERE fingerprint = ?", (fingerprint,)).fetchone()
    return None if row is None else int(row[0])


def pack(vector: Sequence[float]) -> bytes:
    """A vector as little-endian float16. Raises ``OutputInvalid`` for NaN, infinity or zero."""
    import numpy as np

    array = np.asarray(vector, dtype=np.float32)
    if not usable(vector):
        raise OutputInvalid(
            "The embedding model returned a vector that is zero or not a number.", "Check it: edgemem models check"
        )
    return (array / np.linalg.norm(array)).astype("<f2").tobytes()


def usable(vector: Sequence[float]) -> bool:
    """Whether a vector has a direction: all numbers, and not zero."""
    import numpy as np

    norm = float(np.linalg.norm(np.asarray(vector, dtype=np.float32)))
    return bool(np.isfinite(norm)) and norm > 0.0


def put(tx: Tx, user: int, model: int, owner: str, owner_id: int, parts: Sequence[Sequence[float]]) -> None:
    """Store the vectors of one owner, in place of those it had under this model."""
    tx.execute(
        "DELETE FROM vector WHERE user_id = ? AND owner = ? AND owner_id = ? AND model_id = ?",
        (user, owner, owner_id, model),
    )
    tx.executemany(
        "INSERT INTO vector(user_id, model_id, owner, owner_id, part, v) VALUES (?,?,?,?,?,?)",
        [(user, model, owner, owner_id, n, pack(part)) for n, part in enumerate(parts)],
    )
    changes.note(tx, user, owner, owner_id)


def pending(
    tx: Tx, user: int, model: int | None, owner: str, limit: int, *, after: int = 0, keys: Sequence[int] | None = None
) -> list[tuple[int, str]]:
    """Owners without a vector under this model, with a key above ``after``: key and text, oldest first.

    ``keys`` narrows the look to these; None looks at all of the user's rows.
    """
    query = (
        f"{_PENDING[owner]} AND NOT EXISTS (SELECT 1 FROM vector v WHERE v.owner = ?2 AND v.owner_id = o.id"
        " AND v.model_id = ?3) AND o.id > ?5"
    )
    given = (user, owner, model or 0, limit, after)
    if keys is None:
        return [(row[0], row[1]) for row in tx.execute(f"{query} ORDER BY o.id LIMIT ?4", given)]
    found = (tx.execute(f"{query} AND o.id = ?6 LIMIT ?4", (*given, key)).fetchone() for key in sorted(keys))
    return [(row[0], row[1]) for row in found if row is not None][:limit]


@dataclass(slots=True)
class Scope:
    """A cached scope: ``matrix`` is (rows, dim) float32, ``owners`` the owner key of each row."""

    seq: int
    owners: npt.NDArray[np.int64]
    matrix: Matrix


class ScopeCache:
    """The last used scopes of one open file. Not thread-safe: used inside the engine's lock."""

    def __init__(self, capacity: int = 8) -> None:
        self._scopes: OrderedDict[tuple[int, int, str], Scope] = OrderedDict()
        self._capacity = capacity

    def scope(self, tx: Tx, user: int, model: int, owner: str, dim: int) -> Scope:
        """The scope as of this transaction."""
        key = (user, model, owner)
        latest = changes.latest(tx, user, owner)
        known = self._scopes.get(key)
        if known is None:
            fresh = _load(tx, user, model, owner, dim, latest)
        elif known.seq != latest:
            fresh = _replayed(tx, user, model, owner, dim, known, latest)
        else:
            fresh = known
        self._scopes[key] = fresh
        self._scopes.move_to_end(key)
        while len(self._scopes) > self._capacity:
            self._scopes.popitem(last=False)
        return fresh


def _load(tx: Tx, user: int, model: int, owner: str, dim: int, seq: int) -> Scope:
    rows = tx.execute(
        f"SELECT v.owner_id, v.v FROM vector v WHERE v.user_id = ? AND v.owner = ? AND v.model_id = ? AND {_LIVE[owner]}"
        " ORDER BY v.owner_id, v.part",
        (user, owner, model),
    ).fetchall()
    return Scope(seq, *_arrays(rows, dim))


def _arrays(rows: list[Any], dim: int) -> tuple[npt.NDArray[np.int64], Matrix]:
    import numpy as np

    owners = np.array([row[0] for row in rows], dtype=np.int64)
    # A row of another length is damage: `check` names it, search passes it by.
    whole = [row[1] if len(row[1]) == 2 * dim else bytes(2 * dim) for row in rows]
    matrix = np.frombuffer(b"".join(whole), dtype="<f2").astype(np.float32).reshape(len(rows), dim)
    return owners, matrix


def _replayed(tx: Tx, user: int, model: int, owner: str, dim: int, old: Scope, seq: int) -> Scope:
    import numpy as np

    touched = changes.since(tx, user, owner, old.seq)
    if len(touched) > 500:
        return _load(tx, user, model, owner, dim, seq)
    rows = _rows_of(tx, user, model, owner, touched)
    keep = ~np.isin(old.owners, np.array(touched, dtype=np.int64))
    owners, matrix = _arrays(rows, dim)
    return Scope(seq, np.concatenate([old.owners[keep], owners]), np.concatenate([old.matrix[keep], matrix]))


def _rows_of(tx: Tx, user: int, model: int, owner: str, keys: Iterable[int]) -> list[Any]:
    rows: list[Any] = []
    for key in keys:
        rows += tx.execute(
            f"SELECT v.owner_id, v.v FROM vector v WHERE v.owner = ? AND v.owner_id = ? AND v.model_id = ? AND v.user_id = ?"
            f" AND {_LIVE[owner]} ORDER BY v.part",
            (owner, key, model, user),
        ).fetchall()
    return rows


def similarities(scope: Scope, query: Sequence[float]) -> dict[int, float]:
    """Cosine of each owner to a unit-length query: the best of its passages."""
    import numpy as np

    if not len(scope.owners):
        return {}
    values = scope.matrix @ np.asarray(query, dtype=np.float32)
    keys, where = np.unique(scope.owners, return_inverse=True)
    best = np.full(len(keys), -1.0, dtype=np.float32)
    np.maximum.at(best, where, values)
    return dict(zip(keys.tolist(), best.tolist(), strict=True))
