"""Files large enough for a graph, with the limit set low: what the tests of the vector index share."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from edgemem.memory import MemoryFile
from edgemem.settings import Settings
from edgemem.store import vectors
from edgemem.store.engine import Tx
from edgemem.store.scopes import Loaded
from edgemem.store.vectors import Scope
from edgemem.write import manual

DIM = 16
SMALL = Settings(background=False, exact_vectors=100)
MINE = Scope(1, "memory", 1)


def directions(count: int, seed: int = 1) -> npt.NDArray[np.float32]:
    made = np.random.default_rng(seed).standard_normal((count, DIM)).astype(np.float32)
    unit: npt.NDArray[np.float32] = made / np.linalg.norm(made, axis=1, keepdims=True)
    return unit.astype(np.float16).astype(np.float32)


def put(tx: Tx, now: str, user: int, n: int, vector: npt.NDArray[np.float32]) -> int:
    """A memory of a user with this vector; returns its key."""
    uid, _ = manual.add(tx, user, f"fact {n}", "fact", now)
    key = tx.execute("SELECT id FROM memory WHERE uid = ?", (uid,)).fetchone()[0]
    vectors.put(tx, user, vectors.model_key(tx, "m", DIM), "memory", key, [vector.tolist()])
    return int(key)


def fill(file: MemoryFile, count: int, user: str = "me", seed: int = 1) -> npt.NDArray[np.float32]:
    """So many memories with vectors of their own; in a new file the keys of the first user's are 1, 2, …"""
    made = directions(count, seed)
    owner = 1 if user == "me" else 2
    file.user(user)
    with file.engine.write() as tx:
        for n, vector in enumerate(made):
            put(tx, file.now(), owner, n, vector)
    return made


def found(file: MemoryFile, query: npt.NDArray[np.float32], limit: int = 10, scope: Scope = MINE) -> list[int]:
    with file.engine.read() as tx:
        return [key for key, _ in file.cache.nearest(tx, scope, query.tolist(), limit)]


def in_memory(file: MemoryFile, scope: Scope = MINE) -> Loaded:
    with file.engine.read() as tx:
        return file.cache.current(tx, scope, DIM)
