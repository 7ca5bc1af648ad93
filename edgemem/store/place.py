"""Where a file lies: may it be written, is there room, why can it not be opened."""

from __future__ import annotations

import contextlib
import logging
import os
import shutil
from pathlib import Path

from edgemem.errors import StoreError, StoreReadOnly

_log = logging.getLogger(__name__)


def can_write(path: Path) -> bool:
    """Whether the file and its folder may be written: rights, and a medium that takes writes."""
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)


def no_room(path: Path) -> bool:
    """Whether less than a megabyte is left where the file lies."""
    try:
        return shutil.disk_usage(path.parent).free < 1 << 20
    except OSError:
        return False


def longest_file(path: Path) -> int | None:
    """The bytes that a file of this process may have at most, where the file or its log is about to reach that."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return None
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)[0]
    if limit == resource.RLIM_INFINITY:
        return None
    parts = (path, path.with_name(f"{path.name}-wal"))
    return limit if max((p.stat().st_size for p in parts if p.exists()), default=0) + (1 << 20) > limit else None


def cannot_open(path: Path) -> StoreError:
    """Why a path cannot be opened at all."""
    if path.is_dir():
        return StoreError(f"{path} is a folder.", "Name a file in it.")
    if not path.parent.is_dir():
        return StoreError(
            f"The folder {path.parent} does not exist.", "Make it first, or name another file with --file."
        )
    if path.exists() and not can_write(path):
        return StoreReadOnly(
            f"{path} cannot be written: the file, its folder or the medium takes no writes.",
            "Copy it to a folder that can be written. Commands that only read work where it is.",
        )
    return StoreReadOnly(f"{path} cannot be opened.", "Check that the file exists and the rights of its folder.")


def make_private(path: Path) -> None:
    """Make an empty file that only its owner may read, if there is none; SQLite's side files take its rights.

    Where that is not possible SQLite will say why.
    """
    with contextlib.suppress(OSError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def tell_unfolded(path: Path, why: str) -> None:
    """Say that the last close left the write-ahead log beside the file; where another process reads, its close folds it."""
    if "locked" not in why:
        _log.warning(
            "%s: its log, %s-wal, could not be folded into it (%s). Nothing is lost: keep the two together.",
            path, path.name, why,
        )  # fmt: skip
