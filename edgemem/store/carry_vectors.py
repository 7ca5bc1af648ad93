"""A user's vectors by the names of what they belong to, so that they mean the same in any store."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from edgemem.store import vectors
from edgemem.store.carry_out import Names
from edgemem.store.engine import Tx
from edgemem.store.tables import TABLES


class CarriedVector(NamedTuple):
    """One vector: of a memory, turn, summary or insight (``owner``), by its name there; ``part`` numbers passages."""

    owner: str
    name: Any
    model: str
    part: int
    values: tuple[float, ...]


def carried(tx: Tx, user: int) -> Iterator[CarriedVector]:
    """All vectors of a user. Float16 in the file, so any wider float holds them exactly."""
    import numpy as np

    names = Names(tx, user)
    rows = tx.execute(
        "SELECT v.owner, v.owner_id, m.fingerprint, v.part, v.v FROM vector v JOIN embedding_model m ON m.id = v.model_id"
        " WHERE v.user_id = ? ORDER BY v.owner, v.owner_id, v.model_id, v.part",
        (user,),
    )
    for owner, key, model, part, blob in rows:
        name = names.of(owner, key)
        if name is not None:
            yield CarriedVector(owner, name, model, part, tuple(np.frombuffer(blob, "<f2").astype(float).tolist()))


def arrive(tx: Tx, user: int, parts: list[CarriedVector]) -> bool:
    """Keep the vectors of one owner and model, in the order of their parts; false if the owner is not here, or has them."""
    first = parts[0]
    table = TABLES[first.owner]
    key = _key(tx, user, first.owner, first.name if len(table.key) > 1 else [first.name])
    if key is None:
        return False
    model = vectors.model_key(tx, first.model, len(first.values))
    has = tx.execute(
        "SELECT 1 FROM vector WHERE owner = ? AND owner_id = ? AND model_id = ? LIMIT 1", (first.owner, key, model)
    ).fetchone()
    if has is None:
        vectors.put(tx, user, model, first.owner, key, [part.values for part in parts])
    return has is None


def _key(tx: Tx, user: int, name: str, parts: list[Any]) -> int | None:
    """The integer of a row by its name."""
    table = TABLES[name]
    values = [
        _key(tx, user, table.refs[column], part if isinstance(part, list) else [part]) if column in table.refs else part
        for column, part in zip(table.key, parts, strict=True)
    ]
    query = f"SELECT id FROM {name} WHERE user_id = ? AND {' AND '.join(f'{c} = ?' for c in table.key)}"
    row = tx.execute(query, (user, *values)).fetchone()
    return None if row is None else int(row[0])
