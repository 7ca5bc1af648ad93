"""mem0: the JSON its ``get_all`` and exports give, and the SQLite history it keeps on the machine."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from datetime import tzinfo
from pathlib import Path
from typing import Any

from edgemem.errors import InvalidInput
from edgemem.interop.fields import mapping, moment, optional, text
from edgemem.interop.found import Found, Note
from edgemem.interop.lines import LineRefused, checked_text
from edgemem.records import ROLES, Turn

NAME = "mem0"

_COLUMNS = {"id", "memory_id", "old_memory", "new_memory", "event", "created_at", "updated_at"}


def records(document: Any) -> list[Any] | None:
    """The memories of a document in mem0's outline, or None."""
    if isinstance(document, dict):
        document = document.get("results", document.get("memories"))
    if not isinstance(document, list):
        return None
    like = [r for r in document if isinstance(r, dict) and "memory" in r and "id" in r]
    return document if like and len(like) * 2 > len(document) else None


def read(document: Any, zone: tzinfo | None) -> Found:
    """The memories of a JSON export."""
    found = Found(NAME)
    for n, record in enumerate(records(document) or [], start=1):
        where = f"memory {n}"
        try:
            found.notes.append(_note(mapping(record, "a memory"), where, zone))
        except LineRefused as refused:
            found.leave(where, str(refused))
    people = {note.more.get("user") for note in found.notes} - {None}
    if len(people) > 1:
        found.notices.append(f"The export holds memories of {len(people)} users; all go to the one you named.")
    if isinstance(document, dict) and document.get("relations"):
        found.leave("relations", "mem0's graph relations are not taken; its memories are")
    return found


def _note(record: Mapping[str, Any], where: str, zone: tzinfo | None) -> Note:
    named = {
        "user": "user_id",
        "agent": "agent_id",
        "run": "run_id",
        "metadata": "metadata",
        "categories": "categories",
    }
    more = {ours: record[theirs] for ours, theirs in named.items() if record.get(theirs)}
    since = moment(record, "updated_at", "created_at", zone=zone)
    expires = moment(record, "expiration_date", zone=zone)
    return Note(text(record, "memory"), text(record, "id"), where, since=since, expires=expires, more=more)


def read_history(path: Path, zone: tzinfo | None) -> Found:
    """The memories whose changes are in mem0's local history, with what they said before.

    Raises ``InvalidInput`` if the file is not that.
    """
    found = Found(NAME)
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as connection:
            connection.row_factory = sqlite3.Row
            columns = {row[1] for row in connection.execute("PRAGMA table_info(history)")}
            if not columns >= _COLUMNS:
                raise InvalidInput(f"{path} is an SQLite file, but not mem0's history.", "Import another file.")
            rows = [dict(r) for r in connection.execute("SELECT * FROM history ORDER BY created_at, updated_at, rowid")]
            _messages(connection, zone, found)
    except sqlite3.Error as error:
        raise InvalidInput(f"{path} cannot be read: {error}.", "Copy it while mem0 is not running.") from error
    by_memory: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        by_memory.setdefault(str(row["memory_id"]), []).append(row)
    for uid, events in by_memory.items():
        try:
            found.notes.append(_replayed(uid, events, zone))
        except LineRefused as refused:
            found.leave(f"memory {uid}", str(refused))
    return found


def _messages(connection: sqlite3.Connection, zone: tzinfo | None, found: Found) -> None:
    """The last messages of each conversation, which newer versions keep beside the history."""
    columns = {row[1] for row in connection.execute("PRAGMA table_info(messages)")}
    if not columns >= {"id", "session_scope", "role", "content", "created_at"}:
        return
    for n, row in enumerate(connection.execute("SELECT * FROM messages ORDER BY created_at, rowid"), start=1):
        record = dict(row)
        try:
            found.turns.append(_turn(record, zone))
        except LineRefused as refused:
            found.leave(f"message {n}", str(refused))


def _turn(record: Mapping[str, Any], zone: tzinfo | None) -> Turn:
    if record.get("role") not in ROLES:
        raise LineRefused(f"unknown role {str(record.get('role'))[:40]!r}")
    session = optional(record, "session_scope") or "mem0"
    at = moment(record, "created_at", zone=zone)
    return Turn(record["role"], text(record, "content"), at, session, text(record, "id"), optional(record, "name"))


def _replayed(uid: str, events: list[dict[str, Any]], zone: tzinfo | None) -> Note:
    """One memory from its events: what it says, said before, and when it was deleted."""
    versions: list[str] = []
    ended = None
    for event in events:
        ended = None
        if str(event["event"]).upper() == "DELETE" or event.get("is_deleted"):
            ended = moment(event, "updated_at", "created_at", zone=zone)
            versions = versions or [event["old_memory"]]
        elif isinstance(event["new_memory"], str) and event["new_memory"].strip():
            # The history may begin in the middle of a memory's life.
            first = [] if versions or not event["old_memory"] else [event["old_memory"]]
            versions += [*first, event["new_memory"]]
        else:
            raise LineRefused(f"event {event['id']} has no text")
    words = [checked_text(version, "`new_memory`") for version in versions if isinstance(version, str)]
    if not words:
        raise LineRefused("none of its events has a text")
    since = moment(events[-1 if ended is None else 0], "updated_at", "created_at", zone=zone)
    who = optional(events[-1], "actor_id")
    return Note(words[-1], uid, f"memory {uid}", since=since, ended=ended, earlier=tuple(words[:-1]),
                more={"actor": who} if who else {})  # fmt: skip
