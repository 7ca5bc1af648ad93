"""The learned relation head: what happens when a new sentence meets a stored one.

It sees how well each word of one sentence finds its like in the other (by the embedding model, word by
word in context), which words find none, what both sentences are about, and the signs of ``pair_signs``.
A small network gives the probabilities of duplicate, refine, conflict and distinct. ``docs/heads.md``
tells how it works; ``models/training`` holds what it learned from and the command that trains it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np
import numpy.typing as npt

from edgemem.ports import Priority
from edgemem.records import RELATIONS
from edgemem.text import is_han
from edgemem_models import pair_signs
from edgemem_models.pair_signs import Seen, look

Array = npt.NDArray[np.float64]
Rows = npt.NDArray[np.float32]

FILE: Final = Path(__file__).with_name("heads_relations.npz")

FAR: Final = (0.3, 0.45, 0.6)
"""Cosines below which a word of one sentence counts as having no like in the other."""

MEASURES: Final = 5 + 2 * (5 + 2 * len(FAR))
"""How many numbers tell how well the tokens find their like."""

_SHARP: Final = 4
_LONGEST: Final = 400
"""Characters of a sentence that are looked at; stored memories are shorter."""


class TokenEmbedder(Protocol):
    """An embedding model that can tell its vectors token by token."""

    @property
    def fingerprint(self) -> str:
        """Stable id of the model."""

    def embed_tokens(self, texts: Sequence[str], *, priority: Priority = "background") -> list[Rows]:
        """One row for each token of each text."""


@dataclass(frozen=True, slots=True)
class Frame:
    """What inputs are made with: mean token by "is Chinese", and the main axes of the six vectors of a pair."""

    means: Array
    axes: Array


@dataclass(frozen=True, slots=True)
class RelationWeights:
    """The trained numbers. Each member is a network of one hidden layer; their logits are averaged.

    ``shift`` and ``spread`` standardise the inputs; ``temperature`` calibrates the probabilities.
    """

    embedder: str
    frame: Frame
    shift: Array
    spread: Array
    hidden: Array
    hidden_bias: Array
    out: Array
    out_bias: Array
    temperature: float

    @property
    def fingerprint(self) -> str:
        """Stable id of these weights and of the embedder they are for."""
        digest = hashlib.sha256(repr((self.embedder, self.temperature)).encode())
        for part in self.arrays().values():
            digest.update(part.tobytes())
        return digest.hexdigest()[:32]

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The numbers as they are stored, by name."""
        wide = {"means": self.frame.means, "axes": self.frame.axes, "hidden": self.hidden, "out": self.out}
        fine = {"shift": self.shift, "spread": self.spread, "hidden_bias": self.hidden_bias, "out_bias": self.out_bias}
        return {n: a.astype(np.float16) for n, a in wide.items()} | {n: a.astype(np.float32) for n, a in fine.items()}

    def probabilities(self, inputs: Array) -> Array:
        """One row of probabilities, in the order of ``RELATIONS``, for each row of ``inputs``."""
        scaled = np.clip((inputs - self.shift) / self.spread, -5, 5)
        layer = np.maximum(0, np.einsum("ni,mih->mnh", scaled, self.hidden) + self.hidden_bias[:, None])
        logits = (np.einsum("mnh,mho->mno", layer, self.out) + self.out_bias[:, None]).mean(axis=0) / self.temperature
        odds = np.exp(logits - logits.max(axis=1, keepdims=True))
        return np.asarray(odds / odds.sum(axis=1, keepdims=True))

    def save(self, path: Path) -> None:
        """Write the weights as plain numbers and text."""
        parts: dict[str, Any] = {"embedder": np.array(self.embedder), "temperature": np.float32(self.temperature)}
        np.savez_compressed(path, **(parts | self.arrays()))


def load_relations(path: Path = FILE) -> RelationWeights:
    """The shipped weights. The file holds numbers and text only; nothing in it is run."""
    with np.load(path, allow_pickle=False) as file:
        part = {name: file[name].astype(np.float64) for name in file.files if name not in ("embedder", "temperature")}
        frame = Frame(part.pop("means"), part.pop("axes"))
        return RelationWeights(str(file["embedder"]), frame, temperature=float(file["temperature"]), **part)


class LearnedRelations:
    """Relates sentences. Safe to call from several threads, as the embedder is."""

    def __init__(self, embedder: TokenEmbedder, weights: RelationWeights | None = None) -> None:
        self._embedder = embedder
        self._weights = load_relations() if weights is None else weights
        self._fingerprint = self._weights.fingerprint

    @property
    def fingerprint(self) -> str:
        """Stable id of the weights and of the embedder they were trained for."""
        return self._fingerprint

    def relate(self, pairs: Sequence[tuple[str, str]]) -> list[dict[str, float]]:
        """Probabilities of the four relations of NEW to OLD, one dict for each pair (old, new); each sums to 1."""
        if not pairs:
            return []
        rows = self._weights.probabilities(inputs(self._embedder, pairs, self._weights.frame))
        return [dict(zip(RELATIONS, map(float, row), strict=True)) for row in rows]


def for_embedder(embedder: TokenEmbedder) -> LearnedRelations | None:
    """The relation head, if the shipped weights were trained for this embedder."""
    weights = load_relations()
    return LearnedRelations(embedder, weights) if weights.embedder == embedder.fingerprint else None


def inputs(embedder: TokenEmbedder, pairs: Sequence[tuple[str, str]], frame: Frame) -> Array:
    """One row of numbers for each pair."""
    seen = {text: look(text[:_LONGEST]) for pair in pairs for text in pair}
    rows = sentence_tokens(embedder, seen, frame.means)
    return np.array([pair_inputs((seen[a], rows[a]), (seen[b], rows[b]), frame.axes) for a, b in pairs], np.float64)


def sentence_tokens(embedder: TokenEmbedder, seen: dict[str, Seen], means: Array) -> dict[str, Array]:
    """The centred token vectors of each text, without its "The user" in front."""
    raw = embedder.embed_tokens([s.bare for s in seen.values()])
    return {
        text: found.astype(np.float64) - means[int(is_han(one.bare))]
        for (text, one), found in zip(seen.items(), raw, strict=True)
    }


def pair_inputs(old: tuple[Seen, Array], new: tuple[Seen, Array], axes: Array) -> Array:
    """What the network sees of one pair."""
    measures, vectors = pair_parts(old[1], new[1])
    projected = np.einsum("kd,kdc->kc", vectors, axes).ravel()
    return np.concatenate([measures, pair_signs.pair_signs(old[0], new[0]), projected])


def pair_parts(old: Array, new: Array) -> tuple[Array, Array]:
    """How well the tokens find their like; and six vectors: both sentences, and what finds no like in each, twice.

    First all that is left over, then chiefly the one token that is farthest from its like.
    """
    unit_old, unit_new = _unit(old), _unit(new)
    near = unit_old @ unit_new.T
    best_old, best_new = near.max(axis=1), near.max(axis=0)
    wholes = [_unit(old.mean(axis=0)), _unit(new.mean(axis=0))]
    left = [_left(unit_old, best_old, 1), _left(unit_new, best_new, 1)]
    farthest = [_left(unit_old, best_old, _SHARP), _left(unit_new, best_new, _SHARP)]
    measures = [
        wholes[0] @ wholes[1], left[0] @ left[1], farthest[0] @ farthest[1],
        (unit_new @ farthest[0]).max(), (unit_old @ farthest[1]).max(),
        *_spread(best_old), *_weighed(old, best_old), *_spread(best_new), *_weighed(new, best_new),
    ]  # fmt: skip
    return np.array(measures), np.stack([*left, *wholes, *farthest])


def _left(units: Array, best: Array, power: int) -> Array:
    """The direction of the tokens that find no like; a high ``power`` lets the farthest one speak alone."""
    return _unit(((1 - best)[:, None] ** power * units).sum(axis=0))


def _weighed(rows: Array, best: Array) -> list[float]:
    """The mean of ``best`` by the tokens' weight (their length: plain words are short), and the weight of the farthest."""
    weight = np.linalg.norm(rows, axis=1) + 1e-6
    return [float((weight * best).sum() / weight.sum()), float(weight[best.argmin()] / weight.mean())]


def _spread(best: Array) -> list[float]:
    far = [best < limit for limit in FAR]
    lowest = np.sort(best)[:3].mean()
    return [
        float(best.mean()), float(best.min()), float(lowest), *(float(f.mean()) for f in far), *(float(f.sum()) for f in far),
    ]  # fmt: skip


def _unit(rows: Array) -> Array:
    return np.asarray(rows / (np.linalg.norm(rows, axis=-1, keepdims=True) + 1e-6))
