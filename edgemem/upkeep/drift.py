"""Summaries held against what was said: each sentence must stand in its message, word for word."""

from __future__ import annotations

from collections.abc import Iterator

from edgemem.reports import Drift
from edgemem.store import summaries
from edgemem.store.engine import Tx


def drifted(tx: Tx, user: int) -> Iterator[Drift]:
    """Sentences of a user's summaries that are not what their messages say. Reads all summaries."""
    for row in summaries.sourced(tx, user):
        if row.turn is None:
            yield Drift(row.summary, row.session, row.content, "its message is not there", row.key)
        elif not _stands(row.content, row.speaker, row.turn):
            yield Drift(row.summary, row.session, row.content, "its message says something else", row.key)


def _stands(sentence: str, speaker: str, message: str) -> bool:
    """Whether a sentence, "speaker: words", is words of the message; blanks do not count."""
    named, words = sentence[: len(speaker) + 2], sentence[len(speaker) + 2 :]
    return named == f"{speaker}: " and bool(words.strip()) and " ".join(words.split()) in " ".join(message.split())
