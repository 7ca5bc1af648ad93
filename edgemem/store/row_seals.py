"""Seals over the rows that have no seal of their own kind: all but memories and turns.

Each row carries a digest of its table's name and all of its columns. Temporary triggers write it, so no
statement that changes a row can forget it; whoever reads a row has SQLite compare the two.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from edgemem.errors import StoreCorrupt
from edgemem.store.schema_changes import SEALED_FROM, SEALED_ROWS

COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {name: columns for name, (columns, _) in SEALED_ROWS.items()}
"""The columns that a table's seal covers: all but the seal."""

KEYS: Final[Mapping[str, tuple[str, ...]]] = {name: columns[:n] for name, (columns, n) in SEALED_ROWS.items()}

ALTERED: Final = "altered row of "
"""How the driver's error begins when a statement would change an altered row; the name of its table follows."""

_SIZE = 16


def digest(table: str, *values: object) -> bytes:
    """BLAKE2b of 16 bytes over a table's name and a row's values in the order of ``COLUMNS``."""
    text = json.dumps([table, *values], ensure_ascii=False, separators=(",", ":"), default=bytes.hex)
    # Bytes that are no text come as lone surrogates where a damaged file is read.
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_SIZE).digest()


def is_whole(table: str, row: Any) -> bool:
    """Whether a row with all its columns is as it was written."""
    return bool(row["seal"] == digest(table, *(row[column] for column in COLUMNS[table])))


def _whole(table: str, seal: object, *values: object) -> int:
    return int(seal == digest(table, *values))


def install(connection: Any) -> None:
    """Teach a connection the two functions that the statements of this module call."""
    connection.create_function("edgemem_seal", -1, digest, deterministic=True)
    connection.create_function("edgemem_whole", -1, _whole, deterministic=True)


def watch(connection: Any) -> bool:
    """Seal every row that this connection writes from now on; false for a file of a schema without seals.

    A row that is written with a seal keeps that one, and one that was altered on the disk is not changed: the
    statement fails. Who puts a row in order takes its seal off (NULL); it gets another.
    """
    if connection.execute("PRAGMA user_version").fetchone()[0] < SEALED_FROM:
        return False
    for table in COLUMNS:
        altered = f"NEW.seal IS NOT NULL AND NOT {whole(table, 'OLD')}"
        _seal_on(connection, table, "new", "INSERT", "WHEN NEW.seal IS NULL")
        _seal_on(
            connection, table, "changed", "UPDATE", "", f"SELECT RAISE(ABORT, '{ALTERED}{table}') WHERE {altered};"
        )
    return True


def let_pass(connection: Any) -> None:
    """Let altered rows be changed, for repair: they keep the seal that tells of them."""
    for table in COLUMNS:
        connection.execute(f"DROP TRIGGER IF EXISTS temp.seal_{table}_changed")
        _seal_on(connection, table, "changed", "UPDATE", f"WHEN NEW.seal IS NULL OR {whole(table, 'OLD')}")


def _seal_on(connection: Any, table: str, name: str, event: str, when: str, first: str = "") -> None:
    """A trigger that seals the rows which a kind of statement writes."""
    of = f" OF {', '.join(COLUMNS[table])}" if event == "UPDATE" else ""
    mine = " AND ".join(f"{key} IS NEW.{key}" for key in KEYS[table])
    connection.execute(
        f"CREATE TEMP TRIGGER IF NOT EXISTS seal_{table}_{name} AFTER {event}{of} ON main.{table} {when}"
        f" BEGIN {first} UPDATE {table} SET seal = {_call('edgemem_seal', table, 'NEW')} WHERE {mine}; END"
    )


def whole(table: str, alias: str) -> str:
    """An expression that is 1 for a row as it was written and 0 for an altered one."""
    return _call("edgemem_whole", table, alias, f"{alias}.seal, ")


def _call(function: str, table: str, alias: str, more: str = "") -> str:
    return f"{function}('{table}', {more}{', '.join(f'{alias}.{column}' for column in COLUMNS[table])})"


def check(is_whole: object, what: str) -> None:
    """Raises ``StoreCorrupt`` for a row of ``what`` whose ``whole`` was 0."""
    if not is_whole:
        raise altered_row(what)


def altered_row(what: str) -> StoreCorrupt:
    """The error for a row of ``what`` that is not what was written."""
    return StoreCorrupt(f"A row of the {what} was altered on the disk.", "Repair it: edgemem check --repair")


def name(table: str, row: Any) -> str:
    """What tells a row from others: its id, or its key."""
    columns = ("uid",) if "uid" in COLUMNS[table] else ("name",) if table in ("user", "task") else KEYS[table]
    return "/".join(str(row[column]) for column in columns)


def altered(tx: Any) -> Iterator[tuple[str, Any]]:
    """Table and row of everything that is not what was written. Reads all sealed rows."""
    for table in COLUMNS:
        for row in tx.execute(f"SELECT * FROM {table} t WHERE NOT {whole(table, 't')}").fetchall():
            yield table, row
