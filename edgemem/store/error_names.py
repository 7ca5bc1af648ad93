"""What the driver's errors mean for one file, and what to do about them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from edgemem.errors import (
    InvalidInput,
    NotAStore,
    PassphraseNeeded,
    StoreBusy,
    StoreCorrupt,
    StoreError,
    StoreFull,
    StoreReadOnly,
    WrongPassphrase,
)
from edgemem.store import row_seals
from edgemem.store.gate import NulInText
from edgemem.store.key import Key, salt_of
from edgemem.store.place import cannot_open, longest_file, no_room

_NO_COLUMN = "No item with that key"
"""What a driver's row says of a column that the table had when this was written: the schema's text was altered."""


class ErrorNames:
    """Turns the errors of a driver into ours, which name the file."""

    def __init__(self, driver: Any, path: Path, key: Key | None) -> None:
        self.errors: tuple[type[Exception], ...] = (driver.Error, sqlite3.Error)
        """What a bare connection raises."""
        self.path = path
        self.key = key

    @contextmanager
    def named(self) -> Iterator[None]:
        """Turn the driver's errors into ours, which say what to do."""
        try:
            yield
        except self.errors as error:
            raise self.name(error) from error
        except UnicodeEncodeError as error:
            raise InvalidInput(
                f"The text has half a character (a lone surrogate) at position {error.start + 1}.",
                "Decode the text again from its original bytes.",
            ) from error
        except NulInText as error:
            raise InvalidInput(f"The text has {error}.", "Remove it.") from error
        except UnicodeDecodeError as error:
            # Text that is none, in a row or in SQLite's own message about it: the bytes on the disk changed.
            raise self._damaged(str(error)) from error
        except IndexError as error:
            if str(error) != _NO_COLUMN:
                raise
            raise self._damaged("a column of a table has another name") from error
        except OverflowError as error:
            raise InvalidInput("A number is too large for the file.", "Use a smaller one.") from error

    def _damaged(self, why: str) -> StoreCorrupt:
        return StoreCorrupt(
            f"{self.path} is damaged: {why}.",
            f"Look at it with: edgemem check --file {self.path}; put it right with --repair, or restore a backup.",
        )

    def _unreadable(self) -> StoreError:
        """SQLite sees no database. With the right key that is damage, without one perhaps an encrypted file."""
        path, salt = self.path, salt_of(self.path)
        if salt is None and self.key is None:
            return NotAStore(
                f"{path} is not an edgemem file.",
                f"Name another file with --file; if it is damaged: edgemem check --repair --file {path}",
            )
        if salt is None:
            return NotAStore(f"{path} is not encrypted.", "Open it without a passphrase, or: edgemem encrypt")
        if self.key is None:
            return PassphraseNeeded(f"{path} is encrypted.", "Open it with its passphrase.")
        if self.key.salt != salt:
            return WrongPassphrase(f"The key is not the one of {path}.", "Open it with its passphrase.")
        return self._damaged("its first page does not open with the file's own key")

    def _not_written(self, full: bool) -> StoreError:
        path, limit = self.path, longest_file(self.path)
        if limit is not None:
            return StoreFull(
                f"{path} cannot grow: this program may write files of {limit:,} bytes at most. Nothing of this write was kept.",
                "Raise the limit (ulimit -f) and try again.",
            )
        if full or no_room(path):
            return StoreFull(
                f"No space left for {path}; nothing of this write was kept.", "Free some space and try again."
            )
        return StoreError(
            f"The disk or the system would not read or write {path}. Nothing of a write was kept.",
            f"Look at the messages of the system; once it is in order: edgemem check --file {path}",
        )

    def name(self, error: Exception) -> StoreError:
        """One of ours for one of the driver's."""
        text = str(error).lower()
        path = self.path
        if row_seals.ALTERED in text:
            table = text.rpartition(row_seals.ALTERED)[2].split()[0]
            return row_seals.altered_row(table)
        if "locked" in text or "busy" in text:
            return StoreBusy(
                f"Another process is writing to {path}.", "Try again in a moment, or close the other program."
            )
        if "not a database" in text or "encrypted" in text:
            return self._unreadable()
        if "readonly" in text or "read-only" in text:
            return StoreReadOnly(f"{path} cannot be written.", "Check the rights of the file and of its folder.")
        if "full" in text or "disk i/o" in text:
            return self._not_written("full" in text)
        if "malformed" in text or "corrupt" in text or "could not decode" in text:
            return self._damaged(str(error))
        if "foreign key" in text:
            return StoreError(
                "What this belongs to was erased in the meantime.", "Take a new view of the user: file.user(name)."
            )
        if "unable to open" in text:
            return cannot_open(path)
        return StoreError(f"{path}: {error}", f"Look at it with: edgemem check --file {path}")
