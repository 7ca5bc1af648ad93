"""What somebody does as a rule, told in the plainest words: "I play the cello", 我坐地铁上班.

English says a habit in the simple present of a verb of doing, which the moment is never told in; Chinese by a word such as 喜欢,
or by a way or time with the verb. Learned weights go by what a clause is about and take many of these for small talk.
"""

from __future__ import annotations

import re
from typing import Final, Literal

from edgemem.text import is_han

_LONGEST = 80
"""Characters of a clause that may be plain."""

_OFTEN = r"usually|always|often|mostly|generally|normally|typically|never|rarely|hardly ever|almost (?:always|never)|sometimes|only|mainly|regularly|also|still|occasionally"

_DOES = (
    r"run|jog|swim|cycle|bike|bicycle|walk|hike|climb|row|sail|ski|skate|surf|fish|dance|sing|paint|knit|sew|crochet|garden|meditate|volunteer|commute"
    r"|play (?!it|that|this|along|around|with)|practi[cs]e (?!it|that|this)|cook (?!it|that|this)|bake (?!it|that|this)|brew (?!it|that|this)|teach (?!you|it)|coach (?!you)"
    r"|study (?!it|that|this)|collect (?!it|that|this)|grow (?!up|out|old)|speak (?!of|to you)|smoke (?!it)|drink (?!it|that|this|to)|eat (?!it|that|this|what|my words)|listen to (?!it|that|this|you|me)"
    r"|wear (?!it|that|this|out)|drive (?!it|that|this|you|me)|ride (?!it|that|this)|skip (?!it|that|this)|water (?!it)|wake up|get up|go to bed|go to sleep|go to the (?:gym|pool|library|market)"
    r"|sleep|work (?!it|that|this|on (?:it|this|that|the)|out (?:the|a|how)|around|with (?:it|this|that|you))|live (?!with it|up)|read (?!a |an |the |this|that|these|those|your|you|about|it|somewhere|once|what|how|through|all)"
    r"|take (?:the |a )?(?:train|bus|tram|metro|tube|subway|ferry|underground|bike|car|s-bahn|u-bahn)"
)
_ENGLISH: Final = re.compile(
    rf"\W*(?:(?:so|and|but|well|also|btw|by the way|oh|yeah|fyi)\W+)*(?:i|we)\s+(?:(?:{_OFTEN})\s+)*(?:{_DOES})\b[^?]*"
)
_NOW: Final = re.compile(
    r"\b(?:today|tonight|now|right now|just|yesterday|tomorrow|ago|this|at the moment|currently|if|would|could|wish|maybe|perhaps|might|will|like a|too much|so much|so well|so badly|badly these"
    r"|these days|lately|then|suddenly|imagine|suppose|again|later|soon|next|last|once|until|while|it|you|your)\b"
)
"""What makes the simple present something else than a habit: the moment, a condition, a tale, something named before."""

_HAN_OFTEN = r"平时|一般|通常|经常|常常|总是|每天|每周|每晚|每早|周[末一二三四五六日]|早上|晚上|中午|下班[以之]?后|睡前|饭后|也|都|很|特别|最|非常|超级?|比较|一直|从来|向来|平常|都是"
_CHINESE: Final = re.compile(
    rf"\W*(?:我们?|咱们?|俺)(?:{_HAN_OFTEN})*(?:(?P<likes>(?:不太?|不怎么)?(?:喜欢|爱[吃喝看听玩用去])|热爱|讨厌)(?![这那你您它他她第的了过])[^，。？！,?!]{{2,16}}"
    r"|(?:会|在学)(?:弹|拉|吹|打|游泳|开车|滑|画|唱|跳|说|讲|骑)[^，。？！,?!]{1,10}|(?:坐|骑|开|乘|搭)[^，。？！,?!]{1,8}(?:上下?班|上学|去公司|去学校)|(?:走路|步行|骑车|开车)(?:上下?班|上学)"
    rf"|上班(?:坐|骑|开|乘|搭)[^，。？！,?!]{{1,8}})[\s。.!！~～]*"
)
_HAN_HABIT: Final = re.compile(
    r"\W*(?:我们?|咱们?|俺)(?:平时|一般|通常|经常|常常|总是|每天|每周|每晚|周末|早上|晚上|中午|下班[以之]?后|睡前|饭后|也|都|平常)+(?:去)?"
    r"(?:跑步|游泳|健身|打[^，。？！,?!]{1,4}球|爬山|做饭|看[^，。？！,?!]{1,10}|听[^，。？！,?!]{1,10}|喝[^，。？！,?!]{1,10}|吃[^，。？！,?!]{1,10}|练[^，。？！,?!]{1,8}|写[^，。？！,?!]{1,8}|遛[^，。？！,?!]{1,4}|陪[^，。？！,?!]{1,10})[\s。.!！~～]*"
)
_HAN_NOW: Final = re.compile(
    r"今[天晚早]|昨[天晚]|明[天晚]|刚|正在|现在|这[个次部首本家]|那[个次部首本家]|如果|要是|假如|想|打算|准备|可能|也许|好像|吗|什么|怎么|你|[看吃喝听写练打跑]了|[了过着呢][\s。.!！~～]*$|来着"
)


def habit(clause: str) -> Literal["F", "P"] | None:
    """The letter of a clause that tells no more than a habit: ``P`` for what is liked, ``F`` for what is done; else None.

    ``clause`` is folded (lower case, NFKC).
    """
    if len(clause) > _LONGEST:
        return None
    if not is_han(clause):
        return "F" if _ENGLISH.fullmatch(clause) and not _NOW.search(clause) else None
    if _HAN_NOW.search(clause):
        return None
    found = _CHINESE.fullmatch(clause)
    if found is None:
        return "F" if _HAN_HABIT.fullmatch(clause) else None
    return "P" if found["likes"] else "F"
