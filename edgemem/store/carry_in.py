"""Records of ``carry_out`` become rows again, each once, however often they come."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from edgemem.errors import StoreCorrupt
from edgemem.records import KINDS
from edgemem.store import changes, fulltext, history, memories, turn_seals
from edgemem.store.carry_out import Names, Record, field_name, portable_columns, record_of
from edgemem.store.driver import driver
from edgemem.store.engine import Row, Tx
from edgemem.store.tables import TABLES, TIMES, Table
from edgemem.text import flaw
from edgemem.times import from_db

Arrival = Literal["added", "known", "differs", "duplicate", "erased"]
"""``known`` is there already; ``differs`` is there with other content, which stays; ``duplicate`` is a
memory whose words are there under another id, or a change of such a memory; ``erased`` was erased from this file."""

_USE = ("use_count", "last_used_at")
_CHANGE = frozenset(history.WORDS)
_PAYLOAD = ("reason", "before", "after")


class Refused(ValueError):
    """A record that cannot become a row, and why. Never leaves the import."""


@dataclass(slots=True)
class Arrivals:
    """What came in through one import of one user: which rows stand for which names.

    ``memories_first``: a change of a memory that is not here by then is refused. A merge takes the changes first.
    """

    tx: Tx
    user: int
    memories_first: bool = True
    keys: dict[tuple[str, str], int] = field(default_factory=dict)
    merged: set[str] = field(default_factory=set)
    columns: dict[str, list[str]] = field(default_factory=dict)

    def take(self, record: Record) -> Arrival:
        """Write one record. Raises ``Refused``; then nothing of it is kept."""
        self.tx.execute("SAVEPOINT record")
        try:
            return self._take(record)
        except _unfit() as error:
            self.tx.execute("ROLLBACK TO record")
            raise Refused(_why(error)) from None
        finally:
            self.tx.execute("RELEASE record")

    def fields_of(self, record: Record) -> dict[str, Any]:
        """The columns that a record would have here. Raises ``Refused``."""
        return self._fields(record["type"], TABLES[record["type"]], record)

    def row_of(self, record: Record) -> Row | None:
        """The row of this file that a record is of, or None. Raises ``Refused``."""
        return self._row(record["type"], TABLES[record["type"]], self.fields_of(record))

    def _take(self, record: Record) -> Arrival:
        name = record.get("type")
        if not isinstance(name, str) or name not in TABLES:
            raise Refused(f"there is no kind of record {str(name)[:40]!r}")
        if name == "history":
            return self._change(record)
        table = TABLES[name]
        fields = self._fields(name, table, record)
        known = self._row(name, table, fields)
        if known is not None:
            return self._met(name, known, record)
        if name == "memory" and fields["status"] == "live":
            same = memories.live_with_hash(self.tx, self.user, fields["content"])
            if same is not None:
                self.merged.add(fields["uid"])
                self.keys["memory", _label(fields["uid"])] = same["id"]
                return "duplicate"
        self._insert(name, table, fields)
        return "added"

    def _fields(self, name: str, table: Table, record: Record) -> dict[str, Any]:
        """The columns of a record, references as this file's integers."""
        columns = {field_name(table, column): column for column in self._columns(name)}
        strange = set(record) - set(columns) - {"type"}
        if strange:
            raise Refused(f"a {name} has no `{min(strange)}`")
        return {
            columns[key]: self._value(name, table, columns[key], value)
            for key, value in record.items()
            if key != "type"
        }

    def _columns(self, name: str) -> list[str]:
        if name not in self.columns:
            self.columns[name] = portable_columns(self.tx, name)
        return self.columns[name]

    def _value(self, name: str, table: Table, column: str, value: Any) -> Any:
        if column in table.refs:
            return None if value is None else self._key(table.refs[column], value)
        if column in table.json:
            if name == "job" and isinstance(value, dict) and value.get("turn") is not None:
                value = value | {"turn": self._key("turn", value["turn"])}
            return json.dumps(value, ensure_ascii=False, allow_nan=False)
        if value is not None and (isinstance(value, bool) or not isinstance(value, str | int | float)):
            raise Refused(f"`{column}` cannot be {type(value).__name__}")
        if isinstance(value, str):
            check_text(column, value)
        return value

    def _key(self, name: str, label: Any) -> int:
        """This file's integer for a row by its name."""
        place = (name, _label(label))
        if place not in self.keys:
            key = self._find(name, TABLES[name], label)
            if key is None:
                raise Refused(f"it rests on a {name} that is not here: {_label(label)}")
            self.keys[place] = key
        return self.keys[place]

    def _find(self, name: str, table: Table, label: Any) -> int | None:
        parts = label if isinstance(label, list) else [label]
        if len(parts) != len(table.key):
            raise Refused(f"{_label(label)} names no {name}")
        fields = {
            c: self._key(table.refs[c], p) if c in table.refs else p for c, p in zip(table.key, parts, strict=True)
        }
        row = self._row(name, table, fields)
        return None if row is None else int(row["id"])

    def _row(self, name: str, table: Table, fields: Mapping[str, Any]) -> Row:
        missing = [column for column in table.key if column not in fields]
        if missing:
            raise Refused(f"`{field_name(table, missing[0])}` is missing")
        mine = "" if table.owner else "user_id = ? AND "
        query = f"SELECT * FROM {name} WHERE {mine}{' AND '.join(f'{c} = ?' for c in table.key)}"
        owner = () if table.owner else (self.user,)
        return self.tx.execute(query, (*owner, *(fields[c] for c in table.key))).fetchone()

    def _met(self, name: str, known: Row, record: Record) -> Arrival:
        if name in ("session", "task", "job"):
            return "known"  # they live on by themselves; what belongs to them is compared row by row
        here = record_of(name, known, self._columns(name), Names(self.tx, self.user))
        left = {*_USE, "position", "extracted"}
        return "known" if _without(here, left) == _without(here | record, left) else "differs"

    def _insert(self, name: str, table: Table, fields: dict[str, Any]) -> None:
        if name == "memory":
            self._insert_memory(fields)
            return
        if name == "turn":
            self._place(fields)
        if name == "job" and fields.get("status") == "running":
            fields["status"] = "queued"
        if not table.owner:
            fields["user_id"] = self.user
        columns = ", ".join(fields)
        marks = ",".join("?" * len(fields))
        self.tx.execute(f"INSERT INTO {name}({columns}) VALUES ({marks})", tuple(fields.values()))
        if name == "turn":
            fulltext.add_turn(self.tx, self.user, fields["session_id"], fields["position"])
            changes.note(self.tx, self.user, "turn", self._row(name, table, fields)["id"])

    def _place(self, fields: dict[str, Any]) -> None:
        """A turn keeps its place in its session if it comes after all that are there, and is sealed anew."""
        for column in ("uid", "role", "content", "said_at", "zone"):
            # A number would be stored as text, and is sealed as it is given.
            if not isinstance(fields.get(column), str):
                raise Refused(f"`{column}` of a turn is a text")
        last = self.tx.execute(
            "SELECT coalesce(max(position), -1) FROM turn WHERE session_id = ?", (fields["session_id"],)
        ).fetchone()[0]
        fields["position"] = max(int(fields["position"]), last + 1)
        if not isinstance(fields.setdefault("speaker", None), str | None):
            raise Refused("`speaker` of a turn is a text")
        fields["hash"] = turn_seals.digest(fields | {"user_id": self.user})
        self.tx.execute(
            "UPDATE session SET started_at = min(started_at, ?1), last_at = max(last_at, ?1) WHERE id = ?2",
            (fields["said_at"], fields["session_id"]),
        )

    def _insert_memory(self, fields: dict[str, Any]) -> None:
        missing = set(memories.FIELDS) - set(fields)
        if missing:
            raise Refused(f"`{min(missing)}` is missing")
        if not fields["data"].startswith("{"):
            raise Refused("`data` must be an object")
        if fields["kind"] not in KINDS:
            raise Refused(f"there is no kind {fields['kind']!r}")
        memories.insert(self.tx, self.user, fields["uid"], fields)
        self.tx.execute(
            "UPDATE memory SET use_count = ?, last_used_at = ? WHERE user_id = ? AND uid = ?",
            (*(fields.get(c, 0 if c == "use_count" else None) for c in _USE), self.user, fields["uid"]),
        )

    def _change(self, record: Record) -> Arrival:
        if not set(record) >= _CHANGE:
            raise Refused(f"`{min(_CHANGE - set(record))}` is missing")
        if record["memory_uid"] in self.merged:
            return "duplicate"
        if history.get(self.tx, self.user, record["uid"]) is not None:
            return "known"
        # Of an erased memory the changes are left without words, and the one that erased it.
        told = self.memories_first and any(record.get(state) is not None for state in ("before", "after"))
        if told and memories.row(self.tx, self.user, record["memory_uid"]) is None:
            raise Refused(f"it tells of a memory that is not here: {_label(record['memory_uid'])}")
        for column in _CHANGE:
            if record[column] is not None or column != "undoes":
                check_text(column, record[column])
        salt, payload, digest = self._payload(record)
        history.restore(self.tx, self.user, {c: record[c] for c in _CHANGE}, salt, payload, digest)
        return "added"

    def _payload(self, record: Record) -> tuple[bytes | None, str | None, bytes]:
        try:
            if "digest" in record:
                return None, None, bytes.fromhex(record["digest"])
            salt = bytes.fromhex(record["salt"])
            payload = {part: record[part] for part in _PAYLOAD}
            for state in (payload["before"], payload["after"]):
                if state is not None and state["source_turn"] is not None:
                    state["source_turn"] = self._key("turn", state["source_turn"])
        except KeyError as error:
            raise Refused(f"the change has no {error}") from None
        text = history.as_payload(payload["reason"], payload["before"], payload["after"])
        return salt, text, history.digest_of(salt, text)


def blank(change: Record) -> Record:
    """A change without what it said; its digest, or one in its place, keeps the chain whole."""
    digest = change.get("digest") or hashlib.sha256(str(change["uid"]).encode()).hexdigest()
    return {"type": "history", **{name: change.get(name) for name in history.WORDS}, "digest": digest}


def check_text(column: str, value: Any) -> None:
    """Whether a text can stand in a column. Raises ``Refused``."""
    if not isinstance(value, str) or flaw(value) is not None:
        raise Refused(f"`{column}` is no text that can be stored")
    if column in TIMES:
        try:
            moment = from_db(value)
        except StoreCorrupt:
            moment = None
        if moment is None or moment.tzinfo is None:
            raise Refused(f"`{column}` is no time: {value[:40]!r}")


def _unfit() -> tuple[type[Exception], ...]:
    """What a record raises whose values do not fit the table."""
    return (ValueError, TypeError, AttributeError, OverflowError, sqlite3.IntegrityError, driver().IntegrityError)


def _why(error: Exception) -> str:
    text = str(error)
    if isinstance(error, Refused):
        return text
    return "its id is taken by another record of this file" if text.startswith("UNIQUE") else f"it does not fit: {text}"


def _label(label: Any) -> str:
    return json.dumps(label, ensure_ascii=False)


def _without(record: Record, left: set[str]) -> Record:
    return {key: value for key, value in record.items() if key not in left}
