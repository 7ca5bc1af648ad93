"""Cutting a long text into pieces that fit a model, at the ends of sentences."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

_SENTENCE: Final = re.compile(r"[^.!?。！？…\n]*(?:[.!?。！？…]+[\"'”’」』)\]]*\s*|\n+|\Z)", re.DOTALL)


def cut_at_sentences(text: str, fits: Callable[[str], bool]) -> Iterator[str]:
    """Pieces of ``text`` that all fit; together they are the whole text.

    A sentence too long by itself is cut at a space near its middle, or at the middle.
    """
    if fits(text):
        yield text
        return
    piece = ""
    for sentence in _short_sentences(text, fits):
        if piece and not fits(piece + sentence):
            yield piece
            piece = ""
        piece += sentence
    if piece:
        yield piece


def _short_sentences(text: str, fits: Callable[[str], bool]) -> Iterator[str]:
    for found in _SENTENCE.finditer(text):
        if found.group():
            yield from _halve(found.group(), fits)


def _halve(sentence: str, fits: Callable[[str], bool]) -> Iterator[str]:
    if len(sentence) < 2 or fits(sentence):
        yield sentence
        return
    middle = len(sentence) // 2
    space = sentence.rfind(" ", middle // 2, middle)
    cut = space + 1 if space > 0 else middle
    yield from _halve(sentence[:cut], fits)
    yield from _halve(sentence[cut:], fits)
