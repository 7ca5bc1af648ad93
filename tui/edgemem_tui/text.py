"""Words from the file on their way to the screen: never markup, never control codes, always something to see."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from datetime import datetime

from rich.cells import cell_len

from edgemem.records import Hit, Memory, Part, Relation, Source
from edgemem.session.window import PromptPart

_ARMS = {
    "vector": "meaning", "text": "words", "graph": "related", "log_vector": "meaning", "log_text": "words",
    "log_session_meaning": "its session", "log_speaker": "who said it", "log_day": "the day", "log_month": "the month",
    "log_newer": "newer",
}  # fmt: skip
"""Ways of searching, and signals of the log, that tell a reader something."""

_REASONS = 3


def _seen(char: str) -> str:
    code = ord(char)
    if char in "\n\t" or 0x20 <= code < 0x7F:
        return char
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    # Surrogates cannot be written to a terminal; C1 codes and direction overrides would steer it.
    steers = 0x80 <= code < 0xA0 or 0x202A <= code <= 0x202E or 0x2066 <= code <= 0x2069
    return "\ufffd" if steers or unicodedata.category(char) == "Cs" else char


def plain(text: str) -> str:
    """The text with every control code made visible, one character for one, so that offsets still hold."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_seen, text))


def one_line(text: str, limit: int = 400) -> str:
    """The text on one line, cut with an ellipsis after ``limit`` characters."""
    flat = plain(" ".join(text[: limit * 4].split()))
    return flat if len(flat) <= limit and len(text) <= limit * 4 else flat[: limit - 1] + "…"


def tail(text: str, width: int) -> str:
    """The text in at most ``width`` terminal columns, its end kept: of a path that is the part that tells."""
    if cell_len(text) <= width:
        return text
    while cell_len(text) > max(1, width - 1):
        text = text[1:]
    return "…" + text


def many(n: int, one: str, more: str = "") -> str:
    """A number with its noun: 1 chat, 2 chats, 1 memory, 2 memories."""
    return f"{n:,} {one if n == 1 else more or one + 's'}"


def clipped(text: str, limit: int) -> str:
    """The text with its lines kept, cut after ``limit`` characters; says so."""
    shown = plain(text[:limit]).replace("\t", " ")
    return shown if len(text) <= limit else f"{shown}… ({len(text) - limit:,} more characters)"


def day(moment: datetime) -> str:
    """The local date."""
    return moment.astimezone().strftime("%Y-%m-%d")


def minute(moment: datetime) -> str:
    """The local date and time."""
    return moment.astimezone().strftime("%Y-%m-%d %H:%M")


def origin(source: Source) -> str:
    """Where something came from, in a few words."""
    return f"said {day(source.at)}" if source.turn and source.at else "said in a chat" if source.turn else "by hand"


def reasons(parts: Mapping[str, Part]) -> str:
    """Why something was found: the ways of searching that count most, each with its rank."""
    told = sorted(((arm, part) for arm, part in parts.items() if arm in _ARMS), key=lambda p: -p[1].share)
    return " · ".join(_reason(arm, part) for arm, part in told[:_REASONS])


def _reason(arm: str, part: Part) -> str:
    name = _ARMS[arm]
    closeness = f" {part.value:.2f}" if "vector" in arm else ""
    return f"{name}{closeness} (no. {part.rank})"


def memory_line(memory: Memory) -> str:
    """Kind, date, origin and pin of a memory."""
    words = [memory.kind, origin(memory.source)]
    if not memory.source.turn:
        words.append(day(memory.created_at))
    if memory.source.turn and memory.confidence < 1:
        words.append(f"{memory.confidence:.0%} sure")
    return " · ".join([*words, "pinned"] if memory.pinned else words)


def hit_line(hit: Hit) -> str:
    """Kind, date and origin of a recalled item."""
    if hit.memory is not None:
        return memory_line(hit.memory)
    if hit.source.turn is None:
        return {"state-field": "task state"}.get(hit.kind, hit.kind)
    return f"{'earlier message' if hit.turn is not None else hit.kind} · {origin(hit.source)}"


def part_line(part: PromptPart) -> str:
    """A part of a prompt: its size, and what of it did not fit."""
    entries = f" · {part.entries} in it" if part.entries > 1 else ""
    left = f" · {part.left_out} left out" if part.left_out else ""
    return f"{part.name:<8} {part.tokens:>6,}{entries}{left}"


def relation_line(relation: Relation, seen_from: str) -> str:
    """A relation as one line, told from one of its ends."""
    outward = relation.subject_id == seen_from
    words = f"— {relation.predicate} → {relation.object}" if outward else f"← {relation.predicate} — {relation.subject}"
    since = f"  since {day(relation.valid_from)}" if relation.valid_from else ""
    sure = f"  {relation.confidence:.0%}" if relation.confidence < 1 else ""
    return one_line(f"{words}{since}{sure}", 200)
