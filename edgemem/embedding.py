"""The part of a user's view that gives texts their vectors: at once where it can, later what could not be done then."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from edgemem.errors import EdgememError
from edgemem.store import embedding, vectors
from edgemem.text import counted

if TYPE_CHECKING:
    from edgemem.memory import MemoryFile
    from edgemem.write.learner import Learner

AT_ONCE = 256
"""Most texts that a search gives their vectors before it answers; the background, or ``edgemem index``, does the rest."""


class Embedding:
    """Calls of ``Memory`` about vectors."""

    file: MemoryFile
    _key: int
    _learner: Learner

    def embed_missing(self, *, most: int | None = None, progress: Callable[[int, int], None] | None = None) -> int:
        """Give memories, messages and insights that have no vector theirs now; returns how many still have none.

        They have none when they were added while there was no embedding model, or under another one. It can be
        stopped and called again. ``most``: stop after about so many. ``progress`` gets the number done and in all.
        Raises ``ModelMissing`` without an embedding model, or another ``ModelError`` when it gives no vectors.
        """
        embedder = self.file.models.embedder()
        total, done = self._without(embedder.fingerprint, embedder.dim), 0

        def stopped() -> bool:
            nonlocal done
            if progress is not None:
                progress(min(done, total), total)
            if most is not None and done >= most:
                return True
            done += embedding.BATCH
            return False

        for owner in embedding.OWNERS if total else ():
            embedding.embed_pending(
                self.file.engine, self.file.backlog, embedder, self._key, owner, stopped=stopped
            )  # fmt: skip
        left = self._without(embedder.fingerprint, embedder.dim) if total else 0
        # What is left after a whole pass gives no vector at all; it is not tried with every search.
        if most is None or done < most or not left:
            with self.file.engine.write() as tx:
                embedding.settle(tx, self._key)
            self.file.backlog.unnoted.discard(self._key)
        return left

    def _without(self, fingerprint: str, dim: int) -> int:
        with self.file.engine.read() as tx:
            model = vectors.find_model(tx, fingerprint, dim)
            return vectors.missing(tx, self._key, model or 0)

    def _embed(self, *owners: str) -> None:
        """Give new texts their vectors; without a model that is noted for later."""
        embedder, _ = self.file.embedder_or_reason()
        if embedder is not None and all(self._learner.embed(embedder, owner) for owner in owners):
            return
        embedding.note_due(self.file.engine, self.file.backlog, self._key)

    def _catch_up(self) -> tuple[str, ...]:
        """Before a search: give a few texts their missing vectors, and say when more are missing."""
        embedder, _ = self.file.embedder_or_reason()
        if embedder is None or self.file.engine.read_only:
            return ()
        with self.file.engine.read() as tx:
            model = vectors.find_model(tx, embedder.fingerprint, embedder.dim)
            if self._key not in self.file.backlog.unnoted and not embedding.is_due(tx, self._key, model or 0):
                return ()
        try:
            left = self.embed_missing(most=AT_ONCE)
        except EdgememError:
            return ()  # the search itself says what is wrong with the model; a busy file only means later
        if left and self.file.settings.background:
            self.file.start_worker()
        told = f"Without a vector yet, and found by words only: {counted(left, 'text')}. At once: edgemem index"
        return (told,) if left else ()
