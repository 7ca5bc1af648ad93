"""Does the pipeline keep what it must, and nothing else? Each dialogue goes through a memory file of its own."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from edgemem.evals.predictions import Predictions
from edgemem.evals.scoring import extraction_figures
from edgemem.evals.seams import ITEM_ERRORS, EvaluatedMemory, Narrator, Opener
from edgemem.evals.sets import ExtractionItem

_STORED = ("added", "refined", "replaced")


def run_extraction(
    items: Sequence[ExtractionItem], opener: Opener, predictions: Predictions, narrator: Narrator
) -> dict[str, str]:
    """Learn from every item not done yet. Returns the errors of items that could not be done, by id."""
    failed = {}
    for number, item in enumerate(items, 1):
        if item.id not in predictions.done:
            try:
                predictions.add(_predict(item, opener))
            except ITEM_ERRORS as error:
                failed[item.id] = str(error)
        narrator.item(number, len(items), item.id)
    return failed


def score_extraction(items: Sequence[ExtractionItem], predicted: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The figures of predictions, with the mean time of a user turn where the predictions tell it."""
    figures = extraction_figures(items, {id_: record.get("memories", ()) for id_, record in predicted.items()})
    timed = [item for item in items if "seconds" in predicted.get(item.id, {})]
    turns = sum(item.user_turns for item in timed)
    seconds = sum(predicted[item.id]["seconds"] for item in timed)
    return figures | {"seconds_per_turn": round(seconds / turns, 3) if turns else None}


def _predict(item: ExtractionItem, opener: Opener) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="edgemem-eval-") as folder, opener(Path(folder) / "item.edgemem") as file:
        memory = file.user("eval")
        started = time.perf_counter()
        receipt = memory.learn(item.turns)
        seconds = time.perf_counter() - started
        ids = dict.fromkeys(one.id for one in receipt.memories if one.outcome in _STORED)
        return {
            "id": item.id,
            "memories": _live(memory, ids),
            "failed": [failure.error for failure in receipt.failed],
            "seconds": round(seconds, 3),
        }


def _live(memory: EvaluatedMemory, ids: Mapping[str, None]) -> list[dict[str, Any]]:
    """What is in the store at the end: a memory that a later turn replaced no longer counts."""
    found = (memory.get(id_) for id_ in ids)
    return [
        {"content": m.content, "kind": m.kind, "about": m.about, "confidence": m.confidence, "quote": m.source.quote}
        for m in found
        if m.status == "live"
    ]
