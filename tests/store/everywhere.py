"""Put a person's words into every table of a file, so that a table which forgets to erase them is seen.

Rows that the library makes are made by it; the others are built from the schema itself: text columns hold
the word, references lead to the person's rows. A new table is therefore filled without anybody's doing.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.helpers import Fact, RuleModel, opened, plain_connection, said

NOT_A_PERSONS = {
    "meta": "facts about the file",
    "embedding_model": "names of models",
    "snapshot": "derived, keys of rows only",
    "snapshot_chunk": "derived, keys of rows only",
    "change": "keys of rows only",
    "erased": "salted digests only",
}
BY_HAND = {"state", "task"}
"""Tables that nothing said leads to: a search or the erasure of the user reaches them."""

_VALUES: dict[tuple[str, str], Any] = {
    ("profile", "readers"): "[]", ("relation", "status"): "live", ("review", "status"): "open", ("task", "status"): "open",
    ("relation", "confidence"): 0.5, ("insight", "confidence"): 0.5, ("profile", "avoid"): 0, ("evidence", "turn_id"): None,
}  # fmt: skip


def live_through(path: Path, user: str, word: str) -> str:
    """A conversation of this user about the word, one memory learned from it, and the same word in every other table."""
    model = RuleModel(Fact(f"allergic to {word}", f"The user is allergic to {word}."))
    with opened(path, model) as file:
        mem = file.user(user)
        learned = mem.learn(said("Good morning", f"I am allergic to {word}", "What a day it is", session=f"s {user}"))
        uid = learned.memories[0].id
        mem.edit(uid, f"The user is badly allergic to {word}.")
    connection = plain_connection(path, sealing=True)
    owner = connection.execute("SELECT id FROM user WHERE name = ?", (user,)).fetchone()[0]
    for name in tables(connection):
        if name not in NOT_A_PERSONS and not _has_rows(connection, name, owner):
            _fill(connection, name, owner, uid, word)
    of_it = "json_extract(payload, '$.turn') = (SELECT source_turn FROM memory WHERE uid = ?)"
    connection.execute(f"UPDATE job SET error = ? WHERE {of_it}", (f"could not read {word}", uid))
    connection.execute("UPDATE session SET title = ? WHERE user_id = ?", (f"talk about {word}", owner))
    connection.close()
    return uid


def tables(connection: Any) -> list[str]:
    """Tables with rows of their own, parents before children."""
    rows = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table' ORDER BY rootpage").fetchall()
    return [
        n for n, sql in rows if "VIRTUAL" not in sql and "_fts_" not in n and not n.startswith(("sqlite_", "_sqlite"))
    ]


def holding(path: Path, word: str) -> set[str]:
    """The tables in which the word stands, full text and its shadow tables included."""
    connection = plain_connection(path)
    found = set()
    for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        for row in connection.execute(f'SELECT * FROM "{name}"'):
            cells = [c if isinstance(c, bytes) else str(c).encode() for c in row]
            if any(word.encode() in cell for cell in cells):
                found.add(name)
    connection.close()
    return found


def _has_rows(connection: Any, name: str, owner: int) -> bool:
    columns = [r[1] for r in connection.execute(f"PRAGMA table_info({name})")]
    where = f"WHERE user_id = {owner}" if "user_id" in columns else f"WHERE id = {owner}" if name == "user" else ""
    return bool(where) and bool(connection.execute(f"SELECT count(*) FROM {name} {where}").fetchone()[0])


def _fill(connection: Any, name: str, owner: int, uid: str, word: str) -> None:
    foreign = {r[3]: r[2] for r in connection.execute(f"PRAGMA foreign_key_list({name})")}
    row: dict[str, Any] = {}
    for _, column, kind, _, _, key in connection.execute(f"PRAGMA table_info({name})").fetchall():
        if (column == "id" and key) or column == "seal":
            continue
        row[column] = _value(connection, name, column, kind, foreign.get(column), owner, uid, word)
    marks = ",".join("?" * len(row))
    connection.execute(f"INSERT INTO {name}({','.join(row)}) VALUES ({marks})", tuple(row.values()))


def _value(
    connection: Any, name: str, column: str, kind: str, parent: str | None, owner: int, uid: str, word: str
) -> Any:
    if column == "user_id":
        return owner
    if (name, column) in _VALUES:
        return _VALUES[name, column]
    if parent == "turn":
        return connection.execute("SELECT source_turn FROM memory WHERE uid = ?", (uid,)).fetchone()[0]
    if parent == "memory":
        return connection.execute("SELECT id FROM memory WHERE uid = ?", (uid,)).fetchone()[0]
    if parent == "summary_sentence":
        parent = "summary" if column == "summary_id" else None
    if parent is not None:
        return connection.execute(f"SELECT max(rowid) FROM {parent} WHERE user_id = ?", (owner,)).fetchone()[0]
    if column == "subject_uid":
        return uid
    if kind in ("INTEGER", "REAL"):
        return 1
    if column.endswith("_at") or column == "at":
        return "2026-05-06T12:00:00.000000Z"
    if column in ("value", "proposal", "payload", "steps"):
        return json.dumps({"words": f"{column} of {word}"})
    return f"{column} of {name} about {word}" + (uid if column == "uid" else "")
