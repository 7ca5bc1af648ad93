"""Letta's agent file (``.af``): memory blocks become memories, the agent's messages become turns.

What an agent says stands in its messages, or, with agents of the older kinds, in calls of the tool
``send_message``, while the text beside is what it thought. What is told to the model as if by the user (logins,
heartbeats) is JSON with a ``type``, and so are the user's own words in some versions.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from datetime import tzinfo
from typing import Any

from edgemem.interop.fields import items, mapping, moment, optional, text
from edgemem.interop.found import Found, Note
from edgemem.interop.lines import LineRefused, checked_text, json_type
from edgemem.records import Turn
from edgemem.text import counted

NAME = "letta"

_OWN = ("persona",)
"""Blocks about the agent itself, which are no memories of the user."""

_PACKED = ("user_message", "login", "heartbeat", "system_alert", "system_message", "function_response")
"""Kinds of JSON that the server itself puts in the user's place."""


def fits(document: Any) -> bool:
    """Whether this is an agent file of the present form (agents and blocks) or of the first (one agent)."""
    if not isinstance(document, dict):
        return False
    return isinstance(document.get("agents"), list) or (
        isinstance(document.get("core_memory"), list) and isinstance(document.get("messages"), list)
    )


def read(document: Mapping[str, Any], zone: tzinfo | None) -> Found:
    """Blocks, line by line, and messages, in the file's order."""
    found = Found(NAME)
    agents = document["agents"] if isinstance(document.get("agents"), list) else [document]
    for n, block in enumerate((*items(document, "blocks"), *items(document, "core_memory")), start=1):
        where = f"block {n}"
        try:
            _block(mapping(block, "a block"), where, found)
        except LineRefused as refused:
            found.leave(where, str(refused))
    for n, agent in enumerate(agents, start=1):
        where = f"agent {n}"
        try:
            _agent(mapping(agent, "an agent"), where, zone, found)
        except LineRefused as refused:
            found.leave(where, str(refused))
    for key in ("files", "sources"):
        if document.get(key):
            found.leave(key, f"{len(items(document, key))} attached {key} are not taken")
    return found


def _block(block: Mapping[str, Any], where: str, found: Found) -> None:
    label = text(block, "label")
    if label in _OWN:
        found.notices.append(f"{where}: `{label}` is about the agent itself and is left out.")
        return
    value = optional(block, "value") or ""
    for line in _lines(value):
        # Blocks have no ids of their own that last; their words do.
        name = f"{label}/{hashlib.sha256(line.encode('utf-8')).hexdigest()[:16]}"
        about = None if label == "human" else label
        found.notes.append(Note(checked_text(line, "`value`"), name, where, about=about, more={"block": label}))


def _lines(value: str) -> Iterator[str]:
    for line in value.splitlines():
        plain = line.strip().lstrip("-*•").strip()
        if plain and not plain.startswith("#"):
            yield plain


def _agent(agent: Mapping[str, Any], where: str, zone: tzinfo | None, found: Found) -> None:
    name = optional(agent, "id", "name") or where
    session = f"letta-{name}"
    messages = items(agent, "messages")
    by_tool = any(_said_by_tool(m) for m in messages if isinstance(m, dict))
    unsaid = 0
    for n, message in enumerate(messages, start=1):
        try:
            turn = _turn(mapping(message, "a message"), session, f"message-{n}", zone, by_tool=by_tool)
        except LineRefused as refused:
            found.leave(f"{where}, message {n}", str(refused))
            continue
        if turn is None:
            unsaid += 1
        else:
            found.turns.append(turn)
    if unsaid:
        found.notices.append(
            f"{where}: left out: {counted(unsaid, 'message')} that nobody said (instructions, logins, thoughts, calls of tools)."
        )
    title = optional(agent, "name")
    if title:
        found.titles[session] = title


def _turn(message: Mapping[str, Any], session: str, number: str, zone: tzinfo | None, *, by_tool: bool) -> Turn | None:
    """The turn of a message; None for what nobody said: instructions, logins, thoughts, calls of tools and their receipts."""
    role = message.get("role")
    if role in ("system", "approval"):
        return None
    if role not in ("user", "assistant", "tool"):
        raise LineRefused(f"unknown role {str(role)[:40]!r}")
    words = _said_by_tool(message) if by_tool and role == "assistant" else _unpacked(role, _words(message))
    if words is None or not words.strip():
        if words is None or message.get("tool_calls") or (by_tool and role == "assistant"):
            return None
        raise LineRefused("it has no text")
    at = moment(message, "created_at", zone=zone)
    return Turn(role, checked_text(words, "`content`"), at, session, optional(message, "id") or number)


def _said_by_tool(message: Mapping[str, Any]) -> str:
    """What the message says through ``send_message``; empty for a message that calls nothing of the kind."""
    said = []
    calls = message.get("tool_calls")
    for call in calls if isinstance(calls, list) else ():
        function = call.get("function") if isinstance(call, dict) else None
        if isinstance(function, dict) and function.get("name") == "send_message":
            told = _object(function.get("arguments"))
            said.append(told.get("message") if told else None)
    return "\n".join(words for words in said if isinstance(words, str))


def _unpacked(role: str, words: str) -> str | None:
    """The words in a message that is JSON for the model; None for a login and its like, and for a receipt without words."""
    packed = _object(words)
    if role == "user" and packed and packed.get("type") in _PACKED:
        told = packed.get("message")
        return told if packed["type"] == "user_message" and isinstance(told, str) else None
    if role == "tool" and packed and "status" in packed and "message" in packed:
        told = packed["message"]
        return told if isinstance(told, str) and told.strip() not in ("", "None") else None
    return words


def _object(words: Any) -> dict[str, Any] | None:
    try:
        value = json.loads(words) if isinstance(words, str) else words
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _words(message: Mapping[str, Any]) -> str:
    content = message.get("content", message.get("text"))
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, list):
        raise LineRefused(f"`content` must be text or an array, this is {json_type(content)}")
    return "\n".join(
        str(part.get("text") or "") for part in content if isinstance(part, dict) and part.get("type") == "text"
    )
