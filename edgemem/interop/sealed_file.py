"""An export under a passphrase: what is inside can be read only with it, and no part of it can be changed.

The file begins with ``MAGIC`` and the 16 bytes of ``edgemem.store.key``: a salt and check bytes. Argon2id makes the key,
as it does for an encrypted memory file. The bytes follow in pieces of 64 KiB, each closed with ChaCha20-Poly1305
(RFC 8439) under a nonce that counts the pieces and marks the last, so none can be left out, exchanged or added
(the STREAM construction of Hoang, Reyhanitabar, Rogaway and Vizár, CRYPTO 2015).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from edgemem.errors import InvalidInput, PassphraseNeeded
from edgemem.store import key

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

MAGIC = b"edgemem export 1"
_HEAD = len(MAGIC) + 16
_PIECE = 64 * 1024
_TAG = 16


def is_sealed(data: bytes) -> bool:
    """Whether these bytes are an export under a passphrase."""
    return data.startswith(MAGIC)


def is_sealed_file(path: Path) -> bool:
    """Whether a file is an export under a passphrase; not for a memory file, which only SQLite may open."""
    if not path.is_file():
        return False
    with path.open("rb") as stream:
        return is_sealed(stream.read(len(MAGIC)))


def closed(texts: Iterable[str], passphrase: str) -> Iterator[bytes]:
    """The pieces of a file that holds the texts. Raises ``InvalidInput`` for an empty passphrase."""
    made = key.fresh(passphrase)
    cipher, head = _cipher(made), MAGIC + made.salt
    yield head
    waiting, count = bytearray(), 0
    for text in texts:
        waiting += text.encode("utf-8")
        while len(waiting) > _PIECE:
            yield cipher.encrypt(_nonce(count, last=False), bytes(waiting[:_PIECE]), head)
            del waiting[:_PIECE]
            count += 1
    yield cipher.encrypt(_nonce(count, last=True), bytes(waiting), head)


def opened(data: bytes, passphrase: str | None) -> bytes:
    """What the file holds. Raises ``PassphraseNeeded``, ``WrongPassphrase``, or ``InvalidInput`` when it was cut or changed."""
    if passphrase is None:
        raise PassphraseNeeded(
            "The export is encrypted.", "Give its passphrase: EDGEMEM_EXPORT_PASSPHRASE or --export-fd N."
        )
    return _opened(data, _cipher(key.derive(passphrase, data[len(MAGIC) : _HEAD])))


def _opened(data: bytes, cipher: ChaCha20Poly1305) -> bytes:
    from cryptography.exceptions import InvalidTag

    pieces = range(_HEAD, len(data), _PIECE + _TAG)
    try:
        if not pieces:
            raise InvalidTag
        return b"".join(
            cipher.decrypt(_nonce(count, last=at == pieces[-1]), data[at : at + _PIECE + _TAG], data[:_HEAD])
            for count, at in enumerate(pieces)
        )
    except InvalidTag as error:
        raise InvalidInput(
            "The encrypted export was cut or changed.", "Take another copy of it, or export again."
        ) from error


def _cipher(made: key.Key) -> ChaCha20Poly1305:
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

    return ChaCha20Poly1305(made.pages)


def _nonce(count: int, *, last: bool) -> bytes:
    return count.to_bytes(11, "big") + bytes([last])
