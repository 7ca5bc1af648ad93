"""Answers, references and whole turns: what rules make of a clause with what surrounds it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from edgemem.records import Turn
from edgemem.settings import Settings
from edgemem.testing import ScriptedModel
from edgemem.write.clauses import Clause
from edgemem.write.gate import Verdict
from edgemem.write.secret import secrets
from edgemem.write.statements import answers, rules
from tests.helpers import opened

ON = Settings(background=False)


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("Have you booked the hall?", "Not yet; quick one: round or square tables"), ("When is it?", "no idea"),
        ("婚礼场地定了吗？", "还没呢"), ("什么时候搬家？", "不知道"),
    ],
)  # fmt: skip
def test_an_answer_that_leaves_the_question_open_is_no_memory(asked: str, answer: str) -> None:
    assert answers.quoted(asked, answer) is None


@pytest.mark.parametrize(
    ("asked", "answer", "sentence"),
    [
        ("Do you ski?", "never did", "The user does not ski."),
        ("Thanks! Are you taking any tablets?", "yes, iron, evenings", "The user is taking tablets: iron, evenings."),
        ("Any allergies?", "nope", "The user has no allergies."),
        ("Have you lived abroad?", "yeah, nine years in Porto", "The user has lived abroad: nine years in Porto."),
        ("您吸烟吗？", "从来不", "用户从来不吸烟。"),
        ("有没有孩子？", "没有", "用户没有孩子。"),
        ("家里有人得过痛风吗？", "没有", "用户家里没有人得过痛风。"),
    ],
)
def test_a_yes_or_no_becomes_a_statement(asked: str, answer: str, sentence: str) -> None:
    assert answers.plain(asked, answer) == sentence


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("Red or white?", "yes"),
        ("Where do you live?", "no idea"),
        ("Do you ski?", "in Andorra"),
        ("No question.", "no"),
    ],
)
def test_other_answers_are_no_yes_or_no(asked: str, answer: str) -> None:
    assert answers.plain(asked, answer) is None


def test_an_answer_no_rule_can_restate_stands_beside_its_question() -> None:
    assert answers.quoted("Sure. How many guests?", "eleven, me included") == (
        "Asked “How many guests?”, the user answered: eleven, them included."
    )
    assert answers.quoted("Sure. How many guests?", "x" * 200) is None
    assert answers.quoted("Does she ski?", "a little") is None
    assert answers.quoted("Tea or coffee?", "that one") is None


def _clause(text: str, before: str = "", *, letter: str = "F", asked: str | None = None) -> rules.Said:
    odds = dict.fromkeys("FPSN", 0.02) | {letter: 0.94}
    return rules.Said(Verdict(Clause(text, len(before)), odds, 0.95, "learned"), before + text, asked)


@pytest.mark.parametrize(
    ("before", "text", "sentence"),
    [
        ("My dad lives in Ghent. ", "He's 83 now", "The user's dad is 83 now."),
        ("My sister Ottoline called. ", "She's got a new bike", "The user's sister Ottoline has got a new bike."),
        ("My aunt Zoé called. ", "She's allergic to eggs", "The user's aunt Zoé is allergic to eggs."),
        ("My son José called. ", "He's diabetic", "The user's son José is diabetic."),
        ("My sister Ottoline called. ", "She hates the phone", "The user's sister Ottoline hates the phone."),
        ("我外婆出院了。", "她不吃盐", "用户的外婆不吃盐。"),
        ("我外婆出院了。", "每天吃两次降压药", "用户的外婆：每天吃两次降压药。"),
    ],
)
def test_a_person_named_before_is_put_for_a_pronoun(before: str, text: str, sentence: str) -> None:
    assert rules.said(_clause(text, before)) == sentence


@pytest.mark.parametrize(
    ("before", "text"),
    [
        ("My dad lives in Ghent. ", "She's 83 now"),
        ("My sister had a baby girl called Odile. ", "She weighs 3 kg"),
        ("我姐生了个女儿，", "她七斤二两重"),
        ("My dad is ill. ", "moved to Ghent in May"),
        ("新来的实习生很忙。", "在读研二，不会开车"),
    ],
)
def test_words_about_somebody_else_do_not_become_the_users(before: str, text: str) -> None:
    assert rules.said(_clause(text, before)) is None


@pytest.mark.parametrize(
    ("before", "text", "sentence"),
    [
        ("", "Lives in Brooklyn since 2019", "The user lives in Brooklyn since 2019."),
        ("", "two things: Mr Roe is my landlord", "Mr Roe is the user's landlord."),
        ("", "english is my third language", "English is the user's third language."),
        ("", "remember that I park on level 3", "The user parks on level 3."),
        ("", "记住我的车停在B2", "用户的车停在B2。"),
        ("", "I quit smoking in January", "The user quit smoking in January."),
        ("", "I'm a widow, live in a bungalow in Whitby", "The user is a widow, lives in a bungalow in Whitby."),
        ("", "we're four, Tom's lactose intolerant", "The user's household is four, Tom's lactose intolerant."),
        ("", "favourite restaurant is Zaytoun", "The user's favourite restaurant is Zaytoun."),
        ("", "先说下情况哈 我69了，退休老师", "用户69了，退休老师。"),
        ("我和我妹住在威海，", "养了两只鹦鹉", "用户养了两只鹦鹉。"),
        ("我外孙12岁。", "他妈妈在医院上夜班", "用户的外孙的妈妈在医院上夜班。"),
        (
            "Our dad is 83 and sharp. ", "macular trouble in both eyes, and no driving any more, not even to the shop down the road",
            "The user's dad: macular trouble in both eyes, and no driving any more, not even to the shop down the road.",
        ),
    ],
)  # fmt: skip
def test_notes_say_whose_they_are(before: str, text: str, sentence: str) -> None:
    assert rules.said(_clause(text, before)) == sentence


def test_an_answer_with_an_i_in_it_is_not_taken_out_of_its_question() -> None:
    clause = _clause("three, one is my office", asked="And how many rooms?")
    assert rules.said(clause) is None
    assert rules.beside(clause) == "Asked “how many rooms?”, the user answered: three, one is their office."


def test_what_corrects_the_answer_to_a_question_names_what_was_asked_about() -> None:
    clause = replace(_clause("not since the summer, Tuesdays now"), earlier="what day is my choir again?")
    assert rules.said(clause) == "The user's choir: not since the summer, Tuesdays now."
    assert "choir" not in (rules.said(replace(clause, earlier="what day is it?")) or "")


def test_what_you_do_is_what_the_assistant_does() -> None:
    clause = _clause("never use emojis in anything you write for me", letter="P")
    assert (
        rules.said(clause) == "The user asks the assistant not to use emojis in anything the assistant writes for them."
    )


def test_a_plain_turn_is_learned_without_asking_the_model(store_path: Path) -> None:
    model = ScriptedModel(choices={"bees": "F", "养": "F"})
    with opened(store_path, model, settings=ON) as file:
        mem = file.user("me")
        receipt = mem.learn([Turn("user", "I keep bees. 我家养了一只羊。", session="s", id="1")])
        assert [m.content for m in receipt.memories] == ["The user keeps bees.", "用户家养了一只羊。"]
        assert [m.source.quote for m in receipt.memories] == ["I keep bees.", "我家养了一只羊。"]
        assert model.prompts == []


def test_an_answer_no_rule_can_restate_needs_no_model_either(store_path: Path) -> None:
    model = ScriptedModel(choices={"parrot": "F"})
    with opened(store_path, model, settings=ON) as file:
        receipt = file.user("me").learn(
            [
                Turn("assistant", "Do you have a piano or pets?", session="s", id="1"),
                Turn("user", "just the parrot", session="s", id="2"),
            ]
        )
        assert [m.content for m in receipt.memories] == [
            "Asked “Do you have a piano or pets?”, the user answered: just the parrot."
        ]
        assert model.prompts == []


def test_what_no_rule_can_say_goes_to_the_model(store_path: Path) -> None:
    answer = '[{"quote": "she hates the cold", "memory": "The user\'s neighbour hates the cold.", "kind": "fact"}]'
    model = ScriptedModel([answer], choices={"cold": "F"})
    with opened(store_path, model, settings=ON) as file:
        receipt = file.user("me").learn([Turn("user", "she hates the cold, my neighbour", session="s", id="1")])
        assert [m.content for m in receipt.memories] == ["The user's neighbour hates the cold."]
        assert len(model.prompts) == 1


def test_a_secret_is_refused_by_rule_too(store_path: Path) -> None:
    with opened(store_path, ScriptedModel(choices={"password": "F"}), settings=ON) as file:
        receipt = file.user("me").learn([Turn("user", "my password is Tr0ub4dor&3", session="s", id="1")])
        assert receipt.memories == ()
        assert [(r.content, r.reason) for r in receipt.rejected] == [("my password is ••••", secrets.WAITS)]
