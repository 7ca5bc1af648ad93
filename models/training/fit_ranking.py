"""Fit the weights of ``edgemem.recall.passages`` on conversations with labelled questions.

    python models/training/fit_ranking.py --fit FILE… --report FILE…

Files are LoCoMo or MemoryBank, as ``edgemem eval retrieval`` takes them. Fits a conditional logit (McFadden,
"Conditional logit analysis of qualitative choice behavior", 1974) over the candidates of each question: the
turns that hold the answer against the others. Then the score: one scale and shift, by logistic regression over
all candidates. Prints what belongs into ``SIGNALS``, and how well both groups of files are ranked with it.
"""

from __future__ import annotations

import argparse
import itertools
import random
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import numpy as np
import numpy.typing as npt
from edgemem_models.provider import LocalModels
from scipy.optimize import minimize

import edgemem
from edgemem.evals.haystacks import Haystack, Question, load_haystacks, unit
from edgemem.evals.seams import KeepLoaded
from edgemem.recall import passages
from edgemem.recall.asked import asked
from edgemem.recall.question import QueryVector

Array = npt.NDArray[np.float64]
PENALTY = 1e-3
STEPS = 15
"""Of Newton's method for the two numbers of the scale."""
SEED = 7
TODAY = date(2100, 1, 1)
"""The sets do not say when a question was asked: relative dates must not fit by chance."""


@dataclass(frozen=True)
class Choice:
    """One question: ``seen`` (candidates, signals), which of them answer, and their evidence units.

    ``strange``: it is another file's question, which nothing answers here.
    """

    question: Question
    seen: Array
    right: npt.NDArray[np.bool_]
    units: tuple[str, ...]
    strange: bool = False


def choices(
    haystacks: Sequence[Haystack], models: KeepLoaded, names: Sequence[str], strange: int = 0
) -> Iterator[Choice]:
    """Every question with its candidates, found by the product's own searches; and ``strange`` ones of other files."""
    embedder = models.embedder()
    for haystack in haystacks:
        with (
            tempfile.TemporaryDirectory() as folder,
            edgemem.open(Path(folder) / "fit.edgemem", provider=models) as file,
        ):
            for person, said in haystack.people.items():
                file.user(person).log(said)
            for question, user in [*((q, q.user) for q in haystack.questions), *_strange(haystacks, haystack, strange)]:
                vector = QueryVector(embedder.fingerprint, embedder.embed([question.text], "query")[0])
                wanted = asked(question.text, TODAY)
                with file.engine.read() as tx:
                    key = file.user(user)._key
                    found = passages.find(tx, file.cache, key, question.text, vector, wanted)
                rows = passages.signals(found, question.text, wanted)
                units = tuple(unit(found.turns[key].id) for key in rows)
                seen = np.array([[row[name] for name in names] for row in rows.values()], dtype=np.float64)
                from_here = question in haystack.questions
                right = np.array([from_here and one in question.evidence for one in units])
                yield Choice(question, seen.reshape(len(units), len(names)), right, units, not from_here)


def _strange(haystacks: Sequence[Haystack], haystack: Haystack, count: int) -> list[tuple[Question, str]]:
    """Questions that other files answer, each for one of the people of this one."""
    others = [q for other in haystacks if other is not haystack for q in other.questions if q.answerable]
    drawn = random.Random(SEED).sample(others, min(count, len(others)))
    return list(zip(drawn, itertools.cycle(haystack.people)))  # noqa: B905: the people are repeated


def fitted(all_choices: Sequence[Choice]) -> Array:
    """The weights under which the right candidates are likeliest, lightly penalised on standardised signals."""
    used = [c for c in all_choices if c.right.any()]
    spread = np.concatenate([c.seen for c in used]).std(0) + 1e-9

    def loss(weights: Array) -> tuple[float, Array]:
        total, slope = PENALTY * float(weights @ weights), 2 * PENALTY * weights
        for choice in used:
            seen = choice.seen / spread
            chance = _softmax(seen @ weights)
            total -= float(np.log(chance[choice.right] + 1e-300).mean()) / len(used)
            slope = slope + (chance @ seen - seen[choice.right].mean(0)) / len(used)
        return total, slope

    return np.asarray(minimize(loss, np.zeros(len(spread)), jac=True, method="L-BFGS-B").x / spread)


def _softmax(values: Array) -> Array:
    powers = np.exp(values - values.max())
    return np.asarray(powers / powers.sum())


def scaled(all_choices: Sequence[Choice], weights: Array) -> tuple[float, float]:
    """Scale and shift that make the weighted sum the log-odds of holding the answer."""
    answerable = [c for c in all_choices if c.question.answerable]
    values = np.concatenate([c.seen @ weights for c in answerable])
    right = np.concatenate([c.right for c in answerable])
    middle, spread = values.mean(), values.std()
    inputs = np.stack([(values - middle) / spread, np.ones_like(values)], axis=1)
    two = np.array([0.0, np.log(right.mean())])
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-(inputs @ two)))
        bend = (inputs * (chance * (1 - chance))[:, None]).T @ inputs
        two -= np.linalg.solve(bend, inputs.T @ (chance - right))
    return float(two[0] / spread), float(two[1] - two[0] * middle / spread)


def figures(all_choices: Sequence[Choice], weights: Array) -> Mapping[str, float]:
    """any@5, any@10, any@20 and mean recall@10 over the questions that have an answer."""
    rows = []
    for choice in all_choices:
        if choice.question.answerable:
            order = np.argsort(-(choice.seen @ weights), kind="stable")
            ranked = list(dict.fromkeys(choice.units[n] for n in order))
            first = next((n for n, one in enumerate(ranked, 1) if one in choice.question.evidence), 10**6)
            met = [bool(set(some) & set(ranked[:10])) for some in choice.question.need]
            rows.append((first <= 5, first <= 10, first <= 20, np.mean(met)))
    names = ("any@5", "any@10", "any@20", "recall@10")
    return dict(zip(names, np.mean(np.array(rows, dtype=float), axis=0).round(3).tolist(), strict=True)) if rows else {}


def main() -> None:
    """Fit, scale, report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fit", nargs="+", type=Path, required=True)
    parser.add_argument("--report", nargs="+", type=Path, default=[])
    options = parser.parse_args()
    models = KeepLoaded(LocalModels())
    names = tuple(passages.SIGNALS)
    inside = list(choices(load_haystacks(options.fit), models, names))
    outside = list(choices(load_haystacks(options.report), models, names))
    weights = fitted(inside)
    scale, shift = scaled(inside, weights)
    for name, weight in zip(names, weights, strict=True):
        print(f'"{name}": {weight:.2f},')
    print(f"scale {scale:.3f}, shift {shift:.3f}")
    shipped = np.array(list(passages.SIGNALS.values()))
    for title, group in (("fitted on", inside), ("not fitted on", outside)):
        print(f"{title}: {figures(group, weights)}; with the weights in the code: {figures(group, shipped)}")


if __name__ == "__main__":
    main()
