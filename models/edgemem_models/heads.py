"""Small learned heads on top of the embedding model.

``LearnedGate`` says in milliseconds whether a clause of a user's message is worth a memory: a
logistic regression over the embedding of the clause, the embedding of its message, what code
sees in it (``features``) and its words (``phrases``). ``models/training`` holds what it learned from and the command that trains it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

from edgemem.ports import Embedder, SecondLook
from edgemem_models.features import NAMES, clause_features
from edgemem_models.phrases import WIDTH, phrase_features

Array = npt.NDArray[np.float64]
Item = tuple[str, str, str | None]
"""A clause, the whole message it stands in, and the assistant's question just before, if any."""

LETTERS: Final = "FPSN"
"""Fact or event, preference or rule, state of a task, nothing to keep."""

KIND: Final[Literal["query", "passage"]] = "query"
"""How clauses and messages are embedded; see ``docs/learned-gate.md``."""

GATE_FILE: Final = Path(__file__).with_name("heads_gate.npz")

_SHORT = 40
_ASKED_CHARS = 160
_MESSAGE_CHARS = 2000


@dataclass(frozen=True, slots=True)
class GateWeights:
    """The trained numbers: ``logits = inputs @ matrix + bias``; ``scale`` and ``shift`` calibrate keep against N."""

    embedder: str
    matrix: Array
    bias: Array
    scale: float
    shift: float

    @property
    def fingerprint(self) -> str:
        """Stable id of these weights and of the embedder they are for."""
        digest = hashlib.sha256(repr((self.embedder, self.scale, self.shift)).encode())
        digest.update(self.matrix.tobytes() + self.bias.tobytes())
        return digest.hexdigest()[:32]

    def probabilities(self, inputs: Array) -> Array:
        """One row of probabilities, in the order of ``LETTERS``, for each row of ``inputs``."""
        return calibrated(inputs @ self.matrix + self.bias, self.scale, self.shift)

    def save(self, path: Path) -> None:
        """Write the weights as plain numbers and text, the same bytes for the same weights."""
        np.savez(
            path,
            embedder=np.array(self.embedder),
            matrix=self.matrix.astype(np.float32),
            bias=self.bias.astype(np.float32),
            calibration=np.array([self.scale, self.shift], np.float32),
        )


def load_gate(path: Path = GATE_FILE) -> GateWeights:
    """The shipped weights. The file holds numbers and text only; nothing in it is run."""
    with np.load(path, allow_pickle=False) as file:
        scale, shift = (float(x) for x in file["calibration"])
        return GateWeights(str(file["embedder"]), _wide(file["matrix"]), _wide(file["bias"]), scale, shift)


class LearnedGate:
    """Judges clauses. Safe to call from several threads, as the embedder is."""

    def __init__(
        self, embedder: Embedder, weights: GateWeights | None = None, second: SecondLook | None = None
    ) -> None:
        self._embedder = embedder
        self._second = second
        self._weights = load_gate() if weights is None else weights
        self._fingerprint = self._weights.fingerprint

    @property
    def fingerprint(self) -> str:
        """Stable id of the weights and of the embedder they were trained for."""
        return self._fingerprint

    @property
    def second(self) -> SecondLook | None:
        """The look through the language model's states, if there is one."""
        return self._second

    def judge(self, clauses: Sequence[Item]) -> list[dict[str, float]]:
        """Probabilities of F, P, S and N, one dict a clause; each sums to 1.

        A clause is given as its text, the whole message, and the assistant's question just before or None.
        """
        if not clauses:
            return []
        rows = self._weights.probabilities(np.hstack(blocks(self._embedder, clauses)))
        return [dict(zip(LETTERS, map(float, row), strict=True)) for row in rows]


def for_embedder(embedder: Embedder, second: SecondLook | None = None) -> LearnedGate | None:
    """The gate, if the shipped weights were trained for this embedder and these features; with a second look if there is one."""
    weights = load_gate()
    fits = weights.embedder == embedder.fingerprint and len(weights.matrix) == 2 * embedder.dim + len(NAMES) + WIDTH
    return LearnedGate(embedder, weights, second) if fits else None


def blocks(embedder: Embedder, clauses: Sequence[Item]) -> tuple[Array, Array, Array, Array]:
    """What the gate sees of each clause: its embedding, that of its message, the code features, and its phrases."""
    pieces = [_piece(*item) for item in clauses]
    wholes = [_whole(*item) for item in clauses]
    texts = list(dict.fromkeys([*pieces, *wholes]))
    vectors = dict(zip(texts, embedder.embed(texts, KIND), strict=True))
    code = [clause_features(*item) for item in clauses]
    phrases = np.array([phrase_features(*item) for item in clauses])
    return _rows(vectors[t] for t in pieces), _rows(vectors[t] for t in wholes), _rows(code), phrases


def calibrated(logits: Array, scale: float, shift: float) -> Array:
    """Softmax whose log-odds of keep against N are ``scale * odds + shift``."""
    kept = np.exp(logits[:, :-1] - logits[:, :-1].max(axis=1, keepdims=True))
    keep = 1 / (1 + np.exp(-(scale * keep_odds(logits)[:, None] + shift)))
    return np.hstack([kept / kept.sum(axis=1, keepdims=True) * keep, 1 - keep])


def keep_odds(logits: Array) -> Array:
    """Log-odds of F, P and S together against N."""
    kept = logits[:, :-1]
    top = kept.max(axis=1)
    odds: Array = top + np.log(np.exp(kept - top[:, None]).sum(axis=1)) - logits[:, -1]
    return np.clip(odds, -30, 30)


def _piece(clause: str, _message: str, asked: str | None) -> str:
    # "never did" means nothing without the question.
    return f"{asked[-_ASKED_CHARS:]}\n{clause}" if asked and len(clause) <= _SHORT else clause


def _whole(_clause: str, message: str, asked: str | None) -> str:
    cut = message[:_MESSAGE_CHARS]
    return f"{asked[-_ASKED_CHARS:]}\n{cut}" if asked else cut


def _rows(values: Iterable[Sequence[float]]) -> Array:
    return np.array(list(values), np.float64)


def _wide(values: npt.NDArray[Any]) -> Array:
    return values.astype(np.float64)
