"""The cross-session cases that ship with edgemem, lived through with a model that is scripted and all else real."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from edgemem_models.embedder import LlamaEmbedder

import edgemem
from edgemem.errors import InvalidInput
from edgemem.evals.seams import Silent
from edgemem.evals.sessions import Case, StoryOpener, load_cases, run_sessions, shipped_cases
from edgemem.memory import MemoryFile
from edgemem.ports import Clock, Embedder
from edgemem.testing import WordsEmbedder
from tests.helpers import QUIET, Fact, NoModels, RuleModel

CASES = shipped_cases()
_LETTERS = {"duplicate": "A", "refine": "B", "conflict": "C", "distinct": "D"}


class _Scripted(RuleModel):
    """Finds what the case says is there, and relates a new memory to an old one as the case says."""

    def __init__(self, case: Case) -> None:
        scripted = [s for step in case.steps for s in step.get("scripted", ())]
        super().__init__(*(Fact(s["quote"], s["memory"], s["kind"]) for s in scripted))
        self._relations = {s["memory"]: s["relation"] for s in scripted}

    def _odds(self, question: str, options: Sequence[str]) -> dict[str, float]:
        self.relation = self._relations.get(question.rpartition("NEW: ")[2], "distinct")
        return super()._odds(question, options)


def _opener(case: Case, embedder: Embedder) -> StoryOpener:
    model = _Scripted(case)

    def opened(path: Path, clock: Clock) -> MemoryFile:
        return edgemem.open(
            path, language_model=model, embedder=embedder, provider=NoModels(), settings=QUIET, clock=clock
        )

    return opened


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.id)
def test_told_in_one_session_known_in_another(case: Case, e5: LlamaEmbedder) -> None:
    figures = run_sessions([case], _opener(case, e5), Silent())
    assert figures["wrong"] == {}
    assert figures["errors"] == {}
    assert figures["passed"] == 1


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.id)
def test_summaries_and_insights_cost_no_answer(case: Case) -> None:
    """Also with an embedder of words alone, under which some questions are hard: what was answered still is."""
    figures = [run_sessions([case], _opener(case, WordsEmbedder(2048)), Silent(), tended=t) for t in (False, True)]
    assert figures[1]["answered"] >= figures[0]["answered"]
    assert figures[1]["stale"] <= figures[0]["stale"]
    assert figures[1]["errors"] == {}


def test_there_are_enough_cases_in_both_languages_and_each_asks_something() -> None:
    assert len(CASES) >= 40
    assert {c.id[:2] for c in CASES} == {"en", "zh"}
    assert all(any("ask" in step for step in c.steps) for c in CASES)
    assert len({c.id for c in CASES}) == len(CASES)


def _asking(**ask: Any) -> Case:
    scripted = [{"quote": "I keep bees", "memory": "The user keeps bees.", "kind": "fact", "relation": "distinct"}]
    say = {"say": "I keep bees", "session": "a", "at": "2026-02-02T09:00:00+00:00", "scripted": scripted}
    return Case("en-x", ("t",), (say, {"ask": "bees?", **ask}))


def test_what_is_not_known_or_no_longer_true_counts_as_wrong() -> None:
    for case, stale in ((_asking(all=[["goats"]]), 0), (_asking(all=[], none=["bees"]), 1)):
        figures = run_sessions([case], _opener(case, WordsEmbedder(2048)), Silent())
        assert (figures["passed"], figures["answered"], figures["stale"]) == (0, 0.0, stale)
        assert figures["wrong"]["en-x"][0]["ask"] == "bees?"


@pytest.mark.parametrize(
    "line", ['{"id": "x"}', '{"id": "x", "steps": [{}]}', '{"id": "x", "steps": [{"say": "hi"}]}', "nonsense"]
)
def test_a_line_that_is_no_case_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text(line, encoding="utf-8")
    with pytest.raises(InvalidInput, match="line 1"):
        load_cases([path])
