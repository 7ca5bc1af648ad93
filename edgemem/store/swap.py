"""Put one file in the place of another, keeping the old one aside. Nobody may have it open meanwhile."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from edgemem.errors import StoreBusy, StoreError
from edgemem.store.engine import Engine

Opener = Callable[[Path, bool], Engine]
"""Opens a file; true means for reading only. Knows the key of an encrypted one."""

SIDES = ("-wal", "-shm", "-journal")


def side_files(path: Path) -> list[Path]:
    """What lies beside a database file and belongs to it: its log and the memory its users share."""
    return [side for ending in SIDES if (side := path.with_name(f"{path.name}{ending}")).exists()]


def free_name(path: Path) -> Path:
    """The path, or the first numbered one like it that is not taken."""
    found, n = path, 1
    while found.exists():
        n += 1
        found = path.with_name(f"{path.name}-{n}")
    return found


def settle(path: Path, opener: Opener) -> bool:
    """Fold the log into the file and make sure that nobody else has it open; false when it is too damaged for that.

    Raises ``StoreBusy`` when another program has it open.
    """
    try:
        with log_kept(path), contextlib.closing(opener(path, False)) as engine:
            engine.leave_wal()
    except StoreBusy as error:
        raise StoreBusy(f"Another program has {path} open.", "Close it first, then try again.") from error
    except StoreError:
        return False
    return True


@contextlib.contextmanager
def log_kept(path: Path) -> Iterator[None]:
    """Keep the log of a file while it is opened: SQLite removes that of a file whose first page it cannot read."""
    kept = {side: side.with_name(f"{side.name}.kept") for side in side_files(path)}
    for side, name in kept.items():
        name.unlink(missing_ok=True)
        _twin(side, name)
    opened = False
    try:
        yield
        opened = True
    finally:
        for side, name in kept.items():
            name.unlink() if opened or side.exists() else name.rename(side)


def _twin(path: Path, other: Path) -> None:
    try:
        os.link(path, other)
    except OSError:  # a file system without links
        shutil.copy2(path, other)


def put_in_place(fresh: Path, path: Path, aside: Path) -> None:
    """``fresh`` becomes ``path``; what was there, with the log that belongs to it, becomes ``aside``.

    One rename decides: before it the old file stands, after it the new one. A log left behind
    would be read into the new file, so it goes first, which only happens to a file that cannot be folded.
    """
    if path.exists():
        for side in side_files(path):
            side.rename(aside.with_name(aside.name + side.name[len(path.name) :]))
        try:
            os.link(path, aside)
        except OSError:  # a file system without links
            path.rename(aside)
    fresh.replace(path)
    sync_folder(path.parent)


def sync(path: Path) -> None:
    """Wait until a file's bytes are on the disk. Not for a file that a connection of this process has open."""
    handle = os.open(path, os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sync_folder(folder: Path) -> None:
    """Wait until a rename in the folder is on the disk, where the system can do that."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
