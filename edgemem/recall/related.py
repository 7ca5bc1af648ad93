"""The graph arm: memories that hang together with what the question names, nearest first.

A question that names one thing and asks for another ("where does my sister's manager live?") shares
few words with the memory that answers it. The graph leads there in two or three steps.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from edgemem.store import graph
from edgemem.store.engine import Tx
from edgemem.text import fold, simplified

HOPS = 3
"""Steps from what the question names."""

MOST_EDGES = 200
"""Edges looked at in one step: a node of thousands costs no more than this."""

SELF = frozenset({"the user", "用户"})
"""Names of the user. Everything hangs together with the user, so no walk goes through there."""

_MINE = (
    (re.compile(r"\b(?:my|our)\b"), "the user's"),
    (re.compile("(?:我|咱)[们們]的?|我的"), "用户的"),
    (re.compile("我(?=[\u4e00-\u9fff])"), "用户的"),
)


def related(tx: Tx, user: int, query: str, *, most: int, as_of: str | None = None) -> list[int]:
    """Keys of at most ``most`` memories that the relations nearest to the question rest on, nearest and surest first."""
    known = named(tx, user, query)
    reached, through = set(known), {key for key, name in graph.mentioned(tx, user, "\x1f".join(SELF)) if name in SELF}
    front = [key for key in known if key not in through]
    found: dict[int, None] = {}
    for _ in range(HOPS):
        if not front or len(found) >= most:
            break
        edges = graph.edges(tx, user, front, as_of, MOST_EDGES)
        found |= dict.fromkeys(e.memory for e in edges if e.memory is not None)
        ends = {end for e in edges for end in (e.subject, e.object)}
        front = sorted(ends - reached - through)
        reached |= ends
    return list(found)[:most]


def named(tx: Tx, user: int, query: str) -> list[int]:
    """Entities that the question names; of names within a longer name only the longer one counts."""
    text = fold(query)
    for pattern, mine in _MINE:
        text = pattern.sub(mine, text)
    if simplified(text) != text:
        text = f"{text}\n{simplified(text)}"
    taken: list[tuple[int, int]] = []
    keys: list[int] = []
    for key, name in graph.mentioned(tx, user, text):
        places = [place for place in _places(name, text) if not _inside(place, name, taken)]
        if places and name not in SELF:
            taken += places
            keys.append(key)
    return keys


def _places(name: str, text: str) -> list[tuple[int, int]]:
    """Where a name stands as words of its own; scripts without blanks have no such thing."""
    start = r"(?<!\w)" if name[0].isascii() and name[0].isalnum() else ""
    end = r"(?!\w)" if name[-1].isascii() and name[-1].isalnum() else ""
    return [m.span() for m in re.finditer(f"{start}{re.escape(name)}{end}", text)]


def _inside(place: tuple[int, int], name: str, taken: Iterable[tuple[int, int]]) -> bool:
    """Whether a place lies within one that is taken by a longer name; two of the same name both count."""
    return any(a <= place[0] and place[1] <= b and b - a > len(name) for a, b in taken)
