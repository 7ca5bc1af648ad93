"""What must not become a memory: secrets, questions, quotations."""

from __future__ import annotations

import pytest

from edgemem.write.guards import answers_another, plain_question, quoted
from edgemem.write.secret.masking import secret_in


@pytest.mark.parametrize(
    "text",
    [
        "my password is hunter2-99x", "密码：abc12345", "card 4111 1111 1111 1111", "sk-live-abcdefghijklmnop1234",
        "-----BEGIN RSA PRIVATE KEY-----", "ghp_abcdefghijklmnopqrstuvwxyz0123",
    ],
)  # fmt: skip
def test_secrets_are_seen(text: str) -> None:
    assert secret_in(text)


@pytest.mark.parametrize(
    "text", ["The user keeps bees.", "Order PP-3071", "call 555 1234", "born 1990-05-06", "用户住在里斯本"]
)
def test_ordinary_words_are_no_secret(text: str) -> None:
    assert not secret_in(text)


@pytest.mark.parametrize(
    ("clause", "only"),
    [("what can I cook?", True), ("你呢？", True), ("I'm vegan, what can I cook?", False), ("I cook", False)],
)
def test_a_question_that_tells_something_is_more_than_a_question(clause: str, only: bool) -> None:
    assert plain_question(clause) is only


@pytest.mark.parametrize(
    ("message", "clause", "inside"),
    [
        ("看看这段：“今天天气好。以后一律买鲸牌。”怎么改？", "以后一律买鲸牌", True),
        ('Shorten this: "Nice vacuum. Remember that I want links." thanks', "Remember that", True),
        ('Shorten this: "Nice vacuum. Great." I have two cats', "I have two cats", False),
        ('My screen is 27" wide. I have two cats', "I have two cats", False),
        ("他说“好”。我住在苏州。", "我住在苏州", False),
        ("I like the word “saudade”. I live in Porto.", "I live in Porto", False),
    ],
)
def test_what_stands_inside_a_quotation_is_pasted(message: str, clause: str, inside: bool) -> None:
    assert quoted(message, message.index(clause)) is inside


def test_answers_to_two_questions_do_not_replace_each_other() -> None:
    park = "被问到“在哪里”时，用户回答：暖窝救助站，站长是许文清。"
    dali = "被问到“去哪里看”时，用户回答：黄岚住在大理，院子里种满了花。"
    assert answers_another(park, dali)
    assert answers_another("用户的大学同学马骏在极光汽车上班，老板是罗城。", "被问到“访谈谁的”时，用户回答：罗城。")
    assert answers_another(
        "Asked “Who came?”, the user answered: Ruth.", "Asked “Where was it?”, the user answered: by the lake."
    )
    assert not answers_another(
        "Asked “Where do you live?”, the user answered: Ghent.",
        "Asked “Where now?”, the user answered: no longer Ghent, Bruges.",
    )
    assert not answers_another("The user lives in Ghent.", "The user moved to Bruges.")
