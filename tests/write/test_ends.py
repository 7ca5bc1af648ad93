"""What a new memory takes back of an old one by its words: an end ends what it names, an addition and a liking end nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgemem.write.ends import adds_only, ends_another, likes_besides


@pytest.mark.parametrize(
    ("old", "new", "another"),
    [
        ("The user only drinks tea now.", "The user doesn't drink coffee any more.", True),
        ("The user drinks tea in the morning.", "The user no longer drinks coffee.", True),
        ("The user switched to oat milk.", "The user doesn't buy cow's milk any more.", True),
        ("The user rows on Sundays.", "The user stopped swimming.", True),
        ("The user lives with their sister.", "The user no longer lives with their parents.", True),
        ("The user drinks four coffees a day.", "The user doesn't drink coffee any more.", False),
        ("The user goes swimming on Tuesdays.", "The user stopped swimming.", False),
        ("The user works at a bakery.", "The user no longer works at the bakery.", False),
        ("The user is vegetarian.", "The user is no longer vegetarian.", False),
        ("The user smokes.", "The user quit smoking.", False),
        ("The user works at the port.", "The user no longer works at the mill, but at the port.", False),
        ("用户现在只喝茶。", "用户不再喝咖啡了。", True),
        ("用户现在骑车上班。", "用户不开车上班了。", True),
        ("用户和姐姐一起住。", "用户不跟父母住了。", True),
        ("用户每天喝三杯咖啡。", "用户不喝咖啡了。", False),
        ("用户每天抽一包烟。", "用户已经戒烟了。", False),
        ("用户住在里斯本。", "用户不再住里斯本了。", False),
        ("The user runs every morning.", "The user has stopped running.", False),
        ("The user swims twice a week.", "The user stopped swimming.", False),
        ("The user is a smoker.", "The user quit smoking.", False),
        ("The user works at Lidl.", "The user quit their job.", False),
        ("The user just started keto.", "The user is no longer on the keto diet.", False),
        ("The user drinks wine with dinner.", "The user gave up alcohol.", False),
        ("The user loves steak.", "The user no longer eats meat.", False),
        ("The user eats salmon.", "The user no longer eats meat.", True),
        ("用户养了两只猫。", "用户不再养猫了。", False),
        ("用户喜欢跑步。", "用户不跑了。", False),
        ("用户周末看英超。", "用户不看足球了。", False),
        ("用户爱吃牛肉面。", "用户不吃肉了。", False),
        ("用户每周打羽毛球。", "用户不打篮球了。", True),
        ("用户每天喝绿茶。", "用户戒酒了。", True),
    ],
)
def test_an_end_ends_only_what_it_names(old: str, new: str, another: bool) -> None:
    assert ends_another(old, new) is another


@pytest.mark.parametrize(
    ("old", "new", "only"),
    [
        ("The user takes the tram because parking is dear.", "The user takes the tram, not the car.", True),
        ("The user takes the tram.", "The user takes the tram since the car is broken.", True),
        ("用户坐地铁上班，因为停车太贵。", "用户坐地铁上班，不开车。", True),
        ("The user takes the tram since 2019.", "The user takes the tram since 2021.", False),
        ("The user is not allergic to nuts.", "The user is also allergic to nuts.", False),
        ("The user has not moved to Lille.", "The user has also moved to Lille.", False),
        ("The user eats fish, not meat.", "The user eats fish, also meat.", False),
        ("The user eats fish, not meat.", "The user eats fish because of meat.", False),
        ("The user doesn't eat fish because of the bones.", "The user doesn't eat fish, not even sushi.", False),
        ("用户吃肉，不吃鱼。", "用户吃肉，也吃鱼。", False),
    ],
)
def test_a_reason_and_the_other_of_two_things_take_nothing_back(old: str, new: str, only: bool) -> None:
    assert adds_only(old, new) is only


@pytest.mark.parametrize(
    ("old", "new", "besides"),
    [
        ("The user does yoga every morning.", "The user likes yoga in the evening.", True),
        ("用户每周去游泳馆游泳。", "用户喜欢下班以后游泳。", True),
        ("The user gave up yoga.", "The user likes yoga.", False),
        ("The user can't stand yoga.", "The user likes yoga.", False),
        ("The user drinks coffee.", "The user now likes tea instead.", False),
        ("用户讨厌游泳。", "用户喜欢游泳。", False),
    ],
)
def test_a_liking_stands_beside_what_is_done(old: str, new: str, besides: bool) -> None:
    assert likes_besides(old, new) is besides


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_two_texts_can_be_looked_at(old: str, new: str) -> None:
    for head, tail in (("", ""), ("The user no longer ", "."), ("用户不再", "了。")):
        assert ends_another(head + old + tail, head + old + tail) is False
        assert adds_only(old, new) == adds_only(new, old)
        likes_besides(f"The user likes {old}", f"{head}{new}{tail}")
