"""Of a very long message the passage that answers: a mail or a document would else take the whole block, or not fit at all."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence

from edgemem.recall.words import stems
from edgemem.text import comparable, segment, unaccented

LONG = 2_000
"""Columns of a message above which a context block tells an excerpt of it."""

SIZE = 800
"""Columns of an excerpt, about: it ends with a sentence."""

LONG_ANSWER, ANSWER = 600, 400
"""The same of what an assistant said: it is longer than what the user says, and tells less of the user."""

_ENDS = re.compile(r"(?<=[。！？\n])|(?<=[.!?])(?=\s)")
_BETWEEN = re.compile(r"[\W_]+")
_WIDE = re.compile("[\u2e80-\U0010ffff]+")
_AS_WRITTEN = re.compile("[a-z0-9]+|[\u3400-\u9fff]+")
_BY_NAME = ("sign", "plus", "shar")
"""How words begin that stand for signs: C#, an arrow."""
_SHORT = 60
"""Columns that several short sentences make together before another piece begins."""


def excerpt(query: str, text: str, long: int = LONG, size: int = SIZE) -> str:
    """The sentences in a row that hold most of the question's words, rare ones counting more; all of what is not ``long``.

    What was left out on either side is marked by an ellipsis. Where no word of the question stands, it is the beginning.
    """
    if columns(text) <= long:
        return text
    pieces = _pieces(text, size // 2)
    first, last = _best(_held(query, pieces), [columns(piece) for piece in pieces], size)
    told = "".join(pieces[first:last]).strip()
    return f"{'… ' if first else ''}{told}{' …' if last < len(pieces) else ''}"


def columns(text: str) -> int:
    """A wide character has two."""
    return len(text) if text.isascii() else 2 * len(text) - len(_WIDE.sub("", text))


def _pieces(text: str, most: int) -> list[str]:
    """Sentences, short ones together and those without an end in parts; all of them are the text."""
    found = [""]
    for sentence in _ENDS.split(text):
        # Twice its length is the most it can have: most are never counted.
        if len(found[-1]) >= _SHORT or (2 * len(found[-1]) >= _SHORT and columns(found[-1]) >= _SHORT):
            found.append("")
        found[-1] += sentence
    return [one[at : at + most] for one in found for at in range(0, len(one), most)]


def _held(query: str, pieces: Sequence[str]) -> list[dict[str, float]]:
    """Which of the question's words stand in each piece, with what finding one is worth."""
    wanted = dict.fromkeys(stems(query))
    seek = _any_of(wanted)
    # All at once, which costs a tenth of piece by piece. No text has a NUL.
    as_written = comparable(unaccented("\0".join(pieces))).split("\0")
    plain = [
        _BETWEEN.sub(" ", f" {segment(unaccented(piece))}") if seek is None or seek(written) else ""
        for piece, written in zip(pieces, as_written, strict=True)
    ]
    worth = {stem: math.log1p(len(pieces) / max(1, sum(stem in words for words in plain))) for stem in wanted}
    return [{stem: worth[stem] for stem in wanted if stem in words} for words in plain]


def _any_of(wanted: Iterable[str]) -> Callable[[str], object] | None:
    """Finds any of the words as it is written, so that only pieces that may hold one are cut into words, which costs most.

    None where a word is written otherwise than it is looked for: signs by name, and scripts whose letters change.
    """
    words = [word.strip() for word in wanted]
    if not words or not all(_AS_WRITTEN.fullmatch(word) and not word.startswith(_BY_NAME) for word in words):
        return None
    return re.compile("|".join(map(re.escape, words))).search


def _best(held: Sequence[dict[str, float]], sizes: Sequence[int], most: int) -> tuple[int, int]:
    """Where the best run of pieces begins and ends: what its words are worth once, and a little for the fullest piece."""
    best, place = -1.0, (0, 1)
    for first in range(len(held)):
        if first and not held[first]:  # a run that begins behind it holds as much
            continue
        last, size = first, 0
        while last < len(held) and (last == first or size + sizes[last] <= most):
            size += sizes[last]
            last += 1
        run = held[first:last]
        whole: dict[str, float] = {}
        for words in run:
            whole |= words
        value = sum(whole.values()) + max(sum(words.values()) for words in run) / 2
        if value > best + 1e-9:
            best, place = value, (first, last)
    return _centred(place, held, sizes, most)


def _centred(
    place: tuple[int, int], held: Sequence[dict[str, float]], sizes: Sequence[int], most: int
) -> tuple[int, int]:
    """The run moved so that about a quarter of it stands before the first piece that holds a word."""
    first, last = place
    hit = next((n for n in range(first, last) if held[n]), None)
    if hit is None:
        return place
    tail = max(n for n in range(first, last) if held[n]) + 1
    room, first, last = most - sum(sizes[hit:tail]), hit, tail
    before = room // 4
    while first and sizes[first - 1] <= before:
        first -= 1
        before -= sizes[first]
        room -= sizes[first]
    while last < len(held) and sizes[last] <= room:
        room -= sizes[last]
        last += 1
    return first, last
