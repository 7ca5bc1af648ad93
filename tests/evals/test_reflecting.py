"""What reflection draws from small stores, judged by the words of the set; with all that is real but the language model."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

from edgemem.errors import InvalidInput
from edgemem.evals.reflecting import Store, load_stores, run_reflecting, shipped_stores
from edgemem.evals.seams import Silent
from edgemem.evals.sessions import StoryOpener

STORES = {store.id: store for store in shipped_stores()}
DAYS = [datetime.fromisoformat(f"2026-03-0{day}T08:00:00+01:00") for day in (2, 4, 7)]
COFFEE = Store(
    "en-black", tuple((day, "I drink my coffee black.") for day in DAYS), ((("coffee",), ("black",)),), ("milk",),
    (("How do I drink my coffee?", (("black",),)),),
)  # fmt: skip


def test_what_recurs_is_drawn_with_valid_evidence_and_one_remark_is_not(by_rules: StoryOpener) -> None:
    figures = run_reflecting([COFFEE, STORES["en-polite"]], by_rules, Silent())
    assert (figures["insights"], figures["valid_evidence"], figures["too_much"], figures["drawn"]) == (1, 1.0, 0.0, 1.0)
    assert figures["answered_after"] >= figures["answered_before"]
    assert figures["faults"] == {}


def test_an_insight_that_nobody_expects_or_with_a_forbidden_word_says_too_much(by_rules: StoryOpener) -> None:
    unexpected = run_reflecting([replace(COFFEE, patterns=())], by_rules, Silent())
    assert (unexpected["valid_evidence"], unexpected["too_much"]) == (0.0, 1.0)
    forbidden = run_reflecting([replace(COFFEE, never=("coffee",))], by_rules, Silent())
    assert (forbidden["valid_evidence"], forbidden["too_much"]) == (1.0, 1.0)


def test_what_was_not_drawn_is_told(by_rules: StoryOpener) -> None:
    once = Store("en-once", COFFEE.turns[:1], ((("coffee",),),), (), ())
    figures = run_reflecting([once], by_rules, Silent())
    assert (figures["insights"], figures["drawn"], figures["valid_evidence"]) == (0, 0.0, None)
    assert figures["faults"] == {"en-once": ["missed: coffee"]}


def test_the_stores_that_ship_have_patterns_and_traps_in_both_languages() -> None:
    assert len(STORES) == 20
    for language in ("en", "zh"):
        own = [s for s in STORES.values() if s.id.startswith(language)]
        assert len(own) == 10
        assert sum(not s.patterns for s in own) >= 4, "stores in which nothing may be drawn"
    assert all(s.never or s.patterns for s in STORES.values())


@pytest.mark.parametrize(
    "line", ['{"id": "x"}', '{"id": "x", "turns": [["soon", "hi"]], "patterns": [], "not": [], "asks": []}', "[]"]
)
def test_a_line_that_is_no_store_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "set.jsonl"
    path.write_text(line, encoding="utf-8")
    with pytest.raises(InvalidInput, match="line 1"):
        load_stores([path])
