"""From a passphrase to the key of a file, and what the first bytes of an encrypted file say.

An encrypted file begins with 16 bytes that are not encrypted: ``edm1``, 10 random bytes, 2 check
bytes. Argon2id (RFC 9106) makes 66 bytes of the passphrase and the first 14 of these: the key of
SQLCipher's pages, the key that sealed values are sealed with, and the check bytes. A wrong
passphrase is told from a damaged file by them: it passes once in 65,536 times.
"""

from __future__ import annotations

import contextlib
import hmac
import secrets
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from edgemem.errors import InvalidInput, PassphraseNeeded, StoreError, WrongPassphrase
from edgemem.store.driver import driver, has_cipher
from edgemem.text import check_text, first_surrogate

MAGIC = b"edm1"
_RANDOM = 10
_CHECK = 2
_KEY = 32

TIME_COST, MEMORY_KIB, LANES = 3, 64 * 1024, 4
"""Argon2id's parameters. Part of the format: another choice needs another ``MAGIC``."""


@dataclass(frozen=True, slots=True)
class Key:
    """The keys of one file. ``seal`` is None when only the page key is known, as from the system's keyring."""

    salt: bytes
    pages: bytes
    seal: bytes | None = None

    def __repr__(self) -> str:
        return f"Key({self.salt.hex()})"

    @property
    def literal(self) -> str:
        """Page key and salt as ``PRAGMA key`` takes them."""
        return f"x'{self.pages.hex()}{self.salt.hex()}'"


def fresh(passphrase: str) -> Key:
    """A key for a new file, with a salt of its own."""
    check_text(passphrase, "The passphrase")
    begin = MAGIC + secrets.token_bytes(_RANDOM)
    made = _derived(passphrase, begin)
    return Key(begin + made[2 * _KEY :], made[:_KEY], made[_KEY : 2 * _KEY])


def derive(passphrase: str, salt: bytes) -> Key:
    """The key of a file that begins with ``salt``. Raises ``WrongPassphrase``."""
    made = _derived(passphrase, salt[:-_CHECK])
    if not hmac.compare_digest(made[2 * _KEY :], salt[-_CHECK:]):
        raise WrongPassphrase(
            "The passphrase is wrong.", "Try again. If it must be right, the first bytes of the file are damaged."
        )
    return Key(salt, made[:_KEY], made[_KEY : 2 * _KEY])


def _derived(passphrase: str, begin: bytes) -> bytes:
    from argon2.low_level import Type, hash_secret_raw

    if not passphrase:
        raise InvalidInput("The passphrase is empty.", "Choose one of several words.")
    if first_surrogate(passphrase) is not None:
        raise InvalidInput("The passphrase has half a character.", "Type it again, in a terminal that writes UTF-8.")
    # The same letters typed on another keyboard may come composed in another way.
    secret = unicodedata.normalize("NFC", passphrase).encode("utf-8")
    return hash_secret_raw(secret, begin, TIME_COST, MEMORY_KIB, LANES, 2 * _KEY + _CHECK, Type.ID)


def salt_of(path: Path) -> bytes | None:
    """The first 16 bytes of an encrypted edgemem file; None for any other file, or none.

    SQLite reads them: opening the file by other means would drop the locks that this process holds on it.
    """
    if not has_cipher() or not path.is_file() or path.stat().st_size < len(MAGIC):
        return None
    module = driver()
    with contextlib.suppress(module.Error):
        connection = module.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, isolation_level=None)
        try:
            connection.execute("PRAGMA cipher_log_level=NONE")
            connection.execute(f"PRAGMA key = \"x'{'0' * 2 * _KEY}'\"")
            found = bytes.fromhex(connection.execute("PRAGMA cipher_salt").fetchone()[0])
        finally:
            connection.close()
        return found if found.startswith(MAGIC) else None
    return None


class Unlock:
    """What opens the files of one owner: a passphrase, a page key, or nothing. Keys are derived once a file."""

    def __init__(self, passphrase: str | None = None, key: Key | None = None) -> None:
        self._passphrase = passphrase
        self._known: dict[bytes, Key] = {} if key is None else {key.salt: key}

    def key_for(self, path: Path) -> Key | None:
        """The key of a file; None for one that is not encrypted.

        A file that is not there yet gets a fresh one when there is a passphrase. Raises
        ``PassphraseNeeded`` or ``WrongPassphrase``.
        """
        if self._passphrase is not None and not has_cipher():
            raise StoreError("Encryption needs the package sqlcipher3.", "Install it: pip install sqlcipher3")
        if not path.exists() or path.stat().st_size == 0:
            return None if self._passphrase is None else self._kept(fresh(self._passphrase))
        salt = salt_of(path)
        if salt is None:
            return None
        if salt not in self._known:
            if self._passphrase is None and self._known:
                raise WrongPassphrase(f"The key is not the one of {path}.", "Open it with its passphrase.")
            if self._passphrase is None:
                raise PassphraseNeeded(
                    f"{path} is encrypted.",
                    "Give the passphrase: in EDGEMEM_PASSPHRASE, with --passphrase-fd, or typed in.",
                )
            self._kept(derive(self._passphrase, salt))
        return self._known[salt]

    def _kept(self, key: Key) -> Key:
        self._known[key.salt] = key
        return key
