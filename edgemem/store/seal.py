"""Sealed values: encrypted once more, with a key of their own that only the passphrase opens.

A random key seals the values (ChaCha20-Poly1305, RFC 8439); it lies in the file, sealed itself with
the second key that Argon2id makes of the passphrase. So a program that was given the page key, or
an open file, still cannot read them, and another passphrase only means to wrap one key anew.
"""

from __future__ import annotations

import base64
import secrets

from edgemem.errors import InvalidInput, PassphraseNeeded, StoreCorrupt, StoreError
from edgemem.store.engine import Tx
from edgemem.store.key import Key

_NONCE = 12
_META = "seal"
_WRAP = b"edgemem seal key 1"


def seal(tx: Tx, key: Key | None, text: str, context: str) -> str:
    """The text sealed, as base64; opens only with the same ``context`` (the id of the memory that it belongs to).

    Makes the file's sealing key if it has none. Raises ``InvalidInput`` for a file without a passphrase.
    """
    return _closed(_sealing_key(tx, key, make=True), text.encode("utf-8"), context.encode())


def reveal(tx: Tx, key: Key | None, sealed: str, context: str) -> str:
    """The text again. Raises ``PassphraseNeeded``, or ``StoreCorrupt`` when it was altered or belongs elsewhere."""
    return _opened(_sealing_key(tx, key, make=False), sealed, context.encode()).decode("utf-8")


def rewrap(tx: Tx, old: Key | None, new: Key | None) -> None:
    """Bring the sealing key from one passphrase to another. Raises ``StoreError`` when there is no other."""
    row = tx.execute("SELECT value FROM meta WHERE key = ?", (_META,)).fetchone()
    if row is None:
        return
    if new is None or new.seal is None:
        if _in_use(tx):
            raise StoreError(
                "The file holds sealed values, which need a passphrase.",
                "Erase them first: edgemem list --status any, edgemem erase ID",
            )
        tx.execute("DELETE FROM meta WHERE key = ?", (_META,))
        return
    inner = _opened(_wrapping(old), row[0], _WRAP)
    tx.execute("UPDATE meta SET value = ? WHERE key = ?", (_closed(_wrapping(new), inner, _WRAP), _META))


def _in_use(tx: Tx) -> bool:
    query = "SELECT 1 FROM memory WHERE json_extract(data, '$.sealed') IS NOT NULL LIMIT 1"
    return tx.execute(query).fetchone() is not None


def _sealing_key(tx: Tx, key: Key | None, *, make: bool) -> bytes:
    if key is None:
        raise InvalidInput(
            "A sensitive value is sealed with the passphrase, and this file has none.",
            "Encrypt it first: edgemem encrypt",
        )
    row = tx.execute("SELECT value FROM meta WHERE key = ?", (_META,)).fetchone()
    if row is not None:
        return _opened(_wrapping(key), row[0], _WRAP)
    if not make:
        raise StoreCorrupt("The key of the sealed values is missing.", "Restore a backup.")
    inner = secrets.token_bytes(32)
    tx.execute("INSERT INTO meta(key, value) VALUES (?, ?)", (_META, _closed(_wrapping(key), inner, _WRAP)))
    return inner


def _wrapping(key: Key | None) -> bytes:
    if key is None or key.seal is None:
        raise PassphraseNeeded(
            "The file was opened without its passphrase, which sealed values need.", "Open it with the passphrase."
        )
    return key.seal


def _closed(key: bytes, text: bytes, context: bytes) -> str:
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

    nonce = secrets.token_bytes(_NONCE)
    return base64.b64encode(nonce + ChaCha20Poly1305(key).encrypt(nonce, text, context)).decode("ascii")


def _opened(key: bytes, sealed: str, context: bytes) -> bytes:
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

    try:
        raw = base64.b64decode(sealed, validate=True)
        return ChaCha20Poly1305(key).decrypt(raw[:_NONCE], raw[_NONCE:], context)
    except (InvalidTag, ValueError) as error:
        raise StoreCorrupt("A sealed value does not open: it was altered.", "Restore a backup.") from error
