"""Signs read off an English clause: whether its first word is a name, and whether it says itself what does what."""

from __future__ import annotations

import re
from typing import Final

from edgemem.write.statements.english import (
    ADVERBS,
    AUXILIARIES,
    BELONGING,
    COMMON,
    MODALS,
    NO_VERB,
    THIRD,
    is_past,
)

_WORD = re.compile(r"[A-Za-z]+(?:['’][A-Za-z]+)*")
_FINITE: Final = (
    THIRD | frozenset(AUXILIARIES.values()) | MODALS
    | frozenset("are were has had isn't aren't wasn't weren't takes works runs starts says said told wants moved left got went came".split())
)  # fmt: skip

_NO_NAME: Final = (
    ADVERBS | NO_VERB | MODALS | COMMON | THIRD | BELONGING | frozenset(AUXILIARIES) | frozenset(AUXILIARIES.values())
    | frozenset(
        """i we you he she it they its me him us them no none both each every some any other another same all one two three four five six seven
        eight nine ten is has was be been there here where how why what who today tomorrow yesterday tonight monday-friday before after since
        until about over under between during around because although please never nothing everything everyone nobody somebody""".split()
    )
)  # fmt: skip
"""Words that have a capital only because a sentence begins with them."""


def lowered(text: str) -> str:
    """With a small first letter, unless the first word is all capitals."""
    word = text.split()[0]
    return text if word.isupper() and len(word) > 1 else text[0].lower() + text[1:]


def mid_sentence(text: str) -> str:
    """With a small first letter where the first word is surely no name: "Oslo in June" keeps its capital."""
    return text if may_be_name(text) else lowered(text)


def may_be_name(text: str) -> bool:
    """Whether the first word of a clause has a capital and may have it because it is a name."""
    found = _WORD.match(text)
    plain = found[0].lower().replace("’", "'").partition("'")[0] if found else ""
    described = found is not None and re.match(r" (?:with|at|about|enough|too)\b", text[found.end() :])
    return text[:1].isupper() and not described and plain not in _NO_NAME and not is_past(plain)


def tells(text: str) -> bool:
    """Whether a clause has a subject and a verb of its own: "the new lead is Priya", not "drops every night"."""
    words = [word.lower().replace("’", "'") for word in _WORD.findall(text)]
    return any(word in _FINITE or word.endswith("'s") for word in words[1:7]) and words[1:2] != ["one"]
