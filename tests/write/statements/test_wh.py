"""An answer and its question as one statement, where the question has a question word or the answer a condition."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgemem.write import verify
from edgemem.write.statements import answers


@pytest.mark.parametrize(
    ("asked", "answer", "sentence"),
    [
        ("Noted! When is the audition?", "9 July at 4pm, hall C", "The user's audition is on 9 July at 4pm, hall C."),
        ("What time is your shift?", "6:30 to 14:30", "The user's shift is at 6:30 to 14:30."),
        ("What's your registration?", "KX 55 TOW", "The user's registration is KX 55 TOW."),
        ("Where do you live?", "Gdynia", "The user lives in Gdynia."),
        ("Where do you train?", "at the Roots club", "The user trains at the Roots club."),
        ("How many grandchildren do you have?", "three, all boys", "The user has three grandchildren: all boys."),
        ("Which size do you wear?", "M in shirts", "The size the user wears: M in shirts."),
        ("How do you take your tea?", "black, two sugars", "The user takes their tea like this: black, two sugars."),
        ("Any allergies?", "wasps, and latex gives me a rash", "The user's allergies: wasps, and latex gives them a rash."),
        ("Do you still rent in Leith?", "no, we bought in May", "The user no longer rents in Leith: they bought in May."),
        ("Are you happy to fly?", "not since the crash", "The user is not happy to fly since the crash."),
        ("Do you still row?", "not since my knee went", "The user no longer rows since their knee went."),
        ("您穿什么尺码？", "上衣M", "用户穿的尺码：上衣M。"),
        ("面试什么时候？", "六月八号两点", "用户的面试：六月八号两点。"),
        ("茶怎么喝？", "浓的，不加奶", "用户喝茶：浓的，不加奶。"),
        ("有什么忌口吗？", "花生不行", "用户的忌口：花生不行。"),
        ("还租在水荫路吗？", "不租了，二月买了房", "用户不再租在水荫路，二月买了房。"),
    ],
)  # fmt: skip
def test_question_and_answer_become_one_statement(asked: str, answer: str, sentence: str) -> None:
    assert (answers.plain(asked, answer) or answers.quoted(asked, answer)) == sentence


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("When is the audition?", "they moved it to July"),
        ("Where do you live?", "why do you ask"),
        ("How many grandchildren do you have?", "loads"),
        ("What's your registration?", "it depends"),
        ("面试什么时候？", "他们改到六月了"),
    ],
)
def test_what_is_no_answer_of_that_form_stays_beside_the_question_or_is_dropped(asked: str, answer: str) -> None:
    said = answers.quoted(asked, answer)
    assert said is None or said.startswith(("Asked “", "被问到“"))


@pytest.mark.parametrize("answer", ["no idea", "not yet", "don't know"])
def test_an_open_question_stays_open(answer: str) -> None:
    assert answers.quoted("When is the audition?", answer) is None


@given(answer=st.text(alphabet="abcdefgXYZ 0123456789,.:'我是在九两", min_size=1, max_size=120))
def test_a_statement_made_of_any_answer_fits_and_ends_once(answer: str) -> None:
    for asked in ("When is your exam?", "How do you take your tea?", "您穿什么尺码？"):
        said = answers.quoted(asked, answer)
        if said is not None:
            assert verify.fits(said)
            assert said[-1] in ".。"
            assert said[-2:] not in ("..", "。。")
