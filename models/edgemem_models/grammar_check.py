"""Checking GBNF before llama.cpp sees it: its own parser would print a whole wrong grammar to the terminal."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from edgemem.errors import GrammarRefused
from edgemem.gbnf import REPEAT_LIMIT

_TOKEN: Final = re.compile(
    r"""(?P<space>[ \t\r]+|\#[^\n]*)|(?P<newline>\n)|(?P<define>::=)|(?P<text>"(?:\\.|[^"\\\n])*")"""
    r"""|(?P<chars>\[(?:\\.|[^\]\\])+\])|(?P<repeat>[*+?]|\{\s*[0-9]+\s*(?:,\s*[0-9]*\s*)?\})|(?P<alt>\|)|(?P<open>\()|(?P<close>\))"""
    r"""|(?P<special>!?<(?:\[[0-9]+\]|[^>\n]+)>)|(?P<any>\.)|(?P<name>[a-zA-Z0-9-]+)""",
    re.DOTALL,
)
_ESCAPE: Final = re.compile(r"""\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[tnr\\"\[\]])|\\""", re.DOTALL)


MOST_ALTERNATIVES: Final = 8000
"""Alternatives of one grammar. What llama.cpp does with more takes seconds at a time, and cannot be stopped."""

_SURROGATES: Final = range(0xD800, 0xE000)
_LAST: Final = 0x10FFFF


def check(text: str, is_token: Callable[[str], bool] = lambda _: False) -> None:
    """Raise ``GrammarRefused`` for a grammar that llama.cpp would refuse, naming the line.

    ``is_token`` says whether ``<name>`` or ``<[number]>`` is a token of the model; without it none is.
    """
    if "\x00" in text or any(0xD800 <= ord(char) <= 0xDFFF for char in text):
        raise GrammarRefused("The grammar holds characters that cannot be encoded.", "Remove NUL and lone surrogates.")
    defined, used = _Checker(text, is_token).read()
    missing = [(name, number) for name, number in used.items() if name not in defined]
    if missing:
        raise _refused(f"rule {missing[0][0]!r} is not defined", missing[0][1])
    if "root" not in defined:
        raise GrammarRefused("The grammar has no rule called root.", "Name the rule of the whole answer root.")


def _refused(reason: str, number: int) -> GrammarRefused:
    return GrammarRefused(f"The grammar is wrong in line {number}: {reason}.", "Correct that line.")


class _Checker:
    """One pass over the tokens of a grammar."""

    def __init__(self, text: str, is_token: Callable[[str], bool]) -> None:
        self.text = text
        self.is_token = is_token
        self.alternatives = 0
        self.line = 1
        self.depth = 0
        self.item = self.repeatable = False
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
        self.repeatable = text != '""'  # llama.cpp repeats what it wrote last, and of an empty text that is nothing
        for found in _ESCAPE.finditer(text):
            if found.group(1) is None:
                raise _refused(f"unknown escape in {text[:40]}", self.line)
            code = int(found.group(1)[1:], 16) if found.group(1)[0] in "xuU" else 0
            if code in _SURROGATES or code > _LAST:
                raise _refused(f"{found.group()} is no character", self.line)

    def _chars(self, text: str) -> None:
        self._text(text)

    def _special(self, text: str) -> None:
        self._body()
        if not self.is_token(text.removeprefix("!")):
            raise _refused(f"{text[:40]} is not one token of this model", self.line)

    def _any(self, _: str) -> None:
        self._body()

    def _body(self) -> None:
        if not self.ready:
            raise _refused("a rule must begin with a name and ::=", self.line)
        self.item, self.repeatable, self.weight = True, True, 1

    def _repeat(self, text: str) -> None:
        if not (self.item and self.repeatable):
            raise _refused(f"{text} has nothing before it", self.line)
        numbers = [int(number) for number in re.findall(r"[0-9]+", text)] or [0]
        if max(numbers) > REPEAT_LIMIT:
            raise _refused(f"more than {REPEAT_LIMIT} repetitions", self.line)
        if numbers != sorted(numbers):
            raise _refused(f"{text} has its limits the wrong way round", self.line)  # llama.cpp would count without end
        # llama.cpp counts the rules that repeated brackets multiply
        self.weight *= max(1, numbers[-1])
        if self.weight > REPEAT_LIMIT:
            raise _refused("repetitions inside a repetition multiply; give the inner part its own rule", self.line)
        self.symbols += max(1, numbers[-1] - numbers[0])

    def _alt(self, _: str) -> None:
        if not self.ready:
            raise _refused("| outside a rule", self.line)
        self.item = False
        self.alternatives += 1
        if self.alternatives > MOST_ALTERNATIVES:
            raise _refused(f"more than {MOST_ALTERNATIVES:,} alternatives in all", self.line)

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
        self.item, self.repeatable, self.weight = True, True, self.symbols - self.opened.pop()
