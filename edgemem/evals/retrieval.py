"""Is the turn that answers a question found? The raw turns are logged, nothing is extracted."""

from __future__ import annotations

import math
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from edgemem.evals.haystacks import Haystack, Question, unit
from edgemem.evals.predictions import Predictions
from edgemem.evals.seams import ITEM_ERRORS, EvaluatedFile, EvaluatedMemory, Narrator, Opener
from edgemem.records import Context

DEPTHS = (5, 10, 20)
"""How many of the first turns are looked at."""

BUDGETS = (500, 1000)
"""Sizes of the context block, in tokens of the chat model."""

_BATCH = 64


def run_retrieval(
    haystacks: Sequence[Haystack],
    questions: Sequence[Question],
    opener: Opener,
    predictions: Predictions,
    narrator: Narrator,
) -> dict[str, str]:
    """Ask every question not asked yet, each file in a store of its own. Returns errors by question id."""
    failed: dict[str, str] = {}
    total = len(questions)
    done = sum(question.id in predictions.done for question in questions)
    for haystack in haystacks:
        own = {question.id for question in haystack.questions}
        left = [q for q in questions if q.id in own and q.id not in predictions.done]
        if not left:
            continue
        with (
            tempfile.TemporaryDirectory(prefix="edgemem-eval-") as folder,
            opener(Path(folder) / "log.edgemem") as file,
        ):
            log_haystack(haystack, {question.user for question in left}, file, narrator)
            for question in left:
                try:
                    predictions.add(_ask(question, file.user(question.user)))
                except ITEM_ERRORS as error:
                    failed[question.id] = str(error)
                done += 1
                narrator.item(done, total, question.id)
    return failed


def log_haystack(haystack: Haystack, wanted: set[str], file: EvaluatedFile, narrator: Narrator) -> None:
    """Log the people asked about, one search each to warm up: the first one pays for loading and is not timed.

    Everybody else in the file is logged too, so that a leak between users would show in the figures.
    """
    for person, turns in haystack.people.items():
        narrator.note(f"{haystack.name}: logging {len(turns)} turns of {person}")
        memory = file.user(person)
        for start in range(0, len(turns), _BATCH):
            memory.log(turns[start : start + _BATCH])
        if person in wanted and turns:
            memory.search_log(turns[0].content[:80], limit=1)


def _ask(question: Question, memory: EvaluatedMemory) -> dict[str, Any]:
    started = time.perf_counter()
    # Twice as many turns as needed, since two of them may belong to one unit of evidence.
    hits = memory.search_log(question.text, limit=2 * max(DEPTHS))
    ms = 1000 * (time.perf_counter() - started)
    ranked = _units(hit.turn.id for hit in hits if hit.turn is not None)
    contexts = {budget: memory.context(question.text, budget=budget) for budget in BUDGETS}
    return {
        "id": question.id,
        "turns": ranked[: max(DEPTHS)],
        "context": {str(budget): _units(_turn_ids(context)) for budget, context in contexts.items()},
        "abstained": contexts[max(BUDGETS)].recall.abstained,
        "ms": round(ms, 2),
    }


def _turn_ids(context: Context) -> Iterable[str]:
    """What is in the block, turns by the id they were logged with."""
    turns = {hit.id: hit.turn.id for hit in context.recall.hits if hit.turn is not None}
    return (turns.get(id_, id_) for id_ in context.ids)


def _units(ids: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(map(unit, ids)))


def score_retrieval(questions: Sequence[Question], predicted: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Figures over the questions that turns can answer, how often the rest was declined, and figures by type."""
    answerable = [question for question in questions if question.answerable]
    types: defaultdict[str, list[Question]] = defaultdict(list)
    files: defaultdict[str, list[Question]] = defaultdict(list)
    for question in answerable:
        types[question.type].append(question)
        files[question.id.split("/", 1)[0]].append(question)
    times = sorted(predicted[q.id]["ms"] for q in questions if "ms" in predicted.get(q.id, {}))
    return _figures(answerable, predicted) | {
        "p50_ms": percentile(times, 50),
        "p95_ms": percentile(times, 95),
        "abstention": {
            "unanswerable": _abstained([q for q in questions if not q.answerable], predicted),
            "answerable": _abstained(answerable, predicted),
        },
        "by_type": {name: _figures(group, predicted) for name, group in sorted(types.items())},
        "by_file": {name: _figures(group, predicted) for name, group in sorted(files.items())},
    }


def _figures(questions: Sequence[Question], predicted: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """A question without a prediction counts as not found."""
    any_at: dict[str, list[float]] = {str(depth): [] for depth in DEPTHS}
    recall_at: dict[str, list[float]] = {str(depth): [] for depth in DEPTHS}
    in_tokens: dict[str, list[float]] = {str(budget): [] for budget in BUDGETS}
    for question in questions:
        record = predicted.get(question.id, {})
        for depth in DEPTHS:
            first = set(record.get("turns", ())[:depth])
            any_at[str(depth)].append(not question.evidence.isdisjoint(first))
            recall_at[str(depth)].append(_covered(question, first))
        for budget in in_tokens:
            found = record.get("context", {}).get(budget, ())
            in_tokens[budget].append(not question.evidence.isdisjoint(found))
    return {
        "questions": len(questions),
        "any_at": _means(any_at),
        "recall_at": _means(recall_at),
        "any_in_tokens": _means(in_tokens),
    }


def _covered(question: Question, found: set[str]) -> float:
    """Share of the inner lists of ``need`` of which a turn was found."""
    return sum(not found.isdisjoint(alternatives) for alternatives in question.need) / len(question.need)


def _means(values: Mapping[str, Sequence[float]]) -> dict[str, float | None]:
    return {name: round(sum(listed) / len(listed), 3) if listed else None for name, listed in values.items()}


def _abstained(questions: Sequence[Question], predicted: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    declined = sum(bool(predicted.get(question.id, {}).get("abstained")) for question in questions)
    return {"questions": len(questions), "abstained": round(declined / len(questions), 3) if questions else None}


def percentile(ordered: Sequence[float], percent: float) -> float | None:
    """The nearest-rank percentile of values in ascending order; None of nothing."""
    return ordered[max(0, math.ceil(len(ordered) * percent / 100) - 1)] if ordered else None
