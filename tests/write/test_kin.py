"""Every word of the one list of relatives is known wherever somebody else must be told from the user."""

from __future__ import annotations

import pytest

from edgemem.kin import FEMALE, HAN, LATIN, MALE, RELATIONS
from edgemem.recall.person import USER, asked_about
from edgemem.write.statements import restate, subjects
from edgemem.write.unsaid import unsaid

LATIN_WORDS = LATIN.split("|")
HAN_WORDS = HAN.split("|")


@pytest.mark.parametrize("word", LATIN_WORDS)
def test_a_clause_about_a_relative_is_not_about_the_user(word: str) -> None:
    assert subjects.of(f"my {word} lives in Lima") == word
    assert unsaid(f"The user's {word} lives in Lima.", "I live in Lima", chinese=False) is not None
    assert unsaid(f"The user's {word} lives in Lima.", f"my {word} lives in Lima", chinese=False) is None


@pytest.mark.parametrize("word", HAN_WORDS)
def test_a_chinese_clause_about_a_relative_is_not_about_the_user(word: str) -> None:
    assert subjects.of(f"我{word}住在利马") == word
    assert restate.about_user(f"我{word}住在利马").startswith(f"用户的{word[0]}")
    assert unsaid(f"用户的{word}住在利马。", "我住在利马", chinese=True) is not None


@pytest.mark.parametrize("name", ["mother", "son", "cousin", "friend", "colleague", "grandmother"])
def test_both_languages_ask_for_the_same_person(name: str) -> None:
    asked = {f"Where does my {w} live?" for w in RELATIONS[name].latin} | {
        f"我{w}住在哪里？" for w in RELATIONS[name].han
    }
    assert {frozenset(asked_about(question) - {USER}) for question in asked} == {frozenset({name})}


def test_no_word_is_both_a_mans_and_a_womans() -> None:
    assert not MALE & FEMALE
    assert {"husband", "弟弟"} <= MALE
    assert {"wife", "妹妹"} <= FEMALE
