"""Rows of a file's own backups, for when the file's are damaged. Only ever in place of a row that is there."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from edgemem.errors import EdgememError
from edgemem.store.engine import Engine
from edgemem.store.swap import Opener


class Spares:
    """The backups of one file, newest first; those that cannot be read or are of another file are passed by."""

    def __init__(self, backups: Sequence[Path], opener: Opener, file_id: str | None) -> None:
        self._engines: list[Engine] = []
        for path in backups:
            with contextlib.suppress(EdgememError):
                engine = opener(path, True)
                self._engines.append(engine)
                with engine.read() as tx:
                    found = tx.execute("SELECT value FROM meta WHERE key = 'file_id'").fetchone()
                if file_id is not None and (found is None or found[0] != file_id):
                    self._engines.remove(engine)
                    engine.close()

    def close(self) -> None:
        """Let go of the backups."""
        for engine in self._engines:
            engine.close()

    def rows(self, query: str, given: tuple[Any, ...]) -> Iterator[Any]:
        """The row that each backup has for a query, newest backup first."""
        for engine in self._engines:
            with contextlib.suppress(EdgememError):
                with engine.read() as tx:
                    row = tx.execute(query, given).fetchone()
                if row is not None:
                    yield row
