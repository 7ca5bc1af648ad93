"""Numbers with their nouns."""

from __future__ import annotations

import pytest

from edgemem.text import counted


@pytest.mark.parametrize(
    ("number", "noun", "told"),
    [
        (1, "turn", "1 turn"), (0, "turn", "0 turns"), (2000, "turn", "2,000 turns"), (1, "memory", "1 memory"),
        (2, "memory", "2 memories"), (3, "entry", "3 entries"), (2, "day", "2 days"), (1.0, "day", "1 day"), (1.5, "day", "1.5 days"),
        (2, "such message", "2 such messages"),
    ],
)  # fmt: skip
def test_one_is_told_from_many(number: float, noun: str, told: str) -> None:
    assert counted(number, noun) == told
