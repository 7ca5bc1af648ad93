"""A lock for the threads of one process, which a forked child never waits for."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable


class ProcessLock:
    """Re-entrant. In a forked child taking it raises what ``refusal`` makes, at once.

    The child's copy may be held by a thread that was at work in the parent and does not exist in
    the child: waiting for it would never end.
    """

    def __init__(self, refusal: Callable[[], Exception]) -> None:
        self._lock = threading.RLock()
        self._pid = os.getpid()
        self._refusal = refusal

    @property
    def forked(self) -> bool:
        """Whether this is another process than the one that made the lock."""
        return os.getpid() != self._pid

    def __enter__(self) -> None:
        if self.forked:
            raise self._refusal()
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()
