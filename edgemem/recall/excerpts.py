"""Of a very long message the passage that answers: a mail or a document would else take the whole block, or not fit at all."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from edgemem.recall.words import stems
from edgemem.text import segment, unaccented

LONG = 2_000
"""Columns of a message above which a context block tells an excerpt of it."""

SIZE = 800
"""Columns of an excerpt, about: it ends with a sentence."""

_ENDS = re.compile(r"(?<=[。！？\n])|(?<=[.!?])(?=\s)")
_BETWEEN = re.compile(r"[\W_]+")
_PIECE = SIZE // 2
"""Columns of a piece of text without an end of a sentence."""
_SHORT = 60
"""Columns that several short sentences make together before another piece begins."""


def excerpt(query: str, text: str) -> str:
    """The sentences in a row that hold most of the question's words, rare ones counting more; all of what is not long.

    What was left out on either side is marked by an ellipsis. Where no word of the question stands, it is the beginning.
    """
    if columns(text) <= LONG:
        return text
    pieces = _pieces(text)
    first, last = _best(_held(query, pieces), [columns(piece) for piece in pieces])
    told = "".join(pieces[first:last]).strip()
    return f"{'… ' if first else ''}{told}{' …' if last < len(pieces) else ''}"


def columns(text: str) -> int:
    """A wide character has two."""
    return len(text) if text.isascii() else sum(2 if ord(c) > 0x2E7F else 1 for c in text)


def _pieces(text: str) -> list[str]:
    """Sentences, short ones together and those without an end in parts; all of them are the text."""
    found = [""]
    for sentence in _ENDS.split(text):
        if columns(found[-1]) >= _SHORT:
            found.append("")
        found[-1] += sentence
    return [one[at : at + _PIECE] for one in found for at in range(0, len(one), _PIECE)]


def _held(query: str, pieces: Sequence[str]) -> list[dict[str, float]]:
    """Which of the question's words stand in each piece, with what finding one is worth."""
    wanted = dict.fromkeys(stems(query))
    plain = [_BETWEEN.sub(" ", f" {segment(unaccented(piece))}") for piece in pieces]
    worth = {stem: math.log1p(len(pieces) / max(1, sum(stem in words for words in plain))) for stem in wanted}
    return [{stem: worth[stem] for stem in wanted if stem in words} for words in plain]


def _best(held: Sequence[dict[str, float]], sizes: Sequence[int]) -> tuple[int, int]:
    """Where the best run of pieces begins and ends: what its words are worth once, and a little for the fullest piece."""
    best, place = -1.0, (0, 1)
    for first in range(len(held)):
        last, size = first, 0
        while last < len(held) and (last == first or size + sizes[last] <= SIZE):
            size += sizes[last]
            last += 1
        run = held[first:last]
        whole: dict[str, float] = {}
        for words in run:
            whole |= words
        value = sum(whole.values()) + max(sum(words.values()) for words in run) / 2
        if value > best + 1e-9:
            best, place = value, (first, last)
    return _centred(place, held, sizes)


def _centred(place: tuple[int, int], held: Sequence[dict[str, float]], sizes: Sequence[int]) -> tuple[int, int]:
    """The run moved so that about a quarter of it stands before the first piece that holds a word."""
    first, last = place
    hit = next((n for n in range(first, last) if held[n]), None)
    if hit is None:
        return place
    tail = max(n for n in range(first, last) if held[n]) + 1
    room, first, last = SIZE - sum(sizes[hit:tail]), hit, tail
    before = room // 4
    while first and sizes[first - 1] <= before:
        first -= 1
        before -= sizes[first]
        room -= sizes[first]
    while last < len(held) and sizes[last] <= room:
        room -= sizes[last]
        last += 1
    return first, last
