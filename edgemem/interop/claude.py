"""Claude's data export: ``conversations.json``, a list of conversations with ``chat_messages`` in order."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import tzinfo
from typing import Any

from edgemem.interop.fields import items, mapping, moment, optional, text
from edgemem.interop.found import Found
from edgemem.interop.lines import LineRefused, checked_text
from edgemem.records import Turn

NAME = "claude"

_ROLES = {"human": "user", "user": "user", "assistant": "assistant", "system": "system", "tool": "tool"}


def fits(document: Any) -> bool:
    """Whether this is the outline of the export, or of one conversation of it."""
    first = document[0] if isinstance(document, list) and document else document
    return isinstance(first, dict) and isinstance(first.get("chat_messages"), list)


def read(document: Any, zone: tzinfo | None) -> Found:
    """All conversations, in the file's order."""
    found = Found(NAME)
    for n, conversation in enumerate(document if isinstance(document, list) else [document], start=1):
        where = f"conversation {n}"
        try:
            _conversation(mapping(conversation, "a conversation"), where, zone, found)
        except LineRefused as refused:
            found.leave(where, str(refused))
    return found


def _conversation(record: Mapping[str, Any], where: str, zone: tzinfo | None, found: Found) -> None:
    session = text(record, "uuid", "id")
    begun = moment(record, "created_at", zone=zone)
    for n, message in enumerate(items(record, "chat_messages"), start=1):
        try:
            turn = _turn(mapping(message, "a message"), session, zone)
        except LineRefused as refused:
            found.leave(f"{where}, message {n}", str(refused))
            continue
        found.turns.append(
            turn if turn.at is not None or begun is None else Turn(turn.role, turn.content, begun, session, turn.id)
        )
    title = optional(record, "name", "title")
    if title:
        found.titles[session] = title


def _turn(message: Mapping[str, Any], session: str, zone: tzinfo | None) -> Turn:
    sender = str(message.get("sender", "")).lower()
    if sender not in _ROLES:
        raise LineRefused(f"unknown sender {sender[:40]!r}")
    words = _words(message)
    if not words.strip():
        raise LineRefused("it has no text")
    at = moment(message, "created_at", "updated_at", zone=zone)
    return Turn(_ROLES[sender], checked_text(words, "`text`"), at, session, text(message, "uuid", "id"))


def _words(message: Mapping[str, Any]) -> str:
    """The text blocks of the message (or its plain text), then the texts of what was attached."""
    blocks = [b for b in items(message, "content") if isinstance(b, dict) and b.get("type") == "text"]
    parts = [str(b.get("text") or "") for b in blocks] if blocks else [optional(message, "text") or ""]
    for attached in (*items(message, "attachments"), *items(message, "files")):
        name = attached.get("file_name") if isinstance(attached, dict) else None
        words = attached.get("extracted_content") if isinstance(attached, dict) else None
        parts.append(f"[attached: {name or 'a file'}]" + (f"\n{words}" if isinstance(words, str) and words else ""))
    return "\n".join(part for part in parts if part.strip())
