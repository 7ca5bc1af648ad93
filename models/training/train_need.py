"""Train and judge the weights that say whether a message needs long-term memory.

    python models/training/train_need.py           train, cross-validate, write the weights
    python models/training/train_need.py --wrong   also the turns judged wrongly

``turns_en.txt`` and ``turns_zh.txt``: a turn a line, ``+`` needed or ``-`` not, then the message and, after a tab, what the
user said before it. They were written for this purpose; those of ``edgemem eval router`` are others.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from edgemem_models import need as weights
from edgemem_models.need import LearnedNeed
from edgemem_models.provider import LocalModels
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from train_gate import Cached

from edgemem.evals.router import Case, figures
from edgemem.recall.need import by_rule, judged_text, seen
from edgemem.settings import Settings

HERE: Final = Path(__file__).parent
EMBEDDING: Final = 3.0
"""How much the embedding may say beside the signs: it is multiplied by this."""
PENALTY: Final = 0.3
FOLDS: Final = 5
SEED: Final = 7
THRESHOLDS: Final = (0.05, 0.1, 0.13, 0.16, 0.2, 0.3, 0.5)

Array = npt.NDArray[Any]


def turns() -> Iterator[Case]:
    """The labelled turns beside this file."""
    for path in (HERE / "turns_en.txt", HERE / "turns_zh.txt"):
        for line in path.read_text("utf-8").splitlines():
            message, *after = line[2:].split("\t")
            yield Case(message, line[0] == "+", tuple(after))


def inputs(cases: Sequence[Case], embedder: Cached) -> Array:
    """One row a turn: its embedding, then its signs."""
    vectors = np.array(embedder.embed([judged_text(c.turn, c.after) for c in cases], "query"))
    return np.hstack([vectors * EMBEDDING, np.array([list(seen(c.turn, c.after).values()) for c in cases])])


def fitted(rows: Array, labels: Array) -> Any:
    """The regression on some turns."""
    return LogisticRegression(C=PENALTY, max_iter=2000).fit(rows, labels)


def cross_validated(cases: Sequence[Case], rows: Array, labels: Array) -> Array:
    """The chance of each turn by weights that did not see it; what the rules decide has theirs."""
    chances = np.zeros(len(labels))
    for kept, left in StratifiedKFold(FOLDS, shuffle=True, random_state=SEED).split(rows, labels):
        chances[left] = fitted(rows[kept], labels[kept]).predict_proba(rows[left])[:, 1]
    rules = [by_rule(c.turn, c.after) for c in cases]
    return np.array([c if rule is None else rule.chance for rule, c in zip(rules, chances, strict=True)])


def main() -> None:
    """Train, report, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wrong", action="store_true")
    options = parser.parse_args()
    folder = Path(tempfile.gettempdir()) / f"edgemem-training-{os.getuid() if hasattr(os, 'getuid') else 0}"
    folder.mkdir(mode=0o700, exist_ok=True)
    embedder = Cached(LocalModels().embedder(), folder)
    cases = list(turns())
    rows, labels = inputs(cases, embedder), np.array([c.needs for c in cases])
    chances = cross_validated(cases, rows, labels)
    for threshold in THRESHOLDS:
        told = figures(cases, [bool(c >= threshold) for c in chances])["all"]
        print(
            f"below {threshold:.2f}: saves {told['saved']:.3f} of the needless, misses {told['missed']:.3f} of the needed"
        )
    for case, chance in zip(cases, chances, strict=True) if options.wrong else ():
        if (chance >= Settings().needless_below) != case.needs:
            print(f"{chance:.2f} {'+' if case.needs else '-'} {case.turn} {case.after or ''}")
    model = fitted(rows, labels)
    signs = dict(zip(seen("", ()), model.coef_[0][embedder.dim :].tolist(), strict=True))
    direction = model.coef_[0][: embedder.dim] * EMBEDDING
    LearnedNeed(embedder.fingerprint, direction, signs, float(model.intercept_[0])).save(weights.FILE)


if __name__ == "__main__":
    main()
