"""Two well-known ways to order what is relevant, beside the default, by how likely it answers.

``weighted``: 0.5 × similarity + 0.3 × importance + 0.2 × recency, where recency is 1 for 7 days since it was said,
0.8 until the 30th day, and then a tenth less with each month begun, down to 0.

``decay``: similarity × 0.95^(idle days) × confidence, over the three times as many most similar as are wanted. Idle
days count from the last use or change.

Similarity is the calibrated one, so both mean the same for every embedding model; without one it is the share of the
question's words. Passages have importance and confidence of a memory about which nothing is known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from edgemem.recall.question import RANKINGS
from edgemem.records import Hit, Part

IDLE = 0.95
"""What is left of a hit's worth after a day without use."""

CANDIDATES = 3
"""How many times the wanted hits ``decay`` chooses from."""

_SIMILARITY, _IMPORTANCE, _RECENCY = 0.5, 0.3, 0.2


def reordered(
    hits: Sequence[Hit], ranking: str, limit: int, now: datetime, calibrate: Callable[[float], float]
) -> list[Hit]:
    """The hits in the order of a preset, with its value as their score and its factors as their parts."""
    if ranking == RANKINGS[0]:
        return list(hits)
    similar = [(hit, _similarity(hit, calibrate)) for hit in hits]
    if ranking == "weighted":
        return _sorted([_weighted(hit, value, now) for hit, value in similar])
    similar.sort(key=lambda pair: -pair[1])
    return _sorted([_decayed(hit, value, now) for hit, value in similar[: CANDIDATES * limit]])


def recency(days: float) -> float:
    """1 for 7 days, 0.8 until the 30th, then a tenth less with each month begun, down to 0."""
    if days <= 7:
        return 1.0
    return 0.8 if days <= 30 else max(0.0, round(0.8 - 0.1 * (1 + int((days - 30) // 30)), 1))


def _weighted(hit: Hit, similarity: float, now: datetime) -> Hit:
    said = hit.source.at or (hit.memory.created_at if hit.memory else now)
    importance = hit.memory.importance if hit.memory else 0.5
    parts = {
        "similarity": (similarity, _SIMILARITY),
        "importance": (importance, _IMPORTANCE),
        "recency": (recency(_days(said, now)), _RECENCY),
    }
    shares = {name: value * weight for name, (value, weight) in parts.items()}
    return _scored(hit, sum(shares.values()), {n: (parts[n][0], share) for n, share in shares.items()})


def _decayed(hit: Hit, similarity: float, now: datetime) -> Hit:
    memory = hit.memory
    touched = max(t for t in (memory.updated_at, memory.last_used_at) if t) if memory else hit.source.at or now
    fresh = IDLE ** max(0.0, _days(touched, now))
    sure = memory.confidence if memory else 1.0
    score = similarity * fresh * sure
    return _scored(hit, score, {"similarity": (similarity, score), "idle": (fresh, 0.0), "confidence": (sure, 0.0)})


def _scored(hit: Hit, score: float, parts: Mapping[str, tuple[float, float]]) -> Hit:
    told = {name: Part(1, round(value, 4), round(share, 6)) for name, (value, share) in parts.items()}
    return replace(hit, score=round(min(1.0, score), 6), parts=told)


def _similarity(hit: Hit, calibrate: Callable[[float], float]) -> float:
    """Calibrated, 0..1; of what was not found by meaning, how much of the question it holds."""
    if "log_vector" in hit.parts:
        return max(0.0, calibrate(hit.parts["log_vector"].value))
    return next((hit.parts[name].value for name in ("vector", "text", "key", "summary") if name in hit.parts), 0.0)


def _days(since: datetime, now: datetime) -> float:
    return (now - since).total_seconds() / 86400


def _sorted(hits: Sequence[Hit]) -> list[Hit]:
    return sorted(hits, key=lambda hit: -hit.score)
