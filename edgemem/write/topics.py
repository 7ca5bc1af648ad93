"""Whether two memories speak of one thing, and whether a newer one says all that an older one does: by their words.

The relation head knows pairs about one thing. Of two memories that only look alike, instructions or answers to other questions, it may
take the newer one for more of the same, and the older one would be gone. So a merge needs words that show it.
"""

from __future__ import annotations

import re
from typing import Final

from edgemem.text import fold, is_han
from edgemem.write.ends import speaks_of, telling
from edgemem.write.guards import numbers

KEPT: Final = 0.5
KEPT_HAN: Final = 0.3
"""Share of the telling words (Han: characters) of an older memory that a refinement of it holds: nearly every one of the 636
refinements written for the relation head does."""

SPARE: Final = 2
SPARE_HAN: Final = 4
"""Telling words (Han: characters) of an older memory that may be missing in one about the same thing: "likes tea", "likes Dragon Well best"."""

AKIN_HAN: Final = 0.1
"""Share of the telling characters of the shorter of two Chinese memories that stand in the other one, if they speak of one thing."""

_BEGINNING: Final = 5
"""Letters at the start of two words by which they are of one family: vegan, veganism."""

_FORM = re.compile(
    r"^according to the user, |^the user['’]s (?:instruction for the assistant|preference): |^the user (?:asks the assistant|wants|would like)\b|^用户(?:提到|要求)[:：]|(?:以后|今后)?帮?用户(?:记住)?[:：]",
    re.IGNORECASE,
)
_ASKED = re.compile(
    r"^(?:asked(?P<about>[^“]*)“(?P<en>[^”]*)”, the user answered: |被问到[^“]*“(?P<zh>[^”]*)”时，用户回答：)",
    re.IGNORECASE,
)
_WHEN = re.compile(
    r"\(?\b(?:as of |the week of |in )?\d{4}-\d\d(?:-\d\d)?\)?|\d{4}年(?:\d+月)?(?:\d+[日号])?|\d+月\d+[日号]|[（(]\d{4}年[^）)]*[）)]"
)
_HAN_GRAMMAR: Final = frozenset(
    "用户的了是在有和也就都而及着把被让给这那个们之其为于以不没很还要会能说提到回答被问时一他她它以后今"
)


def bare(content: str, *, asked: bool = False) -> str:
    """A memory without what every one of its form begins with; ``asked``: the question of an answer stays."""
    question = _ASKED.match(content)
    told = _ASKED.sub("", content)
    if asked and question is not None:
        told = f"{question['about'] or ''} {question['en'] or question['zh']} {told}"
    return _FORM.sub(" ", told).strip()


def akin(old: str, new: str) -> bool:
    """Whether two memories have a word in common that tells what they are about; a date is none."""
    before, said = (_WHEN.sub(" ", bare(text, asked=True)) for text in (old, new))
    if is_han(before) and is_han(said):
        mine, yours = _characters(before), _characters(said)
        return len(mine & yours) >= max(1, AKIN_HAN * min(len(mine), len(yours)))
    here, there = fold(before), fold(said)
    words, others = telling(before), telling(said)
    if any(speaks_of(there, word) for word in words) or any(speaks_of(here, word) for word in others):
        return True
    return bool({w[:_BEGINNING] for w in words if len(w) >= _BEGINNING} & {w[:_BEGINNING] for w in others})


def keeps(old: str, new: str) -> bool:
    """Whether a newer memory holds what an older one tells: its numbers, and most of its telling words."""
    before, said = bare(old), bare(new, asked=True)
    if any(not any(_same(number, one) for one in numbers(said)) for number in numbers(before)):
        return False
    if is_han(before):
        told = _characters(before)
        held = told & _characters(said)
        return is_han(said) and _enough(len(held), len(told), KEPT_HAN, SPARE_HAN)
    words, there = telling(before), fold(said)
    return _enough(sum(_met(word, there, said) for word in words), len(words), KEPT, SPARE)


def _same(number: str, other: str) -> bool:
    """Whether a number is another one or its beginning: 3.12 and 3.12.4, not 2 and 25."""
    return other == number or other.startswith((f"{number}.", f"{number}:", f"{number},"))


def _enough(held: int, told: int, share: float, spare: int) -> bool:
    return held >= share * told or (held > 0 and told - held <= spare)


def _met(word: str, there: str, said: str) -> bool:
    family = word[:_BEGINNING]
    return speaks_of(there, word) or (len(word) >= _BEGINNING and any(w.startswith(family) for w in telling(said)))


def _characters(text: str) -> set[str]:
    return {c for c in fold(text) if "一" <= c <= "鿿"} - _HAN_GRAMMAR
