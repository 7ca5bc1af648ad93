"""Carry every row that can still be read from a damaged file into a fresh one.

Two ways of reading, each where the other fails: SQL, which knows encrypted pages and the log, and the
bare pages, which need neither the schema nor a tree that hangs together. Nothing is judged here:
rows that do not fit their table are left out and counted, the rest is for ``mend`` to check.
"""

from __future__ import annotations

import contextlib
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from edgemem.errors import EdgememError
from edgemem.store import graves, owner_seals, pages, pointers, row_seals, schema, swap, turn_seals
from edgemem.store.engine import Engine
from edgemem.store.loading import loading, tolerant
from edgemem.store.schema_changes import SEALED_FROM, sealed_since
from edgemem.store.swap import Opener

_DERIVED = ("sqlite_", "_sqlite_", "memory_fts", "turn_fts", "snapshot", "change")
_PROBES = 4000
"""Most ranges of keys asked for one by one in a table that cannot be read through."""

_FITS: dict[str, tuple[type, ...]] = {
    "INTEGER": (int,), "REAL": (float, int), "TEXT": (str,), "BLOB": (bytes,), "ANY": (int, float, str, bytes),
}  # fmt: skip

Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table of the fresh file: its columns in order, those of its key, and whether rows have a number of their own."""

    name: str
    columns: tuple[str, ...]
    types: tuple[str, ...]
    required: tuple[bool, ...]
    key: tuple[int, ...]
    rowid: bool

    def fits(self, row: Row) -> bool:
        """Whether the values have the types of the columns."""
        return len(row) == len(self.columns) and all(
            (not must if value is None else isinstance(value, _FITS[kind]))
            for value, kind, must in zip(row, self.types, self.required, strict=True)
        )

    @property
    def sealed(self) -> bool:
        """Whether the last column is the row's seal."""
        return self.columns[-1] == "seal"

    def from_record(self, record: pages.Record, *, sealed: bool = True) -> Row | None:
        """The row that a stored record is, or None when it is none of this table's. ``sealed``: it has its seal."""
        if self.sealed and not sealed:
            record = replace(record, values=(*record.values, None))
        if len(record.values) != len(self.columns) or (record.rowid is not None) != self.rowid:
            return None
        if not self.rowid:
            stored = (*self.key, *(n for n in range(len(self.columns)) if n not in self.key))
            by_column = dict(zip(stored, record.values, strict=True))
            row: Row = tuple(by_column[n] for n in range(len(self.columns)))
        else:
            # The number of a row stands outside of its record, which holds NULL in its place.
            row = tuple(
                record.rowid if (n,) == self.key and self.types[n] == "INTEGER" and value is None else value
                for n, value in enumerate(record.values)
            )
        # A whole number of a column of reals is stored as an integer.
        row = tuple(
            float(v) if kind == "REAL" and isinstance(v, int) else v for kind, v in zip(self.types, row, strict=False)
        )
        return row if self.fits(row) else None


@dataclass(slots=True)
class Salvaged:
    """What came over: rows by table, rows that fit nowhere, and tables that could not be read through.

    ``last_change`` is the number of the last change there ever was, where the file still says it.
    """

    rows: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    torn: list[str] = field(default_factory=list)
    last_change: int | None = None
    schema: int = schema.VERSION
    """What the damaged file is of: rows that carry no seal there get theirs now."""

    def has_seal(self, table: str) -> bool:
        """Whether the rows of a table carry a seal in the damaged file."""
        return self.schema >= sealed_since(table)


def tables(fresh: Engine) -> list[Table]:
    """The tables of a file of this version that hold rows, not what is derived from rows."""
    with fresh.read() as tx:
        names = [
            (r[0], not r[1])
            for r in tx.execute("SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type = 'table'")
        ]
        return [_table(tx, name, rowid) for name, rowid in names if not name.startswith(_DERIVED)]


def _table(tx: Any, name: str, rowid: bool) -> Table:
    info = tx.execute(f"PRAGMA table_info({name})").fetchall()
    key = [c[0] for c in sorted((c for c in info if c[5]), key=lambda c: c[5])]
    return Table(
        name, tuple(c[1] for c in info), tuple(c[2].upper() for c in info),
        tuple(bool(c[3] or c[5]) for c in info), tuple(key), rowid,
    )  # fmt: skip


def salvage(path: Path, fresh: Engine, opener: Opener, scratch: Path) -> Salvaged:
    """Fill ``fresh`` from the damaged file ``path``, which is only read; ``scratch`` names a copy to work on."""
    shutil.copyfile(path, scratch)
    for side in swap.side_files(path):
        if not side.name.endswith("-shm"):
            shutil.copyfile(side, scratch.with_name(scratch.name + side.name[len(path.name) :]))
    data = path.read_bytes()
    result, known = Salvaged(schema=_schema_of(data, scratch, opener)), tables(fresh)
    by_page = _by_table(data, known, result.has_seal)
    with loading(fresh) as tx:
        for table in known:
            # A row with a seal may break a rule of its table here: the seal says what it was.
            _rules(tx, kept=not _has_seal(table, result))
            _load(fresh, tx, table, _by_sql(scratch, table, opener, result), result)
            _rules(tx, kept=True)
            _load(fresh, tx, table, by_page[table.name], result)
        # The pages of an index look like those of a table without row numbers; what they hold points nowhere.
        for name, _, n in pointers.cut(tx, fresh.driver_errors, [t.name for t in known if not t.rowid]):
            result.rows[name] -= n
        if result.schema < SEALED_FROM:
            turn_seals.renew(tx)
            owner_seals.renew(tx)
            graves.renew(tx)
    result.last_change = _last_change(scratch, opener)
    return result


def _has_seal(table: Table, result: Salvaged) -> bool:
    return table.name in ("turn", "memory") or (table.sealed and result.has_seal(table.name))


def _rules(tx: Any, *, kept: bool) -> None:
    tx.execute(f"PRAGMA ignore_check_constraints={int(not kept)}")


def _schema_of(data: bytes, scratch: Path, opener: Opener) -> int:
    """The schema's number, which stands in the header of a file, encrypted or not."""
    number = int.from_bytes(data[60:64], "big") if data.startswith(b"SQLite format 3") else None
    with contextlib.suppress(EdgememError), contextlib.closing(opener(scratch, True)) as engine, engine.read() as tx:
        number = tx.execute("PRAGMA user_version").fetchone()[0]
    # A number that is none of ours is damage, and then the file is more likely of now.
    return number if number is not None and 1 <= number < schema.VERSION else schema.VERSION


def _last_change(scratch: Path, opener: Opener) -> int | None:
    with contextlib.suppress(EdgememError), contextlib.closing(opener(scratch, True)) as engine, engine.read() as tx:
        row = tx.execute("SELECT seq FROM sqlite_sequence WHERE name = 'history'").fetchone()
        return None if row is None or not isinstance(row[0], int) else row[0]
    return None


def _load(fresh: Engine, tx: Any, table: Table, rows: Iterable[Row], result: Salvaged) -> None:
    marks = ["CAST(? AS TEXT)" if kind == "TEXT" else "?" for kind in table.types]
    insert = f"INSERT INTO {table.name}({', '.join(table.columns)}) VALUES ({', '.join(marks)})"
    keys = (f"{table.columns[n]} IS {marks[n]}" for n in table.key)
    seen = f"SELECT 1 FROM {table.name} WHERE {' AND '.join(keys)}"
    for row in rows:
        if table.sealed:
            row = _with_seal(table, row, result)
            if row[-1] is None:
                result.refused[table.name] += 1
                continue
        bound = [v.encode("utf-8", "surrogateescape") if isinstance(v, str) else v for v in row]
        try:
            if table.key and tx.execute(seen, [bound[n] for n in table.key]).fetchone() is not None:
                continue
            tx.execute(insert, bound)
            result.rows[table.name] += 1
        except fresh.driver_errors:  # it breaks a rule of the table: not a row of ours, or not any more
            result.refused[table.name] += 1


def _with_seal(table: Table, row: Row, result: Salvaged) -> Row:
    if result.has_seal(table.name):
        return row
    if table.name == "history":
        return (*row[:-1], owner_seals.NOT_WHOLE)  # until all are there: whether a change is whole the others tell
    by_name = dict(zip(table.columns, row, strict=True))
    return (*row[:-1], row_seals.digest(table.name, *(by_name[c] for c in row_seals.COLUMNS[table.name])))


def _by_table(data: bytes, known: list[Table], has_seal: Callable[[str], bool]) -> dict[str, list[Row]]:
    """Rows of the bare pages, by the table whose columns they fit; what fits several or none is not a row of ours."""
    found: dict[str, list[Row]] = {table.name: [] for table in known}
    for record in pages.records(data):
        rows = ((t.name, t.from_record(record, sealed=has_seal(t.name))) for t in known)
        fitting = [(name, row) for name, row in rows if row is not None]
        if len(fitting) == 1:
            found[fitting[0][0]].append(fitting[0][1])
    return found


def _by_sql(path: Path, table: Table, opener: Opener, result: Salvaged) -> Iterator[Row]:
    try:
        engine = opener(path, True)
    except EdgememError:
        result.torn.append(table.name)
        return
    try:
        tolerant(engine)
        reader = _Reader(engine, table, sealed=result.has_seal(table.name))
        yield from reader.rows()
        if reader.torn:
            result.torn.append(table.name)
    finally:
        engine.close()


class _Reader:
    """Reads one table of a damaged file from both ends, then what lies between in ever smaller ranges of keys."""

    def __init__(self, engine: Engine, table: Table, *, sealed: bool) -> None:
        self._engine = engine
        self._table = table
        self._probes = 0
        self.torn = False
        columns = table.columns if sealed or not table.sealed else (*table.columns[:-1], "NULL AS seal")
        self._columns = ", ".join(columns)

    def rows(self) -> Iterator[Row]:
        """The rows that fit, each once."""
        table = self._table
        key = "rowid" if table.rowid else ", ".join(table.columns[n] for n in table.key)
        forward = list(self._until_error(f"ORDER BY {key}"))
        yield from (row for _, row in forward)
        if not self.torn:
            return
        known = {number for number, _ in forward}
        order = ", ".join(f"{part} DESC" for part in key.split(", "))
        backward = [(n, row) for n, row in self._until_error(f"ORDER BY {order}") if n not in known]
        yield from (row for _, row in backward)
        if table.rowid and forward and backward:
            yield from self._between(forward[-1][0] + 1, backward[-1][0] - 1)

    def _until_error(self, order: str, *bounds: int) -> Iterator[tuple[Any, Row]]:
        table = self._table
        number = "rowid" if table.rowid else "0"
        where = "WHERE rowid BETWEEN ? AND ?" if bounds else ""
        indexed = "NOT INDEXED" if table.rowid else ""
        try:
            with self._engine.read() as tx:
                for found in tx.execute(
                    f"SELECT {number}, {self._columns} FROM {table.name} {indexed} {where} {order}", bounds
                ):
                    row = tuple(found)[1:]
                    if table.fits(row):
                        yield (found[0] if table.rowid else row), row
        except EdgememError:
            self.torn = True

    def _between(self, low: int, high: int) -> Iterator[Row]:
        spans = [(low, high)]
        while spans and self._probes < _PROBES:
            low, high = spans.pop()
            if low > high:
                continue
            self._probes += 1
            self.torn = False
            got = list(self._until_error("ORDER BY rowid", low, high))
            if not self.torn or low == high:
                yield from (row for _, row in got)
                continue
            middle = (low + high) // 2
            spans += [(low, middle), (middle + 1, high)]
        self.torn = True
