"""Sentences that tell two things of one person: what stays of one of them when the other is taken back."""

from __future__ import annotations

import re
from typing import Final

from edgemem.text import fold, is_han
from edgemem.write.ends import speaks_of, telling

_DOES: Final = (
    "(?:has|is|was|works|lives|goes|plays|likes|loves|hates|enjoys|prefers|avoids|eats|drinks|runs|cycles|swims|rows|jogs|climbs|hikes|dances|sings|paints|bakes|cooks|reads|writes"
    "|studies|teaches|speaks|learns|takes|uses|keeps|owns|rents|wants|needs|walks|drives|rides|watches|listens|sleeps|wears|collects|grows|visits|volunteers|trains|practi[sc]es|meditates"
    "|commutes|smokes|pays|shares|meets|coaches|knits|sews|gardens|fishes|skis|does|doesn['’]t|isn['’]t|can(?:['’]t|not)?)"
)
_ENGLISH = re.compile(
    rf"(?:,|;)? and (?=(?:(?:also|often|usually|always|never|sometimes|still|now|then) )?{_DOES}\b)|; (?=(?:it|{_DOES})\b)"
)
_SUBJECT = re.compile(r"The user(?:'s [a-z][\w-]*(?: [A-Z][\w'’-]*)?)?(?= )")
_HAN = re.compile(
    r"[，,；](?=(?:(?:也|还|并|而且|同时|平时|一般|周末|每[天周晚早]|早上|晚上|中午|下班[以之]?后|睡前|偶尔|经常)*)(?:去|喝|吃|在|住|有|养|喜欢|爱|讨厌|会|做|看|听|跑|打|骑|坐|用|学|教|写|读|爬|游|练|不(?!是)|没))"
)
_OWNER = re.compile(r"用户(?:的[一-鿿]{1,4}?(?=[，,在住叫是有养喜爱讨会做看听跑打骑坐用去喝吃每早晚周平]))?")


def halves(content: str) -> list[str]:
    """The sentences a memory is made of, each with its subject; itself, if it tells one thing or the words do not show."""
    subject = (_OWNER if is_han(content) else _SUBJECT).match(content)
    if subject is None:
        return [content]
    end = "。" if is_han(content) else "."
    parts = (_HAN if is_han(content) else _ENGLISH).split(content.rstrip(".。 "))
    who = subject[0] if is_han(content) else f"{subject[0]} "
    whole = [parts[0], *(part if part.startswith(subject[0]) else who + part for part in parts[1:])]
    # "It pays 30 an hour" says nothing without what it belongs to.
    return [content] if any(re.match(r"it\b", part) for part in parts[1:]) else [part + end for part in whole]


def untouched(old: str, new: str) -> list[str]:
    """The sentences of an old memory that a newer one does not speak of, where it speaks of others; else none."""
    parts = halves(old)
    words = telling(new)
    touched = [any(speaks_of(fold(part), word) for word in words) for part in parts]
    return [part for part, met in zip(parts, touched, strict=True) if not met] if any(touched) else []
