"""What frames a whole message: in a played scene nobody speaks for himself."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from edgemem.records import LoggedTurn
from edgemem.text import fold

_PLAY = re.compile(
    r"(?<!like )(?<!love )(?<!enjoy )(?<!into )(?<!hate )(?<!of )\brole[ -]?play(?:ing)?\b(?! (?:games?|groups?|clubs?|nights?|campaigns?))"
    r"|\b(?:stay|speak|answer|reply) in character\b|\b(?:pretend|imagine|act as if) (?:that )?(?:you['’]?re|you are|i['’]?m|i am|we['’]?re|we are)\b"
    # one part for each of the two: "I play tennis and I have a dog" is nobody's part
    r"|\b(?:you be|you play(?! (?:it|that|this|too|so|the music)\b)|you(?:['’]re| are) playing|you(?:['’]ll| will) (?:be|play))\b[^.!?\n]{1,60}(?:\band|,)\s*i(?:['’]ll|['’]m| am| will| play| be)?\b"
    r"|\bi(?:(?:['’]ll| will)? (?:be|play)|['’]m playing)\b[^.!?\n]{1,60}(?:\band|,)\s*you(?:['’]re| are| be| play|(?:['’]ll| will) (?:be|play))\b"
    r"|\blet['’]?s play\b[^\n]*\b(?:you are|you['’]?re) (?:the|an?|my)\b|\blet['’]?s (?:pretend|play (?:an? |the )?(?:\w+ )?(?:game|scene))\b[^\n]*\b(?:you are|you['’]?re|i am|i['’]?m)\b"
    r"|(?<!\bi )(?<!\bwe )(?<!\bthey )(?<!\bhe )(?<!\bshe )(?<!\bwho )(?<!also )(?<!often )(?<!sometimes )\bact as (?:my|an?|if)\b|\byou(?:['’]re| are) now (?:my |an? |the |[a-z]+ [a-z]+ and)|\bnew game\b[^\n]*\b(?:you['’]?re|you are|i['’]?m|i am)\b"
    r"|(?<!角色)扮演|(?<!喜欢)(?<!爱)(?<!爱玩)(?<!在玩)(?<!欢玩)角色扮演(?!游戏|类)|(?:来|你|我们|咱们?)[^，。]{0,4}cosplay|(?:你|您)现在(?:开始)?(?:是|就是)(?!不是)[^，。,?？]{1,10}[，,]\s*我"
    r"|(?:^|[，。,.!！?？\s]|你|请|来)当我的(?:老师|医生|心理医生|面试官|女朋友|男朋友|教练)|(?:我们|咱们?|来|一起|[陪和跟]我)玩.{0,4}游戏.{0,4}[，,\s]我是|假装(?:你|我)"
    r"|你(?:来)?(?:当|演|扮)[^，。,.!！？?]{1,10}[，,、\s]+我(?:来)?(?:是|当|演|扮)|我(?:来)?(?:当|演|扮)[^，。,.!！？?]{1,10}[，,、\s]+你(?:来)?(?:是|当|演|扮)"
)
_OVER = re.compile(
    r"\b(?:ooc|out of character|(?:end|stop|pause) (?:the |this )?(?:scene|role ?-?play|game)|back to (?:reality|real life)|for real|in real life|irl)\b"
    r"|不玩了|不演了|出戏|跳出角色|说真的|现实(?:里|中)|说正经的"
)
_GESTURE = re.compile(r"^\s*(?:\*[^*\s]+ [^*\n]{2,}\*|[（(][^）)\n]{2,20}[）)]\s*[“\"「])")
TURNS: Final = 12
"""Turns before the one being read in which a scene may have begun."""


_WORKED_ON = re.compile(
    r"\b(?:translate|proofread|rephrase|rewrite|reword|paraphrase|snappier|fix (?:the|my) grammar|correct (?:the|my) (?:grammar|english|spelling)|check (?:the|my) grammar|how (?:do|would|can) (?:you|i) say)\b[^:\n\"“]*[:：\n\"“]"
    r"|\b(?:test data|sample (?:text|bio|data)|dummy data|user story|example sentence)\b[^:\n]*:"
    r"|(?:翻译[成为]?|改[改一]下?|润色|语病|改写|校对|造句|例句|测试数据|样例|示例|仿写|续写)[^:：\n“]{0,12}[:：\n“]"
)


def material_from(message: str) -> int | None:
    """Where the text begins that is only there to be worked on: what follows "translate: …"; None if there is none."""
    found = _WORKED_ON.search(fold(message)) if len(fold(message)) == len(message) else _WORKED_ON.search(message)
    return None if found is None else found.end()


def played(message: str, earlier: Sequence[LoggedTurn]) -> bool:
    """Whether the message is part of a role play: it sets the scene, or speaks in one that was set before."""
    said = [fold(t.content) for t in earlier if t.role == "user"] + [fold(message)]
    begun = max((n for n, text in enumerate(said) if _PLAY.search(text) and not _OVER.search(text)), default=None)
    if begun is None:
        return _GESTURE.match(message) is not None
    return not any(_OVER.search(text) for text in said[begun + 1 :])
