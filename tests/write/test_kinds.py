"""Single dated happenings are events; habits, birthdays, homes and jobs stay facts."""

from __future__ import annotations

import pytest

from edgemem.write.kinds import happening


@pytest.mark.parametrize(
    "content",
    [
        "The user's exam is on 18 June at 2pm.", "The user passed their driving test on 2026-05-05.",
        "The user booked the ferry for 21 August.", "The user's boiler broke, the engineer is coming on Tuesday.",
        "用户10月12号上午十点答辩。", "用户下周四提车。", "用户的妹妹下个月15号结婚。",
    ],
)  # fmt: skip
def test_one_thing_on_a_day_is_an_event(content: str) -> None:
    assert happening(content)


@pytest.mark.parametrize(
    "content",
    [
        "The user's birthday is on 3 June.", "The user has an exam coat.", "The user trains every Tuesday.", "The user visits museums.",
        "The user moved to Ghent on 3 May.", "The user has worked at the port since 3 May 2019.",
        "用户生日是6月3号。", "用户每周四去合唱团。", "用户5月3号起住在根特。", "用户喜欢旅行。",
    ],
)  # fmt: skip
def test_what_goes_on_is_none(content: str) -> None:
    assert not happening(content)
