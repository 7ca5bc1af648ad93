"""Fit the weights of ``edgemem.recall.weigh`` on questions with labelled memories.

    python models/training/fit_memories.py [PEOPLE.jsonl …]

A line of a file is a person: memories, questions with the numbers of the memories that answer them (none: nothing
does), and the part it belongs to. Logistic regression on the people of part ``fit``: first of ``FITTED`` on those of the
first file, no weight below 0 but that of what speaks of somebody else; then, with the weights as shipped, of ``BESIDE``
and the shift on those of all files. Prints what belongs into ``SIGNALS``, and for both parts how often an answer comes
first and among the first five, what is declined at the threshold in the settings, how many wrong ones are shown beside
the answer, and how often the score is right.
"""

from __future__ import annotations

import itertools
import json
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from edgemem_models.provider import LocalModels

import edgemem
from edgemem.ports import Embedder
from edgemem.recall import weigh
from edgemem.recall.question import Look, QueryVector, Question
from edgemem.recall.rephrase import rephrased
from edgemem.store import memories
from edgemem.times import to_db

Array = npt.NDArray[np.float64]
FITTED = ("vector", "statement", "matter", "text", "another")
BESIDE = ("gap", "against")
"""What was added later: what a memory is beside others."""
SIGNS = (*FITTED, *BESIDE)
DATA = (Path("tests/data/recall_questions.jsonl"), Path("tests/data/recall_paraphrases.jsonl"))
BEFORE = -6.31
"""The shift that goes with ``FITTED`` alone."""
BANDS = (0.0, 0.03, 0.1, 0.3, 0.6, 1.01)
PENALTY = 0.05
STEPS = 60


@dataclass(frozen=True)
class Asked:
    """One question: the part and tag it belongs to, ``seen`` (memories, signals) and which of them answer."""

    part: str
    tag: str
    seen: Array
    right: npt.NDArray[np.bool_]


def asked(people: Sequence[Mapping[str, Any]], embedder: Embedder) -> Iterator[Asked]:
    """Every question with all memories of its person, seen by the product's own code."""
    for person in people:
        with (
            tempfile.TemporaryDirectory() as folder,
            edgemem.open(
                Path(folder) / "fit.edgemem", embedder=embedder, settings=edgemem.Settings(background=False)
            ) as file,
        ):
            mem = file.user("me")
            keys = [mem.get(mem.add(content)).key for content in person["memories"]]
            for question in person["questions"]:
                rows = _seen(file, mem._key, question["q"], keys, embedder)
                seen = np.array([[rows[key].get(name, 0.0) for name in SIGNS] for key in keys])
                right = np.isin(np.arange(len(keys)), question["want"])
                yield Asked(person["part"], question["tag"], seen, right)


def _seen(file: Any, user: int, text: str, keys: Sequence[int], embedder: Embedder) -> dict[int, dict[str, float]]:
    told = [text, *rephrased(text)][:2]
    vectors = [QueryVector(embedder.fingerprint, v) for v in embedder.embed(told, "query")]
    with file.engine.read() as tx:
        look = Look(
            tx, file.cache, user, file.settings, Question(text, 0), file.clock.now(), vectors[0],
            vectors[-1], calibrate=embedder.calibrate,
        )  # fmt: skip
        words = memories.live_words(tx, user, keys, to_db(file.clock.now()), kinds=frozenset(), namespace=None)
        return weigh.seen(look, {}, words)


def fitted(all_asked: Sequence[Asked]) -> Array:
    """Weights and shift, by Newton's method; a weight that would be below 0 is taken out."""
    seen = np.concatenate([a.seen[:, : len(FITTED)] for a in all_asked])
    right = np.concatenate([a.right for a in all_asked]).astype(float)
    kept = np.ones(len(FITTED) + 1, bool)
    while True:
        inputs = np.column_stack([seen, np.ones(len(seen))])[:, kept]
        weights = np.zeros(inputs.shape[1])
        penalty = np.full(len(weights), PENALTY)
        penalty[-1] = 0
        for _ in range(STEPS):
            chance = 1 / (1 + np.exp(-inputs @ weights))
            bend = (inputs * (chance * (1 - chance))[:, None]).T @ inputs + np.diag(penalty)
            weights -= np.linalg.solve(bend, inputs.T @ (chance - right) + penalty * weights)
        whole = np.zeros(len(kept))
        whole[kept] = weights
        below = [n for n, name in enumerate(FITTED) if whole[n] < 0 and name != "another"]
        if not below:
            return whole
        kept[below] = False


def fitted_beside(all_asked: Sequence[Asked], kept: Array) -> Array:
    """Weights of ``BESIDE`` and what is added to the shift, with the other weights as they are."""
    seen = np.concatenate([a.seen for a in all_asked])
    right = np.concatenate([a.right for a in all_asked]).astype(float)
    inputs = np.column_stack([seen[:, len(FITTED) :], np.ones(len(seen))])
    known = seen[:, : len(FITTED)] @ kept[:-1] + kept[-1]
    weights = np.zeros(inputs.shape[1])
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-(known + inputs @ weights)))
        bend = (inputs * (chance * (1 - chance))[:, None]).T @ inputs + PENALTY * np.eye(len(weights))
        weights -= np.linalg.solve(bend, inputs.T @ (chance - right) + PENALTY * weights)
    return weights


def report(all_asked: Sequence[Asked], weights: Array, least: float) -> None:
    """Print, by tag: questions, answer first, among the first five, the share declined, and wrong ones beside an answer."""
    groups: defaultdict[tuple[str, str], list[tuple[float, ...]]] = defaultdict(list)
    scores: defaultdict[str, list[tuple[float, bool]]] = defaultdict(list)
    for a in all_asked:
        chances = 1 / (1 + np.exp(-(a.seen @ weights[:-1] + weights[-1])))
        kept = [n for n in np.argsort(-chances, kind="stable") if chances[n] >= least]
        wrong = sum(not a.right[n] for n in kept[:5])
        groups[a.part, a.tag].append((a.right[kept[:1]].any(), a.right[kept[:5]].any(), not kept, wrong))
        scores[a.part] += zip(chances.tolist(), a.right.tolist(), strict=True)
    for (part, tag), rows in sorted(groups.items()):
        first, five, declined, beside = np.mean(np.array(rows, float), axis=0).round(3)
        print(
            f"{part:7} {tag:14} {len(rows):4} first {first:.3f} in five {five:.3f} declined {declined:.3f} wrong {beside:.2f}"
        )
    for part, told in sorted(scores.items()):
        for low, high in itertools.pairwise(BANDS):
            own = np.array([(score, right) for score, right in told if low <= score < high], float).reshape(-1, 2)
            print(f"{part:7} scores {low:.2f} to {high:.2f}: {len(own):5}, {own.mean(0).round(3)} told and true")


def main() -> None:
    """Fit, report."""
    files = [Path(name) for name in sys.argv[1:]] or DATA
    people = [[json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] for path in files]
    embedder = LocalModels().embedder()
    found = [list(asked(one, embedder)) for one in people]
    print(
        dict(zip((*FITTED, "shift"), fitted([a for a in found[0] if a.part == "fit"]).round(2).tolist(), strict=True))
    )
    together = [a for one in found for a in one]
    shipped = np.array([*(weigh.SIGNALS[name] for name in SIGNS), weigh.SHIFT])
    kept = np.array([*shipped[: len(FITTED)], BEFORE])
    beside = fitted_beside([a for a in together if a.part == "fit"], kept)
    print(
        dict(
            zip((*BESIDE, "shift"), [*beside[:-1].round(2).tolist(), round(float(BEFORE + beside[-1]), 2)], strict=True)
        )
    )
    report(together, shipped, edgemem.Settings().least_likely)


if __name__ == "__main__":
    main()
