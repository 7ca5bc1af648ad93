"""Words that a memory may only have if they were said: those of our own examples, relatives, the name it begins with."""

from __future__ import annotations

import re
from typing import Final

from edgemem.kin import RELATIONS
from edgemem.text import fold

TELLTALES: Final = {
    False: ("odalys", "trieste", "parrot", "feather", "oboe", "paella", "warehouse", "pp-3071"),
    True: ("欧阳霏", "里雅斯特", "鹦鹉", "羽毛", "养鸟", "双簧管", "海鲜饭", "pp-3071"),
}
"""Words of the extraction examples, by "is Chinese", that hardly any message has; each example has some."""

_FIRST: Final = re.compile(r"([A-Z][\w'’-]+) (?:is|was|has|had|will|[a-z]+(?:s|ed|t|d))\b")
_OPENERS: Final = frozenset("the this that these those they there it he she both all no nobody everyone".split())


def unsaid(content: str, source: str, *, chinese: bool) -> str | None:
    """The first such word that ``source``, the message and what explains it, does not have."""
    known, says = fold(source), fold(content)
    echoed = next((word for word in TELLTALES[chinese] if word in says and word not in known), None)
    return echoed or _relative(says, known) or _first_name(content, known)


def _relative(says: str, known: str) -> str | None:
    """A relative who is not in the source: "brother" where "sister" was said."""
    for group in (group for relation in RELATIONS.values() for group in relation.groups):
        told = next((word for word in group if _has(says, word)), None)
        if told and not any(_has(known, word) for word in group):
            return told
    return None


def _has(text: str, word: str) -> bool:
    if word.isascii():
        return re.search(rf"\b{word}(?:s|['’]s|es)?\b", text) is not None
    return word in text


def _first_name(content: str, known: str) -> str | None:
    """A sentence begins with a capital anyway; its first word is a name only where a verb follows."""
    found = _FIRST.match(content)
    name = fold(found[1]).removesuffix("'s").removesuffix("’s") if found else ""
    return None if not name or name in _OPENERS or name in known else name
