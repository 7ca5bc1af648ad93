"""Whether a message needs long-term memory: a logistic regression over its embedding and what code sees of it.

The signs are named: the weights look up theirs by name (``edgemem.recall.need`` makes them).
``models/training/train_need.py`` trains and judges it.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from edgemem.ports import Embedder

Array = npt.NDArray[np.float64]

FILE: Final = Path(__file__).with_name("heads_need.npz")


@dataclass(frozen=True, slots=True)
class LearnedNeed:
    """The trained numbers: log-odds = direction · vector + Σ sign weights + bias."""

    embedder: str
    direction: Array
    signs: Mapping[str, float]
    bias: float

    @property
    def fingerprint(self) -> str:
        """Stable id of the weights and of the embedder they were trained for."""
        digest = hashlib.sha256(repr((self.embedder, sorted(self.signs.items()), self.bias)).encode())
        digest.update(self.direction.tobytes())
        return digest.hexdigest()[:32]

    def chance(self, seen: Mapping[str, float], vector: Sequence[float]) -> float:
        """Probability (0..1) that memory is needed. ``seen``: the signs by name; ``vector``: the message as a query."""
        logit = float(self.direction @ np.asarray(vector, np.float64)) + self.bias
        logit += sum(weight * seen[name] for name, weight in self.signs.items())
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, logit))))

    def save(self, path: Path) -> None:
        """Write the weights as plain numbers and text, the same bytes for the same weights."""
        np.savez(
            path, embedder=np.array(self.embedder), direction=self.direction.astype(np.float32),
            names=np.array(list(self.signs)), signs=np.array(list(self.signs.values()), np.float32),
            bias=np.array(self.bias, np.float32),
        )  # fmt: skip


def load(path: Path = FILE) -> LearnedNeed:
    """The shipped weights. The file holds numbers and text only; nothing in it is run."""
    with np.load(path, allow_pickle=False) as file:
        signs = dict(zip(file["names"].tolist(), file["signs"].tolist(), strict=True))
        return LearnedNeed(str(file["embedder"]), file["direction"].astype(np.float64), signs, float(file["bias"]))


def for_embedder(embedder: Embedder) -> LearnedNeed | None:
    """The shipped weights, if they were trained for this embedder."""
    weights = load()
    fits = weights.embedder == embedder.fingerprint and len(weights.direction) == embedder.dim
    return weights if fits else None
