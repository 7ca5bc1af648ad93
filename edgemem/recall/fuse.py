"""Fuse the arms' rankings into one, with each arm's share kept for the explanation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from edgemem.recall.gather import Ranking
from edgemem.records import Part


@dataclass(frozen=True, slots=True)
class Fused:
    """One item: its row key, its fused score (0..1) and the arms that found it."""

    key: int
    score: float
    parts: Mapping[str, Part]


def reciprocal_rank(rankings: Mapping[str, Ranking], weights: Mapping[str, float], k: int) -> list[Fused]:
    """Weighted reciprocal rank fusion, scaled so that first place in every arm is 1.

    share = weight / (k + rank), over the sum of weights / (k + 1). Cormack, Clarke and Buettcher,
    "Reciprocal rank fusion outperforms Condorcet and individual rank learning methods", SIGIR 2009.
    """
    best = sum(weights[arm] for arm in rankings) / (k + 1)
    parts: dict[int, dict[str, Part]] = {}
    for arm, ranking in rankings.items():
        for rank, (key, value) in enumerate(ranking, start=1):
            share = weights[arm] / (k + rank) / best
            parts.setdefault(key, {})[arm] = Part(rank, value, round(share, 6))
    fused = [Fused(key, round(sum(p.share for p in found.values()), 6), found) for key, found in parts.items()]
    return sorted(fused, key=lambda item: (-item.score, -item.key))
