"""One user's whole memory in PostgreSQL with pgvector, and back. Needs the extra ``postgres``.

Each table of a person becomes a table of the same name in a schema of its own, its columns typed, references as names
(a turn is ``{session,turn}``). Row-level security shows a connection only the rows of the account that
``edgemem.account`` names. ``hand_over`` replaces what the account had, in one transaction; ``take_back`` makes a file
with the same ids, history, validity and vectors.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg import sql
from psycopg.types.json import Json

from edgemem.errors import Conflict, InvalidInput, NotFound, StoreError
from edgemem.intake import ImportReport
from edgemem.store.carry_vectors import CarriedVector
from edgemem.view import Memory

SCHEMA = "edgemem"

EXTENSION = "vector"
"""What pgvector is called in a database."""
MOST_INDEXED = 2000
"""Numbers of a vector up to which pgvector can index it; longer ones are compared one by one."""

_BATCH = 500
_TYPES = {"text": "text", "integer": "bigint", "real": "double precision", "time": "timestamptz", "json": "json", "name": "text",
          "names": "text[]"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class HandedOver:
    """What went to the server: the account, rows by table, vectors, and how many rows had something masked."""

    account: str
    rows: dict[str, int]
    vectors: int
    masked: int


def hand_over(
    memory: Memory, conninfo: str, *, account: str | None = None, sensitive: bool = False, replace: bool = False
) -> HandedOver:
    """Write a user's whole memory to the server, in place of what the account had.

    ``conninfo`` is a libpq connection string or URI; ``account`` the name it gets there (the user's). Values marked
    sensitive are masked unless ``sensitive``. Raises ``Conflict`` if another file wrote the account and not
    ``replace``, ``StoreError`` when the server refuses.
    """
    name = account or memory.name
    with _connected(conninfo) as connection, connection.cursor() as cursor, ExitStack() as stack:
        tables = memory.layout()
        _make(cursor, tables)
        _own(cursor, memory, name, replace=replace)
        rows: dict[str, int] = {}
        masked = 0
        # Closed whatever happens: a record that is waited for holds the file.
        records = stack.enter_context(closing(memory.records(sensitive=sensitive)))
        vectors = stack.enter_context(closing(memory.vectors()))
        for table, group in itertools.groupby(records, key=lambda r: r["type"]):
            kept = list(group)
            masked += sum(bool(record.get("masked")) for record in kept)
            rows[table] = rows.get(table, 0) + _insert(cursor, table, tables[table], name, kept, rows.get(table, 0))
        return HandedOver(name, rows, _insert_vectors(cursor, name, vectors), masked)


def take_back(
    memory: Memory, conninfo: str, *, account: str | None = None, revive: bool = False
) -> ImportReport:  # fmt: skip
    """Bring an account into a user's memory, each record once, as an import does; ``revive`` as there. Raises ``NotFound``, ``StoreError``."""
    name = account or memory.name
    with _connected(conninfo) as connection, connection.cursor() as cursor:
        tables = memory.layout()
        schema = _account(cursor, name)
        if schema is None:
            raise NotFound(f"The server has no account {name!r}.", "Name another with --account.")
        records = (record for table in tables for record in _read(cursor, table, tables[table], name))
        report = memory.take_records(records, schema=int(schema[1]), revive=revive)
        memory.take_vectors(_read_vectors(cursor, name))
        return report


@contextmanager
def _connected(conninfo: str) -> Iterator[psycopg.Connection[Any]]:
    try:
        connection = psycopg.connect(conninfo)
    except psycopg.Error as error:
        raise StoreError(
            f"The server cannot be reached: {_first_line(error)}", "Look at the connection string."
        ) from error
    try:
        with connection:
            yield connection
    except psycopg.Error as error:
        raise StoreError(f"The server refused: {_first_line(error)}", "Nothing of this was kept.") from error


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def _extension(cursor: psycopg.Cursor[Any]) -> None:
    """pgvector in this database. Raises ``StoreError`` where the server has none, or the role may not add it."""
    cursor.execute("SELECT 1 FROM pg_extension WHERE extname = %s", (EXTENSION,))
    if cursor.fetchone() is not None:
        return
    try:
        cursor.execute(sql.SQL("CREATE EXTENSION {}").format(sql.Identifier(EXTENSION)))
    except (psycopg.errors.FeatureNotSupported, psycopg.errors.UndefinedFile) as error:
        raise StoreError("The server has no pgvector.", "On Debian 13: apt install postgresql-17-pgvector") from error
    except psycopg.errors.InsufficientPrivilege as error:
        raise StoreError(
            "The role may not add pgvector to the database.", "Let a superuser run there: CREATE EXTENSION vector"
        ) from error


def _make(cursor: psycopg.Cursor[Any], tables: dict[str, list[tuple[str, str]]]) -> None:
    """Make schema, tables, policies and indexes that are not there."""
    _extension(cursor)
    cursor.execute(sql.SQL("CREATE SCHEMA IF NOT EXISTS {}").format(sql.Identifier(SCHEMA)))
    _table(
        cursor,
        "account",
        "account text PRIMARY KEY, file_id text NOT NULL, schema bigint NOT NULL, handed_over timestamptz NOT NULL",
    )
    for table, columns in tables.items():
        typed = [sql.SQL("{} {}").format(sql.Identifier(name), sql.SQL(_TYPES[kind])) for name, kind in columns]
        fixed = sql.SQL("account text NOT NULL, place bigint NOT NULL, masked boolean NOT NULL, ")
        _table(cursor, table, fixed + sql.SQL(", ").join(typed) + sql.SQL(", PRIMARY KEY (account, place)"))
    _table(
        cursor, "vector",
        "account text NOT NULL, owner text NOT NULL, name text[] NOT NULL, model text NOT NULL, part bigint NOT NULL,"
        " v public.vector NOT NULL, PRIMARY KEY (account, owner, name, model, part)",
    )  # fmt: skip


def _table(cursor: psycopg.Cursor[Any], name: str, columns: str | sql.Composable) -> None:
    place = sql.Identifier(SCHEMA, name)
    body = sql.SQL(columns) if isinstance(columns, str) else columns
    cursor.execute("SELECT to_regclass(%s)", (f'"{SCHEMA}"."{name}"',))
    if cursor.fetchone() != (None,):
        return
    cursor.execute(sql.SQL("CREATE TABLE {} ({})").format(place, body))
    # FORCE: the owner of the tables is held to the policy too; only a superuser is not.
    cursor.execute(sql.SQL("ALTER TABLE {} ENABLE ROW LEVEL SECURITY").format(place))
    cursor.execute(sql.SQL("ALTER TABLE {} FORCE ROW LEVEL SECURITY").format(place))
    cursor.execute(
        sql.SQL("CREATE POLICY own ON {} USING (account = current_setting('edgemem.account', true))").format(place)
    )


def _account(cursor: psycopg.Cursor[Any], name: str) -> tuple[str, int] | None:
    """Speak for an account from now on; its file and schema, if it is there."""
    cursor.execute("SELECT set_config('edgemem.account', %s, true)", (name,))
    cursor.execute("SELECT to_regclass(%s)", (f"{SCHEMA}.account",))
    if cursor.fetchone() == (None,):
        return None
    cursor.execute(
        sql.SQL("SELECT file_id, schema FROM {} WHERE account = %s").format(sql.Identifier(SCHEMA, "account")), (name,)
    )
    return cursor.fetchone()


def _own(cursor: psycopg.Cursor[Any], memory: Memory, name: str, *, replace: bool) -> None:
    """Take the account, and take out what it had."""
    info = memory.file.info()
    known = _account(cursor, name)
    if known is not None and known[0] != info["file_id"] and not replace:
        raise Conflict(
            f"The account {name!r} holds the memory of another file.",
            "Give this one another --account, or say --replace.",
        )
    for table in (*memory.layout(), "vector", "account"):
        cursor.execute(sql.SQL("DELETE FROM {} WHERE account = %s").format(sql.Identifier(SCHEMA, table)), (name,))
    cursor.execute(
        sql.SQL("INSERT INTO {} VALUES (%s, %s, %s, now())").format(sql.Identifier(SCHEMA, "account")),
        (name, info["file_id"], info["schema"]),
    )


def _insert(
    cursor: psycopg.Cursor[Any], table: str, columns: list[tuple[str, str]], account: str, records: list[dict[str, Any]], start: int
) -> int:  # fmt: skip
    strange = {key for record in records for key in record} - {name for name, _ in columns} - {"type", "masked"}
    if strange:
        raise InvalidInput(f"A {table} has a field {min(strange)!r} that has no column.", "Report this.")
    query = sql.SQL("INSERT INTO {} (account, place, masked, {}) VALUES (%s, %s, %s{})").format(
        sql.Identifier(SCHEMA, table), sql.SQL(", ").join(sql.Identifier(name) for name, _ in columns),
        sql.SQL(", %s" * len(columns)),
    )  # fmt: skip
    cursor.executemany(
        query,
        [
            (
                account,
                place,
                bool(record.get("masked")),
                *(_out(record.get(name), kind, name in record) for name, kind in columns),
            )
            for place, record in enumerate(records, start)
        ],
    )
    return len(records)


def _out(value: Any, kind: str, there: bool) -> Any:
    # A field that is not there, such as the words of an erased change, is NULL; JSON's null is a value.
    return Json(value) if kind == "json" and there else value


def _read(
    cursor: psycopg.Cursor[Any], table: str, columns: list[tuple[str, str]], account: str
) -> list[dict[str, Any]]:
    # Times as the text they were; JSON as it was written, so that what was hashed stays what it was.
    shown = [
        sql.SQL("to_char({} AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')").format(sql.Identifier(name))
        if kind == "time" else sql.Identifier(name)
        for name, kind in columns
    ]  # fmt: skip
    cursor.execute(
        sql.SQL("SELECT masked, {} FROM {} WHERE account = %s ORDER BY place").format(
            sql.SQL(", ").join(shown), sql.Identifier(SCHEMA, table)
        ),
        (account,),
    )
    names = [name for name, _ in columns]
    return [_record(table, names, row) for row in cursor]


def _record(table: str, names: list[str], row: tuple[Any, ...]) -> dict[str, Any]:
    masked, *values = row
    record = {"type": table, **dict(zip(names, values, strict=True))}
    if table == "history":
        # Of an erased change the digest is left, of any other the salt and the words.
        gone = ("salt", "reason", "before", "after") if record["digest"] is not None else ("digest",)
        record = {key: value for key, value in record.items() if key not in gone}
    return record | ({"masked": True} if masked else {})


def _insert_vectors(cursor: psycopg.Cursor[Any], account: str, vectors: Iterable[CarriedVector]) -> int:
    count, models = 0, set()
    query = sql.SQL("INSERT INTO {} VALUES (%s, %s, %s, %s, %s, %s)").format(sql.Identifier(SCHEMA, "vector"))
    waiting = iter(vectors)
    while some := list(itertools.islice(waiting, _BATCH)):
        cursor.executemany(query, [_row(account, v) for v in some])
        count += len(some)
        models |= {(v.model, len(v.values)) for v in some}
    for model, dim in sorted(m for m in models if m[1] <= MOST_INDEXED):
        cursor.execute(
            sql.SQL("CREATE INDEX IF NOT EXISTS {} ON {} USING hnsw ((v::public.vector({})) public.vector_cosine_ops)"
                    " WHERE model = {}").format(
                sql.Identifier(f"near_{model}"[:60]), sql.Identifier(SCHEMA, "vector"), sql.Literal(dim), sql.Literal(model)
            )
        )  # fmt: skip
    return count


def _row(account: str, v: CarriedVector) -> tuple[Any, ...]:
    name = v.name if isinstance(v.name, list) else [v.name]
    return account, v.owner, name, v.model, v.part, f"[{','.join(map(repr, v.values))}]"


def _read_vectors(cursor: psycopg.Cursor[Any], account: str) -> Iterator[CarriedVector]:
    cursor.execute(
        sql.SQL(
            "SELECT owner, name, model, part, v::text FROM {} WHERE account = %s ORDER BY owner, name, model, part"
        ).format(sql.Identifier(SCHEMA, "vector")),
        (account,),
    )
    for owner, name, model, part, text in cursor:
        values = tuple(map(float, text.strip("[]").split(",")))
        yield CarriedVector(owner, name[0] if len(name) == 1 else name, model, part, values)
