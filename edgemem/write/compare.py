"""A new memory meets stored ones: duplicate, refine, conflict or distinct.

Code decides what is certain. Else the learned relation head tells the probabilities; where it is in doubt the
language model's letter is weighed in. What is done is what would cost least if it were wrong: losing something
true costs more than keeping something twice. Without a head that fits the embedding model the language model
alone is asked, and only its clear verdicts change anything.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from edgemem.errors import ModelMissing
from edgemem.ports import LanguageModel, RelationJudge
from edgemem.records import RELATIONS, Relation4
from edgemem.text import content_hash
from edgemem.write import attributes, prompts, topics
from edgemem.write.attributes import Slot
from edgemem.write.ends import adds_only, ends_another, likes_besides
from edgemem.write.guards import other_numbers, same_numbers

CLEAR = 0.8
"""Probability from which a verdict of the language model may merge or replace."""

SURE = 0.8
"""Probability of the likeliest relation from which the head is not doubted."""

DOUBTFUL = 0.01
"""Least probability that a letter of the language model counts with: it is never that sure."""

UNSEEN = 0.9
"""Probability from which two memories without a word in common may repeat or contradict each other: "sober for a year", "drinks again"."""

LOSS = 2.5
"""What it costs to lose something true, where any other wrong decision costs 1."""

_LOSES: frozenset[tuple[Relation4, Relation4]] = frozenset(
    [("distinct", "duplicate"), ("distinct", "refine"), ("distinct", "conflict"), ("conflict", "duplicate"), ("refine", "duplicate")]
)  # fmt: skip
"""True relation and decision by which something true would be lost."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The decision, the probabilities behind it (they sum to 1), and who gave them."""

    relation: Relation4
    odds: Mapping[Relation4, float]
    by: Literal["same words", "head", "head and model", "model", "guard", "fields"]


def relate(
    pairs: Sequence[tuple[str, str]], judge: RelationJudge | None, model: Callable[[], LanguageModel]
) -> list[Verdict]:
    """The relation of NEW to OLD for each pair (old, new). ``model`` is called only when it is needed."""
    certain = [content_hash(old) == content_hash(new) for old, new in pairs]
    open_pairs = [pair for pair, same in zip(pairs, certain, strict=True) if not same]
    judged = iter(_judged(open_pairs, judge, model))
    return [
        _same_words() if same else _guarded(old, new, next(judged))
        for (old, new), same in zip(pairs, certain, strict=True)
    ]


def _guarded(old: str, new: str, verdict: Verdict) -> Verdict:
    """A verdict, unless code sees more: what the new memory ends, what both tell in fields, and whether they speak of one thing."""
    found = _by_words(old, new, verdict)
    if found.by == "fields" or found.relation == "distinct":
        return found
    return Verdict("distinct", found.odds, "guard") if _apart(old, new, found) else found


def _apart(old: str, new: str, found: Verdict) -> bool:
    """Whether the words of both do not bear out that one may take the other's place."""
    if found.relation == "refine":
        return not topics.keeps(old, new)
    return found.odds[found.relation] < UNSEEN and not topics.akin(old, new)


def _by_words(old: str, new: str, verdict: Verdict) -> Verdict:
    if verdict.relation in ("conflict", "refine") and ends_another(old, new):
        return Verdict("distinct", verdict.odds, "guard")
    told, before = attributes.of(new), attributes.of(old)
    if (
        told is not None
        and before is not None
        and _ends(told, before, verdict)
        and attributes.of_same_person(told, before)
    ):
        return Verdict("conflict", verdict.odds, "fields")
    agreed = told is not None and before is not None and attributes.agree(told, before) and not other_numbers(old, new)
    if verdict.relation == "conflict" and (agreed or adds_only(old, new) or likes_besides(old, new)):
        # Nothing is taken back; nor is it a mere repetition, by which the new words would be lost.
        return Verdict(cheapest({**verdict.odds, "conflict": 0.0, "duplicate": 0.0}), verdict.odds, "guard")
    return verdict


def _ends(told: Slot, before: Slot, verdict: Verdict) -> bool:
    return attributes.ends(told, before) or (attributes.moves(told, before) and _likeliest(verdict.odds) == "conflict")


def _likeliest(odds: Mapping[Relation4, float]) -> Relation4:
    return max(RELATIONS, key=lambda relation: odds[relation])


def _judged(
    pairs: Sequence[tuple[str, str]], judge: RelationJudge | None, model: Callable[[], LanguageModel]
) -> list[Verdict]:
    if judge is None:
        return [_by_model(model(), old, new) for old, new in pairs]
    found = [_by_head(odds) for odds in judge.relate(pairs)] if pairs else []
    doubted = [n for n, verdict in enumerate(found) if max(verdict.odds.values()) < SURE]
    letters = _letters(model, [pairs[n] for n in doubted])
    for n, letter in zip(doubted, letters, strict=False):
        found[n] = _together(found[n].odds, letter)
    return found


def cheapest(odds: Mapping[Relation4, float]) -> Relation4:
    """The decision with the least expected cost."""

    def cost(decision: Relation4) -> float:
        return sum(
            share * (LOSS if (true, decision) in _LOSES else 1) for true, share in odds.items() if true != decision
        )

    return min(RELATIONS, key=cost)


def _same_words() -> Verdict:
    return Verdict("duplicate", {r: float(r == "duplicate") for r in RELATIONS}, "same words")


def _by_head(shares: Mapping[str, float]) -> Verdict:
    odds: dict[Relation4, float] = {r: shares[r] for r in RELATIONS}
    return Verdict(cheapest(odds), odds, "head")


def _letters(model: Callable[[], LanguageModel], pairs: Sequence[tuple[str, str]]) -> list[Mapping[Relation4, float]]:
    """What the language model says of each pair; nothing where there is none: the head alone decides then."""
    if not pairs:
        return []
    try:
        speaker = model()
    except ModelMissing:
        return []
    answers = speaker.choose(
        prompts.RELATE, [f"OLD: {old}\nNEW: {new}" for old, new in pairs], prompts.RELATION_OPTIONS
    )
    return [dict(zip(RELATIONS, (answer[o] for o in prompts.RELATION_OPTIONS), strict=True)) for answer in answers]


def _together(head: Mapping[Relation4, float], letter: Mapping[Relation4, float]) -> Verdict:
    """Both opinions multiplied, as of two witnesses who looked at different things."""
    raw = {r: head[r] * max(letter[r], DOUBTFUL) for r in RELATIONS}
    whole = sum(raw.values())
    odds: dict[Relation4, float] = {r: share / whole for r, share in raw.items()}
    return Verdict(cheapest(odds), odds, "head and model")


def _by_model(model: LanguageModel, old: str, new: str) -> Verdict:
    odds = _letters(lambda: model, [(old, new)])[0]
    best = _likeliest(odds)
    if odds[best] < CLEAR or (best == "duplicate" and not same_numbers(old, new)):
        best = "distinct"
    return Verdict(best, odds, "model")
