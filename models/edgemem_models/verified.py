"""Which files were hashed already: SHA-256 by path, size and time of change, kept in ``verified.json``.

Hashing a gigabyte takes seconds, so it is done once; a file that changed since is hashed again.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

RECORD: Final = "verified.json"
_CHUNK: Final = 1 << 20


def sha256_of(path: Path, at: Callable[[int], None] | None = None) -> str:
    """SHA-256 of a file in hexadecimal; ``at(bytes)`` is called as it goes on."""
    digest, done = hashlib.sha256(), 0
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
            done += len(chunk)
            if at is not None:
                at(done)
    return digest.hexdigest()


def write_whole(path: Path, text: str) -> None:
    """Write a small text file so that a reader sees the old or the new one, never half."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


class Verified:
    """The record of a models folder. Where it cannot be read or written, files are hashed again instead."""

    def __init__(self, home: Path) -> None:
        self._path = home / RECORD

    def known(self, path: Path) -> str | None:
        """The SHA-256 ``path`` had when it was last hashed, or None if never, or changed since."""
        entry = self._read().get(_key(path))
        try:
            state = _state(path)
        except OSError:
            return None
        if not isinstance(entry, dict) or [entry.get("size"), entry.get("mtime_ns")] != state:
            return None
        return str(entry["sha256"]) if "sha256" in entry else None

    def remember(self, path: Path, sha256: str, source: str = "") -> None:
        """Record that ``path``, as it is now, has this SHA-256."""
        size, mtime = _state(path)
        entries = self._read()
        entries[_key(path)] = {"size": size, "mtime_ns": mtime, "sha256": sha256, "source": source}
        # A folder that cannot be written costs time at the next start, nothing else.
        with contextlib.suppress(OSError):
            write_whole(self._path, json.dumps(entries, indent=1, ensure_ascii=False))

    def forget(self, path: Path) -> None:
        """Drop what is recorded about ``path``."""
        entries = self._read()
        if entries.pop(_key(path), None) is not None:
            with contextlib.suppress(OSError):
                write_whole(self._path, json.dumps(entries, indent=1, ensure_ascii=False))

    def sha256(self, path: Path, at: Callable[[int], None] | None = None) -> str:
        """SHA-256 of ``path``, from the record if it still holds, else computed and recorded."""
        known = self.known(path)
        if known is None:
            known = sha256_of(path, at)
            self.remember(path, known)
        return known

    def _read(self) -> dict[str, Any]:
        try:
            entries = json.loads(self._path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return entries if isinstance(entries, dict) else {}


def _key(path: Path) -> str:
    return str(path.resolve())


def _state(path: Path) -> list[int]:
    stat = path.stat()
    return [stat.st_size, stat.st_mtime_ns]
