"""Choosing the next token: own sampling on the logits, the grammar asked about as few tokens as possible.

Asking a grammar about a whole vocabulary costs tens of milliseconds, about one token
microseconds. So the token is drawn first and the grammar sees only that one; only when it
refuses are the next best asked, and all tokens only as the last resort.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from edgemem.errors import GrammarRefused, OutputInvalid
from edgemem_models.grammar import GrammarState
from edgemem_models.vocabulary import Vocabulary

Scores = npt.NDArray[np.float32]

_NEAREST: Final = (64, 2048)
_TOP: Final = 64
_AT_ONCE: Final = 2048
"""Tokens that a grammar is asked about between two looks at whether the work is still wanted."""


@dataclass(frozen=True, slots=True)
class Picked:
    """A token, and the log of the probability that the model itself gave it."""

    token: int
    logprob: float


class Sampler:
    """Draws tokens for one answer. Temperature 0 always takes the best; else a seeded top-p draw.

    ``checkpoint`` is called between the steps of a long look through a grammar, and may raise ``Aborted``.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        *,
        temperature: float,
        seed: int,
        grammar: GrammarState | None = None,
        top_p: float = 0.95,
        checkpoint: Callable[[], None] = lambda: None,
    ) -> None:
        self._vocabulary = vocabulary
        self._temperature = temperature
        self._random = np.random.default_rng(seed)
        self._grammar = grammar
        self._top_p = top_p
        self._checkpoint = checkpoint

    def pick(self, logits: Scores) -> Picked:
        """The next token. Raises ``GrammarRefused`` if the grammar leaves none."""
        given = np.array(logits, dtype=np.float32)  # a checkpoint may let other work write over ``logits``
        scores = given.copy()
        norm = log_sum_exp(scores)
        if not math.isfinite(norm):
            raise OutputInvalid("The model returned numbers that are none.", "Fetch the model file again.")
        scores[self._vocabulary.forbidden] = -np.inf
        token = self._draw(scores)
        if self._grammar is not None and not self._grammar.allows(token):
            token = self._redraw(scores)
        logprob = float(given[token]) - norm
        if self._grammar is not None and token not in self._vocabulary.end_set:
            self._grammar.accept(token)
        return Picked(token, logprob)

    def complete(self) -> bool:
        """Whether the grammar allows nothing any more but the end."""
        return self._grammar is not None and self._grammar.complete()

    def _redraw(self, scores: Scores) -> int:
        """Draw among what the grammar allows, looking no further than needed."""
        assert self._grammar is not None
        for candidates in self._candidates(scores):
            allowed = candidates[self._allowed(self._grammar, candidates)]
            if len(allowed):
                return int(allowed[self._draw(scores[allowed])])
        raise GrammarRefused(
            "The grammar leaves no token to go on with.", "Check that every rule can be completed from everywhere."
        )

    def _allowed(self, grammar: GrammarState, candidates: npt.NDArray[np.int32]) -> npt.NDArray[np.bool_]:
        parts = []
        for start in range(0, len(candidates), _AT_ONCE):
            self._checkpoint()
            parts.append(grammar.allowed(candidates[start : start + _AT_ONCE]))
        return np.concatenate(parts)

    def _candidates(self, scores: Scores) -> Iterator[npt.NDArray[np.int32]]:
        """Growing sets of tokens to ask about, best first; the end of the answer is always among them."""
        for count in _NEAREST:
            if count < len(scores):
                best = np.argpartition(scores, -count)[-count:]
                yield np.union1d(best, self._vocabulary.ends).astype(np.int32)
        yield np.arange(len(scores), dtype=np.int32)

    def _draw(self, scores: Scores) -> int:
        """Index of the drawn score."""
        if self._temperature <= 0 or len(scores) == 1:
            return int(np.argmax(scores))
        count = min(_TOP, len(scores))
        best = np.argpartition(scores, -count)[-count:]
        best = best[np.lexsort((best, -scores[best]))]
        weights = np.exp((scores[best] - scores[best[0]]).astype(np.float64) / self._temperature)
        weights[np.isnan(weights)] = 0.0
        total = np.cumsum(weights / weights.sum())
        kept = int(np.searchsorted(total, self._top_p)) + 1
        place = self._random.random() * total[min(kept, count) - 1]
        return int(best[min(int(np.searchsorted(total, place, side="right")), count - 1)])


def log_sum_exp(scores: Scores) -> float:
    """Log of the sum of exponentials; what turns logits into log-probabilities when subtracted."""
    top = float(scores.max())
    return top + math.log(float(np.exp(scores - top, dtype=np.float32).sum(dtype=np.float64)))
