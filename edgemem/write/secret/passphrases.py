"""Passwords that are plain words, and those named after they are told: "sunshine is my password", 密码是芝麻开门.

A word with digits or signs beside "password" is taken for one by ``masking``. Words alone are most often no password ("my password
is too long"), so here they must be all that is said of it: nothing that describes, asks or goes on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_NAMES = r"(?:pass(?:word|code|phrase|wd)s?|pwd)"
CODES = r"(?:cvv2?|cvc2?|(?:security|door|alarm|gate|entry|access|unlock|safe) code|(?:safe|lock|locker|padlock) combination)"
PIN = r"pin(?: code| number)?"
_NAMES_HAN = "(?:密码|口令|暗号|密碼)"
_OWNER = r"(?:my|our|the|their|his|her|your|that['’]s|this is)"
_OF = r"(?:\s+(?:for|to|of|on|at)(?:\s+(?:my|our|the|their|his|her))?(?:\s+(?!is\b|was\b)[\w'’-]+){1,3})?"

_DESCRIBES: Final = frozenset(
    """a an the my your our his her their its this that these those some any no not never ever always already also still just only really very too so quite
    pretty rather super extremely about almost nearly probably maybe now then here there in on at to for from with by under over behind inside like of
    as and or but if when because since until is are was were be been being has have had do does did can could will would should must may might
    what which who where why how i you he she it we they me him us them mine yours theirs ours every each one two three four five six seven eight nine ten twelve
    same different similar identical long longer short shorter weak weaker strong stronger wrong right correct incorrect invalid valid safe unsafe secure insecure easy hard
    simple difficult complicated complex terrible horrible awful great good bad better worse fine ok okay ready old new older newer empty blank random common unique public
    private secret weird strange silly stupid funny boring ridiculous foolish childish annoying clear plain default temporary temp permanent gone lost missing stuck broken dead due
    written kept known taken set reset hidden hashed saved stored none null unknown required optional see ask tbd n/a via per between enough up out off all everywhere nowhere
    somewhere something nothing anything everything impossible possible important crap rubbish hell obvious dangerous useless useful pointless endless meaningless painful
    sensitive case-sensitive insensitive lowercase uppercase alphanumeric numeric characters letters digits symbols numbers guessable memorable unguessable readable unreadable
    visible invisible available unavailable acceptable unacceptable ambiguous vulnerable hackable compatible confidential
    expired changed rejected refused accepted blocked locked compromised leaked shared stolen forgotten updated needed wanted printed reused deleted generated encrypted protected
    hacked revealed exposed disabled enabled outdated supposed based related called named derived used attached sealed cached taped pinned posted supported limited allowed typed
    entered mistyped misspelled cracked guessed breached sent lying
    changing working expiring failing getting going coming giving driving causing making taking being having killing bugging bothering confusing embarrassing lacking using
    becoming needing waiting pending showing appearing leaking circulating hanging sitting containing appalling alarming amazing disgusting worrying misleading looking asking
    actually currently basically usually apparently exactly clearly obviously seriously definitely completely totally incredibly surprisingly automatically recently randomly
    easily finally badly poorly barely hardly simply entirely fully literally honestly typically generally normally mostly possibly likely unlikely certainly absolutely fairly
    ridiculously painfully terribly horribly insanely stupidly relatively slightly weekly monthly yearly daily true false yes rotated""".split()
)
"""What is said of a password when it is not the password itself. A closed list: by their endings butterfly and goldfish were among them."""
_BEGINS: Final = frozenset({"impossible", "possible"})
"""Those that describe only as the first word: not "mission impossible"."""
_SHORTENED = re.compile(r"[a-z]+(?:n['’]t|['’](?:s|re|ve|ll|d))", re.IGNORECASE)
_SMILE = "(?:[\u2190-\u2bff\ufe0e\ufe0f\u200d\U0001f000-\U0001faff]|[:;]-?[)(DP])"
_STOP = rf"(?=\s*(?:{_SMILE}\s*)*(?:$|\n|[.,;!?)]+(?:\s|$)))"
_PLAIN_WORD = r"[^\W\d_](?:[^\W\d_]|['’-])*"
_AFTER = re.compile(
    rf"\b(?P<name>{_NAMES}){_OF}\s*(?:(?:\b(?:is now|is set to|was set to|changed to|is|was|=)(?=\s))|[:=])\s*(?:[:=]\s*)?"
    rf"(?P<value>{_PLAIN_WORD}(?: {_PLAIN_WORD}){{0,6}}){_STOP}",
    re.IGNORECASE,
)
_PURPOSES: Final = frozenset(
    """expire get log avoid stop keep make prevent protect match include use see test try fix start enable unlock access check share help work give let
    meet satisfy comply reflect contain have allow force gain join connect enter open continue save""".split()
)
"""What one changes a password "to": no password, but what for."""
_CHANGED = re.compile(
    rf"\b(?:changed?|changing|set|setting|reset|resetting|updated?|switched)\s+(?:(?:my|our|the|his|her|their|your)\s+)?(?:[\w'’-]+\s+){{0,3}}?(?P<name>{_NAMES}){_OF}\s+(?:back\s+)?to\s+[\"'“‘]?"
    rf"(?P<value>{_PLAIN_WORD}(?: {_PLAIN_WORD}){{0,6}})[\"'”’]?{_STOP}",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    rf"(?:^|(?<=[.,;!?:\n])|(?<=\band)|(?<=\bbut)|(?<=\bso)|(?<=\bbtw))\s*(?P<value>[\"'“‘]?[^\s.,;!?\n][^,;!?\n]{{2,60}}?[\"'”’]?)\s+(?:is|was|will be)\s+{_OWNER}\s+"
    rf"(?P<name>(?:[\w'’-]+\s+){{0,3}}?{_NAMES}\b)(?!['’\w])(?=\s*(?:{_SMILE}\s*)*(?:$|[.,;!?)\n]|(?:for|to|of|on|at|now|and|but|btw|by|please|so)\b))",
    re.IGNORECASE,
)
_CODE_AFTER = re.compile(
    rf"\b(?P<name>{CODES})(?: on [\w ]{{2,20}})?\s*(?:(?:is|was|=)(?=\s)|[:=])?\s*(?P<value>\d{{3,8}}(?!\d|[.,:/]\d)[^\s,;.!?)，。！？；、]*)",
    re.I,
)
_COMBINATION = re.compile(
    r"\b(?P<name>(?:safe|lock|locker|padlock)(?:['’]s)? combination|combination (?:to|of|for|on) (?:the|my|our|his|her|their) (?:\w+ )?(?:safe|lock|locker|padlock))"
    r"\s*(?:(?:is|was|=)(?=\s)|[:=])?\s*(?P<value>\d{1,4}(?:(?: ?- ?| )\d{1,4}){1,5})(?!\w)",
    re.I,
)
_CONTACT = (
    r"(?:gpio|input|output|reset|power|ground|data|digital|analog|analogue|relay|led|sensor|board|header|clock|signal)"
)
_BEFORE_PIN = 60
_OWNED_PIN = re.compile(
    rf"\b(?:(?:my|our|his|her|their|your)\s+(?:(?!{_CONTACT}\b)[\w'’-]+\s+){{0,3}}|(?:card|bank|sim|phone|debit|credit|atm|door|gate)\s+)$",
    re.I,
)
_THE_PIN = re.compile(
    rf"(?:\b(?:the|old|new)\s+(?:(?!{_CONTACT}\b)[\w'’-]+\s+){{0,3}}|(?:^|[.,;!?:\n])\s*(?:(?:and|so|btw|ok|oh)\s+)?)$",
    re.I,
)
_IS_PIN = re.compile(r"\s*(?:(?:for|to|of|on)\s+(?:[\w'’-]+\s+){1,4}?)?(?:is|was|=)\b", re.I)
_SET = re.compile(r"\b(?:set|changed?|changing|reset)\s+(?:(?:the|an?|new|old)\s+){0,2}$", re.I)
_SET_TO = re.compile(r"\s+to\b", re.I)
_THING = re.compile(r"\s+(?:boards?|badges?|cushions?|maps?|wheels?|heads?|layouts?|posts?|holes?)\b", re.I)
_TOLD_PIN = re.compile(r"\s*[:=：]")
_POSTCODE = re.compile(r"\W*(?:(?:is|was)\s+)?\d{6}\s+(?:in|is)\s+\w", re.I)
_PHRASE_HAN = 4
"""Characters from which 我 and 你 may stand in a password."""
_CODE_BEFORE = re.compile(
    rf"(?<![\w.,:/-])(?P<value>\d{{3,8}})\s+(?:is|was)\s+{_OWNER}\s+(?P<name>(?:[\w'’-]+\s+){{0,3}}?(?:{CODES}|{_NAMES}|{PIN})\b)",
    re.I,
)
_CODE_HAN = re.compile(
    "(?P<name>安全码|校验码|CVV|卡背面的?(?:三位)?数)(?:就?是|为)?[：:\\s]*(?P<value>\\d{3,4})(?!\\d)", re.I
)

_DESCRIBES_HAN = re.compile(
    "什么|多少|几|第|页|见|位|忘|错|对的|正确|不对|一样|同一|随便|自动|默认|随机|上次|[写存放在用由怎谁啥太很挺非最不没无空]|公开|保密|加密|安全|简单|复杂|必须|需要|可以|要|[会能让该改换设丢泄找记]"
    "|生日|手机号|电话|名字|拼音|姓名|身份证|学号|车牌|指纹|人脸|[这那哪它他她]|一[个串样]|大写|小写|字母|数字|英文|中文|的|了$|以[前后]"
)
_OF_ME_HAN = re.compile("[我你]")
_DOES_HAN = re.compile("[想编猜试起取定管知看选帮叫拿问听发告做弄搞负责输]")
"""Not 我爱北京, which may be one: 我妈管着."""
_PLACE_HAN = re.compile("[下上一二三四五六七八九十]+[步关项条题点章]|关键|问题|重点|难点|接下来|答案|原因|前提|最后")
"""What is no password before 是密码: 下一步是密码."""
_OWNED_HAN = re.compile(f"(?!{_NAMES_HAN}).")
_AFTER_HAN = re.compile(
    f'(?P<name>{_NAMES_HAN})(?:就是|是|为|叫|设[为成]了?|改[为成]了?|[：:])\\s*[“"「]?(?P<value>[一-鿿]{{3,12}})(?=[”"」]?(?:\\s|{_SMILE}|$|[，。！；、]|[,.!;](?:\\s|$)))'
)
_BEFORE_HAN = re.compile(
    f'(?:^|(?<=[，。！；：,.!;:\\s]))[“"「]?(?P<value>[^\\s，。！？；：,.!?;:“”"「」]{{3,24}}?)[”"」]?\\s*(?P<only>就|才)?是(?P<name>[^\\s，。！？,.!?是]{{0,10}}?{_NAMES_HAN})(?=[了哦啊呢吧]?\\s*(?:$|{_SMILE}|[，。！；,.!;\\n]))'
)


def spots(text: str) -> Iterator[tuple[int, int, int]]:
    """From where to where such a secret stands with its name, and where it begins itself: start, bare, end."""
    for pattern in (_CODE_AFTER, _COMBINATION, _CODE_BEFORE, _CODE_HAN):
        yield from (_span(found, *found.span("value")) for found in pattern.finditer(text))
    for found in (*_AFTER.finditer(text), *_CHANGED.finditer(text)):
        if _are_words_of_one(found["value"]) and not (found.re is _CHANGED and _first(found["value"]) in _PURPOSES):
            yield _span(found, *found.span("value"))
    yield from (_span(found, *_bare(found)) for found in _BEFORE.finditer(text) if _may_be_told_first(found["value"]))
    yield from (_span(m, *m.span("value")) for m in _AFTER_HAN.finditer(text) if _are_signs_of_one(m["value"]))
    yield from (_span(m, *m.span("value")) for m in _BEFORE_HAN.finditer(text) if _may_be_told_first_han(m))


def pin_at(text: str, start: int, end: int) -> bool:
    """Whether "pin" from ``start`` to ``end`` is a number to keep secret: with an owner or a colon, and neither a contact nor a postcode."""
    if _POSTCODE.match(text, end) or _THING.match(text, end):
        return False
    before = text[max(0, start - _BEFORE_PIN) : start]
    if _OWNED_PIN.search(before) or _TOLD_PIN.match(text, end):
        return True
    told = _THE_PIN.search(before) and _IS_PIN.match(text, end)
    return bool(told or (_SET.search(before) and _SET_TO.match(text, end)))


def may_be_value(word: str) -> bool:
    """Whether one word in a field that is named as a secret can be it: nothing that describes one."""
    plain = word.strip().lower()
    one = len(plain.split()) == 1 and re.search(r"\w", plain) is not None
    return one and plain not in _DESCRIBES and _DESCRIBES_HAN.search(plain) is None


def _span(found: re.Match[str], bare: int, end: int) -> tuple[int, int, int]:
    return min(found.start("name"), bare), bare, end


def _bare(found: re.Match[str]) -> tuple[int, int]:
    """Without quotation marks around it."""
    start, end = found.span("value")
    return start + (found["value"][0] in "\"'“‘"), end - (found["value"][-1] in "\"'”’")


def _are_words_of_one(value: str) -> bool:
    """Whether words can be a password: none of them describes one. Of several "correct" may begin it, "impossible" end it."""
    words = value.lower().replace("’", "'").split()
    if len(value) < 4:
        return False
    first = words[0] == "correct" and len(words) > 2
    return not any(
        (word in _DESCRIBES and (n == 0 or word not in _BEGINS)) or _SHORTENED.fullmatch(word)
        for n, word in enumerate(words)
        if n >= first
    )


def _first(value: str) -> str:
    return value.lower().split()[0]


def _are_signs_of_one(value: str) -> bool:
    """Whether Chinese characters can be a password: of what begins to tell about it only 我 and 你, in a phrase that does nothing with it."""
    if _DESCRIBES_HAN.search(value):
        return False
    return _OF_ME_HAN.search(value) is None or (len(value) >= _PHRASE_HAN and _DOES_HAN.search(value) is None)


def _may_be_told_first_han(found: re.Match[str]) -> bool:
    """Whether what stands before 是密码 is one: Chinese words alone only with an owner after 是, or with 就."""
    if not _are_signs_of_one(found["value"]) or _PLACE_HAN.search(found["value"]):
        return False
    return bool(found["only"] or _OWNED_HAN.match(found["name"]) or re.search("[a-zA-Z0-9]", found["value"]))


def _may_be_told_first(value: str) -> bool:
    """Whether what "is my password" can be one: a word with digits or signs, or words that name nothing else."""
    plain = value.strip("\"'“”‘’")
    return _are_words_of_one(plain) and len(plain.split()) <= 6
