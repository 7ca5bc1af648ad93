"""LoCoMo conversations (arXiv 2402.17753): two people chatting over months, one JSON document a file."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, tzinfo
from typing import Any

from edgemem.interop.lines import LineProblem, LineRefused, checked_text
from edgemem.interop.times import parse_time
from edgemem.records import Turn


def is_locomo(document: Any) -> bool:
    """Whether ``document`` has the outline of a LoCoMo file."""
    return (
        isinstance(document, dict)
        and isinstance(document.get("speakers"), list)
        and isinstance(document.get("sessions"), list)
    )


def read_locomo(document: dict[str, Any], zone: tzinfo) -> Iterator[Turn | LineProblem]:
    """Yield the turns in order. The first of ``speakers`` takes the role user, everybody else assistant.

    Sessions are called ``session-<index>``; the caption of a picture is added to the text in
    brackets. What is broken is yielded as a ``LineProblem`` on line 1, its message naming the turn.
    """
    first = document["speakers"][0] if document["speakers"] else None
    for number, session in enumerate(document["sessions"], 1):
        try:
            name, at, turns = _session(session, number, zone)
        except LineRefused as refused:
            yield LineProblem(1, 1, f"session {number}: {refused}")
            continue
        for position, record in enumerate(turns, 1):
            try:
                yield _turn(record, first, name, at)
            except LineRefused as refused:
                yield LineProblem(1, 1, f"session {number}, turn {position}: {refused}")


def _session(session: Any, number: int, zone: tzinfo) -> tuple[str, datetime, list[Any]]:
    if not isinstance(session, dict) or not isinstance(session.get("turns"), list):
        raise LineRefused("a session needs `at` and a list `turns`")
    return f"session-{session.get('index', number)}", parse_time(session.get("at"), zone), session["turns"]


def _turn(record: Any, first: Any, session: str, at: datetime) -> Turn:
    if not isinstance(record, dict):
        raise LineRefused("a turn is an object")
    speaker, text, name = record.get("speaker"), record.get("text"), record.get("id")
    if not (isinstance(speaker, str) and isinstance(text, str) and isinstance(name, str)):
        raise LineRefused("`id`, `speaker` and `text` must be strings")
    caption = record.get("image")
    content = f"{text} [image: {caption}]".strip() if isinstance(caption, str) and caption else text
    if not content.strip():
        raise LineRefused("`text` is empty")
    role = "user" if speaker == first else "assistant"
    return Turn(role, checked_text(content, "`text`"), at, session, checked_text(name, "`id`"), speaker)
