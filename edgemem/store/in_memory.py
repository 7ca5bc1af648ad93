"""A copy of a file in memory: how an old file that may only be read is upgraded all the same."""

from __future__ import annotations

from typing import Any

from edgemem.store.driver import driver, has_cipher
from edgemem.store.key import Key


def copied(source: Any, uri: str, key: Key | None) -> Any:
    """A connection to a copy in memory of the file that ``source`` is connected to and ``uri`` names."""
    copy = driver().connect("file::memory:", uri=True, isolation_level=None, check_same_thread=False)
    copy.row_factory = driver().Row
    if not has_cipher():
        source.backup(copy)
        return copy
    copy.execute(f'ATTACH DATABASE ? AS old KEY "{key.literal if key else ""}"', (uri,))
    copy.execute("SELECT sqlcipher_export('main', 'old')").fetchall()
    for pragma in ("application_id", "user_version"):
        copy.execute(f"PRAGMA main.{pragma}={copy.execute(f'PRAGMA old.{pragma}').fetchone()[0]}")
    copy.execute("DETACH DATABASE old")
    # The virtual tables came as rows of the schema, which is only read again now.
    copy.execute("PRAGMA writable_schema=RESET")
    return copy
