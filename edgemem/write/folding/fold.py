"""Folding the oldest part of a conversation: the clauses that carry it, word for word, each with its turn.

Nothing is put in other words, so nothing can be invented, flipped or rounded: a summary of a small
model loses a "not" or changes a number more often than a reader would notice. What is kept is chosen
among units (see ``fold_units``): a clause, an answer with its question, a correction with what it
corrects. They are taken one after the other, each time the one that adds most to what is there: its
weight less what it repeats (maximal marginal relevance, Carbonell & Goldstein 1998: relevance of a
text less its likeness to those chosen before), for its length.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from edgemem.ports import ClauseJudge, Embedder
from edgemem.records import LoggedTurn
from edgemem.text import content_tokens
from edgemem.write.folding.fold_corrections import corrected
from edgemem.write.folding.fold_signs import decides
from edgemem.write.folding.fold_units import Piece, Unit, units

SHARE = 0.15
"""Largest part of the folded text's tokens that its summary takes, both counted by ``count``."""

AT_LEAST = 0.25
"""Weight below which a unit is left out even where there is room."""

REPEATS = 0.6
"""How much a unit loses whose words were all said by those taken before it."""

LENGTH = 0.65
"""Power of the length in tokens by which a weight is divided: 0 heeds no length, 1 takes the shortest first."""

MOST = 400
"""Units that are weighed against each other, the weightiest: a message of a hundred pages stays bearable."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A sentence of a summary and the keys of the turns it is taken from: a line each, word for word."""

    content: str
    turns: tuple[int, ...]


def fold(
    turns: Sequence[LoggedTurn],
    judge: ClauseJudge | None,
    count: Callable[[str], int],
    embedder: Embedder | None = None,
) -> list[Kept]:
    """The sentences that stand for these turns, in the order they were said; at most ``SHARE`` of their tokens by ``count``.

    Neighbouring clauses of a turn are one line. Tool output and system text are not looked at.
    """
    room = int(SHARE * sum(count(t.content) for t in turns))
    weightiest = sorted(units(turns, judge), key=lambda u: (-u.weight, u.own.place))[:MOST]
    found = corrected(sorted(weightiest, key=lambda u: u.own.place), embedder)
    chosen = _chosen([unit for unit in found if unit.weight >= AT_LEAST], room, count)
    return list(_sentences(_joined(chosen)))


def _chosen(weighed: Sequence[Unit], room: int, count: Callable[[str], int]) -> list[Unit]:
    """Take the unit that adds most for its length, as long as one fits."""
    words = {u.own.place: frozenset(token for token, _ in content_tokens(u.text)) for u in weighed}
    lengths = {u.own.place: sum(count(f"{p.speaker}: {p.text}") for p in u.pieces) for u in weighed}
    named = {u.own.place: count(f"{u.own.speaker}: ") for u in weighed}
    chosen: list[Unit] = []
    places: set[int] = set()
    said: set[str] = set()
    waiting = list(weighed)

    def cost(unit: Unit) -> int:
        place = unit.own.place
        return lengths[place] - named[place] * bool({place - 1, place + 1} & places)

    while waiting := [u for u in waiting if cost(u) <= room]:
        best = max(waiting, key=lambda u: _adds(u, words[u.own.place], said) / lengths[u.own.place] ** LENGTH)
        room -= cost(best)
        waiting.remove(best)
        chosen.append(best)
        places.add(best.own.place)
        said |= words[best.own.place]
    return chosen


def _adds(unit: Unit, words: frozenset[str], said: set[str]) -> float:
    repeats = REPEATS / 2 if decides(unit.own.text) else REPEATS  # a decision names what was weighed before
    return unit.weight * (1 - repeats * len(words & said) / max(1, len(words)))


def _joined(chosen: Sequence[Unit]) -> list[Unit]:
    """With each statement that was corrected as the lead of its correction, in their order."""
    known = {unit.own.place: unit for unit in chosen}
    pairs = {unit.own.place: known[unit.corrects] for unit in chosen if unit.corrects in known}
    first = {earlier.own.place for earlier in pairs.values()}
    joined = [
        replace(unit, leads=(*pairs[place].pieces, *unit.leads)) if place in pairs else unit
        for place, unit in known.items()
        if place not in first
    ]
    return sorted(joined, key=lambda u: u.own.place)


def _sentences(chosen: Sequence[Unit]) -> Iterator[Kept]:
    alone = {unit.own.place for unit in chosen}
    group: list[Unit] = []
    for unit in chosen:
        if group and (unit.own.turn.key != group[-1].own.turn.key or unit.own.place != group[-1].own.place + 1):
            yield _sentence(group, alone)
            group = []
        group.append(unit)
    if group:
        yield _sentence(group, alone)


def _sentence(group: Sequence[Unit], alone: set[int]) -> Kept:
    """A line for each message: what leads in, then the words from the first clause to the last, as they stand in the turn."""
    leads = {piece.place: piece for unit in group for piece in unit.leads if piece.place not in alone}
    turns = itertools.groupby(sorted(leads.values(), key=lambda p: p.place), key=lambda p: p.turn.key)
    lines = [_line(list(pieces)) for _, pieces in turns]
    lines.append(_line([unit.own for unit in group]))
    return Kept("\n".join(text for text, _ in lines), tuple(key for _, key in lines))


def _line(pieces: Sequence[Piece]) -> tuple[str, int]:
    first, last = pieces[0], pieces[-1]
    words = first.turn.content[first.start : last.start + len(last.text)]
    return f"{first.speaker}: {' '.join(words.split())}", first.turn.key
