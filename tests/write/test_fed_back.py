"""What was recalled comes back in the conversation, again and again: nothing is learned from it."""

from __future__ import annotations

from pathlib import Path

import pytest

from edgemem.records import Turn
from edgemem.settings import Settings
from edgemem.testing import ScriptedModel
from tests.helpers import Fact, RuleModel, opened, said

ROUNDS = 50
BEES = Fact("I keep bees", "The user keeps bees.")
CATS = Fact("养了两只猫", "用户养了两只猫。")


@pytest.mark.parametrize("role", ["user", "assistant", "system", "tool"])
def test_recalled_context_fed_back_does_not_grow_the_store(store_path: Path, role: str) -> None:
    with opened(store_path, RuleModel(BEES, CATS)) as file:
        mem = file.user("me")
        mem.learn(said("I keep bees. 我在里斯本养了两只猫"))
        before = len(mem.list(status="any"))
        assert before == 2
        for number in range(ROUNDS):
            block = mem.context("bees 猫", budget=400).text
            assert "bees" in block
            mem.learn([Turn(role, f"{block}\nok", session="again", id=str(number))])
        assert len(mem.list(status="any")) == before
        assert len(mem.history()) == before


def test_memories_said_in_their_own_words_are_there_already(store_path: Path) -> None:
    everything = ScriptedModel(choices={"bees": "F", "猫": "F"})
    with opened(store_path, everything, settings=Settings(background=False)) as file:
        mem = file.user("me")
        mem.learn(said("I keep bees. 我家养了两只猫。"))
        before = [m.content for m in mem.list()]
        assert len(before) == 2
        for number in range(ROUNDS):
            told = " ".join(m.content for m in mem.list()) if number % 2 else "I keep bees. 我家养了两只猫。"
            mem.learn([Turn("user", told, session="again", id=str(number))])
        assert sorted(m.content for m in mem.list(status="any")) == sorted(before)
