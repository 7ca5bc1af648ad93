"""A move that tells of another home, and what only reads like one."""

from __future__ import annotations

import pytest

from edgemem.write import attributes
from edgemem.write.attributes import Slot, of


@pytest.mark.parametrize(
    "content",
    [
        "The user moved to Product Design.", "The user moved to Microsoft Teams.", "The user moved to Linux.", "The user has moved to QA.",
        "The user recently moved to Friday.", "The user moved to Level 3.", "The user's sister moved to Customer Support.",
        "用户把数据搬到云端了。", "用户去年将网站搬到新加坡了。", "用户的公司搬到上海了。", "用户公司搬到上海了。", "用户的办公室搬到高新区了。", "用户的数据搬到云端了。",
        "用户搬到新家了。", "用户搬到楼上了。", "用户听说老王搬到上海了。", "用户搬到三楼了。",
    ],
)  # fmt: skip
def test_a_move_of_something_else_or_to_no_place_is_no_home(content: str) -> None:
    assert of(content) is None


@pytest.mark.parametrize(
    ("content", "place", "subject"),
    [
        ("The user moved to Zurich.", "Zurich", "user"), ("The user moved to New York.", "New York", "user"), ("The user has moved to the UK.", "the UK", "user"),
        ("The user's sister Noor just moved to Ghent, Belgium.", "Ghent", "sister"), ("用户上个月搬到成都了。", "成都", "user"),
        ("用户已经搬到桐庐县。", "桐庐县", "user"), ("用户的姐姐搬去苏黎世了。", "苏黎世", "姐姐"), ("用户家搬到浦东新区了。", "浦东新区", "user"),
    ],
)  # fmt: skip
def test_a_move_to_a_known_place_may_tell_of_another_home(content: str, place: str, subject: str) -> None:
    slot = of(content)
    assert slot == Slot(subject, "home", place, weak=True, who=slot.who if slot else "")
    assert attributes.moves(slot, Slot(subject, "home", "Bern"))
    assert not attributes.moves(slot, Slot(subject, "home", place))


@pytest.mark.parametrize("content", ["The user moved to Datadog.", "The user moved to Luarca.", "用户搬到小桥了。"])
def test_a_name_that_is_no_known_place_moves_nobody_by_itself(content: str) -> None:
    slot = of(content)
    assert slot is not None
    assert slot.weak
    assert not attributes.moves(slot, Slot("user", "home", "Bern"))


@pytest.mark.parametrize(
    ("content", "place"),
    [
        ("The user moved house to Luarca.", "Luarca"),
        ("The user moved flats to Kessel.", "Kessel"),
        ("用户搬家到小桥了。", "小桥"),
    ],
)
def test_who_moved_house_has_another_home(content: str, place: str) -> None:
    assert of(content) == Slot("user", "home", place)
