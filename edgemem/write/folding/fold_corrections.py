"""A later statement that gives another value: the earlier one does not stand alone in a summary any more.

Two statements of the user's are held together when the later one sounds like a correction, both hold a
value of one sort (a time, a day, a number) that is not the same, and they are near in meaning. An answer
of a few words goes; a whole statement weighs less, for it may say what the correction leaves out, and where
there is room for both they are one sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from edgemem.ports import Embedder
from edgemem.text import content_tokens, fold
from edgemem.write.folding.fold_signs import asks, corrects
from edgemem.write.folding.fold_units import Unit

NEAR = 0.5
"""Calibrated similarity (0..1) from which two statements may be about one thing: of the same topic."""

SHARED_WORD = 0.05
"""What each word that two statements share adds to their similarity."""

LESS = 0.5
"""What is left of the weight of a statement that was corrected."""

_HAN = "一二两三四五六七八九十百千万"
_SORTS = {
    "time": re.compile(rf"\d{{1,2}}[:：]\d{{2}}|\b\d{{1,2}}\s?[ap]m\b|[\d{_HAN}]+点半?", re.IGNORECASE),
    "day": re.compile(
        rf"\b\d{{1,2}}(?:st|nd|rd|th)\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|[\d{_HAN}]+[号日]|[周星]期?[一二三四五六日天]"
        r"|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w* \d{1,2}\b",
        re.IGNORECASE,
    ),
    "number": re.compile(rf"\d[\d,.]*\d|\d|[{_HAN}]{{2,}}(?![月点号日])"),
}


def corrected(found: Sequence[Unit], embedder: Embedder | None) -> list[Unit]:
    """The units without short answers that a later one corrects; another one corrected weighs less than what corrects it."""
    made = {unit.own.place: unit for unit in found}
    if embedder is None:
        return list(found)
    near = _Nearness(embedder, found)
    for earlier, later in _pairs(found, near):
        if earlier.leads:
            del made[earlier.own.place]
        else:
            made[earlier.own.place] = replace(earlier, weight=earlier.weight * LESS)
            weight = max(later.weight, earlier.weight)
            made[later.own.place] = replace(later, corrects=earlier.own.place, weight=weight)
    return list(made.values())


def _pairs(found: Sequence[Unit], near: _Nearness) -> Iterator[tuple[Unit, Unit]]:
    """What is corrected and what corrects it, in the order of the corrections; nothing is corrected twice."""
    values = [_values(unit) for unit in found]
    gone: set[int] = set()
    for n, unit in enumerate(found):
        if unit.own.turn.role != "user" or not corrects(unit.own.text):
            continue
        earlier = [
            k for k in range(n)
            if k not in gone and found[k].own.turn.key != unit.own.turn.key and _differ(values[k], values[n])
        ]  # fmt: skip
        best = max(earlier, key=lambda k: near(k, n), default=None)
        if best is not None and near(best, n) >= NEAR:
            gone.update((best, n))
            yield found[best], unit


def _values(unit: Unit) -> dict[str, frozenset[str]]:
    """The values of each sort that a statement of the user's holds; none of another's, and none of a question."""
    if unit.own.turn.role != "user" or asks(unit.own.text):
        return {}
    said = fold(unit.own.text)
    return {name: frozenset(sort.findall(said)) for name, sort in _SORTS.items()}


def _differ(old: Mapping[str, frozenset[str]], new: Mapping[str, frozenset[str]]) -> bool:
    """Whether both hold values of one sort, and not the same."""
    shared = next((name for name in _SORTS if old.get(name) and new.get(name)), None)
    return shared is not None and old[shared] != new[shared]


class _Nearness:
    """How near two statements are: by their vectors, each made once when it is asked for, and by the words both have."""

    def __init__(self, embedder: Embedder, found: Sequence[Unit]) -> None:
        self._embedder = embedder
        self._found = found
        self._vectors: dict[int, Sequence[float]] = {}

    def __call__(self, one: int, other: int) -> float:
        cosine = sum(a * b for a, b in zip(self._vector(one), self._vector(other), strict=True))
        return self._embedder.calibrate(cosine) + SHARED_WORD * len(self._words(one) & self._words(other))

    def _vector(self, n: int) -> Sequence[float]:
        if n not in self._vectors:
            self._vectors[n] = self._embedder.embed([self._found[n].text], "passage")[0]
        return self._vectors[n]

    def _words(self, n: int) -> set[str]:
        return {token for token, _ in content_tokens(self._found[n].text) if len(token) > 1}
