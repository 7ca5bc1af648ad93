"""From a memory to the graph: the model proposes relations, code keeps those whose names stand in the memory."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from edgemem import gbnf
from edgemem.answers import Item, complete_items, confidence
from edgemem.ports import Generation, LanguageModel, Message
from edgemem.text import fold, is_han
from edgemem.write.link_prompts import LINK, PREDICATES, SELF

MAX_RELATIONS = 5
_MAX_NAME = 60

# Who a name belongs to, as a memory writes it: "the user's sister Mia", 用户的姐姐林晓.
_ROLE = {
    False: r"(the user['’]s (?:[a-z-]+ ){1,3})$",
    True: r"(用户的[^\W\d_的，。、在和是]{1,4})$",
}


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
    found: dict[tuple[str, str, str], Link] = {}
    for item in complete_items(answer.text):
        link = _checked(item, answer, content, chinese)
        if link is not None:
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
    sure = confidence(answer, item.start, item.end)
    return Link(
        subject, predicate, object_, 0.5 if sure is None else sure, tuple(_roles((subject, object_), content, chinese))
    )


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
