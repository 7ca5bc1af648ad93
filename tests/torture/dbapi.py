"""apsw as a driver for the engine, so that every write passes through a file layer of ours. Only what the engine uses."""

from __future__ import annotations

import types
from collections.abc import Iterator, Sequence
from typing import Any

import apsw

Error = apsw.Error
_FLAGS = apsw.SQLITE_OPEN_URI | apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE


class Row(tuple[Any, ...]):
    """Columns by position or name."""

    names: tuple[str, ...]

    def __getitem__(self, key: Any) -> Any:
        return tuple.__getitem__(self, self.names.index(key)) if isinstance(key, str) else tuple.__getitem__(self, key)


class Cursor:
    """The rows of one statement, read at once."""

    def __init__(self, rows: list[Row], changed: int) -> None:
        self._rows = iter(rows)
        self.rowcount = changed

    def __iter__(self) -> Iterator[Row]:
        return self._rows

    def fetchone(self) -> Row | None:
        return next(self._rows, None)

    def fetchall(self) -> list[Row]:
        return list(self._rows)


class Connection:
    """A connection as the standard library has it."""

    row_factory: Any = None

    def __init__(self, connection: apsw.Connection) -> None:
        self._inner = connection

    def execute(self, sql: str, given: Sequence[Any] = ()) -> Cursor:
        cursor = self._inner.execute(sql, tuple(given))
        rows: list[Row] = []
        for values in cursor:
            row = Row(values)
            row.names = tuple(d[0] for d in cursor.description)
            rows.append(row)
        return Cursor(rows, self._inner.changes())

    def executemany(self, sql: str, many: Sequence[Sequence[Any]]) -> None:
        for given in many:
            self.execute(sql, given)

    def create_function(self, name: str, narg: int, call: Any, *, deterministic: bool) -> None:
        self._inner.create_scalar_function(name, call, narg, deterministic=deterministic)

    @property
    def in_transaction(self) -> bool:
        return not self._inner.get_autocommit()

    def close(self) -> None:
        self._inner.close()


def driver(vfs: str, *pragmas: str) -> types.SimpleNamespace:
    """A driver module whose connections go through a file layer, and begin with these settings."""

    def connect(database: str, **_: Any) -> Connection:
        inner = apsw.Connection(database, flags=_FLAGS, vfs=vfs)
        for pragma in pragmas:
            inner.execute(f"PRAGMA {pragma}")
        return Connection(inner)

    return types.SimpleNamespace(
        connect=connect, Row=Row, Error=Error, sqlite_version=apsw.sqlite_lib_version(), __name__="apsw"
    )
