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
from edgemem.recall.words import coverage
from edgemem.records import Hit
from edgemem.text import comparable, content_tokens, segment

_USERS = ("user", "the user", "用户")
_SEVERAL = frozenset(
    "language hobby pet child sibling friend allergy skill interest sport instrument food music book film game phone email"
    " like job employer diet dog cat brother sister son daughter cousin colleague"
    " 语言 爱好 宠物 孩子 朋友 过敏 技能 兴趣 运动 乐器 食物 音乐 书 电影 游戏 电话 邮箱".split()
)
"""Attributes that have several values at once: another value is no contradiction, the other polarity is."""


_TAKES_BACK = re.compile(
    r"\b(?:no longer|not \w+ any ?more|any ?more|moved (?:out|away)|used to|i was wrong|i made a mistake|i meant|correction|actually it's"
    r"|changed to|postponed|moved to|cancel+ed|called off|quit|resigned|broke up|divorced)\b|,\s*not\s+(?:the\s+)?\w+"
    r"|不再|不是.{1,12}[，,]?而?是|搬出|搬离|搬走|搬到|说错|记错|改成|改到|改为|推迟|取消|离职|辞职|分手|离婚|卖掉|卖了|已经不"
)
"""Words by which somebody takes back what he said before."""

SAME_MATTER = 0.25
"""Share of the older message's words that one must have that corrects it."""


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
    later = [
        h for h in hits if h.turn is not None and h.turn.role == "user" and _TAKES_BACK.search(comparable(h.content))
    ]
    stand: list[Hit] = []
    fall: list[Hit] = []
    for hit in hits:
        said = hit.memory and hit.source.turn and hit.source.at
        by = [h for h in later if said and h.turn and h.turn.at > said and _share_a_word(h.content, hit.content)]
        if by:
            fall.append(replace(hit, note=f"later words take it back: {by[0].content}"))
        else:
            stand.append(hit)
    return stand, fall


def corrected(hits: Sequence[Hit]) -> list[Hit]:
    """The hits with each message that later words of the same speaker may correct behind these, with a note that says so.

    Where nothing was learned of either, both are only words, and the older may hold more of the question's.
    """
    said = [hit for hit in hits if hit.turn is not None and hit.turn.role == "user"]
    new = [hit for hit in said if _TAKES_BACK.search(comparable(hit.content))]
    ordered = list(hits)
    for old in said:
        by = max((hit for hit in new if _corrects(hit, old)), key=_said_at, default=None)
        if by is None:
            continue
        place, target = _place(ordered, old), _place(ordered, by)
        ordered[place] = replace(ordered[place], note=f"older; later words may correct it: {by.content}")
        if target > place:
            ordered.insert(place, rescored(ordered.pop(target), ordered[place].score))
    return ordered


def _said_at(hit: Hit) -> tuple[datetime, int]:
    return (hit.turn.at, hit.turn.key) if hit.turn else (datetime.min.replace(tzinfo=UTC), 0)


def _place(hits: Sequence[Hit], one: Hit) -> int:
    return next(n for n, hit in enumerate(hits) if hit.turn and one.turn and hit.turn.key == one.turn.key)


def _corrects(new: Hit, old: Hit) -> bool:
    """Whether a message that takes something back was said later, by the same speaker, about what the other says."""
    same = new.turn and old.turn and new.turn.speaker == old.turn.speaker
    return bool(same) and _said_at(new) > _said_at(old) and coverage(old.content, new.content) >= SAME_MATTER


def _share_a_word(words: str, content: str) -> bool:
    """Whether two texts have a name, a number or another word in common that is not too common."""
    stand = set(re.sub(r"[\W_]+", " ", segment(content)).split())
    return any(len(token) > 1 and token in stand for token, _ in content_tokens(words))


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
