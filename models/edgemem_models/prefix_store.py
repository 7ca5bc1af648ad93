"""Evaluated instructions on disk, so that the first use after a start need not evaluate them again.

Reading a prompt of 500 tokens takes a 1.5 B model many seconds on two cores, reading its keys and values
from a file a few milliseconds. Only ``constant`` messages come here, the words a program brings along.

One file each, named by a hash of everything the numbers depend on: the model's file, llama.cpp, the type of the
cache and the tokens, which stand for template and text. A file that is not exactly what was written is removed.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np

logger = logging.getLogger(__name__)

LIMIT: Final = 512 << 20
"""Bytes of the whole folder; beyond it the files used longest ago are removed."""

SUFFIX: Final = ".prefix"
_MAGIC: Final = b"edgemem prefix 1"
_HASH: Final = 32
_HEAD: Final = len(_MAGIC) + 2 * _HASH
_SAMPLE: Final = 1 << 16
_SAMPLES: Final = 64
_ABANDONED: Final = 3600
"""Seconds after which a file that is not finished belongs to nobody."""


class PrefixStore:
    """A folder of evaluated prefixes of one model. Safe for several processes; never raises: it only saves time."""

    def __init__(self, folder: Path, identity: str, limit: int = LIMIT) -> None:
        """``identity`` names model, llama.cpp and cache type; states of different identities never mix."""
        self._folder = folder
        self._identity = identity.encode("utf-8", "replace")
        self._limit = limit

    def load(self, tokens: Sequence[int]) -> bytes | None:
        """The state kept for exactly ``tokens``, or None. A damaged file is removed."""
        key = self._key(tokens)
        path = self._path(key)
        try:
            content = path.read_bytes()
        except OSError:
            return None
        state = _state_in(content, key)
        if state is None:
            logger.warning("%s was damaged and is removed; the instructions are evaluated again.", path)
            self._remove(path)
            return None
        with contextlib.suppress(OSError):
            os.utime(path)  # marks it as used
        return state

    def holds(self, tokens: Sequence[int]) -> bool:
        """Whether there is a file for exactly ``tokens``."""
        return self._path(self._key(tokens)).exists()

    def save(self, tokens: Sequence[int], state: bytes) -> None:
        """Keep ``state``, whole or not at all."""
        key = self._key(tokens)
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._write(self._path(key), _MAGIC + key + _hash(state) + state)
            self._prune()
        except OSError as error:
            logger.warning("The evaluated instructions cannot be kept in %s: %s.", self._folder, error)

    def drop(self, tokens: Sequence[int]) -> None:
        """Remove what is kept for ``tokens``."""
        self._remove(self._path(self._key(tokens)))

    def _key(self, tokens: Sequence[int]) -> bytes:
        return _hash(self._identity + b"\0" + np.asarray(tokens, np.dtype("<i4")).tobytes())

    def _path(self, key: bytes) -> Path:
        return self._folder / (key.hex()[:40] + SUFFIX)

    def _write(self, path: Path, content: bytes) -> None:
        handle, name = tempfile.mkstemp(prefix=".", suffix=".part", dir=self._folder)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            Path(name).replace(path)
        except BaseException:
            self._remove(Path(name))
            raise

    def _prune(self) -> None:
        """Remove the files used longest ago until the folder keeps to its limit, and what a killed process left."""
        for left in self._folder.glob(".*.part"):
            if time.time() - left.stat().st_mtime > _ABANDONED:
                self._remove(left)
        files = sorted(((path.stat(), path) for path in self._folder.glob("*" + SUFFIX)), key=lambda f: f[0].st_mtime)
        size = sum(stat.st_size for stat, _ in files)
        for stat, path in files[:-1]:
            if size <= self._limit:
                return
            self._remove(path)
            size -= stat.st_size

    def _remove(self, path: Path) -> None:
        with contextlib.suppress(OSError):
            path.unlink()


def file_identity(path: Path) -> str:
    """A hash of a model file without reading all of it: size, time of change, and 64 samples from start to end."""
    digest = hashlib.blake2b(digest_size=_HASH)
    stat = path.stat()
    digest.update(f"{stat.st_size} {stat.st_mtime_ns}".encode())
    with path.open("rb") as file:
        for number in range(_SAMPLES):
            file.seek(max(0, stat.st_size - _SAMPLE) * number // (_SAMPLES - 1))
            digest.update(file.read(_SAMPLE))
    return digest.hexdigest()


def _state_in(content: bytes, key: bytes) -> bytes | None:
    """The state in a file's content, None unless it is whole and the one that was asked for."""
    state = content[_HEAD:]
    return state if content[:_HEAD] == _MAGIC + key + _hash(state) else None


def _hash(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=_HASH).digest()
