"""What is read from the question alone."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgemem.recall.asked import Calendar, Span, asked

TODAY = date(2026, 5, 6)  # a Wednesday


@pytest.mark.parametrize(
    ("question", "day"),
    [
        ("What did I cook on March 4th?", Calendar(3, 4)),
        ("What did I cook on 4 March 2025?", Calendar(3, 4, 2025)),
        ("what happened on the 4th of Mar, 2025", Calendar(3, 4, 2025)),
        ("anything from 2025-03-04?", Calendar(3, 4, 2025)),
        ("三月之后，3月4日我做了什么菜？", Calendar(3, 4)),
        ("2025年3月4号去了哪里", Calendar(3, 4, 2025)),
    ],
)
def test_a_day_is_read_however_it_is_written(question: str, day: Calendar) -> None:
    assert day in asked(question, TODAY).days
    assert day.holds(date(2025, 3, 4))
    assert not day.holds(date(2025, 3, 5))


@pytest.mark.parametrize(
    ("question", "month"),
    [
        ("Where was I in May?", Calendar(5, None)),
        ("Which race is in May 2024?", Calendar(5, None, 2024)),
        ("the trip of October", Calendar(10, None)),
        ("5月份我在哪里？", Calendar(5, None)),
        ("2024年10月的旅行", Calendar(10, None, 2024)),
    ],
)
def test_a_month_is_read_however_it_is_written(question: str, month: Calendar) -> None:
    found = asked(question, TODAY)
    assert month in found.months
    assert found.days == ()


@pytest.mark.parametrize(
    "question", ["May I march on?", "Who may sing?", "she marched 12 miles", "第3个", "13月40日", "version 2.4.1"]
)
def test_what_only_looks_like_a_date_is_none(question: str) -> None:
    assert asked(question, TODAY) in [asked("", TODAY), asked("who", TODAY)]


@pytest.mark.parametrize(
    ("question", "first", "last"),
    [
        ("what did I eat yesterday", date(2026, 5, 5), date(2026, 5, 5)),
        ("昨天吃了什么", date(2026, 5, 5), date(2026, 5, 5)),
        ("last week's meeting", date(2026, 4, 27), date(2026, 5, 3)),
        ("上周的会议", date(2026, 4, 27), date(2026, 5, 3)),
        ("what I read last month", date(2026, 4, 1), date(2026, 4, 30)),
        ("上个月读的书", date(2026, 4, 1), date(2026, 4, 30)),
        ("去年的旅行", date(2025, 1, 1), date(2025, 12, 31)),
        ("this month", date(2026, 5, 1), date(2026, 5, 31)),
    ],
)
def test_relative_dates_count_from_the_day_of_asking(question: str, first: date, last: date) -> None:
    found = asked(question, TODAY)
    assert Span(first, last) in (*found.days, *found.months)


def test_the_form_of_the_answer() -> None:
    assert asked("When did she leave?", TODAY).when
    assert asked("她是什么时候走的？", TODAY).when
    assert asked("Who taught her the cello?", TODAY).who_where
    assert asked("那家店叫什么名字？", TODAY).who_where
    assert asked("Why the cello?", TODAY) == asked("", TODAY)


@given(st.text(max_size=80), st.dates())
def test_any_text_is_read_on_any_day(question: str, today: date) -> None:
    found = asked(question, today)
    assert all(isinstance(named.holds(today), bool) for named in (*found.days, *found.months))
