"""Train and judge the relation head. Needs scikit-learn: pip install --group training.

python models/training/train_pairs.py                       train on the scenes beside this file
python models/training/train_pairs.py --evaluate SET.jsonl  judge the shipped weights on sets of pairs
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import strangers
from edgemem_models import relations
from edgemem_models.pair_signs import look
from edgemem_models.provider import LocalModels
from edgemem_models.relations import Array, Frame, RelationWeights, Rows, TokenEmbedder
from sklearn.neural_network import MLPClassifier
from strangers import SentenceEmbedder
from threadpoolctl import threadpool_limits

from edgemem.ports import Priority
from edgemem.records import RELATIONS, Relation4
from edgemem.text import is_han
from edgemem.write.compare import cheapest

HERE: Final = Path(__file__).parent
LANGUAGES: Final = ("en", "zh")
FOLDS: Final = 5
SEED: Final = 7
AXES: Final = 40
HIDDEN: Final = 64
PENALTY: Final = 1.0
ROUNDS: Final = 14
MEMBERS: Final = 4
DIRECT: Final = 0.7
"""Weight from which a pair is judged too; lighter ones are only learned from."""

BESIDE: Final = 0.6
"""Weight of two statements about one theme that hold side by side."""

APART: Final = 0.45
"""Weight of two statements of strangers."""

STRANGER_GROUPS: Final = 100
"""Parts in which pairs of strangers are held back in cross-validation."""

Labels = npt.NDArray[np.int64]
Decide = Callable[[Array], str]

LINES: Final = {
    # letters of the old and of the new line: relation and weight
    "=d": ("duplicate", 1.0), "d=": ("duplicate", 0.7), "dd": ("duplicate", 0.5), "=g": ("duplicate", 1.0), "g=": ("refine", 1.0),
    "dg": ("duplicate", 0.5), "gd": ("refine", 0.5), "rg": ("duplicate", 0.3), "=r": ("refine", 1.0), "r=": ("duplicate", 1.0),
    "dr": ("refine", 0.5), "rd": ("duplicate", 0.5), "=c": ("conflict", 1.0), "c=": ("conflict", 0.3), "dc": ("conflict", 0.5),
    "rc": ("conflict", 0.4), "=x": ("distinct", 1.0), "x=": ("distinct", 0.7), "dx": ("distinct", 0.4), "rx": ("distinct", 0.4), "tt": ("distinct", BESIDE),
}  # fmt: skip
"""What follows from two lines of one scene; see GUIDE.md."""


@dataclass(frozen=True, slots=True)
class Example:
    """A labelled pair; ``group`` is its scene."""

    old: str
    new: str
    relation: str
    weight: float
    group: int
    language: str


class Cached:
    """An embedder whose token vectors are kept in a folder, in half precision."""

    def __init__(self, inner: TokenEmbedder, folder: Path) -> None:
        self._inner, self._file = inner, folder / f"tokens-{inner.fingerprint}.npz"
        self._known: dict[str, Rows] = {}
        if self._file.exists():
            with np.load(self._file, allow_pickle=False) as file:
                parts = np.split(file["rows"], np.cumsum(file["lengths"])[:-1])
                self._known = dict(zip(file["texts"].tolist(), parts, strict=True))

    @property
    def fingerprint(self) -> str:
        """That of the inner embedder."""
        return self._inner.fingerprint

    def embed_tokens(self, texts: Sequence[str], *, priority: Priority = "background") -> list[Rows]:
        """Rows from the folder; the inner embedder is asked for the new ones."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            found = self._inner.embed_tokens(new, priority=priority)
            self._known.update(zip(new, (rows.astype(np.float16) for rows in found), strict=True))
            known = list(self._known.values())
            np.savez(
                self._file,
                texts=np.array(list(self._known)),
                rows=np.concatenate(known),
                lengths=[len(r) for r in known],
            )
        return [self._known[text].astype(np.float32) for text in texts]


# --- examples ---------------------------------------------------------------------------------------------------------


def scenes(path: Path) -> list[list[tuple[str, str]]]:
    """The scenes of a file: letter and sentence of each line."""
    blocks = path.read_text("utf-8").split("\n\n")
    return [[(line[0], line[2:].strip()) for line in block.strip().splitlines()] for block in blocks if block.strip()]


def corpus(embedder: SentenceEmbedder, folder: Path = HERE) -> list[Example]:
    """Every pair that follows from the scenes, as many pairs of two scenes as there are, and statements of strangers."""
    found: list[Example] = []
    group = 0
    for language in LANGUAGES:
        written = scenes(folder / f"pairs_{language}.txt")
        for scene in written:
            found += _pairs(scene, group, language)
            found += _strangers(scene, written, group, language)
            group += 1
        for number, (old, new) in enumerate(strangers.pairs(embedder, folder, language)):
            found.append(Example(old, new, "distinct", APART, group + number % STRANGER_GROUPS, language))
        group += STRANGER_GROUPS
    return found


def _pairs(scene: list[tuple[str, str]], group: int, language: str) -> Iterator[Example]:
    for (a, old), (b, new) in itertools.permutations(scene, 2):
        if a + b in LINES:
            relation, weight = LINES[a + b]
            yield Example(old, new, relation, weight, group, language)


def _strangers(
    scene: list[tuple[str, str]], written: list[list[tuple[str, str]]], group: int, language: str
) -> Iterator[Example]:
    chance = np.random.default_rng(SEED + group)
    other = written[int(chance.integers(len(written)))]
    if other is not scene:
        old, new = (lines[int(chance.integers(len(lines)))][1] for lines in (scene, other))
        yield Example(old, new, "distinct", 0.5, group, language)


def pair_set(path: Path) -> list[Example]:
    """The pairs of an evaluation set."""
    items = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
    return [
        Example(i["old"], i["new"], i["relation"], 1.0, n, "zh" if is_han(i["new"]) else "en")
        for n, i in enumerate(items)
    ]


# --- training ---------------------------------------------------------------------------------------------------------


def frame_of(embedder: TokenEmbedder, examples: Sequence[Example]) -> Frame:
    """The mean token of each language, and the main axes of the six vectors of the pairs."""
    texts = sorted({text for e in examples for text in (e.old, e.new)})
    bare = [look(text).bare for text in texts]
    rows = embedder.embed_tokens(bare)
    halves = [[r for r, b in zip(rows, bare, strict=True) if is_han(b) == han] for han in (False, True)]
    means = np.stack([np.concatenate(half).mean(axis=0) for half in halves]).astype(np.float16).astype(np.float64)
    tokens = relations.sentence_tokens(embedder, {text: look(text) for text in texts}, means)
    vectors = np.stack([relations.pair_parts(tokens[e.old], tokens[e.new])[1] for e in examples])
    axes = np.stack([_main_axes(vectors[:, n]) for n in range(vectors.shape[1])])
    return Frame(means, axes.astype(np.float16).astype(np.float64))


def _main_axes(vectors: Array) -> Array:
    away = vectors - vectors.mean(axis=0)
    return np.asarray(np.linalg.eigh(away.T @ away)[1][:, ::-1][:, :AXES])


def fit(embedder: str, frame: Frame, rows: Array, labels: Labels, weights: Array, members: int) -> RelationWeights:
    """Networks of one hidden layer on standardised inputs; the relations weigh the same together."""
    shift, spread = rows.mean(axis=0), rows.std(axis=0) + 1e-3
    scaled = np.clip((rows - shift) / spread, -5, 5).astype(np.float32)
    counts = np.bincount(labels, weights, len(RELATIONS))
    share = weights * (len(labels) / len(RELATIONS) / counts)[labels]
    nets = [
        MLPClassifier((HIDDEN,), alpha=PENALTY, max_iter=ROUNDS, batch_size=128, random_state=SEED + n)
        for n in range(members)
    ]
    for net in nets:
        net.fit(scaled, labels, sample_weight=share)
    return RelationWeights(
        embedder, frame, shift, spread, _stack(n.coefs_[0] for n in nets), _stack(n.intercepts_[0] for n in nets),
        _stack(n.coefs_[1] for n in nets), _stack(n.intercepts_[1] for n in nets), 1.0,
    )  # fmt: skip


def _stack(parts: Iterator[Any]) -> Array:
    return np.stack([np.asarray(part, np.float64) for part in parts])


def temperature(probabilities: Array, labels: Labels) -> float:
    """What logits are divided by so that the probabilities fit best, from 0.5 to 3."""
    logs = np.log(np.maximum(probabilities, 1e-9))

    def loss(t: float) -> float:
        return -float(_log_softmax(logs / t)[np.arange(len(labels)), labels].mean())

    return min((t / 20 for t in range(10, 61)), key=loss)


def _log_softmax(logits: Array) -> Array:
    low = logits - logits.max(axis=1, keepdims=True)
    return np.asarray(low - np.log(np.exp(low).sum(axis=1, keepdims=True)))


def out_of_fold(embedder: str, frame: Frame, rows: Array, examples: Sequence[Example], members: int) -> Array:
    """Probabilities of each pair from weights that have not seen its scene."""
    groups, labels, weights = _columns(examples)
    order = np.random.default_rng(SEED).permutation(int(groups.max()) + 1)
    fold, found = order[groups] % FOLDS, np.zeros((len(examples), len(RELATIONS)))
    for number in range(FOLDS):
        seen = fold != number
        net = fit(embedder, frame, rows[seen], labels[seen], weights[seen], members)
        found[~seen] = net.probabilities(rows[~seen])
    return found


def _columns(examples: Sequence[Example]) -> tuple[Labels, Labels, Array]:
    groups = np.array([e.group for e in examples], np.int64)
    labels = np.array([RELATIONS.index(e.relation) for e in examples], np.int64)  # type: ignore[arg-type]
    return groups, labels, np.array([e.weight for e in examples])


# --- judging ----------------------------------------------------------------------------------------------------------


def report(examples: Sequence[Example], probabilities: Array) -> None:
    """Accuracy and harmful share by language, for the likeliest and for the cheapest decision; then who is taken for what.

    Every relation weighs the same, as in the evaluation sets.
    """
    for name, decide in (("likeliest", _likeliest), ("cheapest", _cheapest)):
        said = [decide(row) for row in probabilities]
        for language in (*LANGUAGES, "both"):
            chosen = [n for n, e in enumerate(examples) if language in (e.language, "both")]
            if chosen:
                right, harmful = _shares([examples[n] for n in chosen], [said[n] for n in chosen])
                print(f"{name:9} {language:4} {len(chosen):5} pairs  accuracy {right:.3f}  harmful {harmful:.3f}")
        for true in RELATIONS:
            row = [
                sum(e.relation == true and s == other for e, s in zip(examples, said, strict=True))
                for other in RELATIONS
            ]
            print(f"    {true:9} taken for {dict(zip(RELATIONS, row, strict=True))}")


def report_beside(examples: Sequence[Example], probabilities: Array) -> None:
    """The share of the pairs of one theme that would be acted on, though both sentences are true."""
    for name, weight in (("one theme", BESIDE), ("strangers", APART)):
        for language in LANGUAGES:
            mine = [n for n, e in enumerate(examples) if e.language == language and e.weight == weight]
            acted = sum(_cheapest(probabilities[n]) != "distinct" for n in mine)
            print(f"{name} {language:4} {len(mine):5} pairs  acted on {acted / len(mine):.3f}")


def _likeliest(row: Array) -> str:
    return RELATIONS[int(row.argmax())]


def _cheapest(row: Array) -> str:
    odds: dict[Relation4, float] = dict(zip(RELATIONS, map(float, row), strict=True))
    return cheapest(odds)


def _shares(examples: Sequence[Example], said: Sequence[str]) -> tuple[float, float]:
    right, harmful = [], []
    for true in {e.relation for e in examples}:
        mine = [s for e, s in zip(examples, said, strict=True) if e.relation == true]
        right.append(sum(s == true for s in mine) / len(mine))
        lost = {"distinct": ("duplicate", "refine", "conflict"), "conflict": ("duplicate",), "refine": ("duplicate",)}
        harmful.append(sum(s in lost.get(true, ()) for s in mine) / len(mine))
    return sum(right) / len(right), sum(harmful) / len(harmful)


def print_wrong(examples: Sequence[Example], probabilities: Array) -> None:
    """The pairs decided wrongly, by relation."""
    for e, row in sorted(zip(examples, probabilities, strict=True), key=lambda x: x[0].relation):
        if (said := _cheapest(row)) != e.relation:
            print(f"{e.relation} taken for {said} ({row.max():.2f}) | {e.old} | {e.new}")


# --- commands ---------------------------------------------------------------------------------------------------------


def run_training(embedder: TokenEmbedder, sentences: SentenceEmbedder, wrong: bool) -> None:
    """Cross-validate by scene, calibrate, train on everything and write the weights."""
    examples = corpus(sentences)
    frame = frame_of(embedder, examples)
    rows = relations.inputs(embedder, [(e.old, e.new) for e in examples], frame)
    _, labels, weights = _columns(examples)
    print(f"{len(examples)} pairs of {examples[-1].group + 1} scenes, {rows.shape[1]} numbers a pair")
    unseen = out_of_fold(embedder.fingerprint, frame, rows, examples, 1)
    judged = weights >= DIRECT
    heat = temperature(unseen[judged], labels[judged])
    cooled = np.exp(_log_softmax(np.log(np.maximum(unseen, 1e-9)) / heat))
    print(f"temperature {heat}")
    direct = [e for e, j in zip(examples, judged, strict=True) if j]
    report(direct, cooled[judged])
    report_beside(examples, cooled)
    if wrong:
        print_wrong(direct, cooled[judged])
    trained = fit(embedder.fingerprint, frame, rows, labels, weights, MEMBERS)
    fields = {name: getattr(trained, name) for name in RelationWeights.__slots__}
    RelationWeights(**fields | {"temperature": heat}).save(relations.FILE)


def run_evaluation(embedder: TokenEmbedder, paths: Sequence[Path], wrong: bool) -> None:
    """Judge the shipped weights on sets of pairs."""
    head = relations.LearnedRelations(embedder)
    for path in paths:
        examples = pair_set(path)
        found = head.relate([(e.old, e.new) for e in examples])
        rows = np.array([[one[r] for r in RELATIONS] for one in found])
        print(path.name)
        report(examples, rows)
        if wrong:
            print_wrong(examples, rows)


def main() -> None:
    """Read the command line and do it."""
    parser = argparse.ArgumentParser(description="Train and judge the relation head.")
    parser.add_argument("--evaluate", nargs="+", type=Path, metavar="SET", help="judge the shipped weights instead")
    parser.add_argument("--wrong", action="store_true", help="also print the pairs decided wrongly")
    chosen = parser.parse_args()
    folder = Path(tempfile.gettempdir()) / f"edgemem-training-{os.getuid() if hasattr(os, 'getuid') else 0}"
    folder.mkdir(mode=0o700, exist_ok=True)
    model = LocalModels().embedder()
    with threadpool_limits(limits=1):  # the same sums in the same order on every machine
        if chosen.evaluate:
            run_evaluation(Cached(model, folder), chosen.evaluate, chosen.wrong)
        else:
            run_training(Cached(model, folder), model, chosen.wrong)
    model.close()


if __name__ == "__main__":
    main()
