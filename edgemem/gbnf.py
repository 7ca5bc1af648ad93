"""Writing GBNF, the notation llama.cpp takes grammars in.

The builders return pieces of GBNF that can be joined with spaces; ``grammar`` puts a whole
together. All of them are right for every Unicode text.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Final

from edgemem.errors import InvalidInput

REPEAT_LIMIT: Final = 2000
"""llama.cpp refuses more repetitions of one item."""

JSON_CHAR: Final = r'[^"\\\x00-\x1F\x7F] | "\\" ["\\/nt]'
"""One character inside a JSON string. Every character but the control ones can be written as it is; a model that
were offered escapes by number would write lone surrogates."""

_ESCAPES: Final = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def literal(text: str) -> str:
    """GBNF for exactly ``text``."""
    return '"' + "".join(_escape(char) for char in text) + '"'


def _escape(char: str) -> str:
    if char in _ESCAPES:
        return _ESCAPES[char]
    return f"\\x{ord(char):02X}" if ord(char) < 0x20 or ord(char) == 0x7F else char


def one_of(texts: Sequence[str]) -> str:
    """GBNF for one of ``texts``."""
    if not texts:
        raise InvalidInput("one_of needs at least one text.")
    return "(" + " | ".join(literal(text) for text in texts) + ")"


def any_of(parts: Sequence[str]) -> str:
    """GBNF for one of several pieces of GBNF."""
    return "(" + " | ".join(parts) + ")"


def optional(part: str) -> str:
    """GBNF for ``part`` or nothing."""
    return f"({part})?"


def repeat(part: str, low: int, high: int) -> str:
    """GBNF for ``part`` between ``low`` and ``high`` times."""
    if not 0 <= low <= high <= REPEAT_LIMIT or high == 0:
        raise InvalidInput(f"A repetition of {low} to {high} is not possible; at most {REPEAT_LIMIT}.")
    return f"({part}){{{low},{high}}}"


def string(max_chars: int, min_chars: int = 0, *, begins: str = "") -> str:
    """GBNF for a JSON string: ``begins``, then ``min_chars`` to ``max_chars`` more characters."""
    start = literal(json.dumps(begins, ensure_ascii=False)[:-1])
    return f'{start} jsonchar{{{min_chars},{_limit(max_chars)}}} "\\""'


def line(max_chars: int, min_chars: int = 1) -> str:
    """GBNF for one line of plain text, without quotes or escapes."""
    return rf"[^\x00-\x1F\x7F]{{{min_chars},{_limit(max_chars)}}}"


def _limit(count: int) -> int:
    if not 0 < count <= REPEAT_LIMIT:
        raise InvalidInput(f"A length limit must lie in 1..{REPEAT_LIMIT}, not {count}.")
    return count


def string_of(texts: Sequence[str]) -> str:
    """GBNF for a JSON string that is one of ``texts``."""
    return one_of([json.dumps(text, ensure_ascii=False) for text in texts])


def integer(low: int, high: int) -> str:
    """GBNF for a whole number from ``low`` to ``high`` without leading zeros."""
    if low > high:
        raise InvalidInput(f"There is no number from {low} to {high}.")
    parts = []
    if low < 0:
        parts += ['"-" ' + part for part in _ranges(max(1, -high), -low)]
    if high >= 0:
        parts += list(_ranges(max(0, low), high))
    return any_of(parts)


def _ranges(low: int, high: int) -> Iterator[str]:
    """Digit patterns that cover ``low``..``high``, both at least 0."""
    while low <= high:
        size = 1
        while low % (size * 10) == 0 and low + size * 10 - 1 <= high and len(str(low + size * 10 - 1)) == len(str(low)):
            size *= 10
        if low == 0:
            size = 1
        free = len(str(size)) - 1
        head = str(low)[: len(str(low)) - free]
        last = min(9, int(head[-1]) + (high - low + 1) // size - 1)
        body = (f'"{head[:-1]}" ' if head[:-1] else "") + f"[{head[-1]}-{last}]"
        yield body + (f" [0-9]{{{free}}}" if free else "")
        low += (last - int(head[-1]) + 1) * size


def decimal(places: int = 2) -> str:
    """GBNF for a number from 0 to 1 with up to ``places`` digits after the point."""
    return f'("0" ("." [0-9]{{1,{places}}})? | "1" ("." "0"{{1,{places}}})?)'


def array(item: str, low: int = 0, high: int = 16) -> str:
    """GBNF for a JSON array of ``low`` to ``high`` items; ``item`` should be the name of a rule."""
    if high < 1 or low > high:
        raise InvalidInput(f"An array of {low} to {high} items is not possible.")
    more = f'(", " {item}){{{max(0, low - 1)},{high - 1}}}' if high > 1 else ""
    body = f"{item} {more}".strip()
    return f'"[" ({body}){"" if low else "?"} "]"'


def obj(fields: Sequence[tuple[str, str]]) -> str:
    """GBNF for a JSON object with these fields in this order."""
    parts = []
    for index, (name, value) in enumerate(fields):
        parts.append(literal(("{" if index == 0 else ", ") + f'"{name}": ') + " " + value)
    return " ".join(parts) + ' "}"'


def grammar(root: str, **rules: str) -> str:
    """A whole grammar: ``root`` and further rules; ``jsonchar`` is always there."""
    lines = [f"root ::= {root}"] + [f"{name} ::= {body}" for name, body in rules.items()]
    return "\n".join([*lines, f"jsonchar ::= {JSON_CHAR}", ""])
