"""Taking out of an embedding what all texts of a language have in common.

The vectors of small models lie in a narrow cone: any two texts of one language are alike, and those
of two languages differ, before anything is said. Without the mean of its own language and kind
(query or passage), a cosine tells relevant from irrelevant far better, also across languages. The
idea is that of Mu and Viswanath, "All-but-the-top", ICLR 2018, with only the mean taken out.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from edgemem.text import is_han

Kind = Literal["query", "passage"]
Array = npt.NDArray[np.float64]

FILE: Final = "centres_e5.npz"
"""The means of the default model, written by models/training/train_centres.py."""

_SMALLEST: Final = 1e-3
"""Length below which a centred vector is noise: the text is the average text, and stays as it was."""


class Centres:
    """Mean unit vectors by kind and "is Chinese"."""

    def __init__(self, means: Mapping[tuple[Kind, bool], npt.ArrayLike]) -> None:
        self._means = {key: np.asarray(mean, dtype=np.float64) for key, mean in means.items()}

    @property
    def fingerprint(self) -> str:
        """Short hash of the means: vectors centred otherwise must not mix."""
        digest = hashlib.sha256()
        for _, mean in sorted(self._means.items()):
            digest.update(mean.astype("<f2").tobytes())
        return f"-c{digest.hexdigest()[:8]}"

    def apply(self, vectors: Array, texts: Sequence[str], kind: Kind) -> Array:
        """``vectors`` (n, dim), unit length, of ``texts``, without their mean and at unit length again."""
        centred = vectors - np.stack([self._means[kind, is_han(text)] for text in texts])
        norms = np.linalg.norm(centred, axis=1, keepdims=True)
        return np.where(norms > _SMALLEST, centred / np.maximum(norms, _SMALLEST), vectors)


def known_centres(name: str) -> Centres | None:
    """The means of a model called ``name``, None for models they were not measured on."""
    if "multilingual-e5-small" not in name.lower():
        return None
    with (files("edgemem_models") / FILE).open("rb") as stream, np.load(stream, allow_pickle=False) as means:
        return Centres({(kind, bool(han)): means[f"{kind}_{han}"] for kind in ("query", "passage") for han in (0, 1)})
