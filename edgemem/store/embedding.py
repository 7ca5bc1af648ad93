"""Give rows their vectors. Resumable: what has no vector yet is what is left to do."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from edgemem.errors import OutputInvalid
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

    A long text is one vector: the embedder averages its windows. A text whose vector cannot be used
    is passed by and keeps nobody waiting. Raises a ``ModelError``, also when none can be used.
    """
    done, after = 0, 0
    while not stopped():
        with engine.read() as tx:
            waiting = vectors.pending(tx, user, vectors.find_model(tx, embedder.fingerprint), owner, BATCH, after)
        if not waiting:
            break
        made = _made(embedder, [text for _, text in waiting], priority)
        whole = [(key, vector) for (key, _), vector in zip(waiting, made, strict=True) if vector is not None]
        if not whole:
            raise OutputInvalid(f"{embedder.fingerprint} gives no usable vectors.", "Check it: edgemem models check")
        with engine.write() as tx:
            model = vectors.model_key(tx, embedder.fingerprint, embedder.dim)
            for key, vector in whole:
                vectors.put(tx, user, model, owner, key, [vector])
        done, after = done + len(whole), waiting[-1][0]
    return done


def _made(embedder: Embedder, texts: Sequence[str], priority: Priority) -> list[list[float] | None]:
    """A vector for each text, None where it is not a number, zero, or of another length."""
    try:
        made = embedder.embed(texts, "passage", priority=priority)
    except OutputInvalid:
        if len(texts) == 1:
            return [None]
        return [vector for text in texts for vector in _made(embedder, [text], priority)]
    return [vector if len(vector) == embedder.dim and vectors.usable(vector) else None for vector in made]
