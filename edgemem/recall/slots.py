"""Memories by subject and attribute: "my shoe size" leads to (user, shoe size), whatever its sentence says."""

from __future__ import annotations

import re

from edgemem.recall.question import Look
from edgemem.store import memories
from edgemem.text import fold

WORDS = 4
"""Most words, or Han characters, of a subject or attribute that are looked for."""

_RUN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]+")
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_OF_USER = re.compile(r"\b(?:i|my|me|mine|am i|user)\b|[我俺咱]|用户")


def by_slot(look: Look) -> list[int]:
    """Keys of the memories that tell what the question asks of whom, newest first.

    Of the user only where the question names nobody else: my sister's shoe size is not mine.
    """
    grams = _grams(look.question.text)
    named = memories.subjects(look.tx, look.user, grams)
    others = [name for name in named if name not in ("user", "用户")]
    if not others and _OF_USER.search(fold(look.question.text)):
        others = ["user", "用户"]
    return memories.slots(look.tx, look.user, others, [fold(g) for g in grams]) if others else []


def _grams(text: str) -> list[str]:
    """All runs of up to ``WORDS`` words or Han characters, as they stand and folded."""
    words = [w.removesuffix("'s").removesuffix("’s") for w in _WORD.findall(_RUN.sub(" ", text))]
    spaced = [" ".join(words[n : n + size]) for size in range(1, WORDS + 1) for n in range(len(words) - size + 1)]
    runs = [
        run[n : n + size]
        for run in _RUN.findall(text)
        for size in range(1, WORDS + 1)
        for n in range(len(run) - size + 1)
    ]
    return list(dict.fromkeys([*spaced, *map(fold, spaced), *runs]))
