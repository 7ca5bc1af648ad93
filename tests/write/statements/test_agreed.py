"""A yes to what the assistant offered to do from now on is a rule; a yes to anything else is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from edgemem import Turn
from edgemem.settings import Settings
from edgemem.testing import ScriptedModel
from edgemem.write.statements import agreed
from tests.helpers import opened


@pytest.mark.parametrize(
    ("asked", "answer", "rule"),
    [
        ("Sorry. Shall I skip the greetings from now on?", "yes please", "The user asks the assistant to skip the greetings from now on."),
        ("In future I can give your totals in euros, does that work?", "Perfect, thanks", "The user asks the assistant to give their totals in euros from now on."),
        ("抱歉。以后我可以省略问候，先给结论，这样可以吗？", "可以 就按这个来", "用户要求：助手以后省略问候，先给结论。"),
        ("今后我都用公制，好吗？", "好的", "用户要求：助手以后用公制。"),
    ],
)  # fmt: skip
def test_a_yes_to_a_lasting_offer_is_a_rule(asked: str, answer: str, rule: str) -> None:
    assert agreed.sentence(asked, answer) == rule


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("Shall I draft the mail?", "yes please"), ("Shall I skip the greetings from now on?", "no, keep them"),
        ("Will you live in Porto from now on?", "yes"), ("要我现在写吗？", "好的"), ("以后我都用公制，好吗？", "不用"),
    ],
)  # fmt: skip
def test_other_offers_and_answers_are_none(asked: str, answer: str) -> None:
    assert agreed.sentence(asked, answer) is None


@pytest.mark.parametrize(
    ("asked", "answer", "rule"),
    [
        ("Shall I skip the greetings from now on?", "yes, please do", "The user asks the assistant to skip the greetings from now on."),
        ("以后我先给结论，可以吗？", "行，就这样", "用户要求：助手以后先给结论。"),
    ],
)  # fmt: skip
def test_it_is_learned_with_the_answer_as_its_source(store_path: Path, asked: str, answer: str, rule: str) -> None:
    with opened(store_path, ScriptedModel(), settings=Settings(background=False)) as file:
        mem = file.user("me")
        mem.learn([Turn("assistant", asked, session="s", id="1"), Turn("user", answer, session="s", id="2")])
        (memory,) = mem.list()
        assert (memory.content, memory.kind, memory.source.quote) == (rule, "rule", answer)
