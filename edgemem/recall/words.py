"""How much of a question's words stand in a text."""

from __future__ import annotations

import re
from collections.abc import Sequence

from edgemem.text import content_tokens, segment, unaccented

COVERED = 0.4
"""Share (0..1) of the query's words that makes a hit relevant by words alone."""


_BETWEEN = re.compile(r"[\W_]+")


def coverage(query: str, content: str) -> float:
    """Share (0..1) of the query's words that stand in the text, whatever their ending; common words do not count."""
    return covered(stems(query), content)


def stems(query: str) -> list[str]:
    """The beginnings of the query's words by which they are looked for, for ``covered``."""
    return [f" {_stem(token)}" for token, _ in content_tokens(unaccented(query))]


def covered(wanted: Sequence[str], content: str) -> float:
    """Share (0..1) of the ``stems`` that stand in the text."""
    words = _BETWEEN.sub(" ", f" {segment(unaccented(content))}")
    return sum(stem in words for stem in wanted) / len(wanted) if wanted else 0.0


def share_a_word(words: str, content: str) -> bool:
    """Whether two texts have a name, a number or another word in common that is not too common."""
    stand = set(_BETWEEN.sub(" ", segment(content)).split())
    return any(len(token) > 1 and token in stand for token, _ in content_tokens(words))


def _stem(token: str) -> str:
    return token[: max(4, len(token) - 3)] if token.isascii() and token.isalpha() else token
