"""edgemem's own conversation format: one turn a line, ``{"role", "content", "at"?, "session"?, "id"?, "speaker"?}``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime, tzinfo
from typing import Any

from edgemem.interop.lines import LineProblem, LineRefused, RawLine, checked_text, decode, json_type, parse_object
from edgemem.interop.times import parse_time
from edgemem.records import ROLES, Turn


def read_turn_lines(lines: Iterable[RawLine], zone: tzinfo | None = None) -> Iterator[Turn | LineProblem]:
    """Yield a ``Turn`` for each good line and a ``LineProblem`` for each broken one, in order."""
    seen: dict[tuple[str | None, str], int] = {}
    for line in lines:
        try:
            turn = _turn(decode(line), zone)
            _refuse_repeated(turn, line.number, seen)
        except LineRefused as refused:
            yield LineProblem(line.number, refused.column, str(refused))
        else:
            yield turn


def _turn(raw: str, zone: tzinfo | None) -> Turn:
    record = parse_object(raw)
    return Turn(
        role=_role(record),
        content=_content(record, raw),
        at=_at(record, zone),
        session=_name(record, "session", raw),
        id=_name(record, "id", raw),
        speaker=_name(record, "speaker", raw),
    )


def _role(record: dict[str, Any]) -> str:
    role = record.get("role")
    if role is None:
        raise LineRefused(f"`role` is missing; it is one of {', '.join(ROLES)}")
    if role not in ROLES:
        raise LineRefused(f"unknown role {str(role)[:40]!r}; allowed are {', '.join(ROLES)}")
    return str(role)


def _content(record: dict[str, Any], raw: str) -> str:
    content = record.get("content")
    if content is None:
        raise LineRefused("`content` is missing")
    if not isinstance(content, str):
        raise LineRefused(f"`content` must be a string, this is {json_type(content)}")
    if not content.strip():
        raise LineRefused("`content` is empty")
    return checked_text(content, "`content`", raw)


def _at(record: dict[str, Any], zone: tzinfo | None) -> datetime | None:
    value = record.get("at")
    return None if value is None else parse_time(value, zone)


def _name(record: dict[str, Any], key: str, raw: str) -> str | None:
    """A short label. Numbers are taken too, since many tools number their sessions and turns."""
    value = record.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise LineRefused(f"`{key}` must be a string, this is {json_type(value)}")
    text = str(value)
    if not text.strip():
        raise LineRefused(f"`{key}` is empty")
    return checked_text(text, f"`{key}`", raw)


def _refuse_repeated(turn: Turn, line: int, seen: dict[tuple[str | None, str], int]) -> None:
    """Two turns of one session with one id would look like one turn sent twice, and the second would be lost."""
    if turn.id is None:
        return
    first = seen.setdefault((turn.session, turn.id), line)
    if first != line:
        raise LineRefused(f"`id` {turn.id!r} was already used on line {first} in the same session")
