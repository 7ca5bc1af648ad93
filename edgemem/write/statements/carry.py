"""A clause that means nothing alone, said together with the one before it.

"We sold the van. It's a cargo bike now." The second half is worth keeping and needs the first: both stand in
one sentence, in the user's words, so nothing has to be guessed about what "it" is.
"""

from __future__ import annotations

import re
from typing import Final

from edgemem.text import is_han
from edgemem.write.statements import person, restate, wording

MOST: Final = 190
"""Columns of a joined sentence."""

_LEANS = re.compile(
    r"^\W*(?:(?:and|but|so|also|plus|then)\s+)*(?:he|she|they|it|its|it['’]s|he['’]s|she['’]s|they['’]re|that|that['’]s|thats|this|these|those|his|her|their"
    r"|there|there['’]s|one|both|neither|same|which)\b"
    r"|^(?:而且|但是?|不过|还|然后)?[,，\s]*(?:他|她|它|这(?!周|个月|学期|几年|两年)|那(?!边|里)|其中|该)",
    re.IGNORECASE,
)
_ASKS_NOW = re.compile(
    r"\b(?:can|could|would|will) (?:you|u)\b|\b(?:write|draft|help|tell|show|explain|translate|give) (?:me|us)\b|^\W*(?:hi|hey|hello|thanks|ok)\b[^\w]*$"
    r"|帮我|给我(?:写|列|讲|推荐|来)|替我|请问",
    re.IGNORECASE,
)
_FILLER = re.compile(r"^\W*(?:(?:and|but|so|also|plus|then)\s+)*", re.IGNORECASE)


def leans(clause: str) -> bool:
    """Whether a clause begins with a word that points back: it, she, that, 她, 那."""
    return _LEANS.match(clause) is not None


def joined(before: str, clause: str, base: str | None) -> str | None:
    """Both as one sentence. ``base`` is what a rule made of ``before``; without it the user is named as the one who said it."""
    if before.rstrip().endswith(("?", "？")) or _ASKS_NOW.search(before) or _ASKS_NOW.search(clause):
        return None
    chinese = is_han(clause)
    first = base or (restate.mentioned(before) if chinese else _told(before))
    if first is None:
        return None
    listed = before.rstrip().endswith((":", "："))
    if chinese:
        rest = restate.about_user(clause.strip(" 。，,.!！~"))
        said = f"{first.rstrip('。:：')}{'：' if listed else '，'}{rest}。"
    else:
        rest = _FILLER.sub("", person.as_they(person.trimmed(clause)), count=1)
        said = f"{first.rstrip('.:')}{':' if listed else ';'} {wording.mid_sentence(rest)}." if rest else ""
    return said if said and _columns(said) <= MOST else None


def _told(before: str) -> str | None:
    text = person.trimmed(before)
    if not 2 <= len(text.split()) <= 16 or leans(text) or person.addressed(text):
        return None
    return f"According to the user, {person.as_they(wording.mid_sentence(text))}"


def _columns(text: str) -> int:
    return sum(2 if ord(c) > 0x2E7F else 1 for c in text)
