"""A month, a year or a week told relatively keeps its words and gets its number behind them: "next month (2026-12)".

The sentence needs its words ("since last year"), a reader in a year's time the number. Where the words are part of
something else ("my last year of school", 目前年薪, "twenty-two years ago") nothing is added: no number is better than a wrong one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta

_SHIFTS_EN = {"last": -1, "this": 0, "next": 1}
_SHIFTS_ZH = {"前": -2, "去": -1, "上": -1, "今": 0, "这": 0, "這": 0, "本": 0, "明": 1, "下": 1, "后": 2, "後": 2}
_NUMBERS = {
    "a": 1,
    "an": 1,
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
}
_NUMBERS_HAN = dict(zip("一二三四五六七八九十两兩", (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 2, 2), strict=True))

_NOTED = r"(?!\s*[(（])"
"""Not where the number stands already."""

_NAMED = re.compile(
    # No capital: "Last Week Tonight". Not "last year's" nor "last year of school".
    rf"(?<![A-Za-z\d])([Ll]ast|[Tt]his|[Nn]ext)\s+(month|year|week)\b(?!['’-]|\s+of\b|\s+[A-Z]){_NOTED}"
)
_OWNED = re.compile(
    r"(?:\b(?:my|your|his|her|their|our|its|the|this|that|every|each|other|one|a)|['’]s)\s+$", re.IGNORECASE
)
"""Before "last year" these make it a stretch up to now, or somebody's own."""

_AGO = re.compile(
    rf"(?<![A-Za-z\d.,-])(\d{{1,2}}|{'|'.join(_NUMBERS)})\s+(week|month|year)s?\s+ago\b{_NOTED}", re.IGNORECASE
)
_GOES_ON = re.compile(r"(?:\b(?:\w*ty|hundred|thousand|and|or|to|half)|[-–.,])\s*$", re.IGNORECASE)
"""Before a number these make it the end of a longer one, or of a range."""

_NO_AGE = "(?![级級薪纪紀轻輕龄齡代])"
_YEAR_HAN = re.compile(
    rf"(?:(?<![过過除])去年|(?<![如当當现現])今年|(?<![声聲])明年|(?<![目以之先当當此从從大提])[前](?=年(?![年会會终終货貨画畫]))年|(?<![以今此之背然最先大])[后後](?=年(?![年会會终終货貨]))年){_NO_AGE}{_NOTED}"
)
_MONTH_HAN = re.compile(
    rf"(?<![上下一两兩几幾每再大另各\d])(?:[上这這下][个個]月|(?<![早晚网網线線路马馬世身头頭手天桌楼樓车車床海山])上月|(?<![日基根])本月|(?<![楼樓天地树樹底手乡鄉脚腳])下月)"
    rf"(?:初|底|中旬|末)?(?![亮饼餅球份薪光月]){_NOTED}"
)
_AGO_HAN = re.compile(
    rf"(?<![零〇一二三四五六七八九十百千万萬几幾两兩多点點来來数數半\d.．])(\d{{1,2}}|[一二三四五六七八九十两兩])(周|[个個]星期|[个個]月|年)(?:以前|之前|前(?![端台后後妻夫卫衛锋鋒线線缘緣辈輩途景言往沿排面额額])){_NOTED}"
)


def noted(content: str, day: date) -> str:
    """The text, said on ``day``, with the number behind each month, year or week that can be counted."""
    steps: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], date], str | None]], ...] = (
        (_NAMED, _named),
        (_AGO, _ago),
        (_YEAR_HAN, lambda m, d: f"（{d.year + _SHIFTS_ZH[m[0][0]]}年）"),
        (_MONTH_HAN, lambda m, d: f"（{_month_han(d, _SHIFTS_ZH[m[0][0]])}）"),
        (_AGO_HAN, lambda m, d: f"（约{_ago_han(d, m)}）"),
    )
    for pattern, number in steps:
        content = pattern.sub(lambda m, number=number: m[0] + (number(m, day) or ""), content)  # type: ignore[misc]
    return content


def goes_on(found: re.Match[str]) -> bool:
    """Whether a number found in a text is the end of a longer one ("twenty-two", "10.5") or of a range ("one or two")."""
    return _GOES_ON.search(found.string[: found.start()]) is not None


def monday(day: date, weeks: int) -> date:
    """The Monday of a day's week, plus some weeks."""
    return day - timedelta(days=day.weekday()) + timedelta(weeks=weeks)


def _named(found: re.Match[str], day: date) -> str | None:
    if _OWNED.search(found.string[: found.start()]):
        return None
    unit, shift = found[2], _SHIFTS_EN[found[1].lower()]
    if unit == "week":
        return f" (the week of {monday(day, shift).isoformat()})"
    return f" ({_span(day, unit, shift)})"


def _ago(found: re.Match[str], day: date) -> str | None:
    if goes_on(found):
        return None
    unit, word = found[2].lower(), found[1].lower()
    count = int(word) if word.isdecimal() else _NUMBERS[word]
    if not count:
        return None
    about = (day - timedelta(weeks=count)).isoformat() if unit == "week" else _span(day, unit, -count)
    return f" (about {about})"


def _span(day: date, unit: str, shift: int) -> str:
    """The year or the month that lies ``shift`` of them away."""
    return str(day.year + shift) if unit == "year" else "{}-{:02}".format(*_month(day, shift))


def _month(day: date, shift: int) -> tuple[int, int]:
    months = day.year * 12 + day.month - 1 + shift
    return months // 12, months % 12 + 1


def _month_han(day: date, shift: int) -> str:
    return "{}年{}月".format(*_month(day, shift))


def _ago_han(day: date, found: re.Match[str]) -> str:
    count = int(found[1]) if found[1].isdecimal() else _NUMBERS_HAN[found[1]]
    if "年" in found[2]:
        return f"{day.year - count}年"
    if "月" in found[2]:
        return _month_han(day, -count)
    past = day - timedelta(weeks=count)
    return f"{past.year}年{past.month}月{past.day}日"
