"""Whether the log answers a question at all, judged over all its candidates: "nothing relevant" is an answer too.

Two small heads of a few numbers each, learned apart from the order of the passages
(``models/training/fit_silence.py``, docs/heads.md): is anything of the kind there, and did the person say it whom the
question names, or somebody else?
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence

from edgemem.recall.passages import Passage

ENOUGH = 30
"""Candidates from which on the best tells how well the log answers: among few turns any is the best."""

BEST, CLOSEST, SHIFT = 1.7, 13.0, 1.4
"""Log-odds that the log knows of it, by those of the best passage and by the highest cosine."""

LEAST = -1.0
"""Log-odds below which nothing that was said is close to the question."""

SAID: Mapping[str, float] = {
    "meaning": 4.6,
    "before": 0.8,
    "after": 2.75,
    "words": 2.6,
    "session_meaning": 3.3,
    "session_words": 1.75,
    "day": 3.0,
    "month": 2.55,
    "length": 0.97,
    "asks": -0.56,
    "you": -1.6,
    "tells_when": 1.1,
    "tells_who": 0.86,
}
"""What tells of each speaker how much of the answer is his: the signals of passages, with other weights than for the order.
Whose words they are is what is asked, and does not count."""

BY_ANOTHER = 0.6
"""How much more, in log-odds, may be another's than that person's whom the question names."""


def doubt(ordered: Sequence[Passage], *, known_of: bool = False) -> str:
    """Why the log does not answer, in a sentence; empty when it may. ``known_of``: a memory answers, so it was spoken of."""
    if not known_of and known(ordered) < LEAST:
        return "Nothing that was said is close to it."
    if by_another(ordered) > BY_ANOTHER:
        return "What comes closest was said by somebody else than the person it asks about."
    return ""


def known(ordered: Sequence[Passage]) -> float:
    """Log-odds that anything of the kind was said; infinite where few turns or no embedding model leave it open."""
    closest = max((p.seen["meaning"] for p in ordered), default=0.0)
    if len(ordered) < ENOUGH or not any(p.seen["meaning"] for p in ordered):
        return math.inf
    return BEST * ordered[0].logit + CLOSEST * closest + SHIFT


def by_another(ordered: Sequence[Passage]) -> float:
    """How much more the one who said most of it said than the person named, in log-odds; 0 where nobody is named."""
    own: list[float] = []
    others: defaultdict[str | None, list[float]] = defaultdict(list)
    for passage in ordered:
        said = own if passage.seen["speaker"] else others[passage.turn.speaker]
        said.append(sum(weight * passage.seen[name] for name, weight in SAID.items()))
    return max(map(_together, others.values())) - _together(own) if own and others else 0.0


def _together(values: Sequence[float]) -> float:
    """What several pieces of evidence weigh together: the logarithm of the sum of their odds."""
    most = max(values)
    return most + math.log(sum(math.exp(value - most) for value in values))
