"""What recurs in a memory: groups of memories near in meaning, told at several times on several days.

Found by code alone. A group is a star: one memory and those near it, so that all of it is about what its
centre says. Memories about different persons, and a statement and its denial, are never in one group.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date

from edgemem.records import LoggedTurn, Memory
from edgemem.text import is_han, query_tokens
from edgemem.times import local

NEAR = 0.6
"""Calibrated similarity (0..1) from which two memories are about the same."""

LEAST_DAYS = 2
"""Days on which the evidence of an insight must have been told, whatever the settings say."""

LEAST_TURNS = 2
"""Turns that must have told it: one remark never becomes a rule."""


_PARTS = re.compile(
    r"(?=,? (?:because|since|so that|although|but|and|while|until|unless) )|(?=[,;:] )|(?=[，；])|(?=因为|由于|所以|但是)"
)
"""Where a part of a sentence begins that can go without the rest becoming another statement."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """A group: the memory in its middle, all of its memories (the middle first), and the turns that told them in order."""

    centre: Memory
    members: tuple[Memory, ...]
    turns: tuple[LoggedTurn, ...]

    @property
    def days(self) -> list[date]:
        """The days on which it was told, by the clock it was told by."""
        return sorted({local(t.at, t.zone).date() for t in self.turns})

    @property
    def confidence(self) -> float:
        """Mean confidence of the memories x days / (days + 1): more days, surer."""
        mean = sum(m.confidence for m in self.members) / len(self.members)
        return round(mean * len(self.days) / (len(self.days) + 1), 4)

    def holds(self, least: int = LEAST_TURNS) -> bool:
        """Whether enough turns on enough days carry it. Two zones show two days at one moment: that is one day."""
        days = min(len(self.days), len({t.at.astimezone(UTC).date() for t in self.turns}))
        return len(self.turns) >= max(least, LEAST_TURNS) and days >= LEAST_DAYS


def pattern(members: Sequence[Memory], told: Mapping[int, Collection[int]], turns: Mapping[int, LoggedTurn]) -> Pattern:
    """The pattern of these memories, the first in its middle."""
    keys = {key for m in members for key in told.get(m.key, ())}
    said = sorted((turns[key] for key in keys if key in turns), key=lambda t: (t.at, t.key))
    return Pattern(members[0], tuple(members), tuple(said))


def patterns(
    live: Sequence[Memory], near: Iterable[tuple[int, int, float]], told: Mapping[int, Collection[int]],
    turns: Mapping[int, LoggedTurn], least: int, negated: Callable[[str], bool],
) -> list[Pattern]:  # fmt: skip
    """All patterns with at least ``least`` turns; a memory is in one of them at most."""
    known = {m.key: m for m in live}
    beside: dict[int, set[int]] = {key: set() for key in known}
    for one, other, similarity in near:
        if similarity >= NEAR and one in known and other in known and _alike(known[one], known[other], negated):
            beside[one].add(other)
            beside[other].add(one)
    taken: set[int] = set()
    found = []
    for key in sorted(known, key=lambda k: (-len(beside[k]), -k)):
        if key in taken:
            continue
        group = [known[key], *(known[k] for k in sorted(beside[key] - taken))]
        made = pattern(group, told, turns)
        if made.holds(least):
            found.append(made)
            taken |= {m.key for m in group}
    return found


def _alike(one: Memory, other: Memory, negated: Callable[[str], bool]) -> bool:
    return (
        one.about == other.about
        and is_han(one.content) == is_han(other.content)
        and negated(_first_part(one.content)) == negated(_first_part(other.content))
    )


def _first_part(content: str) -> str:
    """What a sentence says without its additions: in "black, without sugar" it is not the coffee that is denied."""
    return _PARTS.split(content)[0]


def told_often(content: str, turns: Sequence[LoggedTurn]) -> str:
    """A sentence without the parts after its first that one message alone told: "because of the market" is no pattern."""
    first, *others = _PARTS.split(content)
    said = [set(query_tokens(turn.content)) for turn in turns]

    def often(part: str) -> bool:
        words = set(query_tokens(part))
        return sum(2 * len(words & told) > len(words) for told in said) >= LEAST_TURNS

    return "".join([first, *(part for part in others if often(part))])


def plainly(found: Pattern) -> str:
    """A pattern in words that claim no more than what was counted."""
    days = found.days
    what = told_often(found.centre.content.rstrip(".。 "), found.turns)
    if is_han(found.centre.content):
        return f"{what}（{days[0].isoformat()} 至 {days[-1].isoformat()} 间有 {len(days)} 天说起）。"
    return f"{what} (told on {len(days)} days from {days[0].isoformat()} to {days[-1].isoformat()})."
