"""Split a message into the clauses that are judged one by one, each with its place in the message."""

from __future__ import annotations

import re
from dataclasses import dataclass

_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_QUOTED_LINE = re.compile(r"^[ \t]*>.*$", re.MULTILINE)
_END = re.compile(
    r"[。！？；!?;…]+[”’」』\")）]*\s*"  # an end that needs no space after it
    r"|\.+[\"')]*(?=\s|$)\s*"  # a full stop, not a decimal point
    r"|\n+",
)
_HAN_COMMA = re.compile(r"[，,]\s*")
_BULLET = re.compile(r"^\s*(?:[-*•·]|\d{1,2}[.)、])\s*")
_ABBREVIATION = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|st|vs|e\.g|i\.e|approx|prof|incl|excl|ca|max|min|tel|ext|dept)|(?-i:\b[A-Z]))\.\s*$",
    re.IGNORECASE,
)
_NUMBER_SIGN = re.compile(r"\b(?:no|nr|nos)\.\s*$", re.IGNORECASE)
_WORDLIKE = re.compile(r"\w")

LONG_HAN = 24
"""Characters above which a Chinese sentence is split at its commas too."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A piece of a message: ``text`` is ``message[start:start + len(text)]``."""

    text: str
    start: int


def split(message: str) -> list[Clause]:
    """The clauses of a message in order, without code, quoted mail and bullets."""
    hidden = _QUOTED_LINE.sub(_blank, _FENCE.sub(_blank, message))
    pieces = _sentences(hidden)
    return [c for start, end in pieces for c in _finer(message, hidden, start, end)]


def _blank(match: re.Match[str]) -> str:
    # Same length, so that places in the message stay what they are.
    return re.sub(r"[^\n]", "\0", match[0])


def _sentences(text: str) -> list[tuple[int, int]]:
    spans, start = [], 0
    for match in _END.finditer(text):
        if match[0].startswith(".") and _goes_on(text[start : match.end()], text[match.end() : match.end() + 1]):
            continue
        spans.append((start, match.end()))
        start = match.end()
    spans.append((start, len(text)))
    return spans


def _goes_on(so_far: str, following: str) -> bool:
    """Whether a full stop only ends an abbreviation: "Dr. Who", "no. 7", but not "oh no. Next"."""
    return bool(_ABBREVIATION.search(so_far)) or (following.isdigit() and bool(_NUMBER_SIGN.search(so_far)))


def _finer(message: str, hidden: str, start: int, end: int) -> list[Clause]:
    clause = _trimmed(message, hidden, start, end)
    if clause is None:
        return []
    if len(clause.text) <= LONG_HAN or not re.search("[\u4e00-\u9fff]", clause.text):
        return [clause]
    return _at_commas(message, hidden, clause)


def _at_commas(message: str, hidden: str, clause: Clause) -> list[Clause]:
    """Join comma pieces into clauses of a readable length."""
    begin, stop = clause.start, clause.start + len(clause.text)
    cuts = [m.end() for m in _HAN_COMMA.finditer(message, begin, stop)] + [stop]
    found, start = [], begin
    for cut in cuts:
        if cut - start >= LONG_HAN // 2 or cut == stop:
            piece = _trimmed(message, hidden, start, cut)
            found += [piece] if piece else []
            start = cut
    return found


def _trimmed(message: str, hidden: str, start: int, end: int) -> Clause | None:
    text = hidden[start:end].replace("\0", " ")
    if not _WORDLIKE.search(text):
        return None
    bullet = _BULLET.match(text)
    lead = bullet.end() if bullet else len(text) - len(text.lstrip())
    kept = message[start + lead : start + len(text.rstrip())]
    return Clause(kept, start + lead) if kept.strip() else None
