"""Fit the weights of ``edgemem.recall.weigh`` on questions with labelled memories.

    python models/training/fit_memories.py [tests/data/recall_questions.jsonl]

A line of the file is a person: memories, questions with the numbers of the memories that answer them (none: nothing
does), and the part it belongs to. Logistic regression on the people of part ``fit``, no weight below 0 but that of what
speaks of somebody else. Prints what belongs into ``SIGNALS``, and for both parts how often an answer comes first and
among the first five, and what is declined at the threshold in the settings.
"""

from __future__ import annotations

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
DATA = Path("tests/data/recall_questions.jsonl")
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
                seen = np.array([[rows[key].get(name, 0.0) for name in FITTED] for key in keys])
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
    seen = np.concatenate([a.seen for a in all_asked])
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


def report(all_asked: Sequence[Asked], weights: Array, least: float) -> None:
    """Print, by tag: questions, answer first, among the first five, and the share declined."""
    groups: defaultdict[tuple[str, str], list[tuple[bool, bool, bool]]] = defaultdict(list)
    for a in all_asked:
        logits = a.seen @ weights[:-1] + weights[-1]
        order = np.argsort(-logits, kind="stable")
        kept = [n for n in order if 1 / (1 + np.exp(-logits[n])) >= least]
        groups[a.part, a.tag].append((bool(a.right[kept[:1]].any()), bool(a.right[kept[:5]].any()), not kept))
    for (part, tag), rows in sorted(groups.items()):
        first, five, declined = np.mean(np.array(rows, float), axis=0).round(3)
        print(f"{part:7} {tag:14} {len(rows):4} first {first:.3f} in five {five:.3f} declined {declined:.3f}")


def main() -> None:
    """Fit, report."""
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else DATA
    people = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    found = list(asked(people, LocalModels().embedder()))
    inside = [a for a in found if a.part == "fit"]
    weights = fitted(inside)
    print({name: round(float(w), 2) for name, w in zip((*FITTED, "shift"), weights, strict=True)})
    best = sorted(float((a.seen @ weights[:-1] + weights[-1])[a.right].max()) for a in inside if a.right.any())
    lost = best[int(0.05 * len(best))]
    print(f"one answer in twenty is lost at log-odds {lost:.2f}, likelihood {1 / (1 + np.exp(-lost)):.3f}")
    shipped = np.array([*(weigh.SIGNALS[name] for name in FITTED), weigh.SHIFT])
    for title, used in (("as fitted now", weights), ("as shipped", shipped)):
        print(title)
        report(found, used, edgemem.Settings().least_likely)


if __name__ == "__main__":
    main()
