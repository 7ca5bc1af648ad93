"""The two presets, by their formulas."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from edgemem.errors import InvalidInput
from edgemem.recall.presets import recency
from edgemem.settings import Settings
from edgemem.view import Memory
from tests.helpers import NOW, SetClock, opened, said


@pytest.mark.parametrize(
    ("days", "value"),
    [(0, 1.0), (7, 1.0), (7.1, 0.8), (30, 0.8), (31, 0.7), (60, 0.6), (61, 0.6), (95, 0.5), (9000, 0.0)],
)
def test_recency_is_full_for_a_week_and_falls_month_by_month_after_thirty_days(days: float, value: float) -> None:
    assert recency(days) == pytest.approx(value)


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture
def three(store_path: Path, clock: SetClock) -> Memory:
    mem = opened(store_path, clock=clock).user("me")
    mem.add("bees bees and honey", importance=0.1)
    clock.forward(days=100)
    mem.add("bees and the garden of a neighbour", importance=0.9)
    return mem


def test_weighted_is_half_similarity_three_tenths_importance_two_tenths_recency(three: Memory, clock: SetClock) -> None:
    for hit in three.recall("bees", ranking="weighted"):
        assert hit.memory is not None
        parts = {name: part.value for name, part in hit.parts.items()}
        days = (clock.now() - hit.memory.created_at) / timedelta(days=1)
        assert parts["importance"] == hit.memory.importance
        assert parts["recency"] == recency(days)
        expected = 0.5 * parts["similarity"] + 0.3 * parts["importance"] + 0.2 * parts["recency"]
        assert hit.score == pytest.approx(expected, abs=1e-3)
        assert hit.score == pytest.approx(sum(p.share for p in hit.parts.values()), abs=1e-4)
    assert three.recall("bees", ranking="weighted").hits[0].content == "bees and the garden of a neighbour"
    assert three.recall("bees").hits[0].content == "bees bees and honey"
    three.file.close()


def test_decay_falls_with_idle_days_and_use_refreshes(three: Memory, clock: SetClock) -> None:
    def scores() -> dict[str, float]:
        return {h.content: h.score for h in three.recall("bees", ranking="decay", counted=False)}

    before = scores()
    clock.forward(days=10)
    after = scores()
    for content, score in before.items():
        assert after[content] == pytest.approx(score * 0.95**10, rel=0.02, abs=1e-3)
    three.recall("honey bees", limit=1)
    three.file.uses.flush()
    assert scores()["bees bees and honey"] > before["bees bees and honey"]
    three.file.close()


def test_decay_looks_at_three_times_the_wanted_number(store_path: Path, clock: SetClock) -> None:
    with opened(store_path, clock=clock) as file:
        mem = file.user("me")
        for n in range(5):
            mem.add(" ".join(["bees", *(f"kind{n}word{i}" for i in range(3 * n + 1))]))
            clock.forward(days=20)
        # The later ones are fresher and less similar: with one wanted only three are looked at.
        assert "kind2" in mem.recall("bees", ranking="decay", limit=1).hits[0].content
        assert "kind4" in mem.recall("bees", ranking="decay", limit=2).hits[0].content


@pytest.mark.parametrize("ranking", ["weighted", "decay"])
def test_a_preset_orders_and_does_not_make_relevant(three: Memory, ranking: str) -> None:
    three.log(said("we talked of bees", at=NOW))
    assert three.recall("quantum physics", ranking=ranking).abstained
    assert {h.kind for h in three.recall("bees", ranking=ranking)} == {"fact", "turn"}
    three.file.close()


def test_the_preset_is_a_setting_and_a_wrong_one_is_named(store_path: Path) -> None:
    with opened(store_path, settings=Settings(background=False, ranking="weighted")) as file:
        mem = file.user("me")
        mem.add("bees")
        assert "recency" in mem.recall("bees").hits[0].parts
        assert "recency" not in mem.recall("bees", ranking="answers").hits[0].parts
        with pytest.raises(InvalidInput, match="best"):
            mem.recall("bees", ranking="best")
