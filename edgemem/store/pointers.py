"""Rows that point to rows that are not there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any


def cut(
    tx: Any, errors: tuple[type[Exception], ...], only: Sequence[str] | None = None
) -> Iterator[tuple[str, str, int]]:
    """Take the pointer away, or the row where it is nothing without it; says how many of which table, and to what.

    ``errors`` is what the driver raises for a pointer that may not be empty. A row that goes may leave
    others without what they point to, so this goes on until all is in order.
    """
    names = [r[0] for r in tx.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    changed = True
    while changed:
        found = [f for name in names if only is None or name in only for f in _of_table(tx, name, errors)]
        yield from found
        changed = bool(found)


def _of_table(tx: Any, table: str, errors: tuple[type[Exception], ...]) -> Iterator[tuple[str, str, int]]:
    keys: dict[int, list[Any]] = {}
    for row in tx.execute(f"PRAGMA foreign_key_list({table})").fetchall():
        keys.setdefault(row["id"], []).append(row)
    for rows in keys.values():
        n = _of_key(tx, table, rows, errors)
        if n:
            yield table, rows[0]["table"], n


def _of_key(tx: Any, table: str, rows: list[Any], errors: tuple[type[Exception], ...]) -> int:
    given = " AND ".join(f"{table}.{r['from']} IS NOT NULL" for r in rows)
    match = " AND ".join(f"p.{r['to'] or 'id'} = {table}.{r['from']}" for r in rows)
    where = f"WHERE {given} AND NOT EXISTS (SELECT 1 FROM {rows[0]['table']} p WHERE {match})"
    try:
        changed: int = tx.execute(f"UPDATE {table} SET {rows[0]['from']} = NULL {where}").rowcount
    except errors:
        changed = tx.execute(f"DELETE FROM {table} {where}").rowcount
    return changed
