"""Brings vectors into the graphs: a little at a time, beside searches, and stores what it has done.

A build that is stopped, or killed, goes on from where it was stored last: a graph of half the vectors is
a good graph of half the vectors.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable

from edgemem.errors import StoreClosed
from edgemem.ids import new_id
from edgemem.store import snapshots, vectors
from edgemem.store.engine import Engine, Tx
from edgemem.store.scopes import Loaded, ScopeCache
from edgemem.store.vectors import Scope

_log = logging.getLogger(__name__)

BATCH = 32
"""Vectors linked in at a time: a search may have to wait for so many, some 10 ms."""

SAVE_SECONDS = 30.0
"""How much work a crash can cost."""

LEASE_SECONDS = 90.0
"""How long after its last word a builder counts as gone; others then take over."""

WAIT_SECONDS = 2.0
"""How often a process that waits for another one's graph looks for it."""

Progress = Callable[[int, int], None]
"""Called with the vectors in the graph and the vectors in all."""


def _never() -> bool:
    return False


class IndexBuilder:
    """One a file and process. ``wake`` works in the background, ``build`` at once."""

    def __init__(self, engine: Engine, cache: ScopeCache) -> None:
        self._engine = engine
        self._cache = cache
        self._who = new_id()
        self._waiting: dict[Scope, None] = {}
        self._wake = threading.Event()
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self.progress: dict[Scope, tuple[int, int]] = {}
        """Scopes being built: vectors in the graph, vectors in all."""

    def wake(self, scope: Scope) -> None:
        """Build a scope's graph in the background. Called inside the engine's lock."""
        self._waiting.setdefault(scope)
        if self._thread is None and not self._stopping.is_set():
            self._thread = threading.Thread(target=self._run, name="edgemem-index", daemon=True)
            self._thread.start()
        self._wake.set()

    def stop(self) -> None:
        """End the background work after the batch in hand, and store what it has done."""
        self._stopping.set()
        self._wake.set()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()

    def _run(self) -> None:
        while not self._stopping.is_set():
            scope = next(iter(self._waiting), None)
            if scope is None:
                self._wake.wait()
                self._wake.clear()
                continue
            self._waiting.pop(scope, None)
            try:
                self._attend(scope)
            except StoreClosed:
                return
            except Exception:
                # Searches go on comparing one by one; the next change of the scope tries again.
                _log.exception("the vector index of %s could not be built", scope)

    def _attend(self, scope: Scope) -> None:
        if self._turn(scope):
            self.build(scope, stopped=self._stopping.is_set, threads=max(1, (os.cpu_count() or 2) // 2))
        else:
            self._stopping.wait(WAIT_SECONDS)
            self._waiting.setdefault(scope)

    def _turn(self, scope: Scope) -> bool:
        """Whether it is this process that should build. A few vectors each process links in by itself."""
        with self._engine.read() as tx:
            loaded = self._newest(tx, scope)
            small = loaded.flat.count <= self._cache.exact_up_to
        return small or self._engine.read_only or self._claim(scope)

    def _newest(self, tx: Tx, scope: Scope) -> Loaded:
        """The scope, with the stored graph if another process has brought that further than this one."""
        loaded = self._loaded(tx, scope)
        if snapshots.nodes(tx, scope) > loaded.indexed + loaded.flat.count // 2:
            loaded = self._cache.reload(tx, scope, loaded.dim, stored=True)
        return loaded

    def _loaded(self, tx: Tx, scope: Scope) -> Loaded:
        dim = tx.execute("SELECT dim FROM embedding_model WHERE id = ?", (scope.model,)).fetchone()[0]
        return self._cache.current(tx, scope, int(dim))

    def _claim(self, scope: Scope) -> bool:
        with self._engine.write() as tx:
            return snapshots.claim(tx, scope, self._who, time.time(), LEASE_SECONDS)

    def build(
        self, scope: Scope, *, progress: Progress | None = None, stopped: Callable[[], bool] = _never, threads: int = 0
    ) -> bool:
        """Link in all of a scope's vectors and store the graph; false when it was stopped before the end.

        ``threads`` 0 takes all processors.
        """
        self._cache.pinned.add(scope)
        try:
            return self._built(scope, progress, stopped, threads)
        finally:
            self._save(scope)
            self._cache.pinned.discard(scope)
            self.progress.pop(scope, None)

    def build_all(self, *, anew: bool = False, progress: Progress | None = None) -> None:
        """Build the graphs of all scopes that are large enough for one. Raises ``StoreReadOnly``."""
        with self._engine.write() as tx:
            large = [scope for scope, n in vectors.scopes(tx) if n > self._cache.exact_up_to]
            for scope in large if anew else []:
                snapshots.drop(tx, scope)
        for scope in large:
            with self._engine.read() as tx:
                loaded = self._loaded(tx, scope)
                if anew:
                    self._cache.reload(tx, scope, loaded.dim, stored=False)
                worth_it = anew or self._cache.behind(self._loaded(tx, scope))
            if worth_it:
                self.build(scope, progress=progress)

    def _built(self, scope: Scope, progress: Progress | None, stopped: Callable[[], bool], threads: int) -> bool:
        saved = time.monotonic()
        self._renew_worn(scope)
        while not stopped():
            with self._engine.read() as tx:
                batch = self._loaded(tx, scope).take(BATCH)
            if batch is None:
                return True
            batch.graph.add(batch.keys, batch.vectors, threads)
            with self._engine.read():
                batch.source.settle(batch)
                done = self.progress[scope] = (batch.source.indexed, batch.source.total)
            if progress is not None:
                progress(*done)
            if time.monotonic() - saved > SAVE_SECONDS:
                self._save(scope)
                saved = time.monotonic()
            time.sleep(0)  # a search that waits for the lock goes first
        return False

    def _renew_worn(self, scope: Scope) -> None:
        with self._engine.read() as tx:
            loaded = self._loaded(tx, scope)
            if loaded.worn:
                self._cache.reload(tx, scope, loaded.dim, stored=False)

    def _save(self, scope: Scope) -> None:
        """Store what was linked in, if that is anything, and keep the lease."""
        if self._engine.read_only:
            return
        with self._engine.read() as tx:
            loaded = self._loaded(tx, scope)
            if not loaded.unsaved or loaded.graph is None:
                return
            stored = snapshots.Stored(loaded.graph.tail(), loaded.seq, loaded.graph.count)
        with self._engine.write() as tx:
            if snapshots.save(tx, scope, stored, anew=loaded.anew):
                loaded.anew = False
            loaded.unsaved = 0
            if loaded.flat.count > BATCH:
                snapshots.claim(tx, scope, self._who, time.time(), LEASE_SECONDS)
            else:
                snapshots.give_up(tx, self._who)
