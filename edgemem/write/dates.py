"""Relative dates in a memory become absolute, counted from the turn's own day and zone.

A day that can be counted is written out. A week, a month or a year keeps its words, which its sentence
needs, and gets its number behind them: "next month (2026-12)". Anything vaguer stays as it was said.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta

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
    rf"(?<!from )(?<!before )(?<!after )\b(?:on\s+)?(last|next|this)\s+({'|'.join(_DAYS_EN)})\b", re.IGNORECASE
)
_AGO_EN = re.compile(r"\b(\d{1,3}|two|three|four|five|six|seven|ten)\s+days\s+ago\b", re.IGNORECASE)
_SIMPLE_ZH = re.compile("(?<!大)(?:大前天|大后天|前天|昨天|昨晚|今天|今晚|明天|明晚|后天)")
_WEEKDAY_ZH = re.compile("(?<![上下])(上|这|本|下)(?:个)?(?:周|星期|礼拜)([一二三四五六日天])(?:\\s*(\\d{1,2})[号日])?")
_SHIFTS_EN = {"last": -1, "this": 0, "next": 1}
_SHIFTS_ZH = {"前": -2, "去": -1, "上": -1, "今": 0, "这": 0, "這": 0, "本": 0, "明": 1, "下": 1, "后": 2, "後": 2}
_NOTED = r"(?!\s*[(（])"
"""Not where the number stands already."""
_SPAN_EN = re.compile(
    # "the last month" is a stretch up to now; "last year's" would part from what it owns
    rf"(?<!the )(?<!this )(?<!every )(?<!each )(?<![a-z])(last|this|next)\s+(month|year|week)\b(?!['’-]){_NOTED}",
    re.IGNORECASE,
)
_SPAN_AGO_EN = re.compile(
    rf"(?<![a-z\d])(\d{{1,2}}|an?|one|two|three|four|five|six|seven|ten)\s+(week|month|year)s?\s+ago\b{_NOTED}",
    re.IGNORECASE,
)
_YEAR_ZH = re.compile(
    rf"(?<![一二三四五六七八九十两几每\d大以今])(去|今|明|前|后|後)年(?![一-鿿]?[级級轻輕齡龄]){_NOTED}"
)
_MONTH_ZH = re.compile(
    rf"(?<![上下一两兩几\d])(上|这|這|本|下)(?:个|個)?月(?:初|底|中旬|末)?(?![一-鿿]?[亮饼餅]){_NOTED}"
)
_SPAN_AGO_ZH = re.compile(
    rf"(?<![十百\d.])(\d{{1,2}}|[一二三四五六七八九十两兩])(周|个星期|個星期|个月|個月|年)(?:之?前)(?![一-鿿]{{0,2}}[后後]){_NOTED}"
)
_HAN_NUMBERS = dict(zip("一二三四五六七八九十两兩", (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 2, 2), strict=True))
_NUMBERS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "ten": 10}


def resolve(content: str, day: date) -> str:
    """The memory with countable relative dates written out, for something said on ``day``."""
    steps: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...] = (
        (_WEEKDAY_EN, lambda m: _english(_weekday(day, m[1].lower(), _DAYS_EN.index(m[2].lower())))),
        (_AGO_EN, lambda m: _english(day - timedelta(days=_number(m[1])))),
        (_SIMPLE_EN, lambda m: _english(day + timedelta(days=_OFFSETS_EN[m[1].lower()]))),
        (_WEEKDAY_ZH, lambda m: _weekday_chinese(day, m)),
        (_SIMPLE_ZH, lambda m: _chinese(day + timedelta(days=_OFFSETS_ZH[m[0]]))),
        (_SPAN_EN, lambda m: f"{m[0]} ({_span(day, m[2].lower(), _SHIFTS_EN[m[1].lower()])})"),
        (_SPAN_AGO_EN, lambda m: f"{m[0]} (about {_ago(day, m)})"),
        (_YEAR_ZH, lambda m: f"{m[0]}（{day.year + _SHIFTS_ZH[m[1]]}年）"),
        (_MONTH_ZH, lambda m: f"{m[0]}（{_month_chinese(day, _SHIFTS_ZH[m[1]])}）"),
        (_SPAN_AGO_ZH, lambda m: f"{m[0]}（约{_ago_chinese(day, m)}）"),
    )
    for pattern, written in steps:
        content = pattern.sub(written, content)
    return content


def _number(word: str) -> int:
    return int(word) if word.isdigit() else _NUMBERS[word.lower()]


def _weekday(day: date, which: str, weekday: int) -> date:
    """``last`` is the latest before today, ``this`` and ``next`` the first from tomorrow on or in the coming week."""
    if which == "last":
        return day - timedelta(days=(day.weekday() - weekday - 1) % 7 + 1)
    if which == "this":
        return _week(day, 0) + timedelta(days=weekday)
    return _week(day, 1) + timedelta(days=weekday)


def _weekday_chinese(day: date, found: re.Match[str]) -> str:
    """The day of 下周六, also of 下周六21号; left as it was said when weekday and number do not agree."""
    meant = _week(day, _WEEKS_ZH[found[1]]) + timedelta(days=_DAYS_ZH[found[2]])
    return found[0] if found[3] and int(found[3]) != meant.day else _chinese(meant)


def _span(day: date, unit: str, shift: int) -> str:
    """The year, the month or the week (by its Monday) that lies ``shift`` of them away."""
    if unit == "week":
        return f"the week of {_week(day, shift).isoformat()}"
    return str(day.year + shift) if unit == "year" else "{}-{:02}".format(*_month(day, shift))


def _ago(day: date, found: re.Match[str]) -> str:
    unit, count = found[2].lower(), _number(found[1])
    return (day - timedelta(weeks=count)).isoformat() if unit == "week" else _span(day, unit, -count)


def _month(day: date, shift: int) -> tuple[int, int]:
    months = day.year * 12 + day.month - 1 + shift
    return months // 12, months % 12 + 1


def _month_chinese(day: date, shift: int) -> str:
    return "{}年{}月".format(*_month(day, shift))


def _ago_chinese(day: date, found: re.Match[str]) -> str:
    count = int(found[1]) if found[1].isdecimal() else _HAN_NUMBERS[found[1]]
    if "年" in found[2]:
        return f"{day.year - count}年"
    return _month_chinese(day, -count) if "月" in found[2] else _chinese(day - timedelta(weeks=count))


def _week(day: date, weeks: int) -> date:
    """The Monday of this week, plus some weeks."""
    return day - timedelta(days=day.weekday()) + timedelta(weeks=weeks)


def _english(day: date) -> str:
    return f"on {day.isoformat()}"


def _chinese(day: date) -> str:
    return f"{day.year}年{day.month}月{day.day}日"
