"""What was true at an earlier time, from validity and history."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from edgemem.errors import InvalidInput
from edgemem.view import Memory
from tests.helpers import NOW, Fact, RuleModel, SetClock, opened, said

WHERE = "where do I live?"


@pytest.fixture
def moved(store_path: Path) -> Iterator[Memory]:
    """Lived in Bern from the first day, in Oslo from the tenth on; told on those days."""
    model = RuleModel(
        Fact("I live in Bern", "The user lives in Bern."), Fact("I live in Oslo", "The user lives in Oslo."),
        relation="conflict",
    )  # fmt: skip
    clock = SetClock()
    with opened(store_path, model, clock=clock) as file:
        mem = file.user("me")
        mem.learn(said("I live in Bern", session="a", at=NOW))
        clock.forward(days=10)
        mem.learn(said("I live in Oslo", session="b", at=clock.now()))
        clock.forward(days=10)
        yield mem


def memories(mem: Memory, query: str, days: float) -> set[str]:
    return {h.content for h in mem.recall(query, as_of=NOW + timedelta(days=days)).hits if h.memory}


def test_the_answer_is_the_one_of_that_time(moved: Memory) -> None:
    assert {h.content for h in moved.recall(WHERE) if h.memory} == {"The user lives in Oslo."}
    assert memories(moved, WHERE, 5) == {"The user lives in Bern."}
    assert memories(moved, WHERE, 15) == {"The user lives in Oslo."}
    assert memories(moved, WHERE, -1) == set()


def test_nothing_said_later_is_in_the_answer_or_the_context(moved: Memory) -> None:
    at = NOW + timedelta(days=5)
    assert "Oslo" not in "".join(h.content for h in moved.recall(WHERE, as_of=at))
    text = moved.context(WHERE, as_of=at).text
    assert "Bern" in text
    assert "Oslo" not in text
    assert moved.context(WHERE, as_of=NOW - timedelta(days=1)).text == ""


def test_words_are_those_of_that_time(store_path: Path) -> None:
    clock = SetClock()
    with opened(store_path, clock=clock) as file:
        mem = file.user("me")
        uid = mem.add("The garage code is blue.")
        clock.forward(days=3)
        mem.edit(uid, "The garage code is red.")
        clock.forward(days=3)
        assert memories(mem, "garage code", 1) == {"The garage code is blue."}
        assert memories(mem, "garage code", 4) == {"The garage code is red."}


def test_what_was_forgotten_does_not_come_back(store_path: Path) -> None:
    clock = SetClock()
    with opened(store_path, clock=clock) as file:
        mem = file.user("me")
        uid = mem.add("The user keeps bees.")
        clock.forward(days=3)
        mem.forget(uid)
        assert memories(mem, "bees", 1) == set()


def test_what_expired_later_was_true(store_path: Path) -> None:
    clock = SetClock()
    with opened(store_path, clock=clock) as file:
        mem = file.user("me")
        mem.add("The user has a bus pass.", expires=NOW + timedelta(days=5))
        clock.forward(days=9)
        mem.maintain()
        assert mem.recall("bus pass").abstained
        assert memories(mem, "bus pass", 3) == {"The user has a bus pass."}
        assert memories(mem, "bus pass", 6) == set()


def test_an_old_log_read_in_today_counts_by_when_it_was_said(store_path: Path) -> None:
    clock = SetClock()
    with opened(store_path, RuleModel(Fact("I keep bees", "The user keeps bees.")), clock=clock) as file:
        mem = file.user("me")
        mem.learn(said("I keep bees", at=NOW - timedelta(days=400)))
        assert memories(mem, "bees", -300) == {"The user keeps bees."}
        assert memories(mem, "bees", -500) == set()


def test_a_time_without_zone_is_refused(mem: Memory) -> None:
    with pytest.raises(InvalidInput):
        mem.recall("x", as_of="2026-01-01T00:00:00")
