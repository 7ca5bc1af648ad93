"""MemoryBank chats (arXiv 2305.10250): one person a line, each turn a message with its reply."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import tzinfo
from typing import Any

from edgemem.interop.lines import LineProblem, LineRefused, RawLine, checked_text, decode, parse_object
from edgemem.interop.times import parse_time
from edgemem.records import Turn

REPLY = "/reply"
"""Ending of the id of an assistant's turn; without it the id is that of the user's turn."""


def is_memorybank(record: Any) -> bool:
    """Whether ``record`` has the outline of one line of a MemoryBank file."""
    return isinstance(record, dict) and isinstance(record.get("person"), str) and isinstance(record.get("turns"), list)


def read_memorybank(lines: Iterable[RawLine], zone: tzinfo) -> Iterator[tuple[str, list[Turn]] | LineProblem]:
    """Yield ``(person, turns)`` for each line, and a ``LineProblem`` for whatever in it cannot be taken."""
    for line in lines:
        try:
            record = parse_object(decode(line))
            if not is_memorybank(record):
                raise LineRefused("a line needs `person` and a list `turns`")
            person = checked_text(record["person"], "`person`")
        except LineRefused as refused:
            yield LineProblem(line.number, refused.column, str(refused))
            continue
        turns: list[Turn] = []
        for position, exchange in enumerate(record["turns"], 1):
            try:
                turns += exchange_turns(exchange, zone)
            except LineRefused as refused:
                yield LineProblem(line.number, 1, f"{person}, turn {position}: {refused}")
        yield person, turns


def exchange_turns(exchange: Any, zone: tzinfo) -> list[Turn]:
    """The user's turn and the reply of one record; an empty half is left out. Raises ``LineRefused``."""
    if not isinstance(exchange, dict) or not isinstance(exchange.get("id"), str):
        raise LineRefused("a turn is an object with `id`, `at`, `user` and `assistant`")
    name, at = checked_text(exchange["id"], "`id`"), parse_time(exchange.get("at"), zone)
    turns = []
    for role, ending in (("user", ""), ("assistant", REPLY)):
        text = exchange.get(role, "")
        if not isinstance(text, str):
            raise LineRefused(f"`{role}` must be a string")
        if text.strip():
            content = checked_text(text, f"`{role}`")
            turns.append(Turn(role, content, at, at.date().isoformat(), name + ending))
    return turns
