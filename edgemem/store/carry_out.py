"""A user's rows as plain records that mean the same in any file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from edgemem.store import history, memories, row_seals, turn_seals
from edgemem.store.engine import Row, Tx
from edgemem.store.tables import TABLES, TIMES, Table

Record = dict[str, Any]
"""One row: ``type`` is its table; the rest are its columns, references by name."""


_CHOSEN = "(SELECT value FROM json_each(:chosen))"
_OF_CHOSEN = f"FROM memory WHERE user_id = :user AND id IN {_CHOSEN}"
_CHOSEN_TURNS = f"""(SELECT source_turn {_OF_CHOSEN} UNION SELECT json_extract(payload, w.value || '.source_turn')
FROM history, json_each('["$.before", "$.after"]') w
WHERE user_id = :user AND memory_uid IN (SELECT uid {_OF_CHOSEN}) AND payload IS NOT NULL)"""
_RESTS_ON: Mapping[str, str] = {
    "session": f"id IN (SELECT session_id FROM turn WHERE user_id = :user AND id IN {_CHOSEN_TURNS})",
    "turn": f"id IN {_CHOSEN_TURNS}",
    "trace": f"uid IN (SELECT trace {_OF_CHOSEN})",
    "memory": f"id IN {_CHOSEN}",
    "history": f"memory_uid IN (SELECT uid {_OF_CHOSEN})",
}
"""Of each table, the rows that chosen memories rest on."""


def records(tx: Tx, user: int, chosen: Sequence[int] | None = None) -> Iterator[Record]:
    """All rows of a user, each after those it refers to.

    With ``chosen`` (keys of memories) only those, their history, and the turns they came from.
    """
    names = Names(tx, user)
    for name, table in TABLES.items():
        if chosen is None:
            yield from _rows(tx, name, table, names, "1", {"user": user})
        elif name in _RESTS_ON:
            given = {"user": user, "chosen": json.dumps(chosen)}
            yield from _rows(tx, name, table, names, _RESTS_ON[name], given)


def _rows(tx: Tx, name: str, table: Table, names: Names, condition: str, given: Mapping[str, Any]) -> Iterator[Record]:
    parent = table.refs.get(table.owner or "", "")
    mine = f"{table.owner} IN (SELECT id FROM {parent} WHERE user_id = :user)" if parent else "user_id = :user"
    order = ", ".join(table.key) if parent or name in _UNNUMBERED else "rowid"
    query = f"SELECT * FROM {name} WHERE {mine} AND {table.where} AND {condition} ORDER BY {order}"
    columns = portable_columns(tx, name)
    for row in tx.execute(query, given):
        _refuse_altered(name, row)
        yield record_of(name, row, columns, names)


def _refuse_altered(name: str, row: Row) -> None:
    """What was altered on the disk does not go out as if it had been written so. Raises ``StoreCorrupt``."""
    if name == "memory":
        true = memories.is_sealed(row)
    elif name == "turn":
        true = turn_seals.is_whole(row)
    else:
        true = row_seals.is_whole(name, row) and (name != "history" or history.payload_whole(row))
    row_seals.check(true, name)


_UNNUMBERED = frozenset({"profile", "state", "alias"})
"""Tables without a row id; their key is their order."""


def portable_columns(tx: Tx, name: str) -> list[str]:
    """The columns of a table that travel."""
    own = {"id", "user_id", "seq", "seal", *TABLES[name].left}
    found = [row[1] for row in tx.execute(f"PRAGMA table_info({name})")]
    return [column for column in found if column not in own]


_CHANGE = (("uid", "text"), ("memory_uid", "text"), ("decision", "text"), ("action", "text"), ("author", "text"),
           ("at", "time"), ("undoes", "text"), ("digest", "text"), ("salt", "text"), ("reason", "text"),
           ("before", "json"), ("after", "json"))  # fmt: skip


def layout(tx: Tx) -> dict[str, list[tuple[str, str]]]:
    """The fields of each table's records, in order, each with its kind.

    Kinds: text, integer, real, time, json, name (of a row), names (where one is not enough).
    """
    return {name: list(_CHANGE) if name == "history" else _fields(tx, name) for name in TABLES}


def _fields(tx: Tx, name: str) -> list[tuple[str, str]]:
    table = TABLES[name]
    declared = {row[1]: str(row[2]).lower() for row in tx.execute(f"PRAGMA table_info({name})")}

    def kind(column: str) -> str:
        if column in table.refs:
            return "name" if len(TABLES[table.refs[column]].key) == 1 else "names"
        return "json" if column in table.json else "time" if column in TIMES else declared[column]

    return [(field_name(table, column), kind(column)) for column in portable_columns(tx, name)]


def field_name(table: Table, column: str) -> str:
    """What a column is called in a record: a reference loses its ``_id``."""
    return column.removesuffix("_id") if column in table.refs else column


def record_of(name: str, row: Row, columns: list[str], names: Names) -> Record:
    """A row as a record."""
    if name == "history":
        return _change(row, names)
    table = TABLES[name]
    record: Record = {"type": name}
    for column in columns:
        value = row[column]
        if column in table.refs:
            value = None if value is None else names.of(table.refs[column], value)
        elif column in table.json and value is not None:
            value = json.loads(value)
        record[field_name(table, column)] = value
    if name == "job" and "turn" in record["payload"]:
        record["payload"] |= {"turn": names.of("turn", record["payload"]["turn"])}
    return record


def _change(row: Row, names: Names) -> Record:
    """A change of the history. What was erased from it stays erased; its digest keeps the chain whole."""
    record: Record = {"type": "history"}
    record |= {c: row[c] for c in ("uid", "memory_uid", "decision", "action", "author", "at", "undoes")}
    if row["payload"] is None:
        return record | {"digest": bytes(row["digest"]).hex()}
    payload = history.payload_of(row["payload"])
    for state in (payload["before"], payload["after"]):
        if state is not None:
            state["source_turn"] = names.of("turn", state["source_turn"])
    return record | {"salt": bytes(row["salt"]).hex(), **payload}


class Names:
    """The names of rows by their integers: one value, or a list where one is not enough."""

    def __init__(self, tx: Tx, user: int) -> None:
        self._tx = tx
        self._user = user
        self._known: dict[tuple[str, int], Any] = {}

    def of(self, name: str, key: int | None) -> Any:
        """The name of a row, or None for a row that is not there any more."""
        if key is None:
            return None
        if (name, key) not in self._known:
            self._known[name, key] = self._find(name, key)
        return self._known[name, key]

    def _find(self, name: str, key: int) -> Any:
        table = TABLES[name]
        query = f"SELECT {', '.join(table.key)} FROM {name} WHERE id = ? AND user_id = ?"
        row = self._tx.execute(query, (key, self._user)).fetchone()
        if row is None:
            return None
        parts = [self.of(table.refs[c], row[c]) if c in table.refs else row[c] for c in table.key]
        return parts[0] if len(parts) == 1 else parts
