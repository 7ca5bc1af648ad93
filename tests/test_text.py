"""Numbers with their nouns, and what full text makes of a text."""

from __future__ import annotations

import hashlib

import pytest

from edgemem.text import SEGMENTER_VERSION, counted, segment


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


TRAPS = (
    "I write C++ and C#, not C; see g++ and F#.", "I love 🍕 pizza \u2192 \u2713", "snake_case x_1 __init__ a-b.c's",
    "\u00b2 na\u00efve \u2163 \u2460 \u338f \u00bd x\u2082 5\u20ac \uff21\uff11", "ago \u2014 \u201cquoted\u201d \u2018it\u2019s\u2019\u2026",
    "\u0130stanbul STRASSE stra\u00dfe \u1e9e \ufb01n e\u0301t\u00e9 A\u030a", "\u0627\u0644\u0643\u062a\u0627\u0628 \u0648\u0627\u0644\u062c\u062f\u064a\u062f \u0643\u0650\u062a\u0627\u0628\u0640 \u0625\u0644\u0649",
    "吃火鍋，開心。甚麼軟體", "用户在臺北，週末去爬陽明山 3 天", "カタカナ・ひらがな々〇ー ﾊﾝｶｸ", "한국어를 공부하고 서울에서 ᄀ", "ภาษาไทย ລາວ မြန်မာ ខ្មែរ",
    "Россию Ёлка Ελλάδα ΟΔΟΣ", "foo\u2026 bar\u00b7baz\u30fb\u3000x\u200bz\u00ad", "\U00020bb7野家 \ufa12 \U0002f800", "हिन्दी में नमस्ते שָׁלוֹם", "", "\n\t !?",
)  # fmt: skip
"""Whatever two versions of ``segment`` could see otherwise: signs, forms of letters, marks, scripts without blanks."""

MADE = {3: "7c1aa3c71b1d72bdc8077e9b38e345fd28efbc175e72b5fec86c3490f2ed2c64"}
"""What each version of the segmenter makes of the traps, as a digest."""


def test_the_segmenter_has_a_new_number_when_it_gives_anything_else() -> None:
    """An index of other words is damage to whoever takes words out of it. Raise ``SEGMENTER_VERSION`` and add the digest."""
    made = hashlib.sha256("\x1f".join(segment(text) for text in TRAPS).encode("utf-8")).hexdigest()
    assert made == MADE.get(SEGMENTER_VERSION)
