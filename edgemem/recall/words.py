"""How much of a question's words stand in a text."""

from __future__ import annotations

import re

from edgemem.text import content_tokens, segment, unaccented

COVERED = 0.4
"""Share (0..1) of the query's words that makes a hit relevant by words alone."""


def coverage(query: str, content: str) -> float:
    """Share (0..1) of the query's words that stand in the text, whatever their ending; common words do not count."""
    tokens = [token for token, _ in content_tokens(unaccented(query))]
    words = re.sub(r"[\W_]+", " ", f" {segment(unaccented(content))}")
    return sum(f" {_stem(t)}" in words for t in tokens) / len(tokens) if tokens else 0.0


def _stem(token: str) -> str:
    return token[: max(4, len(token) - 3)] if token.isascii() else token
