"""Train the second look of the gate for one chat model: the one that is chosen on this machine.

python models/training/train_second.py --limit 2000    read the states of so many clauses of the corpora, train, write the weights

Reading takes about a second a clause on two slow cores; what was read is kept in the temporary folder.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
import train_gate as gate
from edgemem_models import second_look
from edgemem_models.heads import LETTERS, Array, blocks, keep_odds
from edgemem_models.language import LlamaLanguageModel
from edgemem_models.provider import LocalModels
from edgemem_models.second_look import SecondWeights

from edgemem.text import is_han
from edgemem.write import gate as product
from edgemem.write import prompts

LAYER: Final = 16
"""Of 28: of the layers 8, 12, 14 and 16 the deepest told most."""

PENALTY: Final = 60.0
BATCH: Final = 32
ORDER: Final = 5


class Kept:
    """States of questions, kept in a file of the temporary folder for each model and layer."""

    def __init__(self, model: LlamaLanguageModel, folder: Path, layer: int) -> None:
        self._model, self._layer, self._file = model, layer, folder / f"states-{model.fingerprint}-{layer}.npz"
        self._known: dict[str, Array] = {}
        if self._file.exists():
            with np.load(self._file, allow_pickle=False) as file:
                self._known = dict(zip(file["keys"].tolist(), file["states"].astype(np.float64), strict=True))

    def read(self, examples: Sequence[gate.Example]) -> Array:
        """One row an example."""
        asked = {_key(e): e for e in examples if _key(e) not in self._known}
        for chinese in (False, True):
            new = [(key, e) for key, e in asked.items() if is_han(e.item[0]) == chinese]
            for start in range(0, len(new), BATCH):
                part = new[start : start + BATCH]
                questions = [product.second_question(*e.item) for _, e in part]
                states = self._model.states(prompts.GATE[chinese], questions, self._layer)
                self._known.update((key, np.array(state)) for (key, _), state in zip(part, states, strict=True))
                print(f"{start + len(part)} of {len(new)}", flush=True)
                self._save()
        return np.array([self._known[_key(e)] for e in examples])

    def has(self, example: gate.Example) -> bool:
        """Whether its state was read before."""
        return _key(example) in self._known

    def _save(self) -> None:
        np.savez(self._file, keys=np.array(list(self._known)), states=np.array(list(self._known.values()), np.float16))


def _key(example: gate.Example) -> str:
    return hashlib.sha256(product.second_question(*example.item).encode()).hexdigest()


def centred(states: Array, chinese: Array) -> tuple[Array, Array]:
    """The states less the mean of their language, and the two means."""
    means = np.array([states[chinese == which].mean(axis=0) for which in (0, 1)])
    return states - means[chinese.astype(np.int64)], means


def run(model: LlamaLanguageModel, models: LocalModels, folder: Path, limit: int) -> None:
    """Read, cross-validate, calibrate, and write the weights."""
    embedder, kept = gate.Cached(models.embedder(), folder), Kept(model, folder, LAYER)
    every = [e for e in gate.corpus() if e.judged]
    random.Random(ORDER).shuffle(every)
    examples = sorted(every, key=lambda e: not kept.has(e))[:limit]
    states = kept.read(examples)
    chinese = np.array([is_han(e.item[0]) for e in examples])
    labels = np.array([LETTERS.index(e.letter) for e in examples], np.int64)
    groups = np.array([e.group for e in examples], np.int64)
    states, means = centred(states, chinese)
    parts = [*blocks(embedder, [e.item for e in examples]), states]
    keep = labels != LETTERS.index("N")
    for name, use in {"as the first look": (0, 1, 2, 3), "states alone": (4,), "all": (0, 1, 2, 3, 4)}.items():
        odds = keep_odds(gate.out_of_fold(parts, labels, groups, PENALTY, use))
        figures = [f"{lang} {gate.auc(odds[m], keep[m]):.3f}" for lang, m in (("en", ~chinese), ("zh", chinese))]
        print(f"  {name:18} {len(examples)} clauses, AUC {'  '.join(figures)}")
    scale, shift = gate.platt(odds, keep)
    matrix, bias = gate.train(parts, labels, PENALTY, (0, 1, 2, 3, 4))
    biases = bias - means @ matrix[-states.shape[1] :]
    SecondWeights(embedder.fingerprint, model.fingerprint, LAYER, matrix, biases, scale, shift).save(second_look.FILE)
    print(f"calibration {scale:.3f} {shift:+.3f}, written to {second_look.FILE}")


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit", type=int, default=2000, help="clauses to learn from; those read before come first")
    folder = Path(tempfile.gettempdir()) / f"edgemem-training-{os.getuid() if hasattr(os, 'getuid') else 0}"
    folder.mkdir(mode=0o700, exist_ok=True)
    models = LocalModels()
    try:
        run(models.language_model(), models, folder, parser.parse_args().limit)
    finally:
        models.close()


if __name__ == "__main__":
    main()
