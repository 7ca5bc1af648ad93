"""Is the relation of a new memory to an old one seen rightly, and is nothing true lost by a wrong merge?"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from edgemem.evals.predictions import Predictions
from edgemem.evals.scoring import pair_figures
from edgemem.evals.seams import ITEM_ERRORS, Narrator, Opener
from edgemem.evals.sets import PairItem


def run_pairs(
    items: Sequence[PairItem], opener: Opener, predictions: Predictions, narrator: Narrator
) -> dict[str, str]:
    """Relate every pair not done yet. Returns the errors of pairs that could not be done, by id."""
    failed: dict[str, str] = {}
    with tempfile.TemporaryDirectory(prefix="edgemem-eval-") as folder, opener(Path(folder) / "pairs.edgemem") as file:
        memory = file.user("eval")
        for number, item in enumerate(items, 1):
            if item.id not in predictions.done:
                started = time.perf_counter()
                try:
                    relation, shares = memory.relate(item.old, item.new)
                except ITEM_ERRORS as error:
                    failed[item.id] = str(error)
                else:
                    predictions.add(_record(item, relation, shares, time.perf_counter() - started))
            narrator.item(number, len(items), item.id)
    return failed


def score_pairs(items: Sequence[PairItem], predicted: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The figures of predictions, with the mean time of a pair where the predictions tell it."""
    figures = pair_figures(items, {id_: record["relation"] for id_, record in predicted.items()})
    seconds = [predicted[item.id]["seconds"] for item in items if "seconds" in predicted.get(item.id, {})]
    return figures | {"seconds_per_pair": round(sum(seconds) / len(seconds), 3) if seconds else None}


def _record(item: PairItem, relation: str, shares: Mapping[str, float], seconds: float) -> dict[str, Any]:
    rounded = {name: round(share, 4) for name, share in shares.items()}
    return {"id": item.id, "relation": relation, "probabilities": rounded, "seconds": round(seconds, 3)}
