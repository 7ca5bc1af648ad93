"""A file that was made and came to hold nothing goes again."""

from __future__ import annotations

import contextlib
from pathlib import Path

from edgemem.errors import StoreBusy
from edgemem.store import swap
from edgemem.store.swap import Opener

_WORDS = ("session", "memory", "history", "task", "profile", "entity", "insight", "erased")
"""Tables that are empty as long as nobody has said anything."""


def drop_stub(path: Path) -> None:
    """Remove what is left of a file whose making failed: a page without tables, and no log with anything in it."""
    wal = path.with_name(f"{path.name}-wal")
    with contextlib.suppress(OSError):
        if path.stat().st_size <= 4096 and not (wal.exists() and wal.stat().st_size):
            for part in (*swap.side_files(path), path):
                part.unlink(missing_ok=True)


def unmake(path: Path, opener: Opener) -> bool:
    """Remove a closed file in which nothing was said; false when there is something, or another program has it open."""
    with contextlib.closing(opener(path, False)) as engine:
        try:
            engine.leave_wal()
            engine.lock_out()
        except StoreBusy:
            return False
        with engine.read() as tx:
            if any(tx.execute(f"SELECT 1 FROM {table} LIMIT 1").fetchone() for table in _WORDS):
                return False
        # While it is locked; where an open file cannot go, right after.
        with contextlib.suppress(PermissionError):
            path.unlink()
    for part in (path, *swap.side_files(path)):
        part.unlink(missing_ok=True)
    return True
