"""The insight arm: patterns drawn from many memories, told above the memories they rest on.

An insight is told only while all of its evidence is as it was when the insight was last held against it. The
memories it rests on stay in the answer, below it; and it takes one place at most, so that it does not crowd out
what was found without it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from edgemem.recall import people
from edgemem.recall.question import Look
from edgemem.recall.words import coverage
from edgemem.records import Hit, Part, Source
from edgemem.store import insights
from edgemem.store.vectors import Scope, find_model
from edgemem.times import to_db

MOST = 1
"""Insights in one answer."""

ALONE = 0.5
"""Similarity, or share of the question's words, from which an insight is about the question."""

ABOVE = 1e-6
"""How much an insight's score is above that of the best memory it rests on."""

Drawn = tuple[Hit, frozenset[int]]
"""An insight and the keys of the memories it rests on."""


def found(look: Look) -> list[Drawn]:
    """Insights that are about the question, nearest first."""
    if "insight" not in look.question.arms or look.question.only_memories:
        return []
    every = [r for r in insights.resting(look.tx, look.user, to_db(look.now)) if r.sound]
    asked = people.asked(look, (r.content for r in every))
    sound = [r for r in every if not asked.other(r.content)]
    cosines = _cosines(look, len(sound)) if sound else {}
    near = {
        r.key: max(look.calibrate(cosines[r.key]) if r.key in cosines else 0.0, coverage(look.question.text, r.content))
        for r in sound
    }
    best = sorted((r for r in sound if near[r.key] >= ALONE), key=lambda r: (-near[r.key], r.key))[:MOST]
    told = {i.id: i.turns for i in insights.records(look.tx, look.user, [r.key for r in best])}
    drawn = []
    for rank, resting in enumerate(best, start=1):
        last = told[resting.uid][-1] if told[resting.uid] else None
        source = Source() if last is None else Source(last.session, last.id, None, None, last.at, last.zone)
        score = round(near[resting.key] / 2, 6)
        part = {"insight": Part(rank, round(near[resting.key], 4), score)}
        hit = Hit(resting.uid, resting.content, "insight", score, part, source)
        drawn.append((hit, frozenset(resting.memories)))
    return drawn


def _cosines(look: Look, limit: int) -> dict[int, float]:
    if look.vector is None:
        return {}
    model = find_model(look.tx, look.vector.fingerprint, len(look.vector.values))
    if model is None:
        return {}
    return dict(look.cache.nearest(look.tx, Scope(look.user, "insight", model), look.vector.values, limit))


def above_their_sources(hits: Sequence[Hit], drawn: Sequence[Drawn]) -> list[Hit]:
    """The hits with each insight just above the first memory it rests on, or where its own score puts it."""
    result = list(hits)
    for insight, keys in drawn:
        sources = [h.score for h in result if h.memory is not None and h.memory.key in keys]
        score = round(min(1.0, max(sources) + ABOVE if sources else insight.score), 6)
        part = replace(insight.parts["insight"], share=score)
        place = next((n for n, h in enumerate(result) if h.score <= score), len(result))
        result.insert(place, replace(insight, score=score, parts={"insight": part}))
    return result
