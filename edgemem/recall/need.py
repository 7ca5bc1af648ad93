"""Whether a message needs long-term memory at all: rules first, then learned weights, and in doubt it does.

Needed is what is better, safer or only possible with what was said in earlier conversations: the user's own facts,
people, plans and preferences, work in progress, and advice that depends on them. Small talk, what everybody knows, work
on a text that is in the message, more about the last answer, and telling something are not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from edgemem.reports import Need
from edgemem.text import comparable, is_han

SHORT = 40
"""Columns (a wide character has two) up to which a message may lean on those before it."""

LOOKS_BACK = 2
"""The user's messages before it that a message may lean on."""

FEW = 3
"""Words (two Han characters count as one) of a message that is no sentence of its own."""

_HAN = re.compile("[\u3400-\u9fff]")
_POINTS_BACK = re.compile(
    r"^(?:and|but|or|then|also|what about|how about)\b|\b(?:it|its|that|this|those|these|they|them|their|he|him|his|she|her|hers|one|there|mine)\b"
    r"|^(?:那|还有|另)|[他她它]|这[个些]|那[个些]|呢[？?]?$"
)

_SMALL_TALK = re.compile(
    r"(?:(?:hi|hello|hey|hiya|good (?:morning|afternoon|evening|night)|morning|evening|bye|goodbye|good ?night|see you(?: later| soon| tomorrow)?|talk (?:later|soon|tomorrow)"
    r"|thanks?(?: you)?|thank you|thx|ty|cheers|many|very|so|a lot|much|again|there|all|ok(?:ay)?|k|got it|i see|alright|all right|sure|cool|nice|great|good|perfect|awesome|wonderful"
    r"|lol|haha(?:ha)*|wow|yes|yep|yeah|no|nope|please|never ?mind|no (?:worries|problem)|you'?re welcome|sounds good|that'?s (?:all|it|great|fine|funny|helpful)|for (?:now|today))[\s,.!:;)(-]*)+"
    r"|(?:(?:你好|您好|哈喽|嗨|在吗|早上好|早安|早|晚上好|晚安|午安|谢谢(?:你|您|啦|了)?|多谢(?:了)?|感谢|辛苦了|好的?|好吧|行|嗯+|对|是的?|可以|收到|明白(?:了)?|知道了|懂了|没事|算了|不用(?:了)?|再见|拜拜|回头聊|明天聊|明天见"
    r"|哈+|太好了|不错|厉害|棒|就这样|没有了)[\s，。！、~～,.!吧啊呀哈]*)+"
)
_ABOUT_THE_ANSWER = re.compile(
    r"(?:(?:and |but |ok(?:ay)?,? |so |please )?(?:why(?: not)?|how come|really|are you sure|what do you mean(?: by that)?|go on|continue|next|more|more details?|(?:a (?:bit|little) )?(?:shorter|longer|simpler)|in (?:more|less) detail"
    r"|(?:can you )?(?:give|show)(?: me)? (?:an?|another) example|for example|another one|try again|once more|explain (?:that|it|this)(?: again)?|say that again|again|i don'?t (?:understand|get it)|i did ?n[o']t (?:understand|get) (?:that|it)|that'?s (?:wrong|not right)|that can'?t be right)(?:,? please)?)[\s?!.…]*"
    r"|(?:(?:那|请|再)?(?:为什么|为啥|真的吗?|你?确定(?:吗)?|什么意思|继续|接着说|然后呢|还有呢|详细(?:一?点|些)|具体(?:一?点|些)|(?:再)?(?:短|长|简单)(?:一?点|些)|举个例子|再来一个|再说一遍|没(?:看|听)?懂|不(?:太)?(?:懂|明白|对)))[？?！!。\s]*"
)
_PAST = re.compile(
    r"\b(?:do you (?:still )?remember|you remember|remind me|(?:i|i've|i have) (?:already )?(?:told|mentioned|asked|said|gave|given|showed)|as i (?:said|mentioned|told)|(?:did|have) i (?:tell|told|say|said|mention|mentioned|ask|asked|give|given)"
    r"|you (?:once )?(?:told|suggested|recommended|mentioned|gave|advised|showed|explained)|we (?:talked|spoke|discussed|decided|agreed|said|had|left|stopped|chose|started|began|planned)|(?:did|were|have) we|last time|the other day|back then|my usual|as usual|the usual"
    r"|pick up where|where we (?:left|stopped)|the way i (?:like|want|asked)|know about me|same as (?:last|before))\b"
    r"|记得|来着|上次|上回|之前|当初|当时|我们(?:聊|谈|说|讨论|决定|商量|定|选)|老样子|老规矩|照旧|(?:你|您).{0,6}(?:推荐|说|讲|建议|提|给)过|我.{0,6}(?:说|讲|提|告诉|给)过|提醒我一下|了解我"
)
_ASKS = re.compile(
    r"[?？]|^(?:please )?(?:who|whom|whose|what|whats|when|where|which|why|how|do|does|did|am|is|are|was|were|can|could|will|would|should|shall|have|has|had|any|tell|show|give|find|list|remind|suggest|recommend|plan|make|write|draft|help|pick|put|order|prepare|create)\b"
    r"|吗|呢|什么|啥|谁|哪|几|多少|多久|多大|多重|怎么|如何|为什么|是不是|有没有|能不能|该不该|帮我|给我|替我|推荐|安排|列"
)
_OWN = re.compile(
    r"\b(?:my|mine|our|ours)\b|[我咱](?:的|们的|家|妈|爸|哥|姐|弟|妹|老婆|老公|女儿|儿子|对象|同事|领导|老板|朋友|组|房东)"
)
_SPEAKER = re.compile(r"\b(?:i|i'm|i've|i'd|i'll|me|we|us|we're|we've)\b|[我咱俺]")
_ADVICE = re.compile(
    r"\b(?:should i|should we|suggest|recommend|any (?:ideas?|suggestions?)|for (?:me|us|dinner|lunch|tonight)|what (?:can|could|should) (?:i|we)|gift|present for|plan (?:a|my|me|the|our)|would i|do you think|can i|may i|advise)\b"
    r"|建议|推荐|送.{0,4}什么|吃(?:什么|啥|点)|适合|该不该|好不好|你(?:觉得|说)|合适|纠结|能吃|能用|安排"
)
_ON_A_TEXT = re.compile(
    r"\b(?:translate|proofread|summari[sz]e|rewrite|rephrase|paraphrase|correct|fix|shorten|convert|turn (?:this|these)|make (?:this|it|these))\b|翻译|润色|改写|总结|精简|改成|整理成|换个词|近义词|语法"
)
_WRITES_TO = re.compile(
    r"\b(?:write|draft|compose|send|prepare)\b (?:(?!\bfrom an?\b|\bgeneric\b|\bsample\b|\btemplate\b).){0,40}"
    r"\b(?:notes?|letters?|cards?|e-?mails?|messages?|invitations?|speech|toast|apology|reply)\b(?: \w+)? (?:to|for) (?!an?\b|any|some|each|every|customers\b)"
    r"|[给替帮跟向](?!.{0,6}(?:客户|顾客|读者|用户|别人|某)).{1,10}(?:写|拟|起草|回).{0,6}(?:条|信|邮件|卡|留言|祝福|微信|短信|消息|邀请|申请|祝词|致辞)"
)
"""Something is to be written to somebody certain: who that is, and how the user stands with them, was told before."""
_CODE = re.compile(
    r"[{}=;]|\w\(\w*\)|\b(?:python|java|javascript|rust|sql|css|html|git|bash|linux|regex|function|code|error|exception)\b|函数|代码|正则"
)
_TELLS = re.compile(
    r"^(?:(?:by the way|just so you know|note that|please (?:remember|note)(?: that)?|from now on|well|so|oh|btw)[,:]?\s+)?(?:i|i'm|i've|i'll|we|my|our|it|it's|the|that)\b|^(?:对了|跟你说一声|记住|以后|其实)?[，,]?(?:我|咱|今天|昨天|外面)"
)
_GIVEN = re.compile(
    r"```.*?(?:```|$)|\"[^\"]{3,}\"|“[^”]{3,}”|「[^」]{3,}」|《[^》]+》|(?<=[a-z\u4e00-\u9fff])\s?[:：]\s?.{12,}$",
    re.DOTALL,
)
_NAME = re.compile(r"(?<=[\w,;:] )[A-Z][a-zà-ÿ]+\b|\b(?:[Dd]oes|[Dd]id|[Ii]s|[Ww]as|[Hh]as|[Ww]ill) [A-Z][a-z]+")

_HOW = re.compile(
    r"\bhow (?:do(?:es)?|did|can|could|would|should|to|is|are)\b|\b(?:what|which)\b[^.?!\n]{0,80}?\b(?:best|better|good way|way to|trick|works?|helps?)\b"
    r"|怎么(?!样的|来的|形成)|如何|怎样|咋|什么办法|啥办法|最好|更好|窍门|诀窍"
)

_FRAME = re.compile(r"\bhow (?:do(?:es)?|did|can|could|would|should)(?: (?:i|we|you|one|people|it))?\b", re.IGNORECASE)

_SIGNS = {
    "asks": _ASKS, "own": _OWN, "speaker": _SPEAKER, "past": _PAST, "advice": _ADVICE, "on_a_text": _ON_A_TEXT, "tells": _TELLS,
    "you": re.compile(r"\byour?\b|[你您]"),
}  # fmt: skip


def judged_text(message: str, after: Sequence[str]) -> str:
    """What is to be judged: a message that leans on those before it stands with them. ``after``: what the user said before,
    oldest first."""
    said = [one for one in after[-LOOKS_BACK:] if one.strip()]
    return "\n".join([*said, message]) if said and _leans(message) else message


def _leans(message: str) -> bool:
    """Whether a message is short, and points back or is no sentence."""
    text = comparable(message)
    if _width(text) > SHORT:
        return False
    return bool(_POINTS_BACK.search(text)) or len(re.findall(r"[a-z'’]+", text)) + len(_HAN.findall(text)) / 2 <= FEW


def matter(message: str) -> str:
    """What a message speaks of: without the text that is only given with it, and without the frame "how should one …"."""
    return _FRAME.sub(" ", _GIVEN.sub(" ", message))


def asks_how(message: str) -> bool:
    """Whether a message asks how a thing is done, or what does it best."""
    return _HOW.search(comparable(_GIVEN.sub(" ", message))) is not None


def by_rule(message: str, after: Sequence[str]) -> Need | None:
    """What the words alone decide; None when they do not."""
    text = " ".join(comparable(message).split())
    own = " ".join(_GIVEN.sub(" ", comparable(judged_text(message, after))).split())
    if not re.search(r"\w", text) or _SMALL_TALK.fullmatch(text):
        return Need(False, 0.0, "It is small talk.")
    if _PAST.search(_GIVEN.sub(" ", text)):
        return Need(True, 1.0, "It speaks of earlier conversations.")
    if after and _ABOUT_THE_ANSWER.fullmatch(text):
        return Need(False, 0.0, "It asks more about the last answer.")
    if _WRITES_TO.search(own) and not _ON_A_TEXT.search(own):
        return Need(True, 1.0, "It is to be written to somebody the user knows.")
    if _ASKS.search(own) and _OWN.search(own) and not _ON_A_TEXT.search(own):
        return Need(True, 1.0, "It asks about something of the user's own.")
    return None


def seen(message: str, after: Sequence[str]) -> dict[str, float]:
    """What code sees of a message, by name, each 0..1, for the learned weights."""
    whole = judged_text(message, after)
    words = _GIVEN.sub(" ", whole)
    text = comparable(words)
    found = {name: bool(pattern.search(text)) for name, pattern in _SIGNS.items()}
    found |= {
        "code": bool(_CODE.search(comparable(whole))),
        "name": bool(_NAME.search(words)),
        "tells": found["tells"] and not re.search("[?？]", text),
        "own_asked": found["own"] and found["asks"],
        "advice_speaker": found["advice"] and found["speaker"],
        "leans": whole != message,
        "wide": is_han(message),
    }
    return {name: float(value) for name, value in found.items()} | {"length": min(1.0, _width(whole) / 200)}


def _width(text: str) -> int:
    """Columns: a wide character counts two."""
    return sum(2 if ord(c) > 0x2E7F else 1 for c in text)
