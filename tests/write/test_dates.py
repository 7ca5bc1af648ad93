"""Relative dates are counted from the message's own day, or left alone."""

from __future__ import annotations

from datetime import date, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgemem.records import Turn
from edgemem.write.dates import resolve
from tests.helpers import Fact, RuleModel, opened

WEDNESDAY = date(2026, 5, 6)
MONDAY, SUNDAY = date(2026, 5, 4), date(2026, 5, 10)


@pytest.mark.parametrize(
    ("text", "day", "resolved"),
    [
        ("用户下周六16号去青岛。", WEDNESDAY, "用户2026年5月16日去青岛。"),
        ("用户下周六17号去青岛。", WEDNESDAY, "用户下周六17号去青岛。"),
        ("The user ran yesterday.", WEDNESDAY, "The user ran on 2026-05-05."),
        ("The user runs tomorrow.", date(2026, 12, 31), "The user runs on 2027-01-01."),
        ("Tomorrow the user runs.", date(2026, 12, 31), "on 2027-01-01 the user runs."),
        ("The user ran the day before yesterday.", date(2024, 3, 1), "The user ran on 2024-02-28."),
        ("The user ran 3 days ago.", WEDNESDAY, "The user ran on 2026-05-03."),
        ("The user ran two days ago.", date(2026, 3, 1), "The user ran on 2026-02-27."),
        ("The user ran last Monday.", MONDAY, "The user ran on 2026-04-27."),
        ("The user ran last Sunday.", SUNDAY, "The user ran on 2026-05-03."),
        ("The user ran last Tuesday.", WEDNESDAY, "The user ran on 2026-05-05."),
        ("The user runs next Monday.", SUNDAY, "The user runs on 2026-05-11."),
        ("The user runs next Friday.", MONDAY, "The user runs on 2026-05-15."),
        ("用户昨天跑步了。", WEDNESDAY, "用户2026年5月5日跑步了。"),
        ("用户大前天跑步了。", WEDNESDAY, "用户2026年5月3日跑步了。"),
        ("用户后天去里斯本。", date(2026, 12, 30), "用户2027年1月1日去里斯本。"),
        ("用户上周三去了医院。", SUNDAY, "用户2026年4月29日去了医院。"),
        ("用户上周日去了医院。", MONDAY, "用户2026年5月3日去了医院。"),
        ("用户下个星期天搬家。", MONDAY, "用户2026年5月17日搬家。"),
        ("用户这周五搬家。", WEDNESDAY, "用户2026年5月8日搬家。"),
        ("The user moves next month.", WEDNESDAY, "The user moves next month (2026-06)."),
        ("The user moves next month.", date(2026, 12, 31), "The user moves next month (2027-01)."),
        ("Last year the user married.", WEDNESDAY, "Last year (2025) the user married."),
        ("The user's exam is next week.", SUNDAY, "The user's exam is next week (the week of 2026-05-11)."),
        ("The user began six months ago.", WEDNESDAY, "The user began six months ago (about 2025-11)."),
        ("The user began a year ago.", WEDNESDAY, "The user began a year ago (about 2025)."),
        ("The user fell 3 weeks ago.", WEDNESDAY, "The user fell 3 weeks ago (about 2026-04-15)."),
        ("用户下个月去帮忙。", date(2026, 11, 30), "用户下个月（2026年12月）去帮忙。"),
        ("用户上月底搬家。", date(2026, 1, 5), "用户上月底（2025年12月）搬家。"),
        ("用户去年搬家。", WEDNESDAY, "用户去年（2025年）搬家。"),
        ("用户前年春天结婚。", WEDNESDAY, "用户前年（2024年）春天结婚。"),
        ("用户明年三月毕业。", WEDNESDAY, "用户明年（2027年）三月毕业。"),
        ("用户三年前戒烟。", WEDNESDAY, "用户三年前（约2023年）戒烟。"),
        ("用户两个月前入职。", WEDNESDAY, "用户两个月前（约2026年3月）入职。"),
    ],
)
def test_what_can_be_counted_is_written_out(text: str, day: date, resolved: str) -> None:
    assert resolve(text, day) == resolved


@pytest.mark.parametrize(
    "text",
    [
        "The user ran recently.", "The user ran some days ago.", "The user will run soon.", "The user moved last summer.",
        "The user lived there for 3 days.", "用户最近跑步。", "用户过几天搬家。",
        "用户上上周三去了医院。", "用户下下周一出差。", "用户大大后天走。", "The user likes today's menu.",
        "The user left day before yesterday.", "The user moves a week from today.", "The user is busy after next Monday.",
        "The user ran on 2026-05-01.", "The user likes Mondays.", "", "The user slept badly for the last month.",
        "The user ran twenty-two days ago.", "The user ran 10.5 days ago.", "The user married twenty-two years ago.", "The user married thirty five years ago.",
        "The user began fifty-one weeks ago.", "The house was built a hundred and two years ago.", "The user left half a year ago.", "The user left 10.5 years ago.",
        "The user left one or two years ago.", "The user left two to three years ago.", "The user's last year of university was hard.", "The user is in their last year at school.",
        "The user watches Last Week Tonight.", "The user likes this week's menu.", "The user runs every other week.",
        "用户二十年前来过。", "用户几十年前来过。", "用户一百二十年前的房子。", "用户三点五年前毕业。", "用户两三年前毕业。", "用户半年前毕业。", "用户目前年薪三十万。",
        "用户如今年纪大了。", "用户的弟弟小明年纪小。", "用户毕业后年薪二十万。", "用户在日本月薪三十万。", "用户婚后年年旅游。", "用户有三年前端经验。", "用户和两年前妻。",
        "用户以前天天跑步。", "The user's band is called Tonight.", "The user sings the song Yesterday.", "The user saw The Day After Tomorrow.", "The user's song is Last Friday Night.",
        "用户提前年底回家。", "用户声明年份不对。", "用户除去年假还有三天。", "用户大前年毕业。", "用户大后年毕业。", "The user left 0 years ago.", "用户目前天气不好不出门。", "用户今后天天游泳。", "用户去年级办公室。", "用户早上月底才醒。",
        "The user likes last year's coat.", "The user moves next month (2026-07).", "用户下个月（2026年7月）搬家。",
        "用户每年前往杭州。", "用户今后年年体检。", "用户下下个月出差。", "用户工作了三年。", "用户上年纪了。", "用户喜欢这月饼。",
    ],
)  # fmt: skip
def test_what_cannot_be_counted_stays_as_it_was_said(text: str) -> None:
    assert resolve(text, WEDNESDAY) == text


@given(
    st.lists(
        st.sampled_from(
            ["last", "next", "month", "year", "a week ago", "去年", "下个月", "三年前", "yesterday", "(", "，"]
        )
    ).map(" ".join)
)
def test_what_is_written_out_stays_as_it_is_when_it_is_read_again(text: str) -> None:
    once = resolve(text, WEDNESDAY)
    assert resolve(once, WEDNESDAY) == once


@given(st.text(max_size=60) | st.sampled_from(["yesterday", "next week", "下个月", "ten years ago"]), st.dates())
def test_no_text_is_an_error(text: str, day: date) -> None:
    assert isinstance(resolve(text, day), str)


@pytest.mark.parametrize(
    ("at", "expected"),
    [
        ("2026-05-06T00:30:00+08:00", "2026-05-05"),  # still the day before in UTC
        ("2026-05-05T23:30:00-11:00", "2026-05-04"),  # already the day after in UTC
        ("2026-05-06T01:00:00+14:00", "2026-05-05"),
        ("2026-03-29T03:30:00+02:00", "2026-03-28"),  # the night the clocks change
        ("2023-05-24T10:00:00+00:00", "2023-05-23"),  # long ago: not counted from today
    ],
)
def test_the_day_is_the_one_where_it_was_said(tmp_path: Path, at: str, expected: str) -> None:
    model = RuleModel(Fact("I adopted a dog yesterday", "The user adopted a dog yesterday.", "event"))
    with opened(tmp_path / "d.edgemem", model) as file:
        receipt = file.user("me").learn([Turn("user", "I adopted a dog yesterday", at=at)])
        assert [m.content for m in receipt.memories] == [f"The user adopted a dog on {expected}."]


def test_the_machines_own_zone_plays_no_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import time

    results = set()
    for zone in ("Asia/Shanghai", "Pacific/Kiritimati", "Pacific/Midway"):
        monkeypatch.setenv("TZ", zone)
        time.tzset()
        model = RuleModel(Fact("昨天养了一只狗", "用户昨天养了一只狗。", "event"))
        with opened(tmp_path / f"{zone[-5:]}.edgemem", model) as file:
            at = datetime(2026, 5, 6, 0, 30, tzinfo=timezone(timedelta(hours=8)))
            results |= {m.content for m in file.user("me").learn([Turn("user", "昨天养了一只狗", at=at)]).memories}
    monkeypatch.undo()
    time.tzset()
    assert results == {"用户2026年5月5日养了一只狗。"}
