"""A message whose conversation was altered, and a conversation whose mark was, are put right: their words are intact."""

from __future__ import annotations

from pathlib import Path

import pytest

import edgemem
from edgemem import Turn
from tests.helpers import opened, said

from .test_repair import live, sql


@pytest.fixture
def talk(store_path: Path) -> Path:
    with opened(store_path, words_only=True) as file:
        for session in ("farm", "town"):
            file.user("me").log(said(f"I keep bees in the {session}", f"I like the {session}", session=session))
    return store_path


@pytest.mark.parametrize("to", [700, 70_000])
def test_a_message_that_went_to_another_conversation_comes_back(talk: Path, to: int) -> None:
    """Its words are intact, and its seal tells which conversation it was of."""
    before = live(talk)
    sql(talk, "PRAGMA foreign_keys=OFF",
        f"UPDATE turn SET session_id = {to} WHERE content LIKE 'I like the farm'")  # fmt: skip
    done = edgemem.repair(talk)
    assert (done.lost, done.left) == ((), ())
    assert live(talk) == before


def test_a_message_whose_place_was_taken_gets_a_conversation_of_its_own(talk: Path) -> None:
    sql(talk, "PRAGMA foreign_keys=OFF", "UPDATE turn SET session_id = 700 WHERE content = 'I like the farm'")
    with opened(talk, words_only=True) as file:
        file.user("me").log([Turn("user", "I keep hens", session="farm", id="later")])
    done = edgemem.repair(talk)
    assert (done.lost, done.left) == ((), ())
    assert any("session of its own" in line for line in done.done)
    with opened(talk, words_only=True) as file:
        mem = file.user("me")
        told = {s.id: [t.content for t in mem.turns(s.id)] for s in mem.sessions()}
        del told["town"]
        assert told == {"farm": ["I keep bees in the farm", "I keep hens"], "recovered-turn-2": ["I like the farm"]}
        assert file.check() == []


def test_an_altered_mark_of_a_conversation_does_not_rename_it(talk: Path) -> None:
    before = live(talk)
    sql(talk, "UPDATE session SET private = 86 WHERE id = 1")
    done = edgemem.repair(talk)
    assert (done.lost, done.left) == ((), ())
    assert live(talk) == before
