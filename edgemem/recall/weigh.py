"""How likely a memory answers a question: a few things seen in it, weighed once, on one scale with the log's passages.

The weights are those of a logistic regression on questions with labelled memories; half of the people of
``tests/data/recall_questions.jsonl`` and ``recall_paraphrases.jsonl`` were fitted on, the others reported on
(``models/training/fit_memories.py``, docs/evaluation.md). What an arm led to without any likeness has a weight set by hand.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from edgemem import foods
from edgemem.recall import denial, people, person, topics
from edgemem.recall.question import Look, QueryVector
from edgemem.recall.words import COVERED, coverage, covered, stems
from edgemem.records import Hit, Part
from edgemem.store.earlier import similarities_then
from edgemem.store.vectors import Scope, find_model
from edgemem.text import comparable

SIGNALS: Mapping[str, float] = {
    "vector": 7.29,  # calibrated similarity to the question
    "statement": 3.32,  # and to the question put as a statement; that of the question where it was not asked
    "matter": 2.53,  # share of its matters (a job, a pet) that the memory speaks of, in whatever words or language
    "text": 0.26,  # share of the question's words in it
    "another": -12.0,  # it speaks only of people the question is not about; the fit says -5.63, which a close match outweighs
    "gap": 9.2,  # how much less like the question it is than the likest one: 0 or below
    "against": -1.9,  # it tells nothing of what is not so, which is what the question asks for
    "slot": 6.5,  # its subject and attribute were asked for
    "danger": 6.0,  # it is dangerous to forget here
    "graph": 4.0,  # whom the question names led to it
}
"""What a memory is judged by, with the weight of each."""

SHIFT = -5.14
"""What is added to the weighted sum, so that it is the log-odds that the memory answers."""

ALONE = -0.22
"""What is added besides where nothing tells how like it others are: without an embedding model, and of what an arm led to."""

WORDS_ENOUGH = -1.55
"""Least log-odds of what holds ``COVERED`` of the question's words, unless it speaks of somebody else: a word looked
for in a long text is found, whatever the meaning of the whole."""

BY_WORDS = 8.2
"""Weight of the shared words where no embedding model tells of the meaning: two in five of them are enough."""

LED = frozenset({"slot", "danger", "graph"})
"""What leads to a memory whatever it says: then it may well speak of somebody else than the question names. A danger does
only where a meal or a trip is planned, not where it is asked what one person can eat."""


@dataclass(frozen=True, slots=True)
class Weighed:
    """The key of a memory with the log-odds that it answers, and what was seen in it, by signal."""

    key: int
    logit: float
    seen: Mapping[str, float]

    @property
    def score(self) -> float:
        """How likely it answers, 0..1."""
        return likelihood(self.logit)


def likelihood(logit: float) -> float:
    """Log-odds as a probability, 0..1."""
    return round(1 / (1 + math.exp(-max(-60.0, min(60.0, logit)))), 6)


def rescored(hit: Hit, score: float) -> Hit:
    """The hit with another score, which its parts make up in the same shares."""
    factor = score / hit.score if hit.score else 1.0
    parts = {arm: replace(part, share=round(part.share * factor, 6)) for arm, part in hit.parts.items()}
    return replace(hit, score=round(score, 6), parts=parts)


def alike(question: str, content: str, similarity: float | None) -> float:
    """The log-odds that a text answers, by its likeness alone; ``similarity`` is calibrated, None without a model."""
    meaning = {} if similarity is None else {"vector": similarity, "statement": similarity}
    matter = topics.share(topics.others(question), content)
    return logit_of(meaning | {"matter": matter, "text": coverage(question, content)})


def weighed(look: Look, found: Mapping[str, Sequence[int]], live: Mapping[int, str]) -> list[Weighed]:
    """The live ones of what the arms found, likeliest first; ``live`` are their words."""
    rows = seen(look, found, live)
    all_ = _the_very_food_first(
        look.question.text, [Weighed(key, logit_of(row), row) for key, row in rows.items()], live
    )
    return sorted(all_, key=lambda w: (-w.logit, -w.key))


def _the_very_food_first(question: str, all_: list[Weighed], live: Mapping[int, str]) -> list[Weighed]:
    """What names a food that is asked about counts more than what is only dangerous to forget where foods are spoken of."""
    asked = foods.named(comparable(question))
    if not asked:
        return all_
    names = {w.key for w in all_ if asked & foods.named(comparable(live[w.key]))}
    beside = max((w.logit for w in all_ if "danger" in w.seen and w.key not in names), default=-math.inf)
    raised = {w.key: beside + 0.01 + w.score / 100 for w in all_ if w.key in names and not w.seen["another"]}
    return [replace(w, logit=max(w.logit, raised.get(w.key, w.logit))) for w in all_]


def logit_of(row: Mapping[str, float]) -> float:
    """The log-odds that a memory answers in which this was seen."""
    summed = SHIFT + (0.0 if "gap" in row else ALONE) + sum(_weight(name, row) * value for name, value in row.items())
    return max(summed, WORDS_ENOUGH) if row["text"] >= COVERED and not row.get("another") else summed


def _weight(name: str, row: Mapping[str, float]) -> float:
    return BY_WORDS if name == "text" and "vector" not in row else SIGNALS[name]


def seen(look: Look, found: Mapping[str, Sequence[int]], live: Mapping[int, str]) -> dict[int, dict[str, float]]:
    """What is seen in each memory, by the names of ``SIGNALS``; ``live`` are their words."""
    text = look.question.text
    meaning, statement = _similar(look, look.vector, live), _similar(look, look.statement, live)
    asked = people.asked(look, live.values())
    matters, wanted = topics.others(text), stems(text)
    of_one = person.asks_of_one(text)
    led = {name: set(keys) for name, keys in found.items() if name in LED}
    denied = denial.asked_for(text)
    rows: dict[int, dict[str, float]] = {}
    for key, content in live.items():
        row = {name: 1.0 for name, keys in led.items() if key in keys}
        another = asked.other(content)
        if another and of_one:
            row.pop("danger", None)
        if look.vector is not None:
            row |= {"vector": meaning.get(key, 0.0), "statement": statement.get(key, meaning.get(key, 0.0))}
        rows[key] = row | {
            "matter": topics.share(matters, content),
            "text": covered(wanted, content),
            "another": float(another and not row.keys() & LED),
            "against": float(denied and not row.keys() & LED and not denial.told(content)),
        }
    return _beside_the_likest(rows, meaning)


def _beside_the_likest(rows: dict[int, dict[str, float]], compared: Collection[int]) -> dict[int, dict[str, float]]:
    """The rows with how much less like the question each is than the likest; what was led to is not held against others, and of
    what has no vector yet nobody knows how like it is."""
    likest = max((row.get("vector", 0.0) for row in rows.values() if not row["another"]), default=0.0)
    return {
        key: row if key not in compared or row.keys() & LED else row | {"gap": min(0.0, row["vector"] - likest)}
        for key, row in rows.items()
    }


def _similar(look: Look, query: QueryVector | None, keys: Collection[int]) -> dict[int, float]:
    """Calibrated similarities of memories to a query; without an embedder their place is taken by nothing."""
    model = None if query is None else find_model(look.tx, query.fingerprint, len(query.values))
    if query is None or model is None:
        return {}
    scope = Scope(look.user, "memory", model)
    if look.question.as_of is not None:
        found = similarities_then(look.tx, scope, query.values, keys)
    else:
        found = look.cache.similarities(look.tx, scope, query.values, keys)
    return {key: max(0.0, look.calibrate(cosine)) for key, cosine in found.items()}


def explained(ordered: Sequence[Weighed], count: int) -> list[dict[str, Part]]:
    """For the first ``count``: each signal's place among all, its value, its share of the score."""
    places = {name: sorted(-w.seen.get(name, 0.0) for w in ordered) for name in SIGNALS}
    return [
        {
            name: Part(1 + bisect_left(places[name], -value), round(value, 4), share)
            for name, value, share in _shares(one)
        }
        for one in ordered[:count]
    ]


def _shares(one: Weighed) -> list[tuple[str, float, float]]:
    told = {name: _weight(name, one.seen) * value for name, value in one.seen.items() if value}
    whole = sum(told.values()) or 1.0
    return [(name, one.seen[name], round(one.score * part / whole, 6)) for name, part in told.items()]
