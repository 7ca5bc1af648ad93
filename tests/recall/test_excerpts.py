"""Of a message of 30 KB a context block tells the passage that answers, not the whole and not the beginning."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edgemem import Turn
from edgemem.recall.excerpts import ANSWER, LONG, LONG_ANSWER, SIZE, columns, excerpt
from edgemem.view import Memory
from tests.helpers import NOW, said

ENGLISH = [f"Paragraph {n} of the minutes speaks of budgets, chairs and the weather in general." for n in range(400)]
CHINESE = [f"第{n}段会议记录谈到预算、椅子和天气等一般事项。" for n in range(400)]
ANSWERS = [
    (ENGLISH, " ", "The locksmith keeps the spare key under code 7714.", "Which code has the spare key at the locksmith?"),
    (CHINESE, "", "备用钥匙在锁匠那里，牌号是七七一四。", "锁匠那里的备用钥匙牌号是什么？"),
    (CHINESE, "", "備用鑰匙在鎖匠那裡，牌號是七七一四。", "锁匠那里的备用钥匙牌号是什么？"),
]  # fmt: skip


@pytest.mark.parametrize(("filler", "blank", "answer", "question"), ANSWERS)
@pytest.mark.parametrize("place", [0, 1, 200, 399, 400])
def test_the_passage_that_answers_is_told_wherever_it_stands(
    mem: Memory, filler: list[str], blank: str, answer: str, question: str, place: int
) -> None:
    text = blank.join([*filler[:place], answer, *filler[place:]])
    assert len(text) > 8_000
    mem.log(said(text))
    context = mem.context(question, budget=1000)
    assert answer in context.text
    assert len(context.text) < 3 * SIZE
    told = excerpt(question, text)
    assert told.startswith("… ") == (place >= 200)
    assert told.endswith(" …") == (place <= 200)
    assert mem.turns("s")[0].content == text


def test_a_message_of_usual_length_is_told_whole() -> None:
    text = "x" * LONG
    assert excerpt("y", text) == text
    assert excerpt("y", "汉" * (LONG // 2)) == "汉" * (LONG // 2)


def test_where_no_word_stands_it_is_the_beginning() -> None:
    text = " ".join(ENGLISH)
    assert text.startswith(excerpt("zebra", text).removesuffix(" …"))


@settings(max_examples=30, deadline=None)
@given(st.text(max_size=40), st.text(alphabet="ab c.\n火锅。!", min_size=1, max_size=60), st.integers(40, 400))
def test_an_excerpt_is_part_of_the_text_and_of_bounded_length(query: str, part: str, times: int) -> None:
    text = part * times
    told = excerpt(query, text)
    assert told.removeprefix("… ").removesuffix(" …") in text
    assert columns(told) <= max(LONG, SIZE + 2 * SIZE)


def test_of_an_answer_of_the_assistant_a_short_excerpt_is_told_and_of_the_user_the_whole(mem: Memory) -> None:
    text = " ".join([*ENGLISH[:6], "The locksmith keeps the spare key under code 7714.", *ENGLISH[6:12]])
    assert LONG_ANSWER < columns(text) < LONG
    mem.log([Turn("assistant", text, NOW, "a"), Turn("user", text, NOW, "b")])
    lines = mem.context("Which code has the spare key at the locksmith?", budget=1000).text.splitlines()
    by_assistant, by_user = (
        next(one for one in lines if one.startswith(f"- {role}")) for role in ("assistant", "user")
    )
    assert "7714" in by_assistant
    assert columns(by_assistant) < 2 * ANSWER
    assert text in by_user
