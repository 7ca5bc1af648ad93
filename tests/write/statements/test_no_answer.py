"""What stands after a question and answers nothing: the next request, another subject, a nod."""

from __future__ import annotations

import pytest

from edgemem.write import passing
from edgemem.write.statements import answers, person, sentence


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("Welcome aboard! How can I help?", "mostly recipes and shopping lists"),
        ("What's on your mind today?", "tax forms"),
        ("Do you need help with anything for the trip?", "packing lists"),
        ("您好，有什么可以帮您？", "菜谱和日程"),
    ],
)
def test_the_answer_to_an_offer_is_the_next_request(asked: str, said: str) -> None:
    assert answers.begins(asked, said)
    assert not answers.may_answer(asked, said)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("How can I help?", "I keep bees, and they are swarming"),
        ("Do you have kids?", "two girls, six and nine"),
        ("您好，有什么可以帮您？", "我家狗只吃鸭肉"),
        ("你住哪里？", "杭州"),
    ],
)
def test_what_tells_of_the_user_is_an_answer(asked: str, said: str) -> None:
    assert answers.may_answer(asked, said)


@pytest.mark.parametrize(
    "said",
    ["Quick one: butter or oil,", "another question: trams or buses", "By the way, the boiler", "对了，明天几点"],
)
def test_another_subject_answers_nothing(said: str) -> None:
    assert not answers.may_answer("Is the boiler still leaking?", said)


@pytest.mark.parametrize(
    "said", ["Quick one: butter or oil,", "One more question: trams or buses", "再问一下，地铁还是公交"]
)
def test_what_announces_a_question_tells_nothing(said: str) -> None:
    assert passing.announces(said)


@pytest.mark.parametrize(
    "said",
    ["Quick one: I moved to Lund.", "another thing: my boss is Ola", "问题是我对花生过敏", "请教王老师是每周二的习惯"],
)
def test_an_announcement_with_the_user_in_it_tells_something(said: str) -> None:
    assert not passing.announces(said)


@pytest.mark.parametrize("said", ["Fun, yes.", "Loud, also yes.", "hard work, definitely yes"])
def test_a_nod_is_a_reaction(said: str) -> None:
    assert passing.reaction(said)


@pytest.mark.parametrize(
    "said", ["oat milk, always", "vegan, yes", "married, yes", "peanuts, no", "black coffee, always"]
)
def test_a_word_that_tells_something_is_no_nod(said: str) -> None:
    assert not passing.reaction(said)


@pytest.mark.parametrize(
    "said",
    ["prefer short answers", "hate mushrooms", "answer briefly", "vegetarian since 2010", "叫我老周", "喜欢喝茶"],
)
def test_what_is_liked_or_wanted_is_more_than_a_request(said: str) -> None:
    assert not answers.begins("How can I help?" if said.isascii() else "有什么可以帮您？", said)


def test_whom_a_he_means_is_said_once() -> None:
    assert sentence.tidied("The user's son Leo, he's six.") == "The user's son Leo is six."
    assert sentence.tidied("The user's sister Ada, she's started judo.") == "The user's sister Ada has started judo."
    assert sentence.tidied("The user's dog Bo, it was a stray.") == "The user's dog Bo was a stray."
    assert sentence.tidied("The user's brother, he's never on time.") == "The user's brother is never on time."
    assert sentence.tidied("The user's son Leo, he's already six.") == "The user's son Leo is already six."
    assert sentence.tidied("The user's aunt, she's just moved to Graz.") == "The user's aunt has just moved to Graz."
    assert sentence.tidied("The user's mother, they are cooks.") == "The user's mother, they are cooks."


def test_what_is_done_to_nothing_points_back() -> None:
    assert sentence.flaw("用户自己织。") == sentence.POINTS_BACK
    assert sentence.flaw("用户自己住。") is None
    assert sentence.flaw("用户自己织毛衣。") is None


@pytest.mark.parametrize(
    "content",
    ["The user doesn't.", "on 2023-05-02, the user's friend.", "The user is not either.", "The user also can."],
)
def test_a_subject_alone_is_no_sentence(content: str) -> None:
    assert sentence.flaw(content) == sentence.NO_VERB


@pytest.mark.parametrize(
    "content", ["The user smokes.", "The user does yoga.", "The user's friend paints.", "The user has asthma."]
)
def test_a_short_sentence_is_one(content: str) -> None:
    assert sentence.flaw(content) is None


def test_politeness_is_no_rule() -> None:
    assert person.restated("No problem, feel free to ask me anything", "P", standing=True) is None
    assert person.restated("No emojis, please", "P", standing=True) == "The user wants no emojis."
