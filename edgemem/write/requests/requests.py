"""Requests that words be not kept at all: which messages make one, and of what.

An erasure cannot be undone, so only what cannot well mean anything else counts here: "don't remember this",
"off the record", "forget what I just said", 别记, 忘掉刚才说的. "Forget it" alone is "never mind", "don't save that
file" is about a file. ``unkept.asks_not_to_keep`` sees more, and only keeps memories from being made.
"""

from __future__ import annotations

import re
from typing import Literal

from edgemem.text import fold

Target = Literal["this", "before"]
"""The message itself, or the user's message before it (and this one with it)."""

_AT = r"(?:^|[^\w\s'-]\s*|\n\s*|\b(?:please|pls|and|but|so|just|ok|okay|actually|oh|wait|you to|can you|could you)\s+)"
_SAID = r"what i(?:'ve| have)?(?: just)? (?:said|told you|mentioned|wrote|shared|typed)"
_OBJECT = (
    rf"(?:(?:any of )?(?:this|that|it)|(?:any of )?{_SAID}|anything i(?: just)? said"
    r"|(?:the|my) (?:last|previous) (?:message|thing|sentence|one)|the (?:above|message above))"
)
_MORE = r"(?:\s+(?:down|please|pls|ok|okay|though|anywhere|at all|either|for later|to yourself|(?:in|to|into) (?:your|the|any) (?:long.?term )?(?:memory|log|logs|notes|records?)))*"
_STOP = r"\s*(?=$|[^\w\s'])"
_DO_NOT = r"(?:do ?n[o']?t|never)(?: you)?(?: ever)?"
_LANGUAGE_EN = rf"{_AT}{_DO_NOT} (?:remember|memori[sz]e) {_OBJECT}{_MORE}{_STOP}"
_STORAGE_EN = (
    rf"{_AT}{_DO_NOT} (?:save|store|record|log|keep|note) {_OBJECT}{_MORE}{_STOP}"
    rf"|{_AT}{_DO_NOT} (?:write|jot|take) {_OBJECT} down{_MORE}{_STOP}"
)
_TAKE_BACK_EN = (
    rf"{_AT}forget {_SAID}{_MORE}{_STOP}|{_AT}forget (?:the|my) (?:last|previous) message{_MORE}{_STOP}"
    rf"|\b(?:delete|erase|remove|wipe) (?:this|that|it|{_SAID}|(?:the|my) (?:last|previous) message)"
    rf" from (?:your |the )?(?:memory|log|logs|notes|records?){_STOP}"
)
_OFF_EN = r"\boff the record\b"
_TAIL = r"(?:下来|进去|起来|住|下|在案|到?(?:记忆|日志|档案|数据库)(?:里|中)?|了|啊|哦|哈|吧|呀|啦|哟|好吗|谢谢)*"
_THING = (
    r"(?:把)?(?:这|那|刚才|刚刚|上面|上一|我刚|它)?(?:说的|讲的)?(?:个|些|条|件|句|事情|事|话|内容|消息|的)*(?:给我)?"
)
_ABOUT = r"(?:这|那|刚才|刚刚|上面)?(?:我)?(?:说|讲)?(?:的|过的)?(?:个|件|条|些|句|段)?(?:事情|事|话|内容|消息)?"
_NOT_ZH = rf"(?<![我他她它们])(?:别|不要|请勿|勿|不许|不准|禁止)(?:再)?{_THING}"
_LANGUAGE_ZH = rf"{_NOT_ZH}(?:记录|记忆|记){_TAIL}{_ABOUT}{_STOP}"
_STORAGE_ZH = rf"{_NOT_ZH}(?:保存|存档|存|留存|留档|入库){_TAIL}{_ABOUT}{_STOP}"
_THIS_ZH = rf"(?:这|那|刚才|刚刚|上面)[^。！？，,.!?\n]{{0,8}}(?:别|不要)(?:记|存|保存|记录|写下来?){_TAIL}{_STOP}"
_TAKE_BACK_ZH = (
    r"(?<![会都我没别])(?:忘了|忘掉|忘记|删掉|删除|抹掉)(?:我)?(?:刚才|刚刚|上面|上一[条句个])(?:我)?(?:说|讲|提|发)?(?:的|过的)?(?:话|事|内容|那[些句条]|消息)?[吧啊哈了]*"
    rf"{_STOP}|把(?:我)?(?:刚才|刚刚|上面|上一[条句个])[^。！？，,.!?\n]{{0,8}}(?:忘了|忘掉|删了|删掉|删除){_STOP}|从(?:你的)?记忆(?:里|中)?删"
)
_PLAIN = re.compile("|".join((_LANGUAGE_EN, _TAKE_BACK_EN, _OFF_EN, _LANGUAGE_ZH, _THIS_ZH, _TAKE_BACK_ZH)))
_STORAGE = re.compile(f"{_STORAGE_EN}|{_STORAGE_ZH}")
BEFORE = re.compile(rf"{_SAID}|\b(?:last|previous|above)\b|刚才|刚刚|上面|上一[条句个]|我刚")
FILLERS = re.compile(
    r"(?:that|this|it)(?:'s| is| was) (?:very )?(?:private|personal|confidential|secret|a secret|sensitive)"
    r"|\b(?:please|pls|thanks|thank you|ok|okay|sorry|hey|oh|wait|no|yes|and|but|so|just|actually|now|you|i want|i'd like|to|can|could|would|that was)\b"
    r"|请|谢谢|麻烦|那个|这个|啊|哦|吧|对了|等等|不好意思|这是(?:秘密|隐私)|你"
)
_MEMORY_WORDS = re.compile(r"remember|memor|forget|记|忘")
_NEVER_MIND = re.compile(
    r"^\W*(?:(?:oh|ah|ok|okay|well|no|nah|eh|hm+)\W+)*forget (?:it|about it)\b|^\W*(?:算了|没事|没关系)"
)


def target(message: str, question: str | None) -> Target | None:
    """What a message asks to be erased, or None. ``question``: the assistant's own, just before, if it asked one."""
    folded = fold(message)
    found = _PLAIN.search(folded)
    if found is None:
        found = _STORAGE.search(folded)
        # "Shall I save the file?" "No, don't save it."
        if question is not None and _MEMORY_WORDS.search(fold(question)) is None:
            return None
    if found is None or (found[0] == "off the record" and folded.rstrip().endswith("?")):
        return None
    if BEFORE.search(found[0]) is not None:
        return "before"
    rest = FILLERS.sub(" ", folded[: found.start()] + " " + folded[found.end() :])
    return "this" if re.search(r"\w", rest) else "before"


def never_mind(message: str) -> bool:
    """Whether "forget it" only waves something aside."""
    return _NEVER_MIND.search(fold(message)) is not None and target(message, None) is None
