"""A memory with words that nobody said is refused, however well its quote is copied."""

from __future__ import annotations

import json

import pytest

from edgemem.text import fold
from edgemem.write import prompts
from edgemem.write.extract import Proposal
from edgemem.write.unsaid import TELLTALES, unsaid
from edgemem.write.verify import refusal


def refused(message: str, memory: str, context: str = "") -> str | None:
    return refusal(Proposal(quote=message, content=memory, kind="fact", logprob=-0.1), message, context)


@pytest.mark.parametrize(
    ("message", "memory"),
    [
        ("I'm allergic to peanuts", "The user is allergic to feathers."),
        ("我对花生过敏", "用户对羽毛过敏。"),
        ("我表姐在北京教钢琴", "用户的表姐欧阳霏在北京教钢琴。"),
        ("I sold my bike in 2009", "Odalys sold the user's bike in 2009."),
        ("I sold my bike in 2009", "Marta sold the user's bike in 2009."),
        ("My sister works at Siemens", "The user's brother works at Siemens."),
        ("My aunt's flat is in Graz", "The user's uncle's flat is in Graz."),
        ("我姐姐在重庆当护士", "用户的妹妹在重庆当护士。"),
        ("我奶奶八十岁了", "用户的外婆八十岁了。"),
    ],
)
def test_words_that_were_not_said_are_refused(message: str, memory: str) -> None:
    assert (refused(message, memory) or "").endswith("was not said")


@pytest.mark.parametrize(
    ("message", "memory", "context"),
    [
        ("My mom works at Siemens", "The user's mother works at Siemens.", ""),
        ("Bro moved to Graz", "The user's brother moved to Graz.", ""),
        ("我老婆在医院上班", "用户的妻子在医院上班。", ""),
        ("my parrot died", "The user's parrot died.", ""),
        ("她在重庆当护士", "用户的妹妹在重庆当护士。", "我妹妹终于找到工作了"),
        ("Marta fixed the bike", "Marta fixed the user's bike.", ""),
        ("somebody stole my bike", "Somebody stole the user's bike.", ""),
        ("we both like rowing", "Both of them like rowing.", ""),
    ],
)
def test_what_was_said_in_other_words_stays(message: str, memory: str, context: str) -> None:
    assert refused(message, memory, context) is None


@pytest.mark.parametrize("chinese", [False, True])
def test_every_example_of_extraction_gives_itself_away(chinese: bool) -> None:
    """A memory of an example that comes back for any other message is refused by one of its words."""
    answers = [m.content for m in prompts.EXTRACT[chinese] if m.role == "assistant"]
    memories = [item["memory"] for answer in answers for item in json.loads(answer)]
    assert len(memories) >= 5
    told = [m for m in memories if unsaid(m, "nothing of the kind 无关", chinese=chinese)]
    # One of them speaks of pets alone, which many do.
    assert len(told) >= len(memories) - 1


def test_telltales_are_words_of_the_examples() -> None:
    for chinese, words in TELLTALES.items():
        said = fold(" ".join(m.content for m in prompts.EXTRACT[chinese]))
        assert [word for word in words if word not in said] == []
