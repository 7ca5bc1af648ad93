"""LoCoMo conversations (arXiv 2402.17753): two people chatting over months.

Two outlines are read: that of the published ``locomo10.json`` (a list of samples, or one of them, whose
``conversation`` has ``session_1``, ``session_1_date_time`` …), and a plainer one, one conversation a file, with
``speakers`` and ``sessions``. The first is turned into the second.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, tzinfo
from typing import Any

from edgemem.interop.lines import LineProblem, LineRefused, checked_text
from edgemem.interop.times import parse_time
from edgemem.records import Turn

_SESSION = re.compile(r"session_(\d+)$")
_SPOKEN_TIME = re.compile(
    r"(\d{1,2}):(\d{2})\s*([ap])\.?m\.?\s+on\s+(\d{1,2})\s+([a-z]{3})[a-z]*,?\s+(\d{4})$", re.IGNORECASE
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def samples(document: Any) -> list[tuple[str, dict[str, Any]]] | None:
    """Name and plain outline of each conversation in a LoCoMo file, or None for a document that is none."""
    if is_locomo(document):
        return [(str(document.get("sample_id") or ""), document)]
    listed = document if isinstance(document, list) else [document]
    if not listed or not all(isinstance(s, dict) and isinstance(s.get("conversation"), dict) for s in listed):
        return None
    if not any(_SESSION.match(key) for sample in listed for key in sample["conversation"]):
        return None
    return [(str(sample.get("sample_id") or number), _plain(sample)) for number, sample in enumerate(listed, 1)]


def _plain(sample: dict[str, Any]) -> dict[str, Any]:
    """A published sample in the plain outline; what is not part of the conversation is kept."""
    talk = sample["conversation"]
    numbers = sorted(int(match[1]) for match in map(_SESSION.match, talk) if match)
    sessions = [
        {"index": n, "at": _iso(talk.get(f"session_{n}_date_time")), "turns": _plain_turns(talk[f"session_{n}"])}
        for n in numbers
    ]
    asked = sample.get("qa")
    if isinstance(asked, list):
        asked = [_plain_question(one) if isinstance(one, dict) else one for one in asked]
    return sample | {"speakers": [talk.get("speaker_a"), talk.get("speaker_b")], "sessions": sessions, "qa": asked}


def _plain_question(asked: dict[str, Any]) -> dict[str, Any]:
    """A question with each turn of its evidence alone: here and there the published file has two in one string."""
    evidence = asked.get("evidence", [])
    if isinstance(evidence, list) and all(isinstance(one, str) for one in evidence):
        evidence = [turn for one in evidence for turn in re.split(r"[;,\s]+", one) if turn]
    return asked | {"evidence": evidence}


def _plain_turns(turns: Any) -> Any:
    if not isinstance(turns, list):
        return turns
    return [t | {"id": t.get("dia_id"), "image": t.get("blip_caption")} if isinstance(t, dict) else t for t in turns]


def _iso(spoken: Any) -> Any:
    """``1:56 pm on 8 May, 2023`` as ISO 8601; anything else as it is."""
    match = _SPOKEN_TIME.match(spoken.strip()) if isinstance(spoken, str) else None
    if match is None or match[5].lower() not in _MONTHS:
        return spoken
    hour = int(match[1]) % 12 + (12 if match[3].lower() == "p" else 0)
    return f"{match[6]}-{_MONTHS.index(match[5].lower()) + 1:02}-{int(match[4]):02}T{hour:02}:{match[2]}:00"


def is_locomo(document: Any) -> bool:
    """Whether ``document`` has the plain outline."""
    return (
        isinstance(document, dict)
        and isinstance(document.get("speakers"), list)
        and isinstance(document.get("sessions"), list)
    )


def read_locomo(document: dict[str, Any], zone: tzinfo) -> Iterator[Turn | LineProblem]:
    """Yield the turns of one conversation, given in the plain outline, in order. The first of ``speakers`` takes the role user, everybody else assistant.

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
