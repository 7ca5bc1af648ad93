"""ChatGPT's data export: ``conversations.json``, a list of conversations, each a tree of messages.

Editing a question or asking for another answer makes a branch. ``current_node`` is the end of the
branch that was last on the screen; it is taken from there back to the root. The other branches were
given up by the user, and are counted, not taken. So is what was never on the screen: hidden instructions,
reasoning, and what the assistant wrote to its tools. The user's custom instructions, which stand before each
conversation, become memories, once.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from edgemem.interop.fields import mapping, moment, optional, text
from edgemem.interop.found import Found, Note
from edgemem.interop.lines import LineRefused, checked_text
from edgemem.records import ROLES, Turn
from edgemem.text import counted

NAME = "chatgpt"

_UNSEEN = frozenset({"thoughts", "reasoning_recap", "model_editable_context", "user_editable_context"})
"""Kinds of content that are no message: reasoning, and what is put before the model with every conversation."""


def fits(document: Any) -> bool:
    """Whether this is the outline of the export, or of one conversation of it."""
    first = document[0] if isinstance(document, list) and document else document
    return isinstance(first, dict) and isinstance(first.get("mapping"), dict)


def read(document: Any) -> Found:
    """All conversations, oldest message first."""
    found, unseen = Found(NAME), 0
    for n, conversation in enumerate(document if isinstance(document, list) else [document], start=1):
        where = f"conversation {n}"
        try:
            unseen += _conversation(mapping(conversation, "a conversation"), where, found)
        except LineRefused as refused:
            found.leave(where, str(refused))
    if unseen:
        found.notices.append(
            f"Left out, never on the screen: {counted(unseen, 'message')} (instructions, reasoning, calls of tools)."
        )
    return found


def _conversation(record: Mapping[str, Any], where: str, found: Found) -> int:
    """Take one conversation; tells how many of its messages were never on the screen."""
    session = text(record, "conversation_id", "id")
    nodes = mapping(record.get("mapping"), "`mapping`")
    path = _path(nodes, record.get("current_node"), where, found)
    begun = moment(record, "create_time", "update_time")
    last, unseen = begun, 0
    for node in path:
        hidden = _unseen(node)
        unseen += hidden
        try:
            if hidden:
                _instructions(node, where, begun, found)
            turn = None if hidden else _turn(node, session, last)
        except LineRefused as refused:
            found.leave(f"{where}, message {node.get('id')}", str(refused))
            continue
        if turn is not None:
            last = turn.at if isinstance(turn.at, datetime) else last
            found.turns.append(turn)
    title = optional(record, "title")
    if title:
        found.titles[session] = title
    spare = sum(_speaks(node) for node in nodes.values()) - sum(_speaks(node) for node in path)
    if spare:
        found.notices.append(
            f"{where} ({title or session}): left out: {counted(spare, 'message')} of branches that were given up."
        )
    return unseen


def _path(nodes: Mapping[str, Any], end: Any, where: str, found: Found) -> list[Mapping[str, Any]]:
    """The nodes from the root to the end of the current branch."""
    if end not in nodes:
        end = _newest_leaf(nodes)
        found.notices.append(f"{where}: it does not say which branch is current; the newest is taken.")
    path: list[Mapping[str, Any]] = []
    seen: set[str] = set()
    while end is not None:
        node = nodes.get(end)
        if end in seen or not isinstance(node, dict):
            found.leave(where, f"the tree is broken at {str(end)[:60]!r}; what comes after it is taken")
            break
        seen.add(end)
        path.append(node)
        end = node.get("parent")
    return path[::-1]


def _newest_leaf(nodes: Mapping[str, Any]) -> str | None:
    leaves = [key for key, node in nodes.items() if isinstance(node, dict) and not node.get("children")]
    return max(leaves, key=lambda key: _time_of(nodes[key]), default=None)


def _time_of(node: Mapping[str, Any]) -> float:
    message = node.get("message")
    time = message.get("create_time") if isinstance(message, dict) else None
    return float(time) if isinstance(time, int | float) else 0.0


def _unseen(node: Any) -> bool:
    """Whether a node has content that was never on the screen."""
    message = node.get("message") if isinstance(node, dict) else None
    if not isinstance(message, dict):
        return False
    about, content, author = (message.get(key) for key in ("metadata", "content", "author"))
    if isinstance(content, dict) and content.get("content_type") in _UNSEEN:
        return True
    if isinstance(about, dict) and about.get("is_visually_hidden_from_conversation") is True:
        return bool(_words(message)[0])
    speaks = isinstance(author, dict) and author.get("role") == "assistant"
    return speaks and message.get("recipient") not in (None, "all")


def _instructions(node: Mapping[str, Any], where: str, since: datetime | None, found: Found) -> None:
    """The user's custom instructions, if the node holds them: what is said about the user, and how to answer."""
    content = node["message"].get("content")
    if not isinstance(content, dict) or content.get("content_type") != "user_editable_context":
        return
    known = {note.id for note in found.notes}
    for key, kind in (("user_profile", None), ("user_instructions", "rule")):
        words = content.get(key)
        for line in _own_lines(words if isinstance(words, str) else ""):
            name = f"instructions/{hashlib.sha256(line.encode('utf-8', 'replace')).hexdigest()[:16]}"
            if name not in known:
                known.add(name)
                found.notes.append(Note(checked_text(line, f"`{key}`"), name, where, kind=kind, since=since))


def _own_lines(words: str) -> list[str]:
    """The user's own lines; the export puts them between fences, after words of its own."""
    inside = re.findall(r"```(.*?)```", words, re.S) or [words]
    return [
        line.strip().lstrip("-*• ").strip() for text in inside for line in text.splitlines() if line.strip("-*• \t\r")
    ]


def _speaks(node: Any) -> bool:
    """Whether a node holds words of the user or the assistant."""
    if _unseen(node):
        return False
    message = node.get("message") if isinstance(node, dict) else None
    author = message.get("author") if isinstance(message, dict) else None
    spoken = isinstance(message, dict) and isinstance(author, dict) and author.get("role") in ("user", "assistant")
    return spoken and bool(_words(message)[0])


def _turn(node: Mapping[str, Any], session: str, last: datetime | None) -> Turn | None:
    """The turn of a node; None for the root and for empty messages, which hold nothing."""
    if node.get("message") is None:
        return None
    message = mapping(node["message"], "`message`")
    role = mapping(message.get("author"), "`author`").get("role")
    if role not in ROLES:
        raise LineRefused(f"unknown role {str(role)[:40]!r}")
    words, strange = _words(message)
    if strange and not words:
        raise LineRefused(f"it has no text: {strange}")
    if not words:
        return None
    at = moment(message, "create_time") or last
    return Turn(role, checked_text(words, "`parts`"), at, session, text(node, "id"))


def _words(message: Any) -> tuple[str, str]:
    """The text of a message, with a mark for each part that is no text; and what is there when there is none."""
    content = message.get("content")
    if not isinstance(content, dict):
        return "", "a message without `content`"
    kind = str(content.get("content_type"))
    parts = content.get("parts")
    if not isinstance(parts, list):
        alone = content.get("text") or content.get("result")
        return (alone, "") if isinstance(alone, str) and alone.strip() else ("", kind if kind != "text" else "")
    found = [part if isinstance(part, str) else _mark(part) for part in parts]
    words = "\n".join(part for part in found if part.strip())
    only_marks = not any(isinstance(part, str) and part.strip() for part in parts)
    return ("", words) if only_marks else (words, "")


def _mark(part: Any) -> str:
    if not isinstance(part, dict):
        return "[something else]"
    spoken = part.get("text")
    if isinstance(spoken, str) and spoken.strip():
        return spoken
    return f"[{str(part.get('content_type', 'attachment')).replace('_', ' ')}]"
