"""Train and judge the learned gate.

python models/training/train_gate.py                       train on the corpora beside this file
python models/training/train_gate.py --evaluate SET.jsonl  judge the shipped weights on extraction sets
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from edgemem_models import heads
from edgemem_models.features import NAMES
from edgemem_models.heads import LETTERS, Array, GateWeights, Item
from edgemem_models.provider import LocalModels

from edgemem.ports import Embedder, Priority
from edgemem.text import is_han
from edgemem.write.clauses import split

HERE: Final = Path(__file__).parent
FOLDS: Final = 5
SEED: Final = 7
PENALTIES: Final = (40.0, 60.0, 90.0)
THRESHOLDS: Final = (0.2, 0.35, 0.5, 0.65, 0.8)
VARIANTS: Final = {
    "clause": (0,),
    "message": (1,),
    "code": (2,),
    "phrases": (3,),
    "clause+message": (0, 1),
    "clause+code": (0, 2),
    "without phrases": (0, 1, 2),
    "all": (0, 1, 2, 3),
}
WEIGHTS: Final = (1.0, 1.0, 1.0, 1.0, 1.0)
"""How much each block may say: the rows of a block are standardised and multiplied by this. The fifth is of ``train_second``."""
LEAST_SPREAD: Final = (1e-3, 1e-3, 1e-3, 1e-2, 1e-2)
"""Spread below which a column of a block counts as that wide: what hardly ever occurs must not shout."""

Labels = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Example:
    """A labelled clause. ``group`` is its message; only clauses cut by the product's own splitter are ``judged``."""

    item: Item
    letter: str
    group: int
    chinese: bool
    judged: bool = True


class Cached:
    """An embedder whose vectors are kept in a folder."""

    def __init__(self, inner: Embedder, folder: Path) -> None:
        self._inner, self._file = inner, folder / f"gate-{inner.fingerprint}.npz"
        self._known: dict[str, list[float]] = {}
        if self._file.exists():
            with np.load(self._file, allow_pickle=False) as file:
                self._known = dict(zip(file["keys"].tolist(), file["vectors"].tolist(), strict=True))

    @property
    def fingerprint(self) -> str:
        """That of the inner embedder."""
        return self._inner.fingerprint

    @property
    def dim(self) -> int:
        """That of the inner embedder."""
        return self._inner.dim

    def embed(self, texts: Sequence[str], kind: Any, *, priority: Priority = "background") -> list[list[float]]:
        """Vectors from the folder; the inner embedder is asked for the new ones."""
        keys = [hashlib.sha256(f"{kind}\0{t}".encode()).hexdigest() for t in texts]
        new = {k: t for k, t in zip(keys, texts, strict=True) if k not in self._known}
        if new:
            self._known.update(zip(new, self._inner.embed(list(new.values()), kind, priority=priority), strict=True))
            np.savez(
                self._file, keys=np.array(list(self._known)), vectors=np.array(list(self._known.values()), np.float32)
            )
        return [self._known[k] for k in keys]

    def calibrate(self, cosine: float) -> float:
        """As the inner embedder does."""
        return self._inner.calibrate(cosine)

    def close(self) -> None:
        """Close the inner embedder."""
        self._inner.close()


# --- examples ---------------------------------------------------------------------------------------------------------


def lines(path: Path) -> list[dict[str, Any]]:
    """The objects of a JSONL file."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def corpus(folder: Path = HERE) -> list[Example]:
    """The clauses of the corpora: as written, and as the product's own splitter cuts the messages."""
    found: list[Example] = []
    entries = [entry for path in sorted(folder.glob("corpus_*.jsonl")) for entry in lines(path)]
    for group, entry in enumerate(entries):
        found += _examples(group, [(text, letter) for text, letter in entry["clauses"]], entry.get("asked"))
    return found


def _examples(group: int, clauses: list[tuple[str, str]], asked: str | None) -> Iterator[Example]:
    message = " ".join(text for text, _ in clauses)
    marks = list(_spans(clauses))
    pieces = {c.text: _letter(c.start, c.start + len(c.text), marks) for c in split(message)}
    for text, letter in {**dict(clauses), **pieces}.items():
        yield Example((text, message, asked), letter, group, is_han(message), text in pieces)


def _spans(clauses: list[tuple[str, str]]) -> Iterator[tuple[int, int, str]]:
    start = 0
    for text, letter in clauses:
        yield start, start + len(text), letter
        start += len(text) + 1


def _letter(start: int, end: int, marks: list[tuple[int, int, str]]) -> str:
    """The letter with most to say in a span: something to keep goes before nothing."""
    shares = [
        (letter != "N", min(end, e) - max(start, s), letter)
        for s, e, letter in marks
        if min(end, e) - max(start, s) >= 2
    ]
    return max(shares)[2] if shares else "N"


def extraction_set(path: Path) -> list[Example]:
    """The clauses of the user's turns of an extraction set; those that touch only optional quotes are left out."""
    found: list[Example] = []
    for group, item in enumerate(lines(path)):
        for index, turn in enumerate(item["turns"]):
            if turn["role"] == "user":
                before = item["turns"][index - 1] if index else None
                found += _turn_examples(group, item, index, turn["content"], _question(before))
    return found


def _question(turn: dict[str, str] | None) -> str | None:
    asks = turn is not None and turn["role"] == "assistant" and turn["content"].rstrip().endswith(("?", "？"))
    return turn["content"] if turn is not None and asks else None


def _turn_examples(group: int, item: dict[str, Any], index: int, message: str, asked: str | None) -> Iterator[Example]:
    wanted = [q for e in item["expect"] if e["turn"] == index for q in _places(message, e["quote"])]
    free = [q for e in item.get("optional", []) if e["turn"] == index for q in _places(message, e["quote"])]
    for clause in split(message):
        keep = _touches(clause.start, clause.start + len(clause.text), wanted)
        if keep or not _touches(clause.start, clause.start + len(clause.text), free):
            yield Example((clause.text, message, asked), "F" if keep else "N", group, is_han(message))


def _places(message: str, quote: str) -> Iterator[tuple[int, int]]:
    at = message.find(quote)
    if at >= 0:
        yield at, at + len(quote)


def _touches(start: int, end: int, spans: Iterable[tuple[int, int]]) -> bool:
    return any(min(end, e) - max(start, s) >= min(4, e - s) for s, e in spans)


# --- the regression ---------------------------------------------------------------------------------------------------


def minimise(loss: Callable[[Array], tuple[float, Array]], x: Array, steps: int = 300, memory: int = 10) -> Array:
    """L-BFGS with a halving line search; ``loss`` gives value and gradient."""
    pairs: list[tuple[Array, Array]] = []
    value, slope = loss(x)
    for _ in range(steps):
        way = -_direction(slope, pairs)
        step, new, new_value, new_slope = 1.0, x, value, slope
        while step > 1e-10:
            new = x + step * way
            new_value, new_slope = loss(new)
            if new_value <= value + 1e-4 * step * float(slope @ way):
                break
            step /= 2
        if value - new_value < 1e-8 * max(1.0, abs(value)):
            break
        if float((new_slope - slope) @ (new - x)) > 1e-12:
            pairs = [*pairs[-memory + 1 :], (new - x, new_slope - slope)]
        x, value, slope = new, new_value, new_slope
    return x


def _direction(slope: Array, pairs: list[tuple[Array, Array]]) -> Array:
    way, alphas = slope.copy(), []
    for s, y in reversed(pairs):
        alphas.append(float(s @ way) / float(s @ y))
        way -= alphas[-1] * y
    if pairs:
        s, y = pairs[-1]
        way *= float(s @ y) / float(y @ y)
    for (s, y), alpha in zip(pairs, reversed(alphas), strict=True):
        way += (alpha - float(y @ way) / float(s @ y)) * s
    return way


def fit(inputs: Array, labels: Labels, penalty: float) -> tuple[Array, Array]:
    """Multinomial logistic regression: matrix and bias. The penalty does not touch the bias."""
    columns = inputs.shape[1]
    target = np.eye(len(LETTERS))[labels]

    def loss(flat: Array) -> tuple[float, Array]:
        matrix, bias = flat[: columns * len(LETTERS)].reshape(columns, -1), flat[columns * len(LETTERS) :]
        logs = _log_softmax(inputs @ matrix + bias)
        error = np.exp(logs) - target
        value = -float((logs * target).sum()) + penalty / 2 * float((matrix**2).sum())
        return value, np.concatenate([(inputs.T @ error + penalty * matrix).ravel(), error.sum(axis=0)])

    found = minimise(loss, np.zeros((columns + 1) * len(LETTERS)))
    return found[: columns * len(LETTERS)].reshape(columns, -1), found[columns * len(LETTERS) :]


def _log_softmax(logits: Array) -> Array:
    low = logits - logits.max(axis=1, keepdims=True)
    return np.asarray(low - np.log(np.exp(low).sum(axis=1, keepdims=True)))


def train(parts: Sequence[Array], labels: Labels, penalty: float, use: Sequence[int]) -> tuple[Array, Array]:
    """Fit on standardised blocks; the matrix and bias returned are for the blocks as they are, side by side."""
    inputs = np.hstack([parts[n] for n in use])
    weight = np.concatenate([np.full(parts[n].shape[1], _share(parts[n], n)) for n in use])
    least = np.concatenate([np.full(parts[n].shape[1], LEAST_SPREAD[n]) for n in use])
    mean, spread = inputs.mean(axis=0), inputs.std(axis=0)
    factor = weight / np.maximum(spread, least)
    matrix, bias = fit((inputs - mean) * factor, labels, penalty)
    matrix = matrix * factor[:, None]
    return matrix, bias - mean @ matrix


def _share(part: Array, number: int) -> float:
    return WEIGHTS[number] / float(np.sqrt(part.shape[1] / 50))


def platt(odds: Array, keep: npt.NDArray[np.bool_]) -> tuple[float, float]:
    """Scale and shift that make log-odds probabilities."""

    def loss(x: Array) -> tuple[float, Array]:
        z = x[0] * odds + x[1]
        error = 1 / (1 + np.exp(-z)) - keep
        return float((np.logaddexp(0, z) - keep * z).sum()), np.array([float(error @ odds), float(error.sum())])

    scale, shift = minimise(loss, np.array([1.0, 0.0]))
    return float(scale), float(shift)


# --- judging ----------------------------------------------------------------------------------------------------------


def folds(groups: Labels) -> Labels:
    """A fold for each example; the clauses of one message stay together."""
    order = np.random.default_rng(SEED).permutation(int(groups.max()) + 1)
    return np.asarray(order[groups] % FOLDS)


def out_of_fold(parts: Sequence[Array], labels: Labels, groups: Labels, penalty: float, use: Sequence[int]) -> Array:
    """Logits of each example from weights that have not seen its message."""
    fold, logits = folds(groups), np.zeros((len(labels), len(LETTERS)))
    for number in range(FOLDS):
        seen, unseen = fold != number, fold == number
        matrix, bias = train([p[seen] for p in parts], labels[seen], penalty, use)
        logits[unseen] = np.hstack([parts[n][unseen] for n in use]) @ matrix + bias
    return logits


def auc(scores: Array, positive: npt.NDArray[np.bool_]) -> float:
    """Chance that a positive scores above a negative; ties count half."""
    yes, no = scores[positive], np.sort(scores[~positive])
    below = np.searchsorted(no, yes, "left") + np.searchsorted(no, yes, "right")
    return float(below.mean() / 2 / len(no)) if len(yes) and len(no) else float("nan")


def _log_loss(logits: Array, labels: Labels) -> float:
    return -float(_log_softmax(logits)[np.arange(len(labels)), labels].mean())


def _by_language(examples: Sequence[Example]) -> dict[str, npt.NDArray[np.bool_]]:
    chinese = np.array([e.chinese for e in examples])
    names = {"en": ~chinese, "zh": chinese}
    common = {name: mask for name, mask in names.items() if mask.sum() > len(examples) / 20}
    return common if len(common) == 1 else {**common, "both": chinese | True}


def _print_thresholds(keep: Array, positive: npt.NDArray[np.bool_]) -> None:
    for at in THRESHOLDS:
        kept = keep >= at
        hits = int((kept & positive).sum())
        recall, wrong = hits / max(1, positive.sum()), int((kept & ~positive).sum()) / max(1, (~positive).sum())
        print(
            f"    keep >= {at:<4}  recall {recall:.3f}  false positives {wrong:.3f}  precision {hits / max(1, kept.sum()):.3f}"
        )


def _report(examples: Sequence[Example], rows: Array, labels: Labels | None) -> None:
    keep = 1 - rows[:, -1]
    positive = np.array([e.letter != "N" for e in examples])
    for name, mask in _by_language(examples).items():
        right = "" if labels is None else f"  letter accuracy {(rows.argmax(axis=1) == labels)[mask].mean():.3f}"
        print(
            f"{name}: {mask.sum()} clauses, {positive[mask].sum()} to keep, AUC {auc(keep[mask], positive[mask]):.3f}{right}"
        )
        _print_thresholds(keep[mask], positive[mask])


# --- commands ---------------------------------------------------------------------------------------------------------


def run_training(embedder: Embedder, compare: bool, wrong: bool) -> None:
    """Cross-validate, choose the penalty, calibrate, and write the weights."""
    examples = corpus()
    parts = heads.blocks(embedder, [e.item for e in examples])
    labels = np.array([LETTERS.index(e.letter) for e in examples], np.int64)
    groups = np.array([e.group for e in examples], np.int64)
    judged = np.array([e.judged for e in examples])
    print(f"{len(examples)} examples in {groups.max() + 1} messages, {judged.sum()} judged, {len(NAMES)} code features")

    def logits(penalty: float, use: Sequence[int]) -> Array:
        return out_of_fold(parts, labels, groups, penalty, use)

    positive = labels != LETTERS.index("N")
    for name, use in VARIANTS.items() if compare else ():
        found = min((logits(p, use) for p in PENALTIES), key=lambda x: _log_loss(x[judged], labels[judged]))
        figures = [
            f"{lang} {auc(heads.keep_odds(found)[judged & mask], positive[judged & mask]):.3f}"
            for lang, mask in _by_language(examples).items()
        ]
        print(f"  {name:15} AUC {'  '.join(figures)}  log-loss {_log_loss(found[judged], labels[judged]):.3f}")
    tried = {p: logits(p, VARIANTS["all"]) for p in PENALTIES}
    penalty = min(tried, key=lambda p: _log_loss(tried[p][judged], labels[judged]))
    scale, shift = platt(heads.keep_odds(tried[penalty])[judged], positive[judged])
    print(f"penalty {penalty}, calibration {scale:.3f} {shift:+.3f}")
    rows = heads.calibrated(tried[penalty], scale, shift)
    _report([e for e in examples if e.judged], rows[judged], labels[judged])
    if wrong:
        _print_wrong(examples, rows)
    GateWeights(embedder.fingerprint, *train(parts, labels, penalty, VARIANTS["all"]), scale, shift).save(
        heads.GATE_FILE
    )


def _print_wrong(examples: Sequence[Example], rows: Array) -> None:
    keep = 1 - rows[:, -1]
    far = [(abs((e.letter != "N") - k), k, e) for e, k in zip(examples, keep, strict=True) if e.judged]
    for off, share, example in sorted(far, key=lambda x: -x[0]):
        if off > 0.5:
            print(f"{share:.2f} {example.letter} {example.item[2] or ''} | {example.item[0]}")


def run_evaluation(embedder: Embedder, paths: Sequence[Path]) -> None:
    """Judge the shipped weights on extraction sets."""
    weights = heads.load_gate()
    for path in paths:
        examples = extraction_set(path)
        print(path.name)
        _report(examples, weights.probabilities(np.hstack(heads.blocks(embedder, [e.item for e in examples]))), None)


def main() -> None:
    """Read the command line and do it."""
    parser = argparse.ArgumentParser(description="Train and judge the learned gate.")
    parser.add_argument("--evaluate", nargs="+", type=Path, metavar="SET", help="judge the shipped weights instead")
    parser.add_argument("--compare", action="store_true", help="also cross-validate parts of the input")
    parser.add_argument("--wrong", action="store_true", help="also print the corpus clauses judged wrong")
    chosen = parser.parse_args()
    folder = Path(tempfile.gettempdir()) / f"edgemem-training-{os.getuid() if hasattr(os, 'getuid') else 0}"
    folder.mkdir(mode=0o700, exist_ok=True)
    with_cache = Cached(LocalModels().embedder(), folder)
    if chosen.evaluate:
        run_evaluation(with_cache, chosen.evaluate)
    else:
        run_training(with_cache, chosen.compare, chosen.wrong)
    with_cache.close()


if __name__ == "__main__":
    main()
