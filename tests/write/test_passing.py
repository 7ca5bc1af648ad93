"""Moods, errands, wishes and films are no lasting facts, whatever the gate thinks of them."""

from __future__ import annotations

import pytest

from edgemem.write import guards, passing


@pytest.mark.parametrize(
    "clause",
    [
        "I'm so tired I could cry",
        "stuck in traffic again",
        "on the train until nine",
        "ugh, starving",
        "battery's at 4",
        "我今天好累",
        "饿死了",
        "现在正在排队",
        "昨晚三点才睡",
        "I can't find my glasses",
        "the cat just knocked over the vase",
        "I keep getting an error when I save",
        "my neighbour is drilling again, driving me nuts",
        "I'd sell my kids for a coffee",
        "my husband is an absolute saint",
        "我刚把茶打翻了",
        "我看不懂这个报错",
        "重启了还是不行",
        "我在牙科等着呢",
        "我是拖延症女王",
    ],
)
def test_what_is_over_by_tomorrow(clause: str) -> None:
    assert passing.passing(clause)


@pytest.mark.parametrize(
    "clause",
    [
        "I'm always tired since the operation",
        "I work on trains, mostly the night ones",
        "I drive a bus",
        "I teach in a small school",
        "我每天加班到九点",
        "我在公交公司开车",
        "我从小怕热",
        "I sell my own pots at the market",
        "I can't eat gluten",
        "my daughter is a nurse",
        "我刚搬到青岛",
        "我是女装店的店长",
        "我们店里下午三点到五点不忙",
    ],
)
def test_what_lasts_is_not_passing(clause: str) -> None:
    assert not passing.passing(clause)


@pytest.mark.parametrize(
    ("clause", "before"),
    [
        ("if I won the lottery I'd buy a lighthouse", None),
        ("I'd buy a lighthouse", "if I won the lottery,"),
        ("I wish I had a garden", None),
        ("要是我有一百万", None),
        ("我就去开书店", "要是我有一百万，"),
    ],
)
def test_what_would_be_is_unreal(clause: str, before: str | None) -> None:
    assert passing.unreal(clause, before)


@pytest.mark.parametrize(
    ("clause", "before"),
    [
        ("I'd rather sit at the back", None),
        ("I live by the sea", "if I won the lottery I'd move inland,"),
        ("我就住在学校旁边", None),
        ("我家要是没有电梯我妈上不去", "我家在六楼，"),
    ],
)
def test_what_is_so_is_not_unreal(clause: str, before: str | None) -> None:
    assert not passing.unreal(clause, before)


@pytest.mark.parametrize(
    "clause",
    [
        "in that film the father lives on a boat",
        "this article says tea cures everything",
        "听说吃醋能软化鱼刺",
        "小说里她有三个哥哥",
    ],
)
def test_what_others_tell_is_elsewhere(clause: str) -> None:
    assert passing.elsewhere(clause)


@pytest.mark.parametrize(
    "clause", ["I work in the film industry", "my article says nothing of it", "我写小说", "我在书店上班"]
)
def test_ones_own_films_and_books_are_not_elsewhere(clause: str) -> None:
    assert not passing.elsewhere(clause)


@pytest.mark.parametrize(
    ("asked", "clause", "declined"),
    [
        ("Shall I draft a mail to them?", "no, I'll ring them", True),
        ("Do you want me to add the receipts?", "yes go ahead", True),
        ("Shall I use miles?", "no, always kilometres", False),
        ("Do you ride a bike?", "no, never learned", False),
        ("要不要我再写一版？", "不用 我自己改", True),
        ("需要我换成表格吗？", "好 以后都用表格", False),
        ("您吃辣吗？", "不吃 胃不好", False),
    ],
)
def test_taking_up_an_offer_tells_nothing(asked: str, clause: str, declined: bool) -> None:
    assert guards.declines(asked, clause) is declined


@pytest.mark.parametrize(
    ("clause", "only_asks"),
    [
        ("what can I cook tonight?", True),
        ("can you always answer in Welsh?", False),
        ("以后都用粤语好吗？", False),
        ("你可以翻译吗？", True),
    ],
)
def test_a_rule_may_be_put_as_a_question(clause: str, only_asks: bool) -> None:
    assert guards.plain_question(clause) is only_asks


@pytest.mark.parametrize("clause", ["give me three titles", "please write a poem", "帮我写首诗", "再来一个"])
def test_one_piece_of_work_is_wanted_now(clause: str) -> None:
    assert passing.wanted_now(clause)


@pytest.mark.parametrize(
    "clause",
    ["always give me a summary first", "give distances in miles", "以后每次给我列个提纲", "I give two lessons a week"],
)
def test_a_standing_wish_is_not_wanted_now(clause: str) -> None:
    assert not passing.wanted_now(clause)


@pytest.mark.parametrize(
    "clause", ["nope, don't like it", "I don't want that", "I hate this error", "我不喜欢你这个语气", "不要这个"]
)
def test_a_reaction_is_no_taste(clause: str) -> None:
    assert passing.reaction(clause)


@pytest.mark.parametrize(
    "clause",
    [
        "I don't like it when people whistle",
        "I don't like liver",
        "I never want that again",
        "我不喜欢吃苦瓜",
        "我讨厌下雨天",
        "这个病我妈也有",
    ],
)
def test_a_taste_is_no_reaction(clause: str) -> None:
    assert not passing.reaction(clause)


@pytest.mark.parametrize(
    "clause", ["a bit shorter please", "more formal", "Even simpler.", "正式一些。", "再短一点吧", "更口语点"]
)
def test_another_tone_or_length_is_wanted_now(clause: str) -> None:
    assert passing.adjusts(clause)


@pytest.mark.parametrize(
    "clause",
    ["I want more sleep", "we have more cats now", "我爱吃辣一点的", "以后回答都短一点", "血压高了一些", "胖了一些"],
)
def test_what_tells_something_adjusts_nothing(clause: str) -> None:
    assert not passing.adjusts(clause)


@pytest.mark.parametrize(
    "clause",
    [
        "only for this chat, call me Skipper",
        "just this once, answer in rhyme",
        "只在这次聊天里叫我船长",
        "这次对话里你用英文，下次不用",
    ],
)
def test_a_wish_for_one_conversation_is_none_for_the_next(clause: str) -> None:
    assert passing.this_once(clause)


@pytest.mark.parametrize(
    "clause", ["call me Skipper in every chat", "I only use this chat at work", "以后聊天都叫我船长"]
)
def test_a_wish_for_all_conversations_is_kept(clause: str) -> None:
    assert not passing.this_once(clause)


@pytest.mark.parametrize(
    ("clause", "unreal"),
    [("要是能养只狗就好了", True), ("先卸载旧驱动再装新的就好了", False), ("把缓存删了就好了", False)],
)
def test_what_helped_is_no_wish(clause: str, unreal: bool) -> None:
    assert passing.unreal(clause, None) is unreal
