"""How the log is ranked: what a turn says, where it stands, and when it does not answer."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from edgemem import Turn
from edgemem.records import Recall
from edgemem.view import Memory
from tests.helpers import NOW, Fact, RuleModel, opened, said


def told(mem: Memory, *lines: tuple[str, str], session: str = "s", at: datetime = NOW) -> None:
    mem.log([Turn("user", text, at, session, speaker=speaker or None) for speaker, text in lines])


def first(found: Recall) -> str:
    return found.hits[0].content


def test_the_speaker_a_question_names_comes_first(mem: Memory) -> None:
    told(mem, ("Ada", "my favourite dish is lentil soup"), session="a")
    told(mem, ("Ben", "my favourite dish is lentil stew"), session="b")
    assert first(mem.recall("What is Ada's favourite dish?")) == "my favourite dish is lentil soup"
    assert first(mem.recall("What is Ben's favourite dish?")) == "my favourite dish is lentil stew"


@pytest.mark.parametrize(
    "question",
    [
        "What did we cook on May 3rd?",
        "what did we cook 2026-05-03",
        "5月3日 cook",
        "what did we cook last Sunday, 3 May",
    ],
)
def test_a_named_day_brings_the_turns_of_that_day(mem: Memory, question: str) -> None:
    for n in range(1, 9):
        told(
            mem, ("", "we cook something new tonight"), ("", f"dish number {n}"), session=str(n), at=NOW.replace(day=n)
        )
    assert {h.source.session for h in mem.recall(question, limit=2)} == {"3"}


def test_the_day_is_the_one_on_the_speakers_clock(mem: Memory) -> None:
    late = datetime.fromisoformat("2026-05-03T23:30:00-08:00")  # the 4th in UTC
    told(mem, ("", "we cook soup tonight"), session="west", at=late)
    told(mem, ("", "we cook stew tonight"), session="utc", at=datetime(2026, 5, 4, 12, tzinfo=UTC))
    assert mem.recall("what did we cook on May 3?").hits[0].source.session == "west"
    assert mem.recall("what did we cook on May 4?").hits[0].source.session == "utc"


def test_relative_days_count_from_the_clock(mem: Memory) -> None:
    for days in range(5):
        told(mem, ("", f"breakfast was plate {days}"), session=str(days), at=NOW - timedelta(days=days))
    assert first(mem.recall("what was breakfast yesterday?")) == "breakfast was plate 1"
    assert first(mem.recall("昨天 breakfast")) == "breakfast was plate 1"


def test_a_turn_with_a_time_answers_when(mem: Memory) -> None:
    told(mem, ("", "the cello concert was lovely, truly"), session="a")
    told(mem, ("", "the cello concert was yesterday evening"), session="b")
    assert first(mem.recall("When was the cello concert?")) == "the cello concert was yesterday evening"


def test_every_signal_says_what_it_adds(mem: Memory) -> None:
    told(mem, ("Ada", "the kitchen is painted green since May 2024"), ("Ben", "which green?"))
    for hit in mem.recall("When did Ada paint the kitchen green?"):
        assert 0 < hit.score < 1
        assert hit.score == pytest.approx(sum(part.share for part in hit.parts.values()), abs=1e-4)
        assert {"log_vector", "log_text", "log_length"} <= set(hit.parts)
        assert all(1 <= part.rank <= 2 for part in hit.parts.values())


def test_what_only_another_said_is_no_answer(mem: Memory) -> None:
    for n in range(4):
        told(mem, ("Ada", f"fine weather today, number {n}"), session=f"x{n}")
    told(mem, ("Ben", "my sister moved to Oslo and works in a bakery"), session="y")
    assert not mem.recall("Where did Ben's sister move to work in a bakery?").abstained
    found = mem.recall("Where did Ada's sister move to work in a bakery?")
    assert found.abstained
    assert "somebody else" in found.doubt
    assert mem.context("Where did Ada's sister move to work in a bakery?").text == ""
    assert found.near_misses


def test_words_that_a_memory_corrected_are_not_shown_beside_it(store_path: Path) -> None:
    model = RuleModel(
        Fact("I live in Bern", "The user lives in Bern."), Fact("I live in Oslo", "The user lives in Oslo."),
        relation="conflict",
    )  # fmt: skip
    with opened(store_path, model) as file:
        mem = file.user("me")
        mem.learn(said("I live in Bern", session="old"))
        receipt = mem.learn(said("I live in Oslo", session="new"))
        assert [m.outcome for m in receipt.memories] == ["replaced"]
        shown = mem.context("where do I live").text
        assert "The user lives in Oslo." in shown
        assert "Bern" not in shown
        assert any("Bern" in hit.content for hit in mem.search_log("where do I live"))
        (old,) = mem.list(status="superseded")
        mem.undo(mem.history(old.id)[-1].id)
        assert "Bern" in mem.context("where do I live").text


def test_words_of_a_forgotten_memory_do_not_come_back_through_the_log(store_path: Path) -> None:
    with opened(store_path, RuleModel(Fact("I keep bees", "The user keeps bees."))) as file:
        mem = file.user("me")
        mem.learn(said("I keep bees"))
        change = mem.forget(mem.list()[0].id)
        assert mem.recall("bees").abstained
        mem.undo(change)
        assert {h.kind for h in mem.recall("bees")} == {"fact", "turn"}


def test_a_long_log_without_anything_of_the_kind_declines_and_says_so(mem: Memory) -> None:
    for n in range(40):
        told(mem, ("", f"fine weather over the harbour, walk {n}"), session=str(n))
    found = mem.recall("which strings does the cello need?")
    assert found.abstained
    assert found.doubt == "Nothing that was said is close to it."
    told(mem, ("", "the cello needs gut strings"), session="x")
    assert first(mem.recall("which strings does the cello need?")) == "the cello needs gut strings"
