"""Writing and checking GBNF, the notation llama.cpp takes grammars in.

The builders return pieces of GBNF that can be joined with spaces; ``grammar`` puts a whole
together. All of them are right for every Unicode text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from edgemem.errors import GrammarRefused, InvalidInput

REPEAT_LIMIT: Final = 2000
"""llama.cpp refuses more repetitions of one item."""

JSON_CHAR: Final = r'([^"\\\x00-\x1F\x7F] | "\\" (["\\/bfnrt] | "u" [0-9a-fA-F]{4}))'
"""One character inside a JSON string, escapes included."""

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


def string(max_chars: int, min_chars: int = 0) -> str:
    """GBNF for a JSON string of ``min_chars`` to ``max_chars`` characters."""
    return f'"\\"" jsonchar{{{min_chars},{_limit(max_chars)}}} "\\""'


def line(max_chars: int, min_chars: int = 1) -> str:
    """GBNF for one line of plain text, without quotes or escapes."""
    return rf"[^\x00-\x1F\x7F]{{{min_chars},{_limit(max_chars)}}}"


def _limit(count: int) -> int:
    if not 0 < count <= REPEAT_LIMIT:
        raise InvalidInput(f"A length limit must lie in 1..{REPEAT_LIMIT}, not {count}.")
    return count


def string_of(texts: Sequence[str]) -> str:
    """GBNF for a JSON string that is one of ``texts``."""
    import json

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


# What llama.cpp's own parser would print to the terminal as a whole when it fails.
_TOKEN: Final = re.compile(
    r"""(?P<space>[ \t\r]+|\#[^\n]*)|(?P<newline>\n)|(?P<define>::=)|(?P<text>"(?:\\.|[^"\\\n])*")"""
    r"""|(?P<chars>\[(?:\\.|[^\]\\])+\])|(?P<repeat>[*+?]|\{\s*[0-9]+\s*(?:,\s*[0-9]*\s*)?\})|(?P<alt>\|)|(?P<open>\()|(?P<close>\))"""
    r"""|(?P<special>!?<(?:\[[0-9]+\]|[^>\n]+)>)|(?P<any>\.)|(?P<name>[a-zA-Z0-9-]+)""",
    re.DOTALL,
)
_ESCAPE: Final = re.compile(r"""\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[tnr\\"\[\]])|\\""", re.DOTALL)


def check(text: str) -> None:
    """Raise ``GrammarRefused`` for a grammar that llama.cpp would refuse, naming the line."""
    if "\x00" in text or any(0xD800 <= ord(char) <= 0xDFFF for char in text):
        raise GrammarRefused("The grammar holds characters that cannot be encoded.", "Remove NUL and lone surrogates.")
    defined, used = _Checker(text).read()
    missing = [(name, number) for name, number in used.items() if name not in defined]
    if missing:
        raise _refused(f"rule {missing[0][0]!r} is not defined", missing[0][1])
    if "root" not in defined:
        raise GrammarRefused("The grammar has no rule called root.", "Name the rule of the whole answer root.")


def _refused(reason: str, number: int) -> GrammarRefused:
    return GrammarRefused(f"The grammar is wrong in line {number}: {reason}.", "Correct that line.")


class _Checker:
    """One pass over the tokens of a grammar."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.line = 1
        self.depth = 0
        self.item = False
        self.defined: set[str] = set()
        self.used: dict[str, int] = {}
        self.name: str | None = None
        self.ready = False
        self.symbols = 0
        self.weight = 1
        self.opened: list[int] = []

    def read(self) -> tuple[set[str], dict[str, int]]:
        """Names defined, and names used with their lines."""
        at = 0
        while at < len(self.text):
            found = _TOKEN.match(self.text, at)
            if found is None:
                raise _refused(f"{self.text[at : at + 20].splitlines()[0]!r} cannot be read", self.line)
            getattr(self, f"_{found.lastgroup}")(found.group())
            at = found.end()
        self._end_rule()
        return self.defined, self.used

    def _space(self, _: str) -> None:
        """Nothing to see."""

    def _newline(self, _: str) -> None:
        self.line += 1
        if self.depth == 0 and self.ready and self.item:
            self._end_rule()

    def _end_rule(self) -> None:
        if self.depth:
            raise _refused("a bracket is not closed", self.line)
        if self.name is not None:
            raise _refused(f"{self.name!r} begins a rule without ::=", self.line)
        self.ready = self.item = False

    def _name(self, name: str) -> None:
        if not self.ready:
            if self.name is not None:
                raise _refused(f"::= is missing after {self.name!r}", self.line)
            self.name = name
            return
        if name not in self.used and name not in self.defined:
            self.symbols += 1
        self.used.setdefault(name, self.line)
        self._body()

    def _define(self, _: str) -> None:
        if self.name is None:
            raise _refused("::= without a name before it", self.line)
        self.defined.add(self.name)
        self.name, self.ready, self.item = None, True, False

    def _text(self, text: str) -> None:
        self._body()
        for found in _ESCAPE.finditer(text):
            if found.group(1) is None:
                raise _refused(f"unknown escape in {text[:40]}", self.line)

    def _chars(self, text: str) -> None:
        self._text(text)

    def _special(self, _: str) -> None:
        self._body()

    def _any(self, _: str) -> None:
        self._body()

    def _body(self) -> None:
        if not self.ready:
            raise _refused("a rule must begin with a name and ::=", self.line)
        self.item, self.weight = True, 1

    def _repeat(self, text: str) -> None:
        if not self.item:
            raise _refused(f"{text} has nothing before it", self.line)
        numbers = [int(number) for number in re.findall(r"[0-9]+", text)] or [0]
        if max(numbers) > REPEAT_LIMIT:
            raise _refused(f"more than {REPEAT_LIMIT} repetitions", self.line)
        # llama.cpp counts the rules that repeated brackets multiply
        self.weight *= max(1, numbers[-1])
        if self.weight > REPEAT_LIMIT:
            raise _refused("repetitions inside a repetition multiply; give the inner part its own rule", self.line)
        self.symbols += max(1, numbers[-1] - numbers[0])

    def _alt(self, _: str) -> None:
        if not self.ready:
            raise _refused("| outside a rule", self.line)
        self.item = False

    def _open(self, _: str) -> None:
        self._body()
        self.opened.append(self.symbols)
        self.symbols += 1
        self.depth += 1
        self.item = False

    def _close(self, _: str) -> None:
        if not self.opened:
            raise _refused("a bracket is closed that was not opened", self.line)
        self.depth -= 1
        self.item, self.weight = True, self.symbols - self.opened.pop()
