"""Requests not to remember are obeyed; sentences that only look like one are not taken for it."""

from __future__ import annotations

import pytest

from edgemem.write.guards import answers_another, asks_not_to_keep, plain_question, quoted, secret_in


@pytest.mark.parametrize(
    "message",
    [
        "please don't remember this", "Don't save that.", "do not store any of this", "That was private, don't keep it",
        "My ex is called Rui. Never note that down", "forget that", "ok forget what I said", "I want you to forget it",
        "off the record: I hate my job", "Can you forget what I told you?", "你别记这个", "不要记住刚才的话", "这个不用记", "忘了这件事吧",
        "这句话别存", "please delete that from your memory",
    ],
)  # fmt: skip
def test_a_request_is_seen(message: str) -> None:
    assert asks_not_to_keep(message)


@pytest.mark.parametrize(
    "message",
    [
        "I never save any money", "don't forget that I'm vegan", "I can't forget that day", "We never store any food",
        "I'd never forget it", "I don't keep any pets", "Remember that I live in Porto", "别记错了，我住在上海", "我不会记仇", "记得别忘了",
        "我忘了那家店的名字", "别忘了这件事", "I don't remember", "never mind",
    ],
)  # fmt: skip
def test_what_only_looks_like_one_is_not(message: str) -> None:
    assert not asks_not_to_keep(message)


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
