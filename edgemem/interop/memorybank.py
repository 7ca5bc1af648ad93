"""MemoryBank chats (arXiv 2305.10250): people, each with messages and their replies.

Two outlines are read: the published ``memory_bank_en.json`` (one object, a person a key, whose ``history`` has the
exchanges of each day), and a plainer one, one person a line. The first is turned into the second.
"""

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


def people(document: Any) -> list[dict[str, Any]] | None:
    """Each person of a published file in the plain outline, or None for a document that is none.

    Ids are the day and the position within it, from 0, as in the plain outline.
    """
    if not isinstance(document, dict) or not any(_has_history(one) for one in document.values()):
        return None
    return [
        {"person": name, "turns": [_exchange(day, n, said) for day, n, said in _days(one["history"])]}
        for name, one in document.items()
        if _has_history(one)
    ]


def _has_history(one: Any) -> bool:
    return isinstance(one, dict) and isinstance(one.get("history"), dict)


def _days(history: dict[str, Any]) -> Iterator[tuple[str, int, Any]]:
    for day, exchanges in history.items():
        for n, said in enumerate(exchanges if isinstance(exchanges, list) else [exchanges]):
            yield day, n, said


def _exchange(day: str, number: int, said: Any) -> Any:
    """One exchange: an object with ``query`` and ``response``, or a pair of them."""
    if isinstance(said, dict):
        said = [said.get("query", ""), said.get("response", "")]
    if not isinstance(said, list) or len(said) != 2:
        return said
    return {"id": f"{day}#{number}", "at": day, "user": said[0], "assistant": said[1]}


def read_people(records: Iterable[dict[str, Any]], zone: tzinfo) -> Iterator[tuple[str, list[Turn]] | LineProblem]:
    """The same as ``read_memorybank``, from records in the plain outline."""
    for record in records:
        yield from _person(record, 1, zone)


def read_memorybank(lines: Iterable[RawLine], zone: tzinfo) -> Iterator[tuple[str, list[Turn]] | LineProblem]:
    """Yield ``(person, turns)`` for each line, and a ``LineProblem`` for whatever in it cannot be taken."""
    for line in lines:
        try:
            record = parse_object(decode(line))
            if not is_memorybank(record):
                raise LineRefused("a line needs `person` and a list `turns`")
        except LineRefused as refused:
            yield LineProblem(line.number, refused.column, str(refused))
            continue
        yield from _person(record, line.number, zone)


def _person(record: dict[str, Any], line: int, zone: tzinfo) -> Iterator[tuple[str, list[Turn]] | LineProblem]:
    try:
        person = checked_text(record["person"], "`person`")
    except LineRefused as refused:
        yield LineProblem(line, refused.column, str(refused))
        return
    turns: list[Turn] = []
    for position, exchange in enumerate(record["turns"], 1):
        try:
            turns += exchange_turns(exchange, zone)
        except LineRefused as refused:
            yield LineProblem(line, 1, f"{person}, turn {position}: {refused}")
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
