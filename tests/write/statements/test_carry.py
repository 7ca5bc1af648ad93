"""What means nothing alone is said with the clause before it; two people's statements are never made one."""

from __future__ import annotations

from pathlib import Path

import pytest

from edgemem.settings import Settings
from edgemem.testing import ScriptedModel
from edgemem.write import pieces
from edgemem.write.clauses import Clause, split
from edgemem.write.gate import Verdict
from edgemem.write.statements import carry, rules, subjects
from tests.helpers import Fact, RuleModel, opened, said


def _last(message: str, letter: str = "F") -> rules.Said:
    found = split(message)
    odds = dict.fromkeys("FPSN", 0.02) | {letter: 0.94}
    return rules.Said(Verdict(found[-1], odds, 0.95, "learned"), message, None, "", found[-2])


@pytest.mark.parametrize(
    ("message", "sentence"),
    [
        (
            "We sold the caravan last year. It's a tent now, a green one",
            "The user sold the caravan last year; it's a tent now, a green one.",
        ),
        (
            "My new flatmate Ulla is deaf. Quick with numbers too",
            "The user's new flatmate Ulla is deaf; quick with numbers too.",
        ),
        (
            "Our gran is 90 in June. Bertil, her brother, is 88",
            "The user's gran is 90 in June; Bertil, her brother, is 88.",
        ),
        (
            "My dad has had glaucoma for years. drops every night",
            "The user's dad has had glaucoma for years; drops every night.",
        ),
        ("My sister had a baby girl. She weighs 3 kg", "The user's sister had a baby girl; she weighs 3 kg."),
        ("我姐生了个女儿。她七斤二两重", "用户的姐姐生了个女儿，她七斤二两重。"),
        ("我们组来了个新同事樊星。画图很快", "用户这边组来了个新同事樊星，画图很快。"),
    ],
)
def test_a_clause_that_points_back_takes_the_one_before_along(message: str, sentence: str) -> None:
    assert rules.carried(_last(message)) == sentence


def test_the_items_of_a_list_take_the_line_above_along() -> None:
    message = "How I bottle plums: 1) halve them 2) two spoons of sugar a jar 3) ninety degrees for half an hour"
    found = pieces.of(split(message), message, [])
    assert [p.judged for p in found][1:] == [
        "How I bottle plums: halve them",
        "How I bottle plums: two spoons of sugar a jar",
        "How I bottle plums: ninety degrees for half an hour",
    ]
    odds = dict.fromkeys("FPSN", 0.02) | {"F": 0.94}
    last = rules.Said(Verdict(found[2].clause, odds, 0.95, "learned"), message, None, "", found[2].previous)
    assert rules.carried(last) == "How the user bottles plums: two spoons of sugar a jar."


@pytest.mark.parametrize(
    "message",
    [
        "Can you book a table? Four people",
        "I live in Bath. I keep bees",
        "Write me a poem. It should rhyme",
        "We meet at 8. Sorry, I am not sure about that",
        "他很高。他很瘦",
        "我周末不接电话。帕维尔只讲捷克语",
        "I never ring anybody. Pavel speaks Czech",
    ],
)
def test_what_stands_alone_or_has_nothing_to_stand_on_is_not_carried(message: str) -> None:
    assert rules.carried(_last(message)) is None


def test_a_joined_sentence_is_never_too_wide() -> None:
    assert carry.joined("I " + "very " * 60 + "like it.", "It's blue", "The user " + "very " * 60 + "likes it.") is None


@pytest.mark.parametrize(
    ("when", "resolved"), [("last year", "last year (2025)"), ("yesterday", "on 2026-05-05"), ("in May", "in May")]
)
def test_the_half_said_before_is_not_stored_twice(store_path: Path, when: str, resolved: str) -> None:
    message = f"We sold the caravan {when}. It's a tent now, a green one"
    model = ScriptedModel(choices={"caravan": "F", "tent": "F"})
    with opened(store_path, model, settings=Settings(background=False)) as file:
        kept = file.user("me").learn(said(message)).memories
        assert [m.content for m in kept] == [f"The user sold the caravan {resolved}; it's a tent now, a green one."]
        assert kept[0].source.quote == message


@pytest.mark.parametrize(
    ("message", "content", "mixed"),
    [
        ("I don't ring people at weekends. Radek only calls in Czech", "The user only rings and calls in Czech.", True),
        ("I live in York. My brother has two ferrets", "The user lives in York and has two ferrets.", True),
        ("My sister Mia rang. She lives in Graz", "The user's sister Mia lives in Graz.", False),
        ("I live in York. I keep bees", "The user lives in York and keeps bees.", False),
        ("my husband hates fish but I don't eat pork", "The user does not eat pork.", False),
        ("我住成都。我妈每天吃两次药", "用户住成都，每天吃两次药。", True),
        ("我住成都。我妈每天吃两次药", "用户的妈妈每天吃两次药。", False),
    ],
)
def test_statements_about_two_people_are_told_apart(message: str, content: str, mixed: bool) -> None:
    assert subjects.fused(content, split(message)) is mixed


def test_a_model_that_fuses_two_people_is_refused(store_path: Path) -> None:
    message = "I never ring anybody at weekends. Radek only calls in Czech"
    fused = Fact("Radek only calls in Czech", "The user never rings anybody and only calls in Czech.")
    with opened(store_path, RuleModel(fused)) as file:
        receipt = file.user("me").learn(said(message))
        assert [m.content for m in receipt.memories] == []
        assert "it mixes statements about different people" in [r.reason for r in receipt.rejected]


def test_a_clause_is_a_place_in_its_message() -> None:
    assert all(isinstance(c, Clause) for c in split("I live in York. I keep bees"))
