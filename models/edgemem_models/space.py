"""Is there room on the disk? Asked before a download, not found out at the end of it."""

from __future__ import annotations

import errno
import shutil
from pathlib import Path
from typing import Final

from edgemem.errors import PullFailed

_SPARE: Final = 64 << 20
_FULL: Final = {errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)}


def need(folder: Path, size: int) -> None:
    """Raise ``PullFailed`` unless ``size`` bytes and a little more are free where ``folder`` lies."""
    free = shutil.disk_usage(folder).free
    if free < size + _SPARE:
        raise no_room(folder, f"{human(size + _SPARE)} are needed, {human(free)} are free")


def no_room(folder: Path, detail: str = "the disk is full") -> PullFailed:
    """The error for a disk without room."""
    return PullFailed(
        f"There is no room for the model in {folder}: {detail}.",
        "Free some space, or set EDGEMEM_HOME to a folder on a larger disk; what was fetched so far is kept.",
    )


def is_full(error: OSError) -> bool:
    """Whether an error of the operating system says that the disk or the quota is full."""
    return error.errno in _FULL


def human(size: float) -> str:
    """A number of bytes as people read it: ``1.12 GB``, ``73.6 MB``."""
    if size >= 1e9:
        return f"{size / 1e9:.2f} GB"
    return f"{size / 1e6:.1f} MB" if size >= 1e5 else f"{size / 1e3:.1f} kB"
