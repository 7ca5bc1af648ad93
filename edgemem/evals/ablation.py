"""What each signal of the log search adds: the same candidates, ranked without it.

The candidates stay those of all searches together, so a row shows what a signal adds to the order.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from edgemem.evals.haystacks import Question, load_haystacks, unit
from edgemem.evals.retrieval import DEPTHS, log_haystack, score_retrieval
from edgemem.evals.seams import EvaluatedMemory, Narrator, Opener
from edgemem.recall.passages import SIGNALS
from edgemem.recall.search import arm_of
from edgemem.records import Hit

EVERYTHING = 1_000
"""More turns than one question ever has as candidates."""

GROUPS: Mapping[str, tuple[str, ...]] = {
    "meaning": ("meaning", "before", "after", "session_meaning"),
    "words": ("words", "session_words"),
    "the turns next to it": ("before", "after"),
    "its session": ("session_meaning", "session_words"),
    "who said it": ("speaker", "you"),
    "named days and months": ("day", "month"),
    "form of the question": ("tells_when", "tells_who"),
    "form of the turn": ("length", "asks"),
}
"""Signals left out together, by what they have in common."""


def variants() -> dict[str, frozenset[str]]:
    """The signals that count in each row of the table."""
    every = frozenset(SIGNALS)
    return {
        "all": every,
        **{f"without {name}": every - set(signals) for name, signals in GROUPS.items()},
        "the turn's meaning alone": frozenset({"meaning"}),
        "the words alone": frozenset({"words"}),
    }


def ablate(paths: Sequence[Path], opener: Opener, narrator: Narrator, limit: int | None = None) -> dict[str, Any]:
    """any@k and recall@k of each variant over the answerable questions, the first ``limit`` of each file.

    Raises ``InvalidInput`` for files that cannot be used.
    """
    asked: list[Question] = []
    found: dict[str, dict[str, dict[str, Any]]] = {name: {} for name in variants()}
    for haystack in load_haystacks(paths):
        questions = [q for q in haystack.questions if q.answerable][:limit]
        with (
            tempfile.TemporaryDirectory(prefix="edgemem-eval-") as folder,
            opener(Path(folder) / "log.edgemem") as file,
        ):
            log_haystack(haystack, {q.user for q in questions}, file, narrator)
            for n, question in enumerate(questions, start=1):
                for name, turns in _ranked(question, file.user(question.user)).items():
                    found[name][question.id] = {"turns": turns}
                narrator.item(n, len(questions), question.id)
        asked += questions
    figures = {name: score_retrieval(asked, predicted) for name, predicted in found.items()}
    kept = ("any_at", "recall_at")
    return {
        "questions": len(asked),
        "sets": [path.name for path in paths],
        "variants": {name: {key: scored[key] for key in kept} for name, scored in figures.items()},
    }


def _ranked(question: Question, memory: EvaluatedMemory) -> dict[str, list[str]]:
    hits = memory.search_log(question.text, limit=EVERYTHING)
    return {name: _order(hits, signals)[: max(DEPTHS)] for name, signals in variants().items()}


def _order(hits: Sequence[Hit], signals: frozenset[str]) -> list[str]:
    """Evidence units, best first, when only these signals count."""

    def value(hit: Hit) -> float:
        return sum(SIGNALS[name] * hit.parts[arm_of(name)].value for name in signals if arm_of(name) in hit.parts)

    ordered = sorted(hits, key=lambda hit: -value(hit))
    return list(dict.fromkeys(unit(hit.turn.id) for hit in ordered if hit.turn is not None))
