"""Fit the weights of ``edgemem.recall.silence`` on conversations with labelled questions.

    python models/training/fit_silence.py --fit FILE… --report FILE…

Files are those of ``fit_ranking.py``, whose weights come first. Each conversation is also asked questions of the other
files, of which nobody ever spoke there. ``known``: a logistic regression on those and the answerable ones. ``by_another``: the
weights under which what the other speaker said outweighs what the person named said for traps, and not for the others;
they are kept near those of the order, since there are few traps. Both thresholds lose a share of the answerable questions
of the files fitted on. Prints what belongs into ``silence``, and for both groups what is declined at which loss.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from edgemem_models.provider import LocalModels
from fit_ranking import Choice, choices
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

from edgemem.evals.haystacks import load_haystacks
from edgemem.evals.seams import KeepLoaded
from edgemem.recall import passages, silence

Array = npt.NDArray[np.float64]
NAMES = tuple(passages.SIGNALS)
OWN = NAMES.index("speaker")
STRANGE = 120
"""Questions of other files that each conversation is asked."""
NEAR = 0.03
"""Penalty on each weight of ``by_another`` for going away from that of the order, in standard deviations of its signal."""
TRAPS_COUNT = 2.0
LOSSES = (0.01, 0.02, 0.03, 0.05)


@dataclass(frozen=True)
class Asked:
    """One question: ``seen`` (candidates, signals) and what it is: ``answered``, a ``trap``, or ``strange``."""

    seen: Array
    kind: str

    @property
    def two_sides(self) -> tuple[Array, Array]:
        """The candidates of the person named, and the others'; whose they are is not among what is seen."""
        own = self.seen[:, OWN] > 0
        hidden = self.seen.copy()
        hidden[:, OWN] = 0
        return hidden[own], hidden[~own]


def asked(found: Sequence[Choice]) -> list[Asked]:
    """The questions with candidates."""
    return [
        Asked(c.seen, "strange" if c.strange else "answered" if c.question.answerable else "trap")
        for c in found
        if len(c.seen)
    ]


def knowing(question: Asked) -> tuple[float, float]:
    """Log-odds of the best passage and the highest cosine, as ``silence.known`` has them."""
    logits = question.seen @ np.array(list(passages.SIGNALS.values())) * passages.SCALE + passages.SHIFT
    return float(logits.max()), float(question.seen[:, NAMES.index("meaning")].max())


def together(rows: Array, weights: Array) -> tuple[float, Array]:
    """Logarithm of the summed odds, and its slope."""
    values = rows @ weights
    powers = np.exp(values - values.max())
    return float(values.max() + np.log(powers.sum())), powers @ rows / powers.sum()


def fitted(questions: Sequence[Asked]) -> Array:
    """The weights of ``by_another``."""
    near = np.array(list(passages.SIGNALS.values())) * passages.SCALE
    spread = np.concatenate([q.seen for q in questions]).std(0) + 1e-9
    sides = [(q.two_sides, q.kind == "trap") for q in questions]

    def loss(moved: Array) -> tuple[float, Array]:
        weights, total, slope = near + moved[:-2] / spread, NEAR * float(moved[:-2] @ moved[:-2]), np.zeros(len(moved))
        slope[:-2] = 2 * NEAR * moved[:-2]
        for (own, others), trap in sides:
            (mine, mine_by), (theirs, theirs_by) = together(own, weights), together(others, weights)
            gap = theirs - mine
            chance = 1 / (1 + np.exp(-(moved[-2] * gap + moved[-1])))
            count = (TRAPS_COUNT if trap else 1.0) / len(sides)
            total -= count * np.log((chance if trap else 1 - chance) + 1e-12)
            error = count * (chance - trap)
            slope[:-2] += error * moved[-2] * (theirs_by - mine_by) / spread
            slope[-2] += error * gap
            slope[-1] += error
        return total, slope

    start = np.zeros(len(NAMES) + 2)
    start[-2] = 1.0
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 200}).x
    return np.asarray(near + found[:-2] / spread)


def curve(title: str, answered: Sequence[float], declined: Sequence[float]) -> None:
    """Print what share of ``declined`` lies above the values that few of ``answered`` exceed."""
    ordered = np.sort(answered)[::-1]
    told = []
    for loss in LOSSES:
        bar = ordered[int(loss * len(ordered))]
        told.append(f"{np.mean(np.array(declined) > bar):.2f} at {loss} (bar {bar:.2f})")
    print(f"{title}: {', '.join(told)}")


def report(title: str, questions: Sequence[Asked], known: Array, said: Array) -> None:
    """Print both curves."""
    values = {kind: [q for q in questions if q.kind == kind] for kind in ("answered", "strange", "trap")}
    unknown = {kind: [-float(np.dot(known, (*knowing(q), 1))) for q in group] for kind, group in values.items()}
    curve(f"{title}, never spoken of", unknown["answered"], unknown["strange"])
    gaps = {kind: [_gap(q, said) for q in named(group)] for kind, group in values.items()}
    curve(f"{title}, said by another", gaps["answered"], gaps["trap"])


def named(questions: Sequence[Asked]) -> list[Asked]:
    """Those that name one of the speakers of their candidates."""
    return [q for q in questions if all(len(side) for side in q.two_sides)]


def _gap(question: Asked, weights: Array) -> float:
    own, others = question.two_sides
    return together(others, weights)[0] - together(own, weights)[0]


def main() -> None:
    """Fit, report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fit", nargs="+", type=Path, required=True)
    parser.add_argument("--report", nargs="+", type=Path, default=[])
    options = parser.parse_args()
    models = KeepLoaded(LocalModels())
    inside = asked(list(choices(load_haystacks(options.fit), models, NAMES, STRANGE)))
    outside = asked(list(choices(load_haystacks(options.report), models, NAMES, STRANGE)))
    told = [q for q in inside if q.kind != "trap" and len(q.seen) >= silence.ENOUGH]
    labels = [q.kind == "answered" for q in told]
    fit = LogisticRegression(C=1e3, class_weight="balanced", max_iter=5000).fit([knowing(q) for q in told], labels)
    known = np.array([*fit.coef_[0], fit.intercept_[0]])
    said = fitted(named([q for q in inside if q.kind != "strange"]))
    print(f"best {known[0]:.2f}, closest {known[1]:.2f}, shift {known[2]:.2f}")
    for name, weight in zip(NAMES, said, strict=True):
        print(f'"{name}": {weight:.2f},')
    shipped: Mapping[str, float] = silence.SAID
    shipped_said = np.array([shipped.get(name, 0.0) for name in NAMES])
    shipped_known = np.array([silence.BEST, silence.CLOSEST, silence.SHIFT])
    for title, group in (("fitted on", inside), ("not fitted on", outside)):
        if group:
            report(title, group, known, said)
            report(f"{title}, as shipped", group, shipped_known, shipped_said)


if __name__ == "__main__":
    main()
