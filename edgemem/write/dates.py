"""Relative dates in a memory become absolute, counted from the turn's own day and zone.

A day that can be counted is written out. A week, a month or a year keeps its words, which its sentence
needs, and gets its number behind them: "next month (2026-12)". Anything vaguer stays as it was said.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta

from edgemem.write import spans

_DAYS_EN = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_DAYS_ZH = {"一": 0, "二": 1, "三": 2, "四": 3, "五": 4, "六": 5, "日": 6, "天": 6}
_OFFSETS_EN = {"today": 0, "tonight": 0, "yesterday": -1, "last night": -1, "tomorrow": 1, "the day before yesterday": -2,
               "the day after tomorrow": 2}  # fmt: skip
_OFFSETS_ZH = {
    "今天": 0,
    "今晚": 0,
    "昨天": -1,
    "昨晚": -1,
    "前天": -2,
    "明天": 1,
    "明晚": 1,
    "后天": 2,
    "大前天": -3,
    "大后天": 3,
}
_WEEKS_ZH = {"上": -1, "这": 0, "本": 0, "下": 1}

_SIMPLE_EN = re.compile(
    # "a week from today", "day before yesterday": not the day that the last word alone names
    r"(?<!from )(?<!before )(?<!after )\b(the day before yesterday|the day after tomorrow|yesterday|last night|tomorrow|today|tonight)\b"
    r"(?!['’]s\b)(?!\s*(?:morning|afternoon|evening|night)?\s*[(（]?\d{4}-)",
    re.IGNORECASE,
)
_WEEKDAY_EN = re.compile(
    rf"(?<!from )(?<!before )(?<!after )\b(?:on\s+)?(last|next|this)\s+({'|'.join(_DAYS_EN)})\b(?!\s+(?-i:[A-Z]))",
    re.IGNORECASE,
)
_AGO_EN = re.compile(r"\b(\d{1,3}|two|three|four|five|six|seven|ten)\s+days\s+ago\b", re.IGNORECASE)
_SIMPLE_ZH = re.compile(
    # 以前天天, 目前天气, 聪明天真: the end of one word and the beginning of another
    "(?<!大)(?:大前天|大后天|(?<![目以之先当此])前天|昨天|昨晚|(?<![如当])今天|今晚|(?<![聪聰文发發光透])明天|明晚|(?<![以今此之背然最先])后天)(?![天气氣性])"
)
_WEEKDAY_ZH = re.compile("(?<![上下])(上|这|本|下)(?:个)?(?:周|星期|礼拜)([一二三四五六日天])(?:\\s*(\\d{1,2})[号日])?")
_CALENDAR = (200, 9800)
"""Years in which a count of some days, weeks or years stays inside what a date can hold."""
_NUMBERS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "ten": 10}


def resolve(content: str, day: date) -> str:
    """The memory with countable relative dates written out, for something said on ``day``; near the ends of the calendar as it is."""
    if not _CALENDAR[0] <= day.year <= _CALENDAR[1]:
        return content
    steps: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...] = (
        (_WEEKDAY_EN, lambda m: _english(_weekday(day, m[1].lower(), _DAYS_EN.index(m[2].lower())))),
        (_AGO_EN, lambda m: m[0] if spans.goes_on(m) else _english(day - timedelta(days=_number(m[1])))),
        (_SIMPLE_EN, lambda m: m[0] if _titled(m) else _english(day + timedelta(days=_OFFSETS_EN[m[1].lower()]))),
        (_WEEKDAY_ZH, lambda m: _weekday_chinese(day, m)),
        (_SIMPLE_ZH, lambda m: _chinese(day + timedelta(days=_OFFSETS_ZH[m[0]]))),
    )
    for pattern, written in steps:
        content = pattern.sub(written, content)
    return spans.noted(content, day)


def _titled(found: re.Match[str]) -> bool:
    """Whether a word has a capital inside a sentence: it is part of a name, as in "Last Week Tonight"."""
    return found[0][0].isupper() and re.search(r"[^\s.!?。！？]\s+$", found.string[: found.start()]) is not None


def _number(word: str) -> int:
    return int(word) if word.isdigit() else _NUMBERS[word.lower()]


def _weekday(day: date, which: str, weekday: int) -> date:
    """``last`` is the latest before today, ``this`` and ``next`` the first from tomorrow on or in the coming week."""
    if which == "last":
        return day - timedelta(days=(day.weekday() - weekday - 1) % 7 + 1)
    if which == "this":
        return spans.monday(day, 0) + timedelta(days=weekday)
    return spans.monday(day, 1) + timedelta(days=weekday)


def _weekday_chinese(day: date, found: re.Match[str]) -> str:
    """The day of 下周六, also of 下周六21号; left as it was said when weekday and number do not agree."""
    meant = spans.monday(day, _WEEKS_ZH[found[1]]) + timedelta(days=_DAYS_ZH[found[2]])
    return found[0] if found[3] and int(found[3]) != meant.day else _chinese(meant)


def _english(day: date) -> str:
    return f"on {day.isoformat()}"


def _chinese(day: date) -> str:
    return f"{day.year}年{day.month}月{day.day}日"
