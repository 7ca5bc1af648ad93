"""Embeddings as rows: the truth that every search in memory and every index is made from."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from edgemem.errors import OutputInvalid
from edgemem.store import changes
from edgemem.store.engine import Tx

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

BATCH = 4096
"""Rows read at a time: what is in memory twice."""

BLOCK = 256
"""Rows compared with all others at a time."""

_LIVE = {
    "memory": "EXISTS (SELECT 1 FROM memory o WHERE o.id = v.owner_id AND o.user_id = v.user_id AND o.status = 'live')",
    "turn": "EXISTS (SELECT 1 FROM turn o WHERE o.id = v.owner_id AND o.user_id = v.user_id)",
    "insight": "EXISTS (SELECT 1 FROM insight o WHERE o.id = v.owner_id AND o.user_id = v.user_id AND o.status = 'live')",
}
_PENDING = {
    "memory": "SELECT o.id, o.content FROM memory o WHERE o.user_id = ?1 AND o.status = 'live'",
    # The speaker's name belongs to what was said: a turn that greets somebody is not by them.
    "turn": "SELECT o.id, iif(o.speaker IS NULL, o.content, o.speaker || ': ' || o.content) FROM turn o WHERE o.user_id = ?1 AND o.role <> 'system'",
    "insight": "SELECT o.id, o.content FROM insight o WHERE o.user_id = ?1 AND o.status = 'live'",
}


def model_key(tx: Tx, fingerprint: str, dim: int) -> int:
    """Key of an embedding model, made if new. One that gives vectors of another length is another model."""
    for name in (fingerprint, f"{fingerprint}@{dim}"):
        known = find_model(tx, fingerprint, dim)
        if known is not None:
            return known
        tx.execute(
            "INSERT INTO embedding_model(fingerprint, dim) VALUES (?,?) ON CONFLICT(fingerprint) DO NOTHING",
            (name, dim),
        )
    return find_model(tx, fingerprint, dim) or 0


def find_model(tx: Tx, fingerprint: str, dim: int) -> int | None:
    """Key of an embedding model, or None when the file has none of its vectors."""
    row = tx.execute(
        "SELECT id FROM embedding_model WHERE fingerprint IN (?1, ?1 || '@' || ?2) AND dim = ?2", (fingerprint, dim)
    ).fetchone()
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


def wrong(tx: Tx) -> list[Any]:
    """Rows of vectors that cannot be right: of the wrong length, without direction, or of an owner that is not there."""
    import numpy as np

    found = []
    owners = " OR ".join(
        f"(v.owner = '{o}' AND EXISTS (SELECT 1 FROM {o} o WHERE o.id = v.owner_id AND o.user_id = v.user_id))"
        for o in ("memory", "turn", "summary", "insight")
    )
    query = (
        f"SELECT v.id, v.user_id, v.owner, v.owner_id, v.v, e.dim, ({owners}) AS owned"
        " FROM vector v LEFT JOIN embedding_model e ON e.id = v.model_id"
    )
    for row in tx.execute(query):
        whole = row["owned"] and row["dim"] is not None and len(row["v"]) == 2 * row["dim"]
        with np.errstate(invalid="ignore", over="ignore"):
            norm = float(np.linalg.norm(np.frombuffer(row["v"], dtype="<f2").astype(np.float32))) if whole else 0.0
        # All are stored with length 1; what float16 rounds off is far below this.
        if not 0.9 < norm < 1.1:
            found.append(row)
    return found


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


def missing(tx: Tx, user: int | None, model: int | None) -> int:
    """How many memories, messages and insights in use have no vector under a model (None: under any), of one user or of all."""
    found, live = 0, "o.status = 'live'"
    for owner, alive in (("memory", live), ("turn", "o.role <> 'system'"), ("insight", live)):
        found += tx.execute(
            f"SELECT count(*) FROM {owner} o WHERE (?1 IS NULL OR o.user_id = ?1) AND {alive} AND NOT EXISTS"
            f" (SELECT 1 FROM vector v WHERE v.owner = '{owner}' AND v.owner_id = o.id AND (?2 IS NULL OR v.model_id = ?2))",
            (user, model),
        ).fetchone()[0]
    return found


class Scope(NamedTuple):
    """One user's vectors of one owner kind (``memory``, ``turn`` or ``insight``) under one model."""

    user: int
    owner: str
    model: int


class Rows(NamedTuple):
    """Vector rows: their keys (n,), their owners' keys (n,), and the float16 vectors (n, dim)."""

    keys: npt.NDArray[np.int64]
    owners: npt.NDArray[np.int64]
    vectors: npt.NDArray[np.float16]


def count(tx: Tx, scope: Scope) -> int:
    """Rows of a scope, whether their owners are live or not."""
    found = tx.execute(
        "SELECT count(*) FROM vector WHERE user_id = ? AND owner = ? AND model_id = ?",
        (scope.user, scope.owner, scope.model),
    )
    return int(found.fetchone()[0])


def scopes(tx: Tx) -> list[tuple[Scope, int]]:
    """All scopes of the file, with the number of their vectors."""
    found = tx.execute("SELECT user_id, owner, model_id, count(*) FROM vector GROUP BY user_id, owner, model_id")
    return [(Scope(*row[:3]), row[3]) for row in found.fetchall()]


def live(tx: Tx, scope: Scope, dim: int) -> Iterator[Rows]:
    """All rows of a scope whose owners are live, a batch at a time."""
    owners = _live_owners(tx, scope)
    cursor = tx.execute(
        "SELECT id, owner_id, v FROM vector WHERE user_id = ? AND owner = ? AND model_id = ?",
        (scope.user, scope.owner, scope.model),
    )
    cursor.row_factory = None  # plain tuples are quicker to make
    while batch := cursor.fetchmany(BATCH):
        rows = _rows(batch, dim)
        yield only(rows, _among(rows.owners, owners))


def of_owners(tx: Tx, scope: Scope, dim: int, owners: Iterable[int]) -> Rows:
    """The rows of those of the owners that are live."""
    found = tx.execute(
        "SELECT v.id, v.owner_id, v.v FROM json_each(?1) j CROSS JOIN vector v ON v.owner_id = j.value"
        f" WHERE v.user_id = ?2 AND v.owner = ?3 AND v.model_id = ?4 AND {_LIVE[scope.owner]}",
        (json.dumps(list(owners)), *scope),
    )
    return _rows(found.fetchall(), dim)


def near_pairs(tx: Tx, scope: Scope, dim: int, owners: Iterable[int], least: float) -> list[tuple[int, int, float]]:
    """Pairs of these owners whose cosine is at least ``least``, each once, with the smaller key first."""
    import numpy as np

    rows = of_owners(tx, scope, dim, sorted(owners))
    matrix = rows.vectors.astype(np.float32)
    found: list[tuple[int, int, float]] = []
    for start in range(0, len(matrix), BLOCK):
        cosines = matrix[start : start + BLOCK] @ matrix.T
        for a, b in np.argwhere(cosines >= least):
            one, other = int(rows.owners[start + a]), int(rows.owners[b])
            if one < other:
                found.append((one, other, float(cosines[a, b])))
    return found


def of_any(tx: Tx, scope: Scope, dim: int, owners: Iterable[int]) -> Rows:
    """The rows of these owners, also of memories that are out of use: for a look at what was."""
    found = tx.execute(
        "SELECT v.id, v.owner_id, v.v FROM json_each(?1) j CROSS JOIN vector v ON v.owner_id = j.value"
        " WHERE v.user_id = ?2 AND v.owner = ?3 AND v.model_id = ?4",
        (json.dumps(list(owners)), *scope),
    )
    return _rows(found.fetchall(), dim)


def owners_of(tx: Tx, scope: Scope, keys: Iterable[int]) -> dict[int, int]:
    """The owner of each of these rows that is there, of this scope, and live: what an index must be confirmed by."""
    found = tx.execute(
        "SELECT v.id, v.owner_id FROM json_each(?1) j CROSS JOIN vector v ON v.id = j.value"
        f" WHERE v.user_id = ?2 AND v.owner = ?3 AND v.model_id = ?4 AND {_LIVE[scope.owner]}",
        (json.dumps(list(keys)), *scope),
    )
    return {row[0]: row[1] for row in found}


def _live_owners(tx: Tx, scope: Scope) -> npt.NDArray[np.int64]:
    import numpy as np

    alive = "" if scope.owner == "turn" else " AND status = 'live'"
    found = tx.execute(f"SELECT id FROM {scope.owner} WHERE user_id = ?{alive}", (scope.user,))
    found.row_factory = None
    return np.sort(np.fromiter(chain.from_iterable(found.fetchall()), np.int64))


def _among(values: npt.NDArray[np.int64], ordered: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    import numpy as np

    if not len(ordered):
        return np.zeros(len(values), np.bool_)
    places = np.minimum(np.searchsorted(ordered, values), len(ordered) - 1)
    found: npt.NDArray[np.bool_] = ordered[places] == values
    return found


def _rows(found: Sequence[Any], dim: int) -> Rows:
    import numpy as np

    # A row of another length, or without any, is damage: `check` names it, search passes it by.
    keys, owners, blobs = zip(*found, strict=True) if found else ((), (), ())
    if not all(isinstance(blob, bytes) and len(blob) == 2 * dim for blob in blobs):
        return _rows([row for row in found if isinstance(row[2], bytes) and len(row[2]) == 2 * dim], dim)
    matrix = np.frombuffer(b"".join(blobs), dtype="<f2").reshape(len(blobs), dim)
    # So is one with a number that is none, and it would come first in every search.
    sound = np.isfinite(matrix).all(axis=1)
    return only(Rows(np.array(keys, np.int64), np.array(owners, np.int64), matrix), sound)


def only(rows: Rows, wanted: npt.NDArray[np.bool_]) -> Rows:
    """Those of the rows that are wanted."""
    if wanted.all():
        return rows
    return Rows(rows.keys[wanted], rows.owners[wanted], rows.vectors[wanted])
