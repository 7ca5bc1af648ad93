"""Encrypt a memory file, decrypt it, change its passphrase. Nobody may have the file open."""

from __future__ import annotations

import os
from pathlib import Path

from edgemem.errors import NotAStore, StoreError
from edgemem.ports import SystemClock
from edgemem.settings import Settings
from edgemem.store import recrypt
from edgemem.store.driver import has_cipher
from edgemem.store.key import Key, derive, fresh, salt_of
from edgemem.text import check_path
from edgemem.times import to_db


def encrypt(path: str | os.PathLike[str], passphrase: str) -> None:
    """Encrypt a whole file with a passphrase. Whoever loses it loses the file.

    The old bytes are written over with zeros; backups made before stay as they are. Raises ``StoreBusy`` when a
    program has the file open, ``StoreError`` when it is encrypted already.
    """
    place = _there(path)
    if salt_of(place) is not None:
        raise StoreError(f"{place} is encrypted already.", "Change its passphrase: edgemem passphrase")
    _rewrite(place, None, fresh(passphrase))


def decrypt(path: str | os.PathLike[str], passphrase: str) -> None:
    """Take the encryption off. Raises ``WrongPassphrase``, ``StoreBusy``, or ``StoreError`` when values are sealed in it."""
    place = _there(path)
    _rewrite(place, _key(place, passphrase), None)


def change_passphrase(path: str | os.PathLike[str], old: str, new: str) -> None:
    """Encrypt a file anew under another passphrase. Raises ``WrongPassphrase`` or ``StoreBusy``."""
    place = _there(path)
    _rewrite(place, _key(place, old), fresh(new))


def _there(path: str | os.PathLike[str]) -> Path:
    place = check_path(path)
    if not has_cipher():
        raise StoreError("Encryption needs the package sqlcipher3.", "Install it: pip install sqlcipher3")
    if not place.is_file():
        raise StoreError(f"There is no file {place}.", "Name another file with --file.")
    return place


def _key(place: Path, passphrase: str) -> Key:
    salt = salt_of(place)
    if salt is None:
        raise NotAStore(f"{place} is not encrypted.", "Encrypt it with: edgemem encrypt")
    return derive(passphrase, salt)


def _rewrite(place: Path, old: Key | None, new: Key | None) -> None:
    recrypt.rewrite(place, old, new, Settings().busy_timeout, to_db(SystemClock().now()))
