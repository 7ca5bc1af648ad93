"""A question in other words, for a second look when the first found little: as a statement, and by its matter.

No language model: what a sentence about the user looks like is known, and so is what people ask about.
"""

from __future__ import annotations

import re

from edgemem.recall.topics import others
from edgemem.text import is_han, simplified

_ENGLISH = (
    (re.compile(r"^(?:please |can you |could you |do you (?:know|remember) )+", re.I), ""),
    (re.compile(r"^(?:tell me |remind me )(?:about |of )?", re.I), ""),
    (re.compile(r"^(?:what|which|who|whom|whose|where|when|why|how)(?:'s)?\b(?: (?:much|many|old|long|often))?", re.I), ""),
    (re.compile(r"\b(?:do|does|did|am|is|are|was|were|have|has|had|can|could|should|will|would)\s+(?=(?:i|my)\b)", re.I), ""),
    (re.compile(r"\bmy\b|\bmine\b", re.I), "the user's"),
    (re.compile(r"\bi(?:'m|'ve|'d|'ll)?\b|\bme\b|\bmyself\b", re.I), "the user"),
    (re.compile(r"[?!]+"), ""),
)  # fmt: skip
_CHINESE = (
    (re.compile("请问|告诉我|你记得|还记得"), ""),
    (
        re.compile("什么时候|什么|哪里|哪儿|哪个|哪些|哪天|哪|谁|多少|几|怎么样|怎么|如何|为什么|吗|呢|是不是|有没有"),
        "",
    ),
    (re.compile("我们|我"), "用户"),
    (re.compile("[？！?!]+"), ""),
)


def rephrased(question: str) -> list[str]:
    """The question as a statement, and in the words of its matter in both languages; without what gives nothing new."""
    chinese = is_han(question)
    text = simplified(question)
    for pattern, instead in _CHINESE if chinese else _ENGLISH:
        text = pattern.sub(instead, text)
    statement = " ".join(text.split())
    matter = sorted({w for word, more in others(question) for w in (word, *more)})
    own = [w for w in matter if w.isascii() != chinese]
    found = [statement, f"{'用户' if chinese else 'the user'} {' '.join(own)}" if own else ""]
    return [t for t in dict.fromkeys(found) if t and t != question]
