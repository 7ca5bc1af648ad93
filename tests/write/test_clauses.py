"""Clauses: exact places, nothing said twice, and what is not the user's own words is left out."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from edgemem.write import clauses
from edgemem.write.clauses import split

_PIECES = st.sampled_from(
    [
        "I keep bees",
        ". ",
        "。",
        "我住在上海",
        "，",
        ", ",
        "```",
        "\n",
        "> quoted",
        "- ",
        "1. ",
        "Dr. ",
        "3.14",
        "!",
        "?! ",
        "…",
        "\t",
        "”",
        "\u3000",
        "e.g. ",
        "é",
        "🦜",
        "\r\n",
        "a" * 50,
        "；",
    ]
)


@given(
    st.one_of(
        st.text(st.characters(exclude_characters="\0"), max_size=200), st.lists(_PIECES, max_size=20).map("".join)
    )
)
@example("```")
@example(">")
@example("- \n- ")
def test_places_are_exact_in_order_and_apart(message: str) -> None:
    end = 0
    for clause in split(message):
        assert message[clause.start : clause.start + len(clause.text)] == clause.text
        assert clause.text.strip()
        assert clause.start >= end
        end = clause.start + len(clause.text)


@pytest.mark.parametrize(
    ("message", "clauses"),
    [
        ("I'm from Hull, but I live in York now", ["I'm from Hull,", "but I live in York now"]),
        ("I'm Ada, I live in Ghent", ["I'm Ada,", "I live in Ghent"]),
        ("hi, my name is Ada, I live in Ghent", ["hi, my name is Ada,", "I live in Ghent"]),
        ("I'm tired, I live in Ghent", ["I'm tired, I live in Ghent"]),
        ("my goal is ten km - my coach is called Bo", ["my goal is ten km", "my coach is called Bo"]),
        ("if I paste Latin, please parse it first", ["if I paste Latin, please parse it first"]),
        ("my dog (he's old, my favourite) sleeps", ["my dog (he's old, my favourite) sleeps"]),
        ("I keep bees. My sister sails!", ["I keep bees.", "My sister sails!"]),
        ("I met Dr. Silva at 3.30 p.m. today. Nice man.", None),
        ("It costs 3.14 euros. Really", ["It costs 3.14 euros.", "Really"]),
        ("see e.g. the barn. ok", ["see e.g. the barn.", "ok"]),
        ("J. R. Tolkien wrote it. I read it", ["J. R. Tolkien wrote it.", "I read it"]),
        ("我住在上海。我养了两只猫！你呢？", ["我住在上海。", "我养了两只猫！", "你呢？"]),
        ("她说：“我不吃鱼。”然后走了", ["她说：“我不吃鱼。”", "然后走了"]),
        ("- milk\n- oat bread\n2) eggs", ["milk", "oat bread", "eggs"]),
        ("> she wrote: I hate fish\nI agree", ["I agree"]),
        ("Look:\n```py\nI = 'fact'\n```\nit fails", ["Look:", "it fails"]),
        ("Look: ```unclosed I live in Rome", ["Look:"]),
        ("...", []),
        ("", []),
        ("🙂", []),
        ("?!", []),
        ("hello", ["hello"]),
    ],
)
def test_known_messages(message: str, clauses: list[str] | None) -> None:
    found = [c.text.strip() for c in split(message)]
    if clauses is None:
        assert found[0].startswith("I met Dr. Silva at 3.30")
    else:
        assert found == clauses


def test_a_long_chinese_sentence_is_split_at_its_commas() -> None:
    message = "我去年从杭州搬到了里斯本，现在和两个室友一起住在阿尔法玛区，每周三晚上去学葡萄牙语"
    found = [c.text for c in split(message)]
    assert len(found) > 1
    assert "".join(found) == message


def test_a_decimal_and_a_comma_in_english_do_not_split() -> None:
    assert [c.text for c in split("I am 1.83 m tall, weigh 72,5 kg and run 10.5 km a week")] == [
        "I am 1.83 m tall, weigh 72,5 kg and run 10.5 km a week"
    ]


@pytest.mark.parametrize(
    ("message", "clauses"),
    [
        ("The fuse is no. 7. Bins go out on Monday.", ["The fuse is no. 7.", "Bins go out on Monday."]),
        ("Oh no. Next time then.", ["Oh no.", "Next time then."]),
        ("no alcohol incl. vanilla extract", ["no alcohol incl. vanilla extract"]),
        ("I take vitamin c. My doctor says so.", ["I take vitamin c.", "My doctor says so."]),
    ],
)
def test_full_stops_that_end_nothing(message: str, clauses: list[str]) -> None:
    assert [c.text for c in split(message)] == clauses


@pytest.mark.parametrize(
    ("message", "found"),
    [
        ("I live in Brooklyn with my wife Noor and our twins", ["I live in Brooklyn with my wife Noor and our twins"]),
        ("My wife sings and our daughter Ada plays the oboe", ["My wife sings", "and our daughter Ada plays the oboe"]),
        (
            "阳台那面墙也要刷白色 我家车位是跟楼上合租的 物业说不能装桩",
            ["阳台那面墙也要刷白色 我家车位是跟楼上合租的", "物业说不能装桩"],
        ),
    ],
)
def test_lists_stay_whole_and_a_space_may_be_a_comma(message: str, found: list[str]) -> None:
    assert [c.text for c in clauses.split(message)] == found
