"""A correction put into the words it corrects: "Joined in 2016. Sorry, 2017." is one statement about 2017.

The correction names only what was wrong: a time, a day, a year, an amount, a name. Code finds the last thing of
that shape said before, and puts the new one in its place. One that says everything anew loses its "got it wrong:".
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_MARK = re.compile(
    r"^\W*(?:(?:oh|ah|oops|wait|argh?|hmm)\b\W*)*(?:(?:sorry|correction|scratch that|wait|oops|no|i mean(?:t)?|make that|typo|actually|my bad)\b[\s,.:;!—–-]*)+(?:(?:it['’]?s|its|i meant?|that['’]?s|is|was|make it)\s+)?"
    r"|^\s*(?:(?:哦|啊|呃|额|噢|哎呀?|等等|不对|不是|不(?=[，,。.\s]))[，,。.\s]*)*(?:打错了?|说错了?|写错了?|记错了?|搞错了?|弄错了?|更正(?:一下)?|纠正(?:一下)?|不对|口误)[，,。.：:\s]*(?:应该)?(?:是|改成)?",
    re.IGNORECASE,
)
_AFTER = re.compile(r"^(?P<new>.{2,24}?)[，,\s]*我?(?:记错|记岔|打错|说错|写错|搞错|弄错|搞混)了?[。.!！~\s]*$")
_ALONE = re.compile(
    r"^\W*(?:(?:oh|ah|no|wait|sorry|oops|hold on|hang on|scratch that|correction|my bad|my mistake|actually)\W+)+$"
    r"|^\W*(?:(?:哦|啊|呃|额|噢|哎呀?|等等|等一下|不好意思)[，,。.\s]*)*(?:不对|不是|打错|说错|写错|记错|搞错|弄错|口误|更正)(?:一下|了)?\W*$",
    re.IGNORECASE,
)
"""A clause that only says that something was wrong: what is right comes next."""

_WRONG = re.compile(
    r"^\W*(?:(?:oh|ah|ugh|argh|oops|sorry|wait|no|actually|damn|so)\b\W*)*(?:i(?:['’]ve| have)? )?(?:just )?"
    r"(?:got|had|put|wrote|typed|told you|gave you|said|mixed up|messed up)\b(?: [\w'’]+){0,4}? (?:wrong|up|backwards|mistaken)\s*(?:[:;,–—-]+\s*)(?=\S)"
    r"|^\W*(?:(?:oh|ah|oops|sorry|wait|no|actually|so)\b\W*)*i (?:said|told you|wrote|put) [\w:.' ]{1,24}? (?:before|earlier|above|just now|but)\W+(?=\S)"
    r"|^\W*(?:(?:哦|啊|呃|额|噢|等等|抱歉|对不起|不好意思)[，,。.\s]*)*我?(?:之前|刚才|刚刚|上次|前面)(?:我)?(?:说|写|讲)(?:的)?(?:是)?[^，,。]{1,8}[，,]\s*(?:其实|实际上?|应该)?"
    r"|^\W*(?:(?:哦|啊|呃|额|噢|哎呀?|等等|不好意思)[，,。.\s]*)*(?:我)?(?:刚才|刚刚|之前|上面)?(?:我)?[^，,。：:]{0,6}?(?:打错|说错|写错|记错|搞错|弄错|搞混|弄混|讲错)了?[，,。：:\s]+",
    re.IGNORECASE,
)
_INSTEAD_OF = re.compile(
    r"\s*,?\s*(?:and )?not (?:on |at |in |the |a |an )*[\w'’:.]+(?: [\w'’]+){0,2}[.!\s]*$|[，,\s]*(?:而不是|不是)[^，,。！!]{1,10}[。！!\s]*$",
    re.IGNORECASE,
)


def only_says_so(clause: str) -> bool:
    """Whether a clause says that something was wrong and nothing else: "no wait", 说错了."""
    return _ALONE.match(clause) is not None


def anew(clause: str) -> str | None:
    """The corrected statement of a clause that says all of it again: "got the day wrong: the fair is on Sunday, not Saturday"."""
    found = _WRONG.match(clause)
    if found is None:
        return None
    rest = _INSTEAD_OF.sub("", clause[found.end() :].strip(), count=1)
    long_enough = len(rest) >= 5 if re.search("[一-鿿]", rest) else len(rest.split()) >= 4
    return rest if long_enough else None


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
        r"(?<!\d)\d['’]\s?\d{1,2}(?!\d)(?:\"|'')?",
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
    return _by_shape(before, new) or _by_name(before, new)


def _by_shape(before: str, new: str) -> Mended | None:
    """A number, a time or a day put in the place of the last one of its kind."""
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


_NEW_NAME = re.compile(
    r"(?:in |at |to |from )?(?P<name>[A-ZÀ-ÖØ-Þ][\w'’-]+(?: [A-ZÀ-ÖØ-Þ][\w'’-]+){0,2})(?=\s*(?:$|[,.;!?—–]))"
)
_OLD_NAME = re.compile(
    r"(?<= )(?:in|at|to|from|with|called|named|is|for|by|near|of|and) (?P<name>[A-ZÀ-ÖØ-Þ][\w'’-]+(?: [A-ZÀ-ÖØ-Þ][\w'’-]+){0,2})\b"
)
_NEW_HAN = re.compile(r"(?:应该)?(?:是|在|去|叫|姓)?(?P<name>[一-鿿]{1,6})[。！!~\s]*$")
_KINDS: Final = tuple(
    re.compile(kind, re.IGNORECASE)
    for kind in (
        rf"(?:(?:next|last|this) )?(?:{_DAY})(?: (?:morning|afternoon|evening|night))?|today|tomorrow|tonight|yesterday|[上下这本]?个?(?:周|星期|礼拜)[一二三四五六日天末]|[今明后昨前]天",
        # April, May, June and August are names too
        r"(?:jan(?:uary)?|feb(?:ruary)?|march|july|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)|(?:[上下这]个?|[一二三四五六七八九十\d]{1,3})月份?",
        r"(?:noon|midnight)|(?:凌晨|早上|上午|中午|下午|晚上)?(?:[一二两三四五六七八九十\d]{1,3}点.{0,4})?",
        r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred)|[零一二两三四五六七八九十百千万\d]+(?:[年号日岁个块元斤米次天人]|公斤|公里|小时|分钟|平米)?",
    )
)
"""Values that are no names, each of its own kind: a day, a month, an hour, a number."""
_OLD_HAN = re.compile(r"[住在去到叫姓是从](?P<name>(?![住在去到叫姓是从])[一-鿿]{1,6})[。！!~\s]*$")


def _by_name(before: str, new: str) -> Mended | None:
    """A name put in the place of the last one, where there is one that can be meant."""
    right = _NEW_NAME.match(new) or _NEW_HAN.match(new)
    if right is None:
        return None
    wrong = list(_OLD_HAN.finditer(before)) if right.re is _NEW_HAN else list(_OLD_NAME.finditer(before))
    if not wrong or wrong[-1]["name"] == right["name"] or _kind(wrong[-1]["name"]) != _kind(right["name"]):
        return None
    start, end = wrong[-1].span("name")
    return Mended(before[:start] + right["name"] + before[end:], "")


def _kind(value: str) -> int | None:
    """Which of the kinds a value is of that are no names; None for a name: no day takes the place of a doctor."""
    return next((number for number, kind in enumerate(_KINDS) if kind.fullmatch(value)), None)


_JOINT = re.compile(r"^[\s,，.。;；!！-]*(?:and|but|also|而且|并且|还有|但是?|不过)?\s*", re.IGNORECASE)
_OWN = re.compile(r"(?:i|we|my|our)\b|[我咱俺]", re.IGNORECASE)
LEADING: Final = 12
"""Characters before the right value: a correction begins with it."""
