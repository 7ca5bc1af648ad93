"""One process at a time: a lock file the operating system releases when its holder ends, however it ends."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

_EVERY: Final = 0.3


@contextlib.contextmanager
def held(path: Path, on_wait: Callable[[], None], poll: Callable[[], None]) -> Iterator[None]:
    """Hold the lock at ``path``. While another process has it, ``on_wait`` is called once and ``poll`` repeatedly.

    ``poll`` may raise to give up waiting.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        if not _try(handle):
            on_wait()
            while not _try(handle):
                poll()
                time.sleep(_EVERY)
        yield
    finally:
        # Closing releases the lock; the empty file stays, since removing it would race with a waiting process.
        os.close(handle)


if sys.platform == "win32":
    import msvcrt

    def _try(handle: int) -> bool:
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _try(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True
