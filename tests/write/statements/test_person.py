"""English clauses restated about the user by rule."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgemem.write.statements.person import restated


@pytest.mark.parametrize(
    ("clause", "sentence"),
    [
        ("I work nights at the harbour office", "The user works nights at the harbour office."),
        ("i'm allergic to walnuts btw", "The user is allergic to walnuts."),
        ("we've got two tortoises, they're mine", "The user has got two tortoises, they're theirs."),
        ("I never carry cash", "The user never carries cash."),
        ("I live in Hull and work in Leeds", "The user lives in Hull and works in Leeds."),
        ("I want to learn and teach Basque", "The user wants to learn and teach Basque."),
        ("I don't drink, my doctor forbade it", "The user doesn't drink, their doctor forbade it."),
        ("I sold my boat in 2019", "The user sold their boat in 2019."),
        ("My aunt Perpetua keeps llamas", "The user's aunt Perpetua keeps llamas."),
        ("In March I'm off to Tbilisi", "In March the user is off to Tbilisi."),
        ("moved to Tbilisi in March", "The user moved to Tbilisi in March."),
        ("haven't smoked in nine weeks", "The user hasn't smoked in nine weeks."),
        ("no kids, by choice", "The user has no kids, by choice."),
        ("passed my lifeguard test on Tuesday!!", "The user passed their lifeguard test on Tuesday."),
        ("the boiler is a Vaillant from 2014", "The user's boiler is a Vaillant from 2014."),
        ("Still owe 1,212 by July", "According to the user, Still owe 1,212 by July."),
    ],
)
def test_facts(clause: str, sentence: str) -> None:
    assert restated(clause, "F", standing=False) == sentence


@pytest.mark.parametrize(
    ("clause", "sentence"),
    [
        ("please don't call me Bob", "The user asks the assistant not to call them Bob."),
        ("always give me metric units", "The user asks the assistant to always give them metric units."),
        ("use my middle name in letters", "The user asks the assistant to use their middle name in letters."),
        ("stop apologising so much", "The user asks the assistant not to keep apologising so much."),
        ("no exclamation marks, ever", "The user wants no exclamation marks, ever."),
        ("dates as DD/MM", "The user's instruction for the assistant: dates as DD/MM."),
    ],
)
def test_instructions(clause: str, sentence: str) -> None:
    assert restated(clause, "P", standing=True) == sentence


def test_a_taste_keeps_its_words() -> None:
    assert restated("don't like olives", "P", standing=False) == "The user doesn't like olives."
    assert restated("nothing with aniseed", "P", standing=False) == "The user's preference: nothing with aniseed."


@pytest.mark.parametrize(
    "clause",
    [
        "he moved out in May",
        "we did that in May and again in June",
        "2017, the flood year",
        "in a meeting until three today",
        "it's the 9th now",
        "that one was sold",
        "can you book me a table?",
        'she said "I am never coming back to this town again"',
        "I in the",
        "ok",
        "could you tell me where I left it",
        "word " * 60,
    ],
)
def test_what_a_rule_cannot_carry_is_left_to_the_model(clause: str) -> None:
    assert restated(clause, "F", standing=False) is None


def test_a_note_after_somebody_else_is_not_the_users() -> None:
    assert restated("moved to Tbilisi in March", "F", standing=False, other=True) is None


@given(st.text(max_size=120), st.sampled_from("FPS"), st.booleans())
def test_whatever_the_text_no_first_person_is_left_in_a_sentence(text: str, letter: str, standing: bool) -> None:
    content = restated(text, letter, standing=standing)
    assert content is None or not re.search(r"\b(?:i|my|me|myself|we|our)\b", content, re.IGNORECASE)


_SUBJECTS = ("I", "i", "We", "and I", "so i", "oh, I")
_VERBS = {
    "keep": "keeps",
    "carry": "carries",
    "watch": "watches",
    "have": "has",
    "do": "does",
    "never miss": "never misses",
}


@given(
    st.sampled_from(_SUBJECTS), st.sampled_from(sorted(_VERBS)), st.from_regex(r"[b-hj-z][a-z]{3,9}", fullmatch=True)
)
def test_every_plain_subject_gives_the_same_sentence(subject: str, verb: str, thing: str) -> None:
    assert restated(f"{subject} {verb} {thing} there", "F", standing=False) == f"The user {_VERBS[verb]} {thing} there."
