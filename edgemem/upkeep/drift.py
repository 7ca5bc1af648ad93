"""Summaries held against what was said: each line of a sentence must stand in its message, word for word."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from edgemem.reports import Drift
from edgemem.store import summaries
from edgemem.store.engine import Tx
from edgemem.store.summaries import Sourced


def drifted(tx: Tx, user: int) -> Iterator[Drift]:
    """Sentences of a user's summaries that are not what their messages say. Reads all summaries."""
    for _, group in itertools.groupby(summaries.sourced(tx, user), key=lambda row: (row.key, row.n)):
        rows = list(group)
        first, lines = rows[0], rows[0].content.split("\n")
        if any(row.turn is None for row in rows) or len(lines) > len(rows):
            yield Drift(first.summary, first.session, first.content, "its message is not there", first.key)
        elif len(lines) < len(rows) or not all(map(_stands, lines, rows)):
            yield Drift(first.summary, first.session, first.content, "its message says something else", first.key)


def _stands(line: str, source: Sourced) -> bool:
    """Whether a line, "speaker: words", is words of the message; blanks do not count."""
    speaker = " ".join(source.speaker.split())
    named, words = line[: len(speaker) + 2], line[len(speaker) + 2 :]
    said = " ".join((source.turn or "").split())
    return named == f"{speaker}: " and bool(words.strip()) and " ".join(words.split()) in said
