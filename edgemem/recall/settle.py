"""Two hits that disagree about the same thing: one of them is right, or both are shown with a word of warning.

They tell the same attribute of the same subject, with another value or the other polarity. What was set by hand
counts more than what was read from a conversation, then the newer more than the older; of two as good as each other
nobody can tell.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from edgemem.recall.weigh import rescored
from edgemem.recall.words import coverage, share_a_word
from edgemem.records import Hit
from edgemem.text import comparable, query_tokens
from edgemem.times import local

_USERS = ("user", "the user", "用户")
_SEVERAL = frozenset(
    "language hobby pet child sibling friend allergy skill interest sport instrument food music book film game phone email"
    " like job employer diet dog cat brother sister son daughter cousin colleague"
    " 语言 爱好 宠物 孩子 朋友 过敏 技能 兴趣 运动 乐器 食物 音乐 书 电影 游戏 电话 邮箱".split()
)
"""Attributes that have several values at once: another value is no contradiction, the other polarity is."""


_CORRECTION = re.compile(
    r"\b(?:i was wrong|i made a mistake|i meant|correction|actually it's)\b|,\s*not\s+(?:the\s+)?\w+"
    r"|不是.{1,12}[，,]?而?是|说错|记错"
)
"""Words by which somebody corrects what he said before."""

_CHANGE = re.compile(
    r"\b(?:no longer|not \w+ any ?more|any ?more|moved (?:out|away)|used to|changed to|postponed|moved to|cancel+ed|called off"
    r"|quit|resigned|broke up|divorced)\b|不再|搬出|搬离|搬走|搬到|改成|改到|改为|推迟|取消|离职|辞职|分手|离婚|卖掉|卖了|已经不"
)
"""Words that tell that something is over or otherwise now; it need not be what was said before."""

_CLAUSE_END = re.compile(r"[,.;:!?，。；：！？\n]+")
_FIRST_PERSON = re.compile(r"\b(?:i|i'm|i've|we|we're|we've|my|our|me|us)\b|我|咱")
_I = re.compile(r"\b(?:i|we)\b|我(?!的|们的)|咱")
_WHEN = re.compile(
    r"\d|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:to(?:day|morrow|night)|morning|noon|afternoon|evening|week|month)\b"
    r"|[月日号周点]|星期|今天|明天|后天|早上|晚上"
)
"""A day or an hour: of what has one, a change tells another."""

SAME_MATTER = 0.25
"""Share of the older message's words that a correction must have of it."""

MOSTLY = 0.5
"""Share of them that a clause must have which tells of a change, beside the same subject."""


@dataclass(frozen=True, slots=True)
class _Claim:
    slot: tuple[str, str]
    value: str
    polarity: int
    weight: tuple[int, datetime]


def settled(hits: Sequence[Hit]) -> tuple[list[Hit], list[Hit]]:
    """The hits that stand, in their order, and those that a better one contradicts, each with a note that says so."""
    claims = {hit.id: claim for hit in hits if (claim := _claim(hit)) is not None}
    stand: list[Hit] = []
    fall: list[Hit] = []
    for hit in hits:
        against = [h for h in hits if h.id in claims and hit.id in claims and _disagree(claims[h.id], claims[hit.id])]
        better = [h for h in against if claims[h.id].weight > claims[hit.id].weight]
        if better:
            fall.append(replace(hit, note=f"contradicted by what counts more: {better[0].content}"))
        elif any(claims[h.id].weight == claims[hit.id].weight for h in against):
            stand.append(replace(hit, note="another note says otherwise; nobody can tell which is right"))
        else:
            stand.append(hit)
    return stand, fall


def taken_back(hits: Sequence[Hit]) -> tuple[list[Hit], list[Hit]]:
    """The hits without the memories that later words of the user take back, and those, each with a note that says so.

    What was said is in the log at once; until it is learned the memory it corrects is still live.
    """
    later = [(h, back) for h in hits if h.turn and h.turn.role == "user" and (back := _takes_back(h.content))]
    stand: list[Hit] = []
    fall: list[Hit] = []
    for hit in hits:
        said = hit.memory and hit.source.turn and hit.source.at
        by = [h for h, back in later if said and h.turn and h.turn.at > said and share_a_word(back, hit.content)]
        if by:
            fall.append(replace(hit, note=f"later words take it back: {_where(by[0])}"))
        else:
            stand.append(hit)
    return stand, fall


def corrected(hits: Sequence[Hit]) -> list[Hit]:
    """The hits with each message that later words of the same speaker may correct behind these, with a note that says so.

    Where nothing was learned of either, both are only words, and the older may hold more of the question's.
    """
    said = [hit for hit in hits if hit.turn is not None and hit.turn.role == "user"]
    new = [hit for hit in said if _takes_back(hit.content)]
    ordered = list(hits)
    for old in said:
        by = max((hit for hit in new if _corrects(hit, old)), key=_said_at, default=None)
        if by is None:
            continue
        place, target = _place(ordered, old), _place(ordered, by)
        ordered[place] = replace(ordered[place], note=f"older; later words may correct it: {_where(by)}")
        if target > place:
            ordered.insert(place, rescored(ordered.pop(target), ordered[place].score))
    return ordered


def _said_at(hit: Hit) -> tuple[datetime, int]:
    return (hit.turn.at, hit.turn.key) if hit.turn else (datetime.min.replace(tzinfo=UTC), 0)


def _place(hits: Sequence[Hit], one: Hit) -> int:
    return next(n for n, hit in enumerate(hits) if hit.turn and one.turn and hit.turn.key == one.turn.key)


def _where(hit: Hit) -> str:
    """The message of a hit by its day and its id: its words may hold what a note must not."""
    turn = hit.turn
    return f"{local(turn.at, turn.zone).date().isoformat()}, message {turn.id} of {turn.session}" if turn else hit.id


def _corrects(new: Hit, old: Hit) -> bool:
    """Whether a message that takes something back was said later, by the same speaker, about what the other says."""
    same = new.turn and old.turn and new.turn.speaker == old.turn.speaker
    if not same or _said_at(new) <= _said_at(old):
        return False
    if _CORRECTION.search(comparable(new.content)):
        return coverage(old.content, new.content) >= SAME_MATTER
    return _changes(_takes_back(new.content), comparable(old.content))


def _takes_back(text: str) -> str:
    """What of a message takes something back: all of a correction, of a change the clause that tells it, or nothing."""
    plain = comparable(text)
    if _CORRECTION.search(plain):
        return plain
    return " ".join(clause for clause in _CLAUSE_END.split(plain) if _CHANGE.search(clause))


def _changes(clause: str, old: str) -> bool:
    """Whether a clause tells of a change of what an older message says: of its subject, and with most of its words.

    Of what has a day or an hour, the subject and another time are enough.
    """
    change = _CHANGE.search(clause)
    subject = clause[: change.start()] if change else clause
    named = bool(query_tokens(subject)) and not _I.search(subject)
    shared = coverage(subject, old) == 1 if named else bool(_FIRST_PERSON.search(old))
    timed = named and bool(_WHEN.search(clause) and _WHEN.search(old))
    return shared and (timed or coverage(old, clause) >= MOSTLY)


def _claim(hit: Hit) -> _Claim | None:
    memory = hit.memory
    if memory is not None and memory.attribute and memory.subject:
        subject = "user" if comparable(memory.subject) in _USERS else comparable(memory.subject)
        said = memory.valid_from or memory.created_at
        by_hand = int(memory.source.turn is None)
        value = comparable(memory.value or memory.content)
        return _Claim((subject, comparable(memory.attribute)), value, memory.polarity, (by_hand, said))
    if hit.kind in ("profile", "avoid"):
        name, _, value = hit.content.partition(": ")
        at = hit.source.at or datetime.min.replace(tzinfo=UTC)
        return _Claim(
            ("user", comparable(name).replace("_", " ")), comparable(value), -1 if hit.kind == "avoid" else 1, (2, at)
        )
    return None


def _disagree(one: _Claim, other: _Claim) -> bool:
    if one.slot != other.slot:
        return False
    if one.value == other.value:
        return one.polarity != other.polarity
    return one.polarity == other.polarity == 1 and not _SEVERAL & {one.slot[1].removesuffix("s"), one.slot[1]}
