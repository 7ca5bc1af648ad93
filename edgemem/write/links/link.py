"""From a memory to the graph: the model proposes relations, code keeps those whose names stand in the memory."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from edgemem import gbnf
from edgemem.answers import Item, complete_items, confidence
from edgemem.ports import Generation, LanguageModel, Message
from edgemem.text import fold, is_han
from edgemem.write.links.link_prompts import LINK, PREDICATES, SELF

MAX_RELATIONS = 5
_MAX_NAME = 60

# Who a name belongs to, as a memory writes it: "the user's sister Mia", 用户的姐姐林晓.
_ROLE = {
    False: r"(the user['’]s (?:[a-z-]+ ){1,3})$",
    True: r"(用户的[^\W\d_的，。、在和是]{1,4})$",
}


DOUBTFUL = 0.6
"""Highest confidence of a relation that nothing in the words speaks for: a person looks at it first."""

CUES = {
    "family of": "sister|brother|mother|father|mom|mum|dad|parent|son|daughter|child|kid|cousin|aunt|uncle|niece|nephew|grand|in-law|twin",
    "partner of": "wife|husband|partner|girlfriend|boyfriend|fianc|spouse|married",
    "friend of": "friend|buddy|pal|roommate|flatmate",
    "colleague of": "colleague|coworker|co-worker|teammate|works with",
    "manager of": "manager|boss|supervisor|lead|reports to",
    "teacher of": "teacher|tutor|professor|coach|instructor|advisor|adviser|mentor",
    "neighbour of": "neighbo",
    "pet of": "dog|cat|pet|parrot|rabbit|hamster|horse|bird|fish|tortoise|turtle|puppy|kitten",
    "家人": "妈|爸|父|母|姐|妹|哥|弟|儿子|女儿|孩子|爷|奶|姥|外公|外婆|叔|姑|姨|舅|表|堂|侄|双胞胎|家人|孙",
    "伴侣": "妻|老婆|丈夫|老公|爱人|伴侣|对象|女友|男友|女朋友|男朋友|未婚",
    "朋友": "朋友|好友|闺蜜|哥们|室友|同学",
    "同事": "同事|搭档|同组",
    "上级": "上级|主管|老板|领导|经理|上司",
    "老师": "老师|导师|教练|教授|师傅",
    "邻居": "邻居|隔壁",
    "宠物": "狗|猫|宠物|鹦鹉|兔|仓鼠|鸟|鱼|龟",
}
"""Words that speak for what somebody is to another, near the name, by relation."""
_NEAR = {False: 24, True: 4}
"""Characters on either side of a name within which such a word speaks for it."""

_PLACE = re.compile(
    r"(?:hospital|university|school|college|inc\.?|ltd\.?|gmbh|bank|street)$|(?:医院|公司|大学|学院|学校|中学|小学|银行|集团|路|市|区)$"
)


@dataclass(frozen=True, slots=True)
class Link:
    """A relation found in a memory. ``roles`` are other names its ends go by, such as "the user's sister"."""

    subject: str
    predicate: str
    object: str
    confidence: float
    roles: tuple[tuple[str, str], ...] = ()


def grammar(*, chinese: bool) -> str:
    """GBNF for a list of at most ``MAX_RELATIONS`` relations, which may be empty."""
    name = gbnf.string(_MAX_NAME, 1)
    fields = (("from", name), ("relation", gbnf.string_of(PREDICATES[chinese])), ("to", name))
    return gbnf.grammar(gbnf.array("item", 0, MAX_RELATIONS), item=gbnf.obj(fields))


def links(model: LanguageModel, content: str) -> list[Link]:
    """The relations a memory states. Raises what the model raises."""
    chinese = is_han(content)
    messages = (*LINK[chinese], Message("user", content))
    answer = model.generate(messages, max_tokens=240, grammar=grammar(chinese=chinese))
    read = (_checked(item, answer, content, chinese) for item in complete_items(answer.text))
    return together([link for link in read if link is not None])


def together(*lists: Sequence[Link]) -> list[Link]:
    """All relations once, each as the first list has it."""
    found: dict[tuple[str, str, str], Link] = {}
    for link in (link for of in lists for link in of):
        found.setdefault((fold(link.subject), link.predicate, fold(link.object)), link)
    return list(found.values())


def _checked(item: Item, answer: Generation, content: str, chinese: bool) -> Link | None:
    words = [item.value.get(key) for key in ("from", "relation", "to")]
    if not all(isinstance(w, str) for w in words):
        return None
    subject, predicate, object_ = (" ".join(str(w).split()) for w in words)
    if predicate not in PREDICATES[chinese][:-1] or fold(subject) == fold(object_):
        return None
    if not all(_named(name, content, chinese) for name in (subject, object_)):
        return None
    if predicate not in CUES and fold(object_) == SELF[chinese]:
        return None  # nobody lives in, works at or is part of the user
    sure = confidence(answer, item.start, item.end) or DOUBTFUL
    if not _spoken_for(subject, predicate, object_, content, chinese):
        sure = min(sure, DOUBTFUL)
    return Link(subject, predicate, object_, sure, tuple(_roles((subject, object_), content, chinese)))


def _spoken_for(subject: str, predicate: str, object_: str, content: str, chinese: bool) -> bool:
    """Whether a word near the name says what the relation says; asked of what somebody is to the user only."""
    others = [n for n in (subject, object_) if fold(n) != SELF[chinese]]
    if predicate not in CUES or len(others) != 1:
        return True
    name, text = fold(others[0]), fold(content)
    if _PLACE.search(name):
        return False
    place = text.find(name)
    near = text[max(0, place - _NEAR[chinese]) : place + len(name) + _NEAR[chinese]]
    return re.search(CUES[predicate], near) is not None


def _named(name: str, content: str, chinese: bool) -> bool:
    """Whether a name stands in the memory as words of its own."""
    if fold(name) == SELF[chinese]:
        return True
    pattern = re.escape(fold(name))
    if not chinese and name[:1].isalnum():
        pattern = rf"(?<!\w){pattern}"
    if not chinese and name[-1:].isalnum():
        pattern = rf"{pattern}(?!\w)"
    return bool(name) and re.search(pattern, fold(content)) is not None


def _roles(names: tuple[str, str], content: str, chinese: bool) -> Iterator[tuple[str, str]]:
    for name in names:
        place = fold(content).find(fold(name))
        before = fold(content)[:place] if place > 0 else ""
        role = re.search(_ROLE[chinese], before)
        if role is not None:
            yield name, role[1].strip()
