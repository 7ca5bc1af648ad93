"""Words that are written together or apart: dont and don't, vs code and vscode. Full text looks for both."""

from __future__ import annotations

import re

from edgemem.text import fold

_NEGATED = "do does did is are was were has have had ca wo could would should must need ai might".split()
_WITHOUT = {f"{word}nt": f"{word}n t" for word in _NEGATED} | {
    "im": "i m", "ive": "i ve", "youre": "you re", "theyre": "they re", "thats": "that s", "whats": "what s",
}  # fmt: skip
"""How full text holds the words that lose their apostrophe in haste."""

_APOSTROPHE = re.compile(r"\b([a-z]+)'([a-z]{1,2})\b")
_TWO = re.compile(r"(?=(?<![\w'])([a-z]{1,8}) ([a-z]{2,8})(?![\w']))")
_ONE = re.compile("[a-z]{5,12}")
KEYWORDS = 2
"""Words of a query up to which each is looked for as two words too."""

SHORT_QUERY = 6
"""Words of a query up to which two neighbours are looked for as one word too."""


def other_spellings(query: str) -> list[str]:
    """Further words, and phrases of two, that mean what a query has: without its apostrophes, with them, and two words as one."""
    text = fold(query)
    words = text.split()
    found = [_WITHOUT[word] for word in re.findall(r"[a-z]+", text) if word in _WITHOUT]
    found += [f"{m[1]}{m[2]}" for m in _APOSTROPHE.finditer(text) if f"{m[1]}{m[2]}" in _WITHOUT]
    if len(words) <= SHORT_QUERY:
        found += [f"{m[1]}{m[2]}" for m in _TWO.finditer(text)]
    if len(words) <= KEYWORDS:
        found += [f"{word[:n]} {word[n:]}" for word in words if _ONE.fullmatch(word) for n in range(2, len(word) - 1)]
    return list(dict.fromkeys(found))
