"""A correction goes into the words it corrects."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgemem.records import LoggedTurn
from edgemem.write import pieces
from edgemem.write.clauses import split
from edgemem.write.statements import mend
from tests.helpers import NOW


@pytest.mark.parametrize(
    ("before", "clause", "words"),
    [
        ("The lease ends in 2029.", "Sorry, 2031.", "The lease ends in 2031."),
        ("choir starts at 19:30", "wait, no, 20:15", "choir starts at 20:15"),
        ("We close on Monday.", "I mean Thursday", "We close on Thursday."),
        ("I paid 40 euros", "correction: 55 euros, not that it matters", "I paid 55 euros"),
        ("我周三去拿护照", "说错了，是周五", "我周五去拿护照"),
        ("会议定在3月8日", "不对，3月9日", "会议定在3月9日"),
        ("外公生日是三月初八", "三月初九，我记错了", "外公生日是三月初九"),
        ("my coach is Annika", "it's Anouk, not Annika", "my coach is Anouk"),
        ("我周四到", "是周五不是周四", "我周五到"),
        ("I'm 5'7", "sorry, 5'9", "I'm 5'9"),
        ("The market is in January", "no, February", "The market is in February"),
        ("My sister is called April", "sorry, Avril", "My sister is called Avril"),
        ("I live in Lugo", "I mean Luarca, I always mix them up", "I live in Luarca"),
        ("我住在白云", "哦不，打错了，是海珠", "我住在海珠"),
    ],
)
def test_the_right_value_takes_the_place_of_the_wrong_one(before: str, clause: str, words: str) -> None:
    assert mend.mended(before, clause) == mend.Mended(words, "")


@pytest.mark.parametrize(
    ("before", "clause"),
    [
        ("The lease ends in 2029.", "The rent is 2031."),
        ("I live in Bath.", "Sorry, 2031."),
        ("The lease ends in 2029.", "sorry about the noise, my neighbour drills until 18:00 in 2031"),
        ("The lease ends in 2029.", "Sorry, 2029."),
        ("I live in Lugo", "I mean it, I love it there"),
        ("I live in Lugo", "Luarca is nice"),
        ("My doctor is Dr Lee.", "Wait, Friday"),
        ("My doctor is Dr Lee.", "sorry, next Tuesday"),
        ("I live in Lugo", "no, Tomorrow"),
        ("My boss is called Noor.", "sorry, December"),
        ("The market is in January", "no, Friday"),
        ("我住在根特", "说错了，周五"),
        ("我姐姐叫小芸", "说错了，三点"),
        ("我住在根特", "打错了，八月"),
        ("我住在根特", "打错了，五百块"),
    ],
)
def test_what_does_not_meet_stays_as_it_was_said(before: str, clause: str) -> None:
    assert mend.mended(before, clause) is None


def test_a_correction_replaces_its_clause_and_keeps_the_exact_words() -> None:
    message = "I joined the choir in 2011. Sorry, 2013. I sing bass."
    found = pieces.of(split(message), message, [])
    assert [p.words for p in found] == ["I joined the choir in 2013.", "I sing bass."]
    assert found[0].mended
    assert found[0].clause.text == "I joined the choir in 2011. Sorry, 2013."


def test_a_correction_may_speak_of_the_message_before() -> None:
    earlier = [LoggedTurn(1, "1", "s", 0, "user", "hi! my train leaves at 8:10 on Friday", NOW, "+00:00")]
    found = pieces.of(split("oops, 8:40"), "oops, 8:40", earlier)
    assert [(p.clause.text, p.words) for p in found] == [("oops, 8:40", "my train leaves at 8:40 on Friday")]


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_text_can_be_tried(before: str, clause: str) -> None:
    mended = mend.mended(before, clause)
    assert mended is None or mended.words != before


def test_what_else_a_correction_says_is_a_piece_of_its_own() -> None:
    earlier = [LoggedTurn(1, "1", "s", 0, "user", "下周三去重庆", NOW, "+00:00")]
    message = "说错了，是下周五，而且我从贵阳走"
    found = pieces.of(split(message), message, earlier)
    assert [p.words for p in found] == ["下周五去重庆", "我从贵阳走"]
    assert all(message[p.clause.start :].startswith(p.clause.text) for p in found)


@pytest.mark.parametrize(
    ("clause", "whole"),
    [
        ("ugh got the day wrong: the fair is on Sunday, not Saturday", "the fair is on Sunday"),
        ("I told you that wrong - my aunt lives in Lugo", "my aunt lives in Lugo"),
        ("说错了，体检是14号不是12号", "体检是14号"),
        (
            "sorry I said Tuesday before, the call with Nadia is Wednesday at 11",
            "the call with Nadia is Wednesday at 11",
        ),
        ("抱歉我之前说周二，和娜娜的电话是周三11点", "和娜娜的电话是周三11点"),
        ("我刚才打错了：我的车牌尾号是七", "我的车牌尾号是七"),
    ],
)
def test_what_is_said_anew_loses_the_noise(clause: str, whole: str) -> None:
    assert mend.anew(clause) == whole


@pytest.mark.parametrize(
    "clause",
    ["I got that wrong", "I mixed up salt and sugar", "The fair is on Sunday, not Saturday", "我记错了", "他老打错字"],
)
def test_other_clauses_say_nothing_anew(clause: str) -> None:
    assert mend.anew(clause) is None


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("Put me down as 5'7. Wait no. 5'9, I never measured.", "Put me down as 5'9"),
        ("I live in Lugo. No wait! Luarca.", "I live in Luarca."),
        ("我周三去拿护照。不对！周五。", "我周五去拿护照。"),
    ],
)
def test_a_correction_may_stand_in_a_clause_of_its_own(message: str, words: str) -> None:
    assert pieces.of(split(message), message, [])[0].words.startswith(words.rstrip(".。"))
