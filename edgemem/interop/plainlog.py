"""Plain text logs of chats: ``[time] name: words``, one message after the other, in the common dialects."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, tzinfo

from edgemem.errors import InvalidInput
from edgemem.interop.found import Found
from edgemem.interop.lines import LineRefused, checked_text
from edgemem.records import Turn

NAME = "plain"

_TIME = r"(?P<day>\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4})[ ,T]+(?P<clock>\d{1,2}:\d{2}(?::\d{2})?(?:\.\d+)?(?:\s?[AaPp]\.?[Mm]\.?)?)(?P<offset>Z|[+-]\d{2}:?\d{2})?"
_NAME = r"(?P<name>[^\s:<>\[\]][^:<>\[\]\n]{0,39}?)"
_TIMED = re.compile(
    rf"^\[?{_TIME}\]?\s*(?:-|–|—|\|)?\s*(?:<(?P<nick>[^>\n]{{1,40}})>|{_NAME}\s*[:：])\s?(?P<words>.*)$"
)
_BARE = re.compile(rf"^(?:[*_]{{2}})?{_NAME}(?:[*_]{{2}})?\s*[:：](?:[*_]{{2}})?(?:\s(?P<words>.*))?$")
_MARKS = str.maketrans("", "", "\u200e\u200f\u202a\u202c\ufeff")

USER = frozenset({"user", "you", "me", "human", "i", "我", "用户", "你", "yo", "moi", "ich"})
ASSISTANT = frozenset(
    {"assistant", "ai", "bot", "chatgpt", "claude", "gemini", "copilot", "model", "助手", "system bot"}
)


@dataclass(slots=True)
class _Message:
    line: int
    name: str
    at: datetime | None
    words: list[str] = field(default_factory=list)


def fits(text: str) -> bool:
    """Whether a good part of the first lines begin a message."""
    lines = [line.translate(_MARKS) for line in text.splitlines()[:200] if line.strip()][:40]
    timed = sum(bool(_TIMED.match(line)) for line in lines)
    named = sum(1 for line in lines if (m := _BARE.match(line)) and _known(m["name"]))
    return bool(lines) and (
        timed * 3 >= len(lines) or named * 3 >= len(lines) or (named >= 2 and named * 10 >= len(lines))
    )


def _known(name: str) -> bool:
    return name.strip().casefold() in USER | ASSISTANT


def read(text: str, session: str, zone: tzinfo | None, me: str | None) -> Found:
    """The messages in order. ``me`` is the name under which the user speaks.

    Lines that begin no message belong to the one before. Raises ``InvalidInput`` when nobody in
    the log can be told to be the user.
    """
    found = Found(NAME)
    lines = [line.translate(_MARKS) for line in text.splitlines()]
    order = _day_order(lines)
    messages = _messages(lines, order, zone, found)
    user = _user(messages, me, found)
    if order is None and any(_TIMED.match(line) and not line.lstrip("[")[:4].isdigit() for line in lines):
        found.notices.append(
            "The dates do not show whether the day or the month comes first; the messages keep no dates."
        )
    if zone is None and any(m.at is not None and m.at.tzinfo is None for m in messages):
        found.notices.append("Times without a zone are left out; pass --zone to keep them.")
    seen: Counter[str] = Counter()
    for message in messages:
        try:
            found.turns.append(_turn(message, session, user, seen, zone))
        except LineRefused as refused:
            found.leave(f"line {message.line}", str(refused))
    return found


def _messages(lines: list[str], order: str | None, zone: tzinfo | None, found: Found) -> list[_Message]:
    messages: list[_Message] = []
    names = {m["name"].strip() for line in lines if (m := _BARE.match(line)) and _known(m["name"])}
    timed = any(map(_TIMED.match, lines))
    for n, line in enumerate(lines, start=1):
        match = _TIMED.match(line)
        bare = None if timed else _BARE.match(line)
        if match:
            name = (match["nick"] or match["name"]).strip()
            messages.append(_Message(n, name, _moment(match, order, zone), [match["words"]]))
        elif bare and (bare["name"].strip() in names):
            messages.append(_Message(n, bare["name"].strip(), None, [bare["words"] or ""]))
        elif messages:
            messages[-1].words.append(line)
        elif line.strip():
            found.leave(f"line {n}", "it belongs to no message")
    return messages


def _day_order(lines: list[str]) -> str | None:
    """``dmy`` or ``mdy`` for dates that begin with neither year: a number above 12 shows which is the day."""
    first = second = False
    for line in lines:
        match = _TIMED.match(line)
        parts = re.split(r"[-/.]", match["day"]) if match else []
        if parts and len(parts[0]) < 4:
            first, second = first or int(parts[0]) > 12, second or int(parts[1]) > 12
    return None if first == second else "dmy" if first else "mdy"


def _moment(match: re.Match[str], order: str | None, zone: tzinfo | None) -> datetime | None:
    parts = [int(part) for part in re.split(r"[-/.]", match["day"])]
    if len(re.split(r"[-/.]", match["day"])[0]) == 4:
        year, month, day = parts
    elif order is None:
        return None
    else:
        day, month = (parts[0], parts[1]) if order == "dmy" else (parts[1], parts[0])
        year = parts[2] + (2000 if parts[2] < 100 else 0)
    clock = match["clock"].upper().replace(".", "").replace(" ", "") if match["clock"][-1] in "mM." else match["clock"]
    form = ("%I:%M:%S%p" if clock.count(":") == 2 else "%I:%M%p") if clock.endswith("M") else None
    try:
        time = (
            datetime.strptime(clock, form).time() if form else datetime.fromisoformat(f"2000-01-01T{clock:0>5}").time()
        )
        whole = datetime(year, month, day, time.hour, time.minute, time.second, tzinfo=zone)
    except ValueError:
        return None
    if match["offset"]:
        return datetime.fromisoformat(whole.replace(tzinfo=None).isoformat() + match["offset"])
    return whole


def _user(messages: list[_Message], me: str | None, found: Found) -> str:
    """The name that is the user's, folded."""
    names = list(dict.fromkeys(m.name for m in messages))
    if me is not None:
        if me.casefold() not in {n.casefold() for n in names}:
            raise InvalidInput(f"Nobody in the log is called {me!r}.", f"Names are: {', '.join(names[:10])}.")
        return me.casefold()
    told = [n for n in names if n.casefold() in USER]
    if told:
        return told[0].casefold()
    if any(n.casefold() in ASSISTANT for n in names) and len(names) == 2:
        other = next(n for n in names if n.casefold() not in ASSISTANT)
        found.notices.append(f"{other} is taken for the user; pass --me to change it.")
        return other.casefold()
    raise InvalidInput(
        "The log does not say who of them is the user.", f"Pass --me with one of: {', '.join(names[:10])}."
    )


def _turn(message: _Message, session: str, user: str, seen: Counter[str], zone: tzinfo | None) -> Turn:
    words = "\n".join(message.words).strip()
    if not words:
        raise LineRefused("the message is empty")
    content = checked_text(words, "the message")
    at = message.at if message.at is not None and (message.at.tzinfo or zone) else None
    stamp = message.at.isoformat() if message.at else ""
    name = hashlib.sha256(f"{message.name}\t{stamp}\t{content}".encode()).hexdigest()[:16]
    seen[name] += 1
    uid = name if seen[name] == 1 else f"{name}-{seen[name]}"
    role = "user" if message.name.casefold() == user else "assistant"
    return Turn(role, content, at, session, uid, message.name)
