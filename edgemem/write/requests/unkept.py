"""Whether the user asks that what was said be not remembered: then no memory is made of it.

Wider than ``requests``, which erases: what this one takes too much costs a memory, which the log still has. A request
to keep something out of the memory counts wherever it stands; taking one's words back ("strike that", 当我没说) only
when the message is nothing else, since a correction often begins so.
"""

from __future__ import annotations

import re

from edgemem.text import fold
from edgemem.write.requests.requests import BEFORE, FILLERS

# Where a request begins: "never save this", but not "I never save any money" or "don't forget that".
_ASKED = r"(?:^|[^\w\s'-]\s*|\n\s*|\b(?:please|pls|and|but|so|just|ok|okay|well|actually|oh|you to|can you|could you|you can|you should)\s+)"
_PLAIN = (
    rf"{_ASKED}(?:do ?n[o']?t|please don'?t|never|no need to)\s+(?:you\s+)?(?:\w+\s+)?(?:remember|save|store|keep|record|note|memorise|memorize|log)"
    r"\s+(?:this|that|it|any|what|the (?:last|above|previous))"
    rf"|\boff the record\b|{_ASKED}(?<!n't want you to )forget (?:that|this|it|what i|i (?:said|told|mentioned))"
    r"|\b(?:delete|erase|remove) (?:that|this|it|what i said) from (?:your )?memory\b"
    r"|(?:别|不要|不用|请勿|勿|无需|不必)(?:把)?(?:这个|这些|这条|这事|这句|那个|它|刚才的?|上面的?|上一条)?(?:话|事|内容)?(?:给我)?"
    r"(?:记|存|保存|记录|记住|记下|存进|写进|留存)(?![性错混仇恨挂])"
    r"|(?:不许|不准|禁止|不能|不可以|请别|别)(?:留档|留存|存档|备份|入库|保留)"
    r"|(?<![我他她它们你别要没不都会点经])(?:忘了|忘掉|忘记)(?:这|那|它|我刚|刚才|上面)|从记忆里删|(?:这|那|刚才).{0,8}(?:不要存|别存|不存|不要记|别记|删掉|忘掉)"
)

_SAID = r"(?:what|anything|everything) i(?:'ve| have)?(?: just)? (?:said|told you|mentioned|wrote|shared|typed|sent)"
_THING = (
    rf"(?:(?:any of |all of )?(?:this|that|it|these|those)(?: (?:one|message|sentence|bit|part))?|the rest(?: of (?:it|this|that))?|(?:anything|everything) else|my (?:home |real |full |phone |mobile |email |bank )?(?:address|number|name|age|birthday|salary|income|e-?mail|location|diagnosis|details|data|health|medical history)|{_SAID}"
    r"|(?:the|my) (?:last|previous|above) (?:message|thing|sentence|one|part|bit))"
)
_STORE = r"(?:your |the |any |long.?term )*(?:memory|memories|notes?|records?|logs?|history|files?|profile)"
_KEEP = (
    r"(?:remember|memori[sz]e|save|store|keep|record|note|log|retain|hold on to|hang on to|write down|make a note of)"
)
_KEPT = r"(?:remembered|memori[sz]ed|saved|stored|kept|recorded|noted|logged|retained|written down)"
_NOT = r"(?:do ?n[o']?t|never|please not|(?:let's|let us) not)"
_ENGLISH = (
    rf"\bi(?:'d| would) (?:rather|prefer)(?: it)?(?: that| if)? (?:you )?(?:not|did ?n[o']?t|do ?n[o']?t) {_KEEP} {_THING}",
    rf"\bi (?:do ?n[o']?t|would ?n[o']?t) (?:want|like|wish) (?:you to|to have you|to see you) {_KEEP} {_THING}",
    rf"\bi (?:do ?n[o']?t|would ?n[o']?t) (?:want|like|wish)(?: to have| to see)? {_THING} (?:to be )?(?:{_KEPT}|in {_STORE})\b",
    rf"\byou (?:need ?n[o']?t|must ?n[o']?t|should ?n[o']?t|(?:do ?n[o']?t|never) (?:need|have) to) {_KEEP} {_THING}",
    rf"{_ASKED}{_NOT} (?:{_KEEP} {_THING}|(?:write|note|take|jot|put) {_THING} down\b)",
    rf"{_ASKED}{_NOT} (?:commit|add|put|write|note) {_THING} (?:to|into|in) {_STORE}",
    rf"{_ASKED}(?:keep|leave) {_THING} (?:out of|off|away from) {_STORE}",
    rf"{_ASKED}(?:scratch|wipe|purge|clear|erase|delete|remove|drop|strike) {_THING} (?:from|out of|off) {_STORE}",
    r"\b(?:purge|erase|delete|wipe|clear|remove) (?:the|my) (?:last|previous|above) (?:message|thing|sentence|one|part|bit)\b|\bunremember\b",
    r"(?:\bnot|n't) (?:for|on) (?:the|your|any) (?:record|memory|notes?|log)\b|\bno notes? (?:on|about|of) (?:this|that|it)\b",
    rf"\b{_THING} (?:is ?n[o']?t|are ?n[o']?t|is not|are not|should not|should ?n[o']?t|must not|must ?n[o']?t)(?: to)?(?: be)? {_KEPT}\b",
)
_NEITHER = r"(?<![我他她它们])(?:别|不要|不用|不必|无需|无须|请勿|切勿|勿|甭|不许|不准|不能|不可以|不该)(?!忘)(?:再|让|给|帮|替|把|将|往|在|我|你|它)*"
_UNWANTED = r"(?:不想|不希望|不愿意?|不想要|不用|不要)(?:让)?你(?:再|帮我|替我)?"
_MEMORY = r"(?:记忆|记录(?!仪|片)|备忘(?!录音)|档案|日志|存档|数据库|笔记(?!本))"
_INFO = r"(?:话|事情?|信息|消息|内容|[条句段]|[说讲提聊发写]的)"
_BACK = r"(?:这|那|刚才|刚刚|上面|前面|上一|我刚|方才)"
_VERB = r"(?:记|写下|保存|留存|留档|存档|录入|收录|归档|入库)"
_CHINESE = (
    rf"{_NEITHER}[^。！？，,.!?\n]{{0,6}}(?:你的|你那)?{_MEMORY}(?:里面?|中)",
    rf"{_NEITHER}[^。！？，,.!?\\n]{{0,6}}(?:进|入|到|在)(?:你的|你那){_MEMORY}",
    rf"{_NEITHER}(?:{_BACK}[^。！？，,.!?\n]{{0,6}})?(?:留|做|作|写|进|放进|存进|写进){_MEMORY}",
    rf"{_BACK}[^。！？，,.!?\n]{{0,8}}{_NEITHER}(?:{_VERB})(?![性错混仇恨挂])",
    rf"{_BACK}[^。！？，,.!?\n]{{0,4}}{_INFO}[^。！？，,.!?\n]{{0,4}}{_NEITHER}(?:留|存|保留)",
    rf"{_UNWANTED}(?:{_VERB}|留着|存)[^。！？，,.!?\n]{{0,4}}(?:这|那|它|刚|上面|前面|我[说讲])",
    rf"{_BACK}[^。！？.!?\n]{{0,4}}(?:{_INFO}|那个|这个)[，,]?(?!代码|文件|文档|图)[^。！？，,.!?\n]{{0,6}}(?:抹去|抹掉|清除|清掉|删掉|删除|删了|擦掉|去掉)",
    rf"(?:清除|删掉|删除|删了|抹掉|抹去|擦掉)(?:掉)?(?:我)?{_BACK}[^。！？，,.!?\n]{{0,4}}{_INFO}",
)
_UNKEPT = re.compile("|".join((_PLAIN, *_ENGLISH, *_CHINESE)))
_WITHDRAWN = re.compile(
    rf"(?:let's )?pretend (?:that )?i (?:did ?n[o']?t|never|did not) (?:say|said|tell you|told you|mention(?:ed)?|write|wrote|sen[dt]|type[d]?)(?: {_THING}| anything)?"
    rf"|(?:strike|scratch|disregard|ignore|unsay) (?:{_THING})|you (?:can|may|could) forget (?:about )?{_THING}|i take {_THING} back|i take back {_THING}"
    r"|(?:[这那刚上前][^。！？，,.!?\n]{0,7})?(?:就)?(?:你)?(?:就)?(?:当|当作|当做)(?:我|你)?(?:从)?没(?:说|讲|提|发|看到|看见|听见|听到)(?:过)?(?:[这那刚上前][^。！？，,.!?\n]{0,5})?"
    r"|(?:我)?撤回(?:我)?(?:刚才|刚刚|上一|上面|前面|那)[^。！？，,.!?\n]{0,6}|(?:刚才|刚刚|上一|上面|前面|那)[^。！？，,.!?\n]{0,6}(?:撤回|不算数?|不作数|作废)"
    r"|[聊说讲]完(?:了)?(?:就|请)?(?:忘|删)[了掉]?(?:它|吧)*"
)
_MORE_FILLERS = re.compile(
    r"\b(?:um|uh|never ?mind|my bad)\b|(?:等一下|抱歉|算了|删了|别往心里记|别往心里去|[吗好了就])+"
)

_TELLING = re.compile(r"\b(?:i|i['’]\w+|im|ive|my|mine|we|we['’]\w+|our)\b|[我咱俺]")
_THAT = re.compile(r"\b(?:that|it|those)\b|[那它]")
_WISHES = re.compile(
    r"\bi(?:['’]d| would)? (?:just |only |really )?(?:want|need|like|mean|wanted|needed)\b|\b(?:can|could|may|should|do|did) i\b"
    r"|\b(?:help|tell|give|show|let|ask) me\b|[帮给跟替问教让对告诉陪]+我|我(?:就|只)?(?:是)?(?:想|要|需要)"
)
"""First persons that ask for something and tell nothing."""

_COMMON = frozenset(
    "about after again also alway anyth been before being could does doing dont even every from going have havin here into just know like maybe more much need neve never"
    " next only other over please reall really same should some somet still that their them then there these they thing think this those today very want was week well"
    " were what when where which while will with woul would year years your".split()
)
_COMMON_HAN = re.compile(
    "[的了是我你他她它这那在有不也就都和跟很说着吧啊呢吗要会能可把被给让个些点没还又再但而]|今天|昨天|明天|最近|现在|时候|时间|事情|一下|一点"
)


_THIS_CHAT = r"(?:this|our|the current|the whole|the entire) (?:chat|conversation|session|thread|talk|discussion)"
_CHAT = re.compile(
    rf"\b(?:nothing|none|no part|not a word|not a thing) (?:from|of|in|about|said in) {_THIS_CHAT}(?! (?:works?|helped|makes|made|was|is (?:new|wrong|right|useful)))"
    rf"|{_NOT} {_KEEP} (?:anything|a thing|any of what i say|a word|what(?:ever)? i say) (?:from|of|in|about|during|said in) {_THIS_CHAT}"
    rf"|{_ASKED}{_NOT} {_KEEP} {_THIS_CHAT}|\b(?:keep|leave) {_THIS_CHAT} (?:out of|off|away from) {_STORE}"
    rf"|\b{_THIS_CHAT} (?:is|should be|must be|stays?|remains?) (?:off the record|temporary|incognito|private,? do|not (?:to be )?{_KEPT})"
    rf"|\btreat {_THIS_CHAT} as (?:temporary|incognito|off the record|throwaway)|\bforget (?:all of |everything (?:in|from) )?{_THIS_CHAT} (?:after|when|once|later)"
    r"|(?:这次|本次|这个|这段|这一段|今天|咱们?这次|我们这次)(?:的)?(?:聊天|对话|会话|谈话|聊的)(?:的)?(?:内容|东西|事)?[^。！？，,.!?\n]{0,6}(?:不要|别|不用|不必|勿|不许|不准)(?:被|给我|再)?(?:记|存|保存|保留|留)(?!性)"
    r"|(?:只|就|仅)?在?(?:这次|本次|这个|当前)(?:聊天|对话|会话)(?:里|中|内)?[^。！？\n]{0,16}(?:不要|别|不用)(?:记|存|保存)(?!性)"
    r"|(?:不要|别|不用|不必|不许)(?:记|保存|存|记录|保留)(?:住|下)?(?:这次|本次|这段|这个|咱们?的?|我们的?)(?:的)?(?:聊天|对话|会话|谈话)|(?:开|进入|用)(?:个)?(?:无痕|隐身|临时)(?:对话|聊天|会话)"
)
CHAT_WORDS = ("chat", "conversation", "session", "thread", "talk", "discussion", "聊", "对话", "会话", "谈话")
"""Every request of ``of_chat`` has one of these."""


def of_chat(message: str) -> bool:
    """Whether the user asks that nothing of the whole conversation be kept: "nothing from this chat, please"."""
    return _CHAT.search(fold(message)) is not None


def asks_not_to_keep(message: str) -> bool:
    """Whether the user asks that what was said be not remembered, in English or Chinese."""
    folded = fold(message)
    return _request(folded) is not None or _CHAT.search(folded) is not None


def of_before(message: str) -> bool:
    """Whether such a request is of what was said before it: it says so, or the message tells nothing of its own."""
    folded = fold(message)
    found = _request(folded)
    if found is None:
        return False
    rest = re.match(r"[^,.;:!?，。；：！？\n]*", folded[found.end() :])
    if BEFORE.search(found[0] + (rest[0] if rest else "")) is not None:
        return True
    if _tells(folded[: found.start()]):
        return False
    # "Don't keep that. I still have to tell my boss": that is what was said before; "don't keep this: I …" is not.
    return not _tells(folded[found.end() :]) or _THAT.search(found[0]) is not None


def reaches(message: str, before: str) -> bool:
    """Whether such a request means the message before it too: it is of that, or tells of the same things."""
    folded = fold(message)
    found = _request(folded)
    if found is None:
        return False
    return of_before(message) or not _things(_around(folded, found)).isdisjoint(_things(fold(before)))


def _things(folded: str) -> set[str]:
    """Stems of longer words, and pairs of Han characters that stand for something."""
    stems = {word[:5] for word in re.findall(r"[^\W\d_一-鿿]{4,}", folded)} - _COMMON
    pairs = {run[i : i + 2] for run in re.findall("[一-鿿]{2,}", folded) for i in range(len(run) - 1)}
    return stems | {pair for pair in pairs if _COMMON_HAN.search(pair) is None}


def _tells(folded: str) -> bool:
    return _TELLING.search(_WISHES.sub(" ", folded)) is not None


def _request(folded: str) -> re.Match[str] | None:
    found = _UNKEPT.search(folded)
    if found is None and (found := _WITHDRAWN.search(folded)) is not None:
        alone = re.search(r"\w", _MORE_FILLERS.sub(" ", FILLERS.sub(" ", _around(folded, found)))) is None
        return found if alone else None
    return found


def _around(folded: str, found: re.Match[str]) -> str:
    return f"{folded[: found.start()]} {folded[found.end() :]}"
