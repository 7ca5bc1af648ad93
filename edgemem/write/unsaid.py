"""Words that a memory may only have if they were said: those of our own examples, relatives, the name it begins with."""

from __future__ import annotations

import re
from typing import Final

from edgemem.text import fold

TELLTALES: Final = {
    False: ("odalys", "trieste", "parrot", "feather", "oboe", "paella", "warehouse", "pp-3071"),
    True: ("欧阳霏", "里雅斯特", "鹦鹉", "羽毛", "养鸟", "双簧管", "海鲜饭", "pp-3071"),
}
"""Words of the extraction examples, by "is Chinese", that hardly any message has; each example has some."""

_KIN_EN: Final = (
    "mother mum mom mam mama mommy", "father dad daddy papa", "sister sis", "brother bro", "wife", "husband hubby", "son", "daughter",
    "cousin", "aunt auntie aunty", "uncle", "niece", "nephew", "grandmother grandma granny gran nan nana",
    "grandfather grandpa granddad grandad", "colleague coworker workmate", "neighbor neighbour", "boss", "landlord", "roommate flatmate housemate",
)  # fmt: skip
_KIN_ZH: Final = (
    "妈 母亲 娘", "爸 父亲 爹", "姐 姊", "妹", "哥 兄长", "弟", "老婆 妻子 太太 媳妇 爱人", "老公 丈夫 先生 爱人", "儿子", "女儿 闺女",
    "爷爷 祖父", "奶奶 祖母", "外公 姥爷", "外婆 姥姥", "同事", "邻居", "老板", "房东", "室友 舍友",
)  # fmt: skip
_GROUPS: Final = tuple(tuple(group.split()) for group in (*_KIN_EN, *_KIN_ZH))
_FIRST: Final = re.compile(r"([A-Z][\w'’-]+) (?:is|was|has|had|will|[a-z]+(?:s|ed|t|d))\b")
_OPENERS: Final = frozenset("the this that these those they there it he she both all no nobody everyone".split())


def unsaid(content: str, source: str, *, chinese: bool) -> str | None:
    """The first such word that ``source``, the message and what explains it, does not have."""
    known, says = fold(source), fold(content)
    echoed = next((word for word in TELLTALES[chinese] if word in says and word not in known), None)
    return echoed or _relative(says, known) or _first_name(content, known)


def _relative(says: str, known: str) -> str | None:
    """A relative who is not in the source: "brother" where "sister" was said."""
    for group in _GROUPS:
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
