"""A new memory meets an old one: duplicate, refine, conflict or distinct.

Code decides what is certain; the model's probabilities decide the rest, and only a clear verdict
changes anything: when in doubt, both stay.
"""

from __future__ import annotations

import re

from edgemem.ports import LanguageModel
from edgemem.records import RELATIONS, Relation4
from edgemem.text import content_hash, fold
from edgemem.write import prompts

CLEAR = 0.8
"""Probability from which a verdict of the model may merge or replace."""

_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")


def relate(model: LanguageModel, old: str, new: str) -> tuple[Relation4, dict[str, float]]:
    """The relation of NEW to OLD, and the probabilities of all four."""
    certain = _certain(old, new)
    if certain is not None:
        return certain, {r: float(r == certain) for r in RELATIONS}
    question = f"OLD: {old}\nNEW: {new}"
    answer = model.choose(prompts.RELATE, [question], prompts.RELATION_OPTIONS)[0]
    odds: dict[str, float] = {
        relation: answer[letter] for relation, letter in zip(RELATIONS, prompts.RELATION_OPTIONS, strict=True)
    }
    best = max(RELATIONS, key=lambda relation: odds[relation])
    return _guarded(best, old, new), odds


def _certain(old: str, new: str) -> Relation4 | None:
    return "duplicate" if content_hash(old) == content_hash(new) else None


def _guarded(verdict: Relation4, old: str, new: str) -> Relation4:
    """Two texts with different numbers never say the same."""
    if verdict == "duplicate" and set(_NUMBER.findall(fold(old))) != set(_NUMBER.findall(fold(new))):
        return "distinct"
    return verdict
