"""What a question itself says about where its answer stands: on which day, said by whom, of what form.

Rules over English and Chinese. Where a rule sees nothing, nothing is assumed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from edgemem.text import comparable

_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
_NAME = "|".join(f"{name}|{name[:3]}" for name in _MONTHS)
_YEAR = r"(?:,?\s*(?:of\s+)?(?P<year>(?:19|20)\d\d))?"
_DAYS = (
    re.compile(rf"\b(?P<month>{_NAME})\.?\s+(?:the\s+)?(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b(?!\d){_YEAR}"),
    re.compile(rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<month>{_NAME})\b\.?{_YEAR}"),
    re.compile(r"(?:(?P<year>(?:19|20)\d\d)\s*年\s*)?(?P<month>\d{1,2})\s*月\s*(?P<day>\d{1,2})\s*[日号]?"),
    re.compile(r"\b(?P<year>(?:19|20)\d\d)-(?P<month>\d\d)-(?P<day>\d\d)\b"),
)
_WHOLE_MONTHS = (
    # "may" and "march" are verbs more often than months, unless a preposition or a year says otherwise.
    re.compile(
        rf"\b(?:in|during|of|since|until|by|this|last)\s+(?:early\s+|late\s+|mid-?)?(?P<month>{_NAME})\b{_YEAR}"
    ),
    re.compile(rf"\b(?P<month>{_NAME}),?\s+(?P<year>(?:19|20)\d\d)\b"),
    re.compile(rf"\b(?P<month>{'|'.join(m for m in _MONTHS if m not in ('may', 'march'))})\b{_YEAR}"),
    re.compile(r"(?:(?P<year>(?:19|20)\d\d)\s*年\s*)?(?P<month>\d{1,2})\s*月(?:份)?(?!\s*\d)"),
)
_WHEN = re.compile(
    r"\bwhen\b|\b(?:what|which) (?:date|day|month|year|time)|\bhow (?:long|often|old)\b"
    r"|什么时候|何时|哪[天年]|哪一[天年]|多久|几号|几月|日期|多长时间"
)
_WHO_WHERE = re.compile(
    r"\bwhere\b|\bwho(?:m|se)?\b|\bwhich (?:country|city|town|place|state|person)\b|\bname\b|谁|哪里|哪儿|什么地方|哪个(?:国家|城市)|名字|叫什么"
)
_ASSISTANT = re.compile(
    r"\b(?:did|have|had|do) you (?:ever )?(?:recommend|suggest|advi[sc]e|give|gave|given|mention|tell|told|say|said|teach|taught|propose|share|introduce)"
    r"|\byou (?:recommended|suggested|advised|gave|mentioned|told|said|taught|proposed|shared|introduced)\b"
    r"|\byour (?:advice|suggestion|recommendation|answer|reply)|你(?:曾经?|之前|上次|当时)?(?:[给向跟和对]我)?(?:推荐|建议|介绍|提到|告诉|教|说过|讲)"
    r"|你的?(?:建议|推荐|回答)|你给(?:了|过)?我"
)
_RELATIVE = (
    (re.compile(r"\byesterday\b|昨[天晚]"), "day", -1),
    (re.compile(r"\b(?:today|tonight|this morning)\b|今[天晚早]"), "day", 0),
    (re.compile(r"\bday before yesterday\b|前天"), "day", -2),
    (re.compile(r"\blast week\b|上(?:个)?(?:周|星期|礼拜)"), "week", -1),
    (re.compile(r"\bthis week\b|[这本](?:个)?(?:周|星期|礼拜)"), "week", 0),
    (re.compile(r"\blast month\b|上(?:个)?月"), "month", -1),
    (re.compile(r"\bthis month\b|[这本](?:个)?月"), "month", 0),
    (re.compile(r"\blast year\b|去年"), "year", -1),
    (re.compile(r"\bthis year\b|今年"), "year", 0),
)


@dataclass(frozen=True, slots=True)
class Calendar:
    """A day, or a whole month when ``day`` is None, of one year or of any."""

    month: int
    day: int | None
    year: int | None = None

    def holds(self, when: date) -> bool:
        """Whether a day lies in it."""
        same_year = self.year is None or self.year == when.year
        return same_year and self.month == when.month and self.day in (None, when.day)


@dataclass(frozen=True, slots=True)
class Span:
    """Days from ``first`` to ``last``, both included."""

    first: date
    last: date

    def holds(self, when: date) -> bool:
        """Whether a day lies in it."""
        return self.first <= when <= self.last


@dataclass(frozen=True, slots=True)
class Asked:
    """``days`` and ``months`` (or longer spans) the question names; what it wants: a time, a name or place.

    ``of_assistant``: it asks for what the assistant said, not the user.
    """

    days: tuple[Calendar | Span, ...] = ()
    months: tuple[Calendar | Span, ...] = ()
    when: bool = False
    who_where: bool = False
    of_assistant: bool = False


def asked(question: str, today: date) -> Asked:
    """Read a question that is asked on ``today``."""
    text = comparable(question)
    days = tuple(_calendar(text, _DAYS, whole=False))
    months = () if days else tuple(_calendar(text, _WHOLE_MONTHS, whole=True))
    near = [(_span(today, unit, offset), unit) for pattern, unit, offset in _RELATIVE if pattern.search(text)]
    return Asked(
        (*days, *(span for span, unit in near if unit == "day")),
        (*months, *(span for span, unit in near if unit != "day")),
        bool(_WHEN.search(text)),
        bool(_WHO_WHERE.search(text)),
        bool(_ASSISTANT.search(text)),
    )


def _calendar(text: str, patterns: tuple[re.Pattern[str], ...], *, whole: bool) -> Iterator[Calendar]:
    for pattern in patterns:
        for match in pattern.finditer(text):
            found = match.groupdict()
            month = found["month"]
            number = int(month) if month.isdigit() else 1 + [name[:3] for name in _MONTHS].index(month[:3])
            day = None if whole else int(found["day"])
            if 1 <= number <= 12 and (day is None or 1 <= day <= 31):
                yield Calendar(number, day, int(found["year"]) if found.get("year") else None)


def _span(today: date, unit: str, offset: int) -> Span:
    """The day, week (from Monday), month or year that lies ``offset`` from today's."""
    if unit == "day":
        day = today + timedelta(days=offset)
        return Span(day, day)
    if unit == "week":
        monday = today - timedelta(days=today.weekday()) + timedelta(weeks=offset)
        return Span(monday, monday + timedelta(days=6))
    if unit == "year":
        return Span(date(today.year + offset, 1, 1), date(today.year + offset, 12, 31))
    first = (today.replace(day=1) + timedelta(days=offset)).replace(day=1) if offset else today.replace(day=1)
    return Span(first, (first + timedelta(days=31)).replace(day=1) - timedelta(days=1))
