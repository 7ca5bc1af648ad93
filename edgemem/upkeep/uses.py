"""Uses of memories, gathered and written later: counting them never slows a read."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable

from edgemem.errors import StoreError
from edgemem.store import memories
from edgemem.store.engine import Engine

USE_SECONDS = 20.0
"""How long uses of memories are gathered before the background worker writes them."""


class Uses:
    """Which memories of one open file were used, and when last, until it is written. Thread-safe."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._seen: dict[tuple[int, int], str] = {}
        self._since = 0.0
        self._lock = threading.Lock()

    @property
    def due(self) -> bool:
        """Whether some wait for longer than ``USE_SECONDS``."""
        return bool(self._seen) and time.monotonic() - self._since > USE_SECONDS

    def note(self, user: int, keys: Iterable[int], now: str) -> None:
        """Remember that memories were used."""
        with self._lock:
            if not self._seen:
                self._since = time.monotonic()
            self._seen.update({(user, key): now for key in keys})

    def drop(self, user: int) -> None:
        """Forget the uses of a user's memories that were not written yet."""
        with self._lock:
            self._seen = {key: when for key, when in self._seen.items() if key[0] != user}

    def flush(self) -> None:
        """Write what was gathered."""
        with self._lock:
            uses, self._seen = self._seen, {}
        if not uses or self._engine.read_only:
            return
        try:
            with self._engine.write() as tx:
                for (user, key), when in uses.items():
                    memories.note_use(tx, user, [key], when)
        except StoreError:
            with self._lock:
                self._seen = uses | self._seen  # the file was busy: next time
            raise
