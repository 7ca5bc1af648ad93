"""What is told in confidence: kept, since the memory is the user's own, with a note that it was.

"Keep this between us" asks that others be not told; "don't remember this" asks that it be not kept, and is another matter.
"""

from __future__ import annotations

import re
from typing import Final

from edgemem.text import fold, is_han

_ASKED = re.compile(
    r"\b(?:keep|keeping|leave|stays?) (?:this|that|it|all this|all of this)? ?(?:strictly |just |only )?between (?:us|you and me|ourselves)\b"
    r"|(?:^|[.!?;,:]\s*)(?:this is |that['’]s |it['’]s )?(?:strictly |just )?between (?:us|you and me|ourselves)(?=\s*(?:$|[,.:;!-]))"
    r"|\b(?:told|telling) you (?:this )?in confidence\b|(?:^|[.!?;]\s*)in (?:strict )?confidence\s*[:,]"
    r"|\b(?:do ?n['o’]?t|never|please ?n['o’]?t) (?:tell|mention (?:it|this|that) to|breathe a word to|say (?:it|this|that|a word) to) (?:anyone|anybody|a soul|others|any ?one else|them|(?:my|our) \w+)\b"
    r"|(?:就|只)(?:有)?(?:咱俩|咱们?两个?|我们俩|你我|你知我知)(?:之间)?知道|天知地知|(?:别|不要|千万别|可别)(?:(?:跟|和|对|同|往)(?:别人|其他人|任何人|外人|外|他们|我[一-鿿]{1,3})(?:说|讲|提|透露|声张)|告诉(?:别人|其他人|任何人|外人|他们|我[一-鿿]{1,3}))|(?:替我|帮我|给我|请你?|麻烦你?|一定要?|你要)保密(?!协议|工作|措施|部|局|性|级|条|法)"
)
_AROUND = re.compile(
    r"^[\s,;:.!，。；：！~–—-]*(?:yet|ok|okay|please|pls|for now|啊|哦|哈|了|就行|就好)?[\s,;:.!，。；：！~–—-]*",
    re.IGNORECASE,
)
_BEFORE = re.compile(r"[\s,;:，；：–—-]*(?:\b(?:but|so|and|please|pls|just)\s+|先|但|你|请|所以)*$", re.IGNORECASE)
NOTES: Final = {False: " (told in confidence)", True: "（私下告诉的）"}
"""What a memory told in confidence ends with, by "is Chinese"."""


def in_confidence(message: str) -> bool:
    """Whether the user asks that what a message says be told to nobody."""
    return _ASKED.search(fold(message)) is not None


def spoken(text: str) -> tuple[int, int]:
    """Where the words stand of a text that say something besides that request; all of it, when nothing else is said."""
    found = _ASKED.search(fold(text)) if len(fold(text)) == len(text) else None
    if found is None:
        return 0, len(text)
    lead, tail = _BEFORE.search(text[: found.start()]), _AROUND.match(text[found.end() :])
    sides = ((0, lead.start() if lead else found.start()), (found.end() + (tail.end() if tail else 0), len(text)))
    start, end = max(sides, key=lambda side: side[1] - side[0])
    return (start, end) if re.search(r"\w.*\w", text[start:end]) else (0, len(text))


def noted(content: str) -> str:
    """A sentence with the note that it was told in confidence."""
    body = content.rstrip()
    end = body[-1] if body[-1:] in ".。" else ""
    return f"{body.removesuffix(end) if end else body}{NOTES[is_han(content)]}{end}"


def plain(content: str) -> str:
    """A sentence without that note."""
    return content.replace(NOTES[is_han(content)], "")
