"""Give rows their vectors. Resumable: what has no vector yet is what is left to do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from edgemem.embedded import LONGEST, embedded
from edgemem.errors import OutputInvalid, StoreBusy, StoreFull
from edgemem.ports import Embedder, Priority
from edgemem.store import changes, vectors
from edgemem.store.engine import Engine, Tx

BATCH = 64
"""Texts embedded between two transactions, at most: what a crash or a stop can cost."""

_TOGETHER = 4 * LONGEST
"""Characters of them, about."""


OWNERS: Final = ("memory", "turn", "insight")
"""What has vectors."""

_DUE = "vectors_due_"


def mark_due(tx: Tx, user: int) -> None:
    """Note that a user's texts were added without their vectors."""
    tx.execute("INSERT INTO meta(key, value) VALUES (?, '1') ON CONFLICT(key) DO NOTHING", (f"{_DUE}{user}",))


def note_due(engine: Engine, backlog: Backlog, user: int) -> None:
    """``mark_due`` in a write of its own; in the memory of this open file where the disk has no room for that either."""
    with engine.read() as tx:
        if is_due(tx, user, None):
            return
    try:
        with engine.write() as tx:
            mark_due(tx, user)
    except (StoreFull, StoreBusy):
        backlog.unnoted.add(user)


def settle(tx: Tx, user: int) -> None:
    """Note that a user's texts have the vectors that they can have."""
    tx.execute("DELETE FROM meta WHERE key = ?", (f"{_DUE}{user}",))


def due(tx: Tx) -> list[int]:
    """The users of whom some texts were added without their vectors."""
    rows = tx.execute("SELECT key FROM meta WHERE key GLOB ? ORDER BY key", (f"{_DUE}*",))
    return [int(row[0].removeprefix(_DUE)) for row in rows]


def is_due(tx: Tx, user: int, model: int | None) -> bool:
    """Whether vectors of a user are known to be missing: noted so, or (``model`` not None) none is of this model."""
    if tx.execute("SELECT 1 FROM meta WHERE key = ?", (f"{_DUE}{user}",)).fetchone() is not None:
        return True
    if model is None:
        return False
    first = "SELECT (SELECT id FROM memory WHERE user_id = ?1 AND status = 'live' LIMIT 1)"
    of_model = "(SELECT id FROM vector WHERE user_id = ?1 AND owner = 'memory' AND model_id = ?2 LIMIT 1)"
    row = tx.execute(f"{first}, {of_model}", (user, model)).fetchone()
    return row[0] is not None and row[1] is None


class Backlog:
    """Which scopes of one open file had no text without a vector, and as of which change.

    Looking through all rows for those without a vector costs more the more there are; what changed
    since the last look is enough. Not thread-safe: used inside the engine's lock.
    """

    def __init__(self) -> None:
        self._clean: dict[tuple[int, str, tuple[str, int]], int] = {}
        self.unnoted: set[int] = set()
        """Users whose texts lack vectors, where that could not be noted in the file."""

    def waiting(
        self, tx: Tx, user: int, owner: str, model: tuple[str, int], *, after: int, began: int
    ) -> list[tuple[int, str]]:
        """Up to ``BATCH`` owners with a key above ``after`` that need a vector: key and text, oldest first.

        ``model`` is the embedder's fingerprint and its number of components.
        ``began`` is the last change when this pass through the keys began: a key that was passed may
        have changed since, so the end of the pass vouches for no later change.
        """
        scope = (user, owner, model)
        clean = self._clean.get(scope)
        if clean == changes.latest(tx, user, owner):
            return []
        keys = None if clean is None else changes.since(tx, user, owner, clean)
        found = vectors.pending(tx, user, vectors.find_model(tx, *model), owner, BATCH, after=after, keys=keys)
        if not found:
            self._clean[scope] = began
        return found


def embed_pending(
    engine: Engine,
    backlog: Backlog,
    embedder: Embedder,
    user: int,
    owner: str,
    *,
    stopped: Callable[[], bool] = lambda: False,
    priority: Priority = "background",
) -> int:
    """Embed all of a user's memories (``owner`` ``memory``) or turns that have no vector; returns how many.

    A long text is one vector, a very long one that of an excerpt. A text whose vector cannot be used
    is passed by and keeps nobody waiting. Raises a ``ModelError``, also when none can be used.
    """
    with engine.read() as tx:
        began = changes.latest(tx, user, owner)
    name, done, after = (embedder.fingerprint, embedder.dim), 0, 0
    while not stopped():
        with engine.read() as tx:
            waiting = backlog.waiting(tx, user, owner, name, after=after, began=began)
        if not waiting:
            break
        waiting = _together(waiting)
        made = _made(embedder, [text for _, text in waiting], priority)
        whole = {key: vector for (key, _), vector in zip(waiting, made, strict=True) if vector is not None}
        if not whole:
            raise OutputInvalid(f"{embedder.fingerprint} gives no usable vectors.", "Check it: edgemem models check")
        with engine.write() as tx:
            model = vectors.model_key(tx, embedder.fingerprint, embedder.dim)
            # A text that changed while it was embedded is left for the next pass: this is not its vector.
            same = set(waiting) & set(vectors.pending(tx, user, model, owner, BATCH, keys=list(whole)))
            for key, _ in sorted(same):
                vectors.put(tx, user, model, owner, key, [whole[key]])
        done, after = done + len(same), waiting[-1][0]
    return done


def _together(waiting: Sequence[tuple[int, str]]) -> list[tuple[int, str]]:
    """The first of them, as many as are embedded before the next transaction."""
    taken, size = list(waiting[:1]), 0
    for item in waiting[1:]:
        size += min(len(taken[-1][1]), LONGEST)
        if size >= _TOGETHER:
            break
        taken.append(item)
    return taken


def _made(embedder: Embedder, texts: Sequence[str], priority: Priority) -> list[list[float] | None]:
    """A vector for each text, None where it is not a number, zero, or of another length."""
    try:
        return list(embedded(embedder, texts, "passage", priority))
    except OutputInvalid:
        if len(texts) == 1:
            return [None]
        return [vector for text in texts for vector in _made(embedder, [text], priority)]
