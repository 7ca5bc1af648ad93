"""A correction put into the words it corrects: "Joined in 2016. Sorry, 2017." is one statement about 2017.

The correction names only what was wrong: a time, a day, a year, an amount. Code finds the last thing of
that shape said before, and puts the new one in its place.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_MARK = re.compile(
    r"^\W*(?:(?:oh|ah|oops|wait|argh?|hmm)\b\W*)*(?:(?:sorry|correction|scratch that|wait|oops|no|i mean(?:t)?|make that|typo|actually|my bad)\b[\s,.:;!—–-]*)+(?:(?:it['’]?s|its|i meant?|that['’]?s|is|was|make it)\s+)?"
    r"|^\s*(?:(?:哦|啊|呃|额|等等|不对|不是)[，,。.\s]*)*(?:打错了?|说错了?|写错了?|记错了?|搞错了?|弄错了?|更正(?:一下)?|纠正(?:一下)?|不对|口误)[，,。.：:\s]*(?:应该)?(?:是|改成)?",
    re.IGNORECASE,
)
_AFTER = re.compile(r"^(?P<new>.{2,24}?)[，,\s]*我?(?:记错|记岔|打错|说错|写错|搞错|弄错|搞混)了?[。.!！~\s]*$")
_NOT = re.compile(
    r"^\W*(?:no\W+)?(?:it['’]?s |its |that['’]?s )?(?P<new>[\w’'-]+(?: [\w’'-]+){0,2}),? not (?P<old>[\w’'-]+(?: [\w’'-]+){0,2})[.!\s]*$"
    r"|^\W*(?:不对[，,\s]*)?是(?P<new2>[^，,。不是]{1,10})[，,\s]*(?:而?不是|别写成?)(?P<old2>[^，,。]{1,10})[。.!！\s]*$",
    re.IGNORECASE,
)
"""Corrections that say what was wrong: "it's Anouk, not Annika", 是周五不是周四."""

_DAY = "mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:rs(?:day)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?"
_MONTH = "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
SHAPES: Final = tuple(
    re.compile(shape, re.IGNORECASE)
    for shape in (
        r"\d{1,2}[:：]\d{2}(?:\s?[ap]m)?|\b\d{1,2}\s?[ap]m\b|(?:早上|上午|中午|下午|晚上)?[\d一二三四五六七八九十]{1,3}点(?:半|[\d一二三四五]?十?[\d一二三四五六七八九]分?)?",
        rf"\b(?:(?:next|last|this)\s+)?(?:{_DAY})\b|[上下这本]?个?(?:周|星期|礼拜)[一二三四五六日天](?:\s*\d{{1,2}}[号日])?",
        rf"\b\d{{1,2}}(?:st|nd|rd|th)?(?: of)? (?:{_MONTH})\b|\b(?:{_MONTH}) \d{{1,2}}(?:st|nd|rd|th)?\b|(?:\d{{1,2}}|[一二三四五六七八九十]{{1,3}})月(?:\d{{1,2}}|初?[一二三四五六七八九十]{{1,3}})[号日]?",
        r"\b(?:19|20)\d\d\b年?",
        r"[$€£¥]\s?\d[\d,.]*\d|\d[\d,.]*\s?(?:eur|usd|gbp|euros?|dollars?|pounds?|kg|km|cm|块|元|万|公斤|斤|公里|平米?)",
        r"(?<![\w.'’])\d[\d,.]*(?![\w'’])",
    )
)
"""What a correction may replace, the most telling shape first."""


def correction(clause: str) -> str | None:
    """What a clause that begins like a correction gives instead, or None."""
    if (after := _AFTER.match(clause)) is not None:
        return after["new"].strip()
    found = _MARK.match(clause)
    rest = clause[found.end() :].strip() if found else ""
    return rest or None


def _swapped(before: str, clause: str) -> Mended | None:
    """``before`` with the wrong word replaced by the right one, when the correction names both."""
    found = _NOT.match(clause)
    if found is None:
        return None
    new, old = found["new"] or found["new2"], found["old"] or found["old2"]
    pattern = re.compile(rf"(?<![^\W_]){re.escape(old)}(?![^\W_])" if old.isascii() else re.escape(old), re.IGNORECASE)
    words = pattern.sub(lambda _: new, before, count=1)
    return Mended(words, "") if words != before else None


@dataclass(frozen=True, slots=True)
class Mended:
    """``words``: the clause before with its value put right. ``rest``: what else the correction says of the user, or ""."""

    words: str
    rest: str


def mended(before: str, clause: str) -> Mended | None:
    """``before`` with the value that ``clause`` corrects replaced; None where the two do not meet in one shape."""
    if (swapped := _swapped(before, clause)) is not None:
        return swapped
    new = correction(clause)
    if new is None:
        return None
    for shape in SHAPES:
        right, wrong = shape.search(new), list(shape.finditer(before))
        if right is not None and wrong and right.start() <= LEADING:
            place = wrong[-1]
            if place[0] == right[0]:
                return None
            rest = _JOINT.sub("", new[right.end() :], count=1).strip()
            words = before[: place.start()] + right[0] + before[place.end() :]
            return Mended(words, rest if _OWN.match(rest) else "")
    return None


_JOINT = re.compile(r"^[\s,，.。;；!！-]*(?:and|but|also|而且|并且|还有|但是?|不过)?\s*", re.IGNORECASE)
_OWN = re.compile(r"(?:i|we|my|our)\b|[我咱俺]", re.IGNORECASE)
LEADING: Final = 12
"""Characters before the right value: a correction begins with it."""
