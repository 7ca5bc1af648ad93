"""Encrypt a file, decrypt it, change its passphrase: a new file is written, checked, and takes the place of the old one.

The old file is locked all the while and written over with zeros before anybody else gets at it: a
program that waited for it finds no database, instead of writing into a file that is no more.
"""

from __future__ import annotations

import contextlib
import glob
import os
from pathlib import Path

from edgemem.errors import StoreBusy
from edgemem.processes import is_gone
from edgemem.store import backup, seal, swap
from edgemem.store.engine import Engine
from edgemem.store.key import Key
from edgemem.store.migrations import migrate

_FRESH, _OLD = "recrypt", "wiping"
_PART = 1 << 20

_OPEN_FILES_STAY = os.name == "nt"
"""On Windows no file takes the place of one that is open. A program that opens it just then makes the change fail, no more."""


def rewrite(path: Path, old: Key | None, new: Key | None, timeout: float, now: str) -> None:
    """Give a file another key, or none.

    Raises ``StoreBusy`` when another program has it open, ``StoreCorrupt`` when it has damage, and ``StoreError``
    when sealed values would have to be left without a key. Whenever it ends early, the old file stands as it was.
    """
    finish(path)
    fresh = _beside(path, _FRESH)
    engine = Engine(path, read_only=False, busy_timeout=timeout, key=old)
    try:
        _alone(engine)
        engine.export_to(fresh, new)
        _prepare(fresh, old, new, timeout, now)
        fresh.chmod(path.stat().st_mode & 0o777)
        swap.sync(fresh)
        if _OPEN_FILES_STAY:
            engine.close()
        _replace(fresh, path)
    finally:
        engine.close()
        _discard(fresh)


def _alone(engine: Engine) -> None:
    try:
        engine.leave_wal()
        engine.lock_out()
    except StoreBusy as error:
        raise StoreBusy(f"Another program has {engine.path} open.", "Close it first, then try again.") from error


def _prepare(fresh: Path, old: Key | None, new: Key | None, timeout: float, now: str) -> None:
    """Bring the copy to this schema, check it, and wrap the key of the sealed values anew."""

    def opener(place: Path, read_only: bool) -> Engine:
        return Engine(place, read_only=read_only, busy_timeout=timeout, key=new)

    with contextlib.closing(opener(fresh, False)) as engine:
        migrate(engine, now=now)
        with engine.write() as tx:
            seal.rewrap(tx, old, new)
    backup.verify(fresh, opener)


def _replace(fresh: Path, path: Path) -> None:
    aside = _beside(path, _OLD)
    try:
        os.link(path, aside)
        fresh.replace(path)
    except OSError:  # a file system without links
        path.rename(aside)
        fresh.replace(path)
    swap.sync_folder(path.parent)
    wipe(aside)


def finish(path: Path) -> None:
    """Remove what a rewriting whose process died has left: unfinished copies, and old files not yet written over."""
    for left in path.parent.glob(f".{glob.escape(path.name)}.*.*"):
        pid, _, ending = left.name.removeprefix(f".{path.name}.").partition(".")
        if not ending.startswith((_FRESH, _OLD)) or not pid.isdigit() or not is_gone(int(pid)):
            continue
        # A second name of the file itself: the new one had not taken its place yet.
        if path.exists() and left.samefile(path):
            left.unlink()
        else:
            wipe(left)


def wipe(path: Path) -> None:
    """Write zeros over a file and remove it. What a disk keeps elsewhere of it, no program can reach."""
    with path.open("r+b") as stream:
        size = os.fstat(stream.fileno()).st_size
        for start in range(0, size, _PART):
            stream.write(bytes(min(_PART, size - start)))
        stream.flush()
        os.fsync(stream.fileno())
    path.unlink()


def _beside(path: Path, ending: str) -> Path:
    return path.with_name(f".{path.name}.{os.getpid()}.{ending}")


def _discard(fresh: Path) -> None:
    for left in (fresh, *swap.side_files(fresh)):
        if left.exists():
            wipe(left)
