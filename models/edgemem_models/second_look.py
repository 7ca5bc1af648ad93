"""A second look at clauses on the fence, through the language model's own eyes.

What the chat model holds of a clause in the middle of its layers, after the gate's instructions, tells more than its
answer and more than any embedding. The head here is a logistic regression over that state and all that the learned gate
sees. It belongs to one file of one chat model; with any other the model is asked for a letter, as without it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from edgemem.ports import Embedder
from edgemem.text import is_han
from edgemem_models.features import NAMES
from edgemem_models.heads import LETTERS, Array, Item, blocks, calibrated
from edgemem_models.phrases import WIDTH

FILE: Final = Path(__file__).with_name("heads_second.npz")


@dataclass(frozen=True, slots=True)
class SecondWeights:
    """``logits = inputs @ matrix + biases[chinese]``: the instructions before a clause, and so its state, differ by language.

    ``model`` is the fingerprint of the chat model, ``layer`` the one whose states are seen.
    """

    embedder: str
    model: str
    layer: int
    matrix: Array
    biases: Array
    scale: float
    shift: float

    def probabilities(self, inputs: Array, chinese: Sequence[bool]) -> Array:
        """One row of probabilities, in the order of ``LETTERS``, for each row of ``inputs``."""
        logits = inputs @ self.matrix + self.biases[np.array(chinese, np.int64)]
        return calibrated(logits, self.scale, self.shift)

    def save(self, path: Path) -> None:
        """Write the weights as plain numbers and text."""
        np.savez(
            path,
            names=np.array([self.embedder, self.model]),
            layer=np.array(self.layer),
            matrix=self.matrix.astype(np.float32),
            biases=self.biases.astype(np.float32),
            calibration=np.array([self.scale, self.shift], np.float32),
        )


def load(path: Path = FILE) -> SecondWeights:
    """The shipped weights. The file holds numbers and text only; nothing in it is run."""
    with np.load(path, allow_pickle=False) as file:
        embedder, model = (str(name) for name in file["names"])
        scale, shift = (float(x) for x in file["calibration"])
        matrix, biases = file["matrix"].astype(np.float64), file["biases"].astype(np.float64)
        return SecondWeights(embedder, model, int(file["layer"]), matrix, biases, scale, shift)


class LearnedSecond:
    """Judges clauses whose states are known. Safe to call from several threads, as the embedder is."""

    def __init__(self, embedder: Embedder, weights: SecondWeights) -> None:
        self._embedder = embedder
        self._weights = weights

    @property
    def model(self) -> str:
        """Fingerprint of the language model whose states were learned from."""
        return self._weights.model

    @property
    def layer(self) -> int:
        """The layer whose states are seen, counted from 0."""
        return self._weights.layer

    def judge(self, clauses: Sequence[Item], states: Sequence[Sequence[float]]) -> list[dict[str, float]]:
        """Probabilities of F, P, S and N, one dict a clause, given as to ``LearnedGate.judge``."""
        if not clauses:
            return []
        inputs = np.hstack([*blocks(self._embedder, clauses), np.array(states, np.float64)])
        rows = self._weights.probabilities(inputs, [is_han(clause) for clause, _, _ in clauses])
        return [dict(zip(LETTERS, map(float, row), strict=True)) for row in rows]


def for_embedder(embedder: Embedder, path: Path = FILE) -> LearnedSecond | None:
    """The second look, if the shipped weights were trained with this embedder and these features."""
    weights = load(path)
    least = 2 * embedder.dim + len(NAMES) + WIDTH
    fits = weights.embedder == embedder.fingerprint and len(weights.matrix) > least
    return LearnedSecond(embedder, weights) if fits else None
