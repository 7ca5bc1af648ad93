"""Claude's data export: ``conversations.json``, a list of conversations with ``chat_messages``; ``memories.json``.

Newer exports give each message its parent, and hold every edited question and repeated answer. The branch of the
newest message is taken, which is the one last on the screen; the others are counted. What Claude remembers
(``conversations_memory``, and a text for each project) becomes memories, a paragraph or list item each.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import tzinfo
from typing import Any

from edgemem.interop.fields import items, mapping, moment, optional, text
from edgemem.interop.found import Found, Note
from edgemem.interop.lines import LineRefused, checked_text
from edgemem.interop.notes_in import plain_lines
from edgemem.records import Turn
from edgemem.text import counted

NAME = "claude"

_ROLES = {"human": "user", "user": "user", "assistant": "assistant", "system": "system", "tool": "tool"}


def fits(document: Any) -> bool:
    """Whether this is the outline of the export, of one conversation of it, or of its memories."""
    first = document[0] if isinstance(document, list) and document else document
    return isinstance(first, dict) and (isinstance(first.get("chat_messages"), list) or "conversations_memory" in first)


def read(document: Any, zone: tzinfo | None) -> Found:
    """All conversations, in the file's order."""
    found = Found(NAME)
    for n, conversation in enumerate(document if isinstance(document, list) else [document], start=1):
        memory = isinstance(conversation, dict) and "conversations_memory" in conversation
        where = f"{'memories' if memory else 'conversation'} {n}"
        try:
            if memory:
                found.notes += _remembered(conversation, where)
            else:
                _conversation(mapping(conversation, "a conversation"), where, zone, found)
        except LineRefused as refused:
            found.leave(where, str(refused))
    return found


def _conversation(record: Mapping[str, Any], where: str, zone: tzinfo | None, found: Found) -> None:
    session = text(record, "uuid", "id")
    begun = moment(record, "created_at", zone=zone)
    messages = items(record, "chat_messages")
    chosen = _on_screen(messages, record.get("current_leaf_message_uuid"))
    if spare := len(messages) - len(chosen):
        found.notices.append(f"{where}: left out: {counted(spare, 'message')} of branches that were given up.")
    for n, message in enumerate(messages, start=1):
        if n not in chosen:
            continue
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


def _on_screen(messages: list[Any], leaf: Any) -> set[int]:
    """The places, from 1, of the messages of the branch that was last on the screen; all where there are no branches.

    What names no parent in the file is part of every branch, so that nothing is lost for a strange record.
    """
    by_name = {m["uuid"]: m for m in messages if isinstance(m, dict) and isinstance(m.get("uuid"), str)}
    named = {name: m.get("parent_message_uuid") for name, m in by_name.items()}
    parents = {name: parent for name, parent in named.items() if isinstance(parent, str)}
    if not any(count > 1 for count in Counter(parents.values()).values()):
        return set(range(1, len(messages) + 1))
    end: str | None = (
        leaf
        if isinstance(leaf, str) and leaf in by_name
        else max(by_name, key=lambda name: str(by_name[name].get("created_at") or ""))
    )
    path: set[str] = set()
    while end is not None and end in by_name and end not in path:
        path.add(end)
        end = parents.get(end)
    return {n for n, m in enumerate(messages, start=1)
            if not isinstance(m, dict) or m.get("uuid") in path or m.get("uuid") not in parents}  # fmt: skip


def _remembered(record: Mapping[str, Any], where: str) -> Iterator[Note]:
    """What Claude remembers of the user, and of each project."""
    projects = record.get("project_memories")
    texts = [("", record.get("conversations_memory")), *(projects.items() if isinstance(projects, dict) else ())]
    for project, words in texts:
        for heading, line in plain_lines(words) if isinstance(words, str) else ():
            name = f"memory/{project}/{hashlib.sha256(line.encode('utf-8', 'replace')).hexdigest()[:16]}"
            more = {key: value for key, value in (("heading", heading), ("project", project)) if value}
            yield Note(checked_text(line, "`conversations_memory`"), name, where, more=more)


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
