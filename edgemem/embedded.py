"""Asking an embedder, which may be an app's own: bounded work, and vectors or a ``ModelError`` come back, nothing else."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Any, Final, Literal

from edgemem.errors import ModelError, OutputInvalid
from edgemem.ports import Embedder, Priority

LONGEST: Final = 12_000
"""Characters of one text that an embedder reads. One vector of more says little, and takes minutes."""

PASSAGES: Final = 8
"""Parts of a longer text, spread evenly from its beginning to its end, that stand for it."""

_MOST_FORMS: Final = 18
"""Characters that one character may become in NFKC."""

_CHECK: Final = "Check it with: edgemem models check"


def embedded(
    embedder: Embedder, texts: Sequence[str], kind: Literal["query", "passage"], priority: Priority = "background"
) -> list[list[float]]:
    """One usable vector for each text; of a text longer than ``LONGEST`` the vector of an excerpt.

    Raises ``OutputInvalid`` for vectors of another number or length, or without direction, and a ``ModelError``
    for whatever else the embedder raises.
    """
    try:
        made = embedder.embed([excerpt(text) for text in texts], kind, priority=priority)
        whole = len(made) == len(texts) and all(_usable(vector, embedder.dim) for vector in made)
    except ModelError:
        raise
    except Exception as error:
        raise ModelError(f"The embedding model failed: {type(error).__name__}: {error}", _CHECK) from error
    if not whole:
        raise OutputInvalid(
            f"The embedding model {embedder.fingerprint} did not return a usable vector of {embedder.dim} numbers"
            " for each text.", _CHECK,
        )  # fmt: skip
    return made


def excerpt(text: str) -> str:
    """The text itself, or ``PASSAGES`` parts of a long one, ``LONGEST`` characters in all."""
    if len(text) <= LONGEST // _MOST_FORMS:
        return text
    clean = unicodedata.normalize("NFKC", text)
    if len(clean) <= LONGEST:
        return text
    size = LONGEST // PASSAGES - 1
    starts = (n * (len(clean) - size) // (PASSAGES - 1) for n in range(PASSAGES))
    return "\n".join(clean[start : start + size] for start in starts)


def is_excerpted(text: str) -> bool:
    """Whether a text is too long to be embedded whole."""
    return len(text) > LONGEST // _MOST_FORMS and len(unicodedata.normalize("NFKC", text)) > LONGEST


def _usable(vector: Any, dim: int) -> bool:
    """Whether a vector has ``dim`` components and a direction: all numbers, and not zero."""
    import numpy as np

    array = np.asarray(vector, dtype=np.float32)
    norm = float(np.linalg.norm(array))
    return array.shape == (dim,) and bool(np.isfinite(norm)) and norm > 0.0
