"""A year in small: 60 days of talk, far more than the budget holds. The long form: ``python -m tests.benchmarks.year``."""

from __future__ import annotations

from pathlib import Path

from tests.benchmarks.year import simulate


def test_sixty_days_keep_size_live_memories_and_answers_bounded(tmp_path: Path) -> None:
    budget = 70  # all that lasts and a tenth of the small events
    half, whole = simulate(tmp_path, days=60, per_day=4, budget=budget, every=30)
    assert (half.live, whole.live) == (budget, budget)
    assert half.protected
    assert whole.protected, "what is pinned or asked for every week is still there"
    assert min(half.by_memory, whole.by_memory) >= 0.9, "what lasts is kept, and small events make room for it"
    a_turn = (half.megabytes / half.turns, whole.megabytes / whole.turns)
    assert a_turn[1] <= 1.1 * a_turn[0], "a turn takes no more room the longer it goes on"
