"""What a new memory does to a stored one by what both tell in fields: another home ends the old one, a part of it says more."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

from edgemem.records import LoggedTurn, Memory, Relation4
from edgemem.text import is_han
from edgemem.write import attributes, clauses, guards
from edgemem.write.apply import Candidate
from edgemem.write.attributes import Slot
from edgemem.write.clauses import Clause, Corrected
from edgemem.write.statements import person, restate

OWN_WORDS = 200
"""Characters of the longest sentence in the user's own words that is read for what it tells in fields."""

_TOKEN = re.compile(r"[^\W_一-鿿]+|.", re.DOTALL)
_STOPS = " \n.,;!。，；！"
_ASKS = re.compile(r"[?？吗么嘛呢][\s。.!！~)）”\"]*$")
_HOME_ONLY = re.compile(
    r"The user(?:'s [a-z]+)? (?:now |currently )?lives in [\w'’.-]+(?:,? [A-Z][\w'’.-]+){0,3}\.?|用户(?:的[一-鿿]{1,3})?(?:现在)?住在[一-鿿]{2,8}。?"
)


def comparable(memory: Memory, turn: LoggedTurn) -> bool:
    """Whether a new memory of a turn may change this one: not what is sealed, nor what the same turn told."""
    elsewhere = (memory.source.session, memory.source.turn) != (turn.session, turn.id)
    return elsewhere and memory.sensitivity == "normal"


def told(content: str) -> Slot | None:
    """What a sentence tells in fields, also one in the words of the user: "I live in Ghent", 我妹妹住在里斯本. A question tells nothing."""
    slot = attributes.of(content)
    if slot is not None or len(content) > OWN_WORDS or _ASKS.search(content) or len(clauses.split(content)) != 1:
        return slot
    by_user = (
        restate.restated(content, instruction=False)
        if is_han(content)
        else person.restated(content, "P", standing=False)
    )
    return None if by_user is None else attributes.of(by_user)


def rests_on(memory: Memory, clause: Clause) -> bool:
    """Whether a memory was drawn from words of a clause of its turn."""
    start, quote = memory.source.start, memory.source.quote
    if start is None or quote is None or memory.sensitivity != "normal":
        return False
    return start < clause.start + len(clause.text) and clause.start < start + len(quote)


def within(memory: Memory, clause: Clause) -> bool:
    """Whether a memory was drawn from words of one clause alone: who puts the clause right says all of it anew."""
    start, quote = memory.source.start, memory.source.quote
    if start is None or quote is None:
        return False
    return clause.start <= start and start + len(quote.rstrip(_STOPS)) <= clause.start + len(clause.text)


def righted(content: str, wrong: Corrected) -> str | None:
    """A stored sentence with the value put right that a correction replaces; None where it does not hold it just once."""
    before, after = _TOKEN.findall(wrong.clause.text), _TOKEN.findall(wrong.words)
    same = _alike(before, after)
    before, after = before[same:], after[same:]
    end = _alike(before[::-1], after[::-1])
    old, new = ("".join(part[: len(part) - end]) for part in (before, after))
    value = re.compile(rf"(?<![^\W_一-鿿]){re.escape(old)}(?![^\W_一-鿿])")
    return value.sub(lambda _: new, content) if old.strip() and len(value.findall(content)) == 1 else None


def _alike(one: Sequence[str], other: Sequence[str]) -> int:
    """How many of their first words are the same."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _told(memory: Memory) -> Slot | None:
    if memory.value is None or memory.subject is None or memory.attribute is None:
        return None
    return Slot(memory.subject, memory.attribute, memory.value, memory.polarity)


def settled(candidate: Candidate, alike: Sequence[Memory]) -> tuple[Memory, Relation4] | None:
    """The first of the memories of its attribute about which fields alone decide, and how."""
    ended = next((m for m in alike if ends(candidate, m)), None)
    if ended is not None:
        return ended, "conflict"
    return next(((m, relation) for m in alike if (relation := _of_places(candidate, m)) is not None), None)


def _of_places(candidate: Candidate, memory: Memory) -> Relation4 | None:
    """A home within the one that is stored says more, a city around it nothing new; where more is told, both stay."""
    fresh, before = candidate.slot, _told(memory)
    if fresh is None or before is None or fresh.weak:
        return None
    nearer = attributes.nearer(fresh, before)
    if nearer is None or not _only(memory.content if nearer else candidate.content):
        return None
    return "refine" if nearer else "duplicate"


def _only(content: str) -> bool:
    """Whether a sentence tells a home and nothing else, which another sentence may stand for."""
    return _HOME_ONLY.fullmatch(content) is not None


def stands(relation: Relation4, candidate: Candidate, memory: Memory) -> bool:
    """Whether what models say a new memory does to a stored one may be done, by what both tell in fields and by their form."""
    fresh, before = candidate.slot, _told(memory)
    if relation == "distinct" or (
        relation != "duplicate" and guards.answers_another(memory.content, candidate.content)
    ):
        return False
    if relation != "duplicate" or fresh is None or before is None:
        return True
    return fresh.weak or not attributes.differ(fresh, before)  # another value of what has one value is no repetition


def ends(candidate: Candidate, memory: Memory) -> bool:
    """Whether a candidate ends a memory of its slot by what both tell in fields: another home, an allergy denied."""
    fresh = candidate.slot
    if fresh is None or memory.value is None:
        return False
    before = told(memory.content)
    bare = before is not None and before.bare
    return attributes.ends(fresh, Slot(fresh.subject, fresh.attribute, memory.value, memory.polarity, bare=bare))
