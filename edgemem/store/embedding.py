"""Give rows their vectors. Resumable: what has no vector yet is what is left to do."""

from __future__ import annotations

from collections.abc import Callable

from edgemem.ports import Embedder, Priority
from edgemem.store import vectors
from edgemem.store.engine import Engine

BATCH = 64
"""Texts embedded between two transactions: what a crash or a stop can cost."""


def embed_pending(
    engine: Engine, embedder: Embedder, user: int, owner: str, *, stopped: Callable[[], bool] = lambda: False,
    priority: Priority = "background",
) -> int:  # fmt: skip
    """Embed all of a user's memories (``owner`` ``memory``) or turns that have no vector; returns how many.

    A long text is one vector: the embedder averages its windows. Raises a ``ModelError``.
    """
    done = 0
    while not stopped():
        with engine.read() as tx:
            waiting = vectors.pending(tx, user, vectors.find_model(tx, embedder.fingerprint), owner, BATCH)
        if not waiting:
            break
        made = embedder.embed([text for _, text in waiting], "passage", priority=priority)
        with engine.write() as tx:
            model = vectors.model_key(tx, embedder.fingerprint, embedder.dim)
            for (key, _), vector in zip(waiting, made, strict=True):
                vectors.put(tx, user, model, owner, key, [vector])
        done += len(waiting)
    return done
