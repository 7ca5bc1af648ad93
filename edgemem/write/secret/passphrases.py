"""Passwords that are plain words, and those named after they are told: "sunshine is my password", 密码是芝麻开门.

A word with digits or signs beside "password" is taken for one by ``masking``. Words alone are most often no password ("my password
is too long"), so here they must be all that is said of it: nothing that describes, asks or goes on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_NAMES = r"(?:pass(?:word|code|phrase|wd)s?|pwd)"
_CODES = (
    r"(?:cvv2?|cvc2?|(?:security|door|alarm|gate|entry|access|unlock|safe) code|safe combination|pin(?: code| number)?)"
)
_NAMES_HAN = "(?:密码|口令|暗号|密碼)"
_OWNER = r"(?:my|our|the|their|his|her|your|that['’]s|this is)"
_OF = r"(?:\s+(?:for|to|of|on|at)(?:\s+(?:my|our|the|their|his|her))?(?:\s+(?!is\b|was\b)[\w'’-]+){1,3})?"

_DESCRIBES: Final = frozenset(
    """a an the my your our his her their its this that these those some any no not never always already also still just only really very too so quite
    pretty rather super extremely about almost nearly probably maybe now then here there in on at to for from with by under over behind inside like
    as and or but if when because since until is are was were be been being has have had do does did can could will would should must may might
    what which who where why how i you he she it we they me him us them mine yours theirs ours
    same different similar identical long longer short shorter weak strong stronger wrong right correct incorrect invalid valid safe unsafe secure insecure easy hard
    simple difficult complicated complex terrible awful great good bad better worse fine ok okay ready old new older newer empty blank random common unique public
    private secret weird strange silly stupid funny boring ridiculous annoying clear plain default temporary temp permanent gone lost missing stuck broken dead due
    written kept known taken set reset hidden hashed saved stored none null unknown required optional see ask tbd n/a via per between enough up out off all everywhere nowhere
    somewhere something nothing anything everything impossible possible important crap rubbish hell""".split()
)
"""How what is said of a password begins, or goes on, when it is not the password itself."""
_DESCRIBING = re.compile(
    r"[a-z]+(?:ed|ing|ous|able|ible|ful|less|ive|ish|ly|ally)|[a-z]+(?:n['’]t|['’](?:s|re|ve|ll|d))", re.IGNORECASE
)
_STOP = r"(?=\s*(?:$|\n|[.,;!?)]+(?:\s|$)))"
_PLAIN_WORD = r"[^\W\d_](?:[^\W\d_]|['’-])*"
_AFTER = re.compile(
    rf"\b(?P<name>{_NAMES}){_OF}\s*(?:(?:\b(?:is now|is set to|was set to|changed to|is|was|=)(?=\s))|[:=])\s*(?:[:=]\s*)?"
    rf"(?P<value>{_PLAIN_WORD}(?: {_PLAIN_WORD}){{0,6}}){_STOP}",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    rf"(?:^|(?<=[.,;!?:\n])|(?<=\band)|(?<=\bbut)|(?<=\bso)|(?<=\bbtw))\s*(?P<value>[\"'“‘]?[^\s.,;!?\n][^,;!?\n]{{2,60}}?[\"'”’]?)\s+(?:is|was|will be)\s+{_OWNER}\s+"
    rf"(?P<name>(?:[\w'’-]+\s+){{0,3}}?{_NAMES}\b)(?!['’\w])(?=\s*(?:$|[.,;!?)\n]|(?:for|to|of|on|at|now|and|but|btw|by|please|so)\b))",
    re.IGNORECASE,
)
_CODE_AFTER = re.compile(
    rf"\b(?P<name>{_CODES})(?: on [\w ]{{2,20}})?\s*(?:(?:is|was|=)(?=\s)|[:=])?\s*(?P<value>\d{{3,8}}(?!\d|[.,:/]\d)[^\s,;.!?)，。！？；、]*)",
    re.I,
)
_CODE_BEFORE = re.compile(
    rf"(?<![\w.,:/-])(?P<value>\d{{3,8}})\s+(?:is|was)\s+{_OWNER}\s+(?P<name>(?:[\w'’-]+\s+){{0,3}}?(?:{_CODES}|{_NAMES})\b)",
    re.I,
)
_CODE_HAN = re.compile(
    "(?P<name>安全码|校验码|CVV|卡背面的?(?:三位)?数)(?:就?是|为)?[：:\\s]*(?P<value>\\d{3,4})(?!\\d)", re.I
)

_DESCRIBES_HAN = re.compile(
    "什么|多少|几|第|页|见|位|忘|错|对的|正确|不对|一样|同一|随便|自动|默认|随机|上次|[写存放在用由怎谁啥太很挺非最不没无空]|公开|保密|加密|安全|简单|复杂|必须|需要|可以|要|[会能让该改换设丢泄找记]"
    "|生日|手机号|电话|名字|拼音|姓名|身份证|学号|车牌|指纹|人脸|[这那哪它他她我你]|一[个串样]|大写|小写|字母|数字|英文|中文|的|了$|以[前后]"
)
_AFTER_HAN = re.compile(
    f'(?P<name>{_NAMES_HAN})(?:就是|是|为|叫|设[为成]了?|改[为成]了?|[：:])\\s*[“"「]?(?P<value>[一-鿿]{{3,12}})(?=[”"」]?(?:\\s|$|[，。！；、]|[,.!;](?:\\s|$)))'
)
_BEFORE_HAN = re.compile(
    f'(?:^|(?<=[，。！；：,.!;:\\s]))[“"「]?(?P<value>[^\\s，。！？；：,.!?;:“”"「」]{{3,24}}?)[”"」]?\\s*(?:就|才)?是(?P<name>[^\\s，。！？,.!?是]{{0,10}}?{_NAMES_HAN})(?=[了哦啊呢吧]?\\s*(?:$|[，。！；,.!;\\n]))'
)


def spots(text: str) -> Iterator[tuple[int, int, int]]:
    """From where to where such a secret stands with its name, and where it begins itself: start, bare, end."""
    for pattern in (_CODE_AFTER, _CODE_BEFORE, _CODE_HAN):
        yield from (_span(found, *found.span("value")) for found in pattern.finditer(text))
    yield from (
        _span(found, *found.span("value")) for found in _AFTER.finditer(text) if _are_words_of_one(found["value"])
    )
    yield from (_span(found, *_bare(found)) for found in _BEFORE.finditer(text) if _may_be_told_first(found["value"]))
    for pattern in (_AFTER_HAN, _BEFORE_HAN):
        yield from (_span(m, *m.span("value")) for m in pattern.finditer(text) if not _DESCRIBES_HAN.search(m["value"]))


def _span(found: re.Match[str], bare: int, end: int) -> tuple[int, int, int]:
    return min(found.start("name"), bare), bare, end


def _bare(found: re.Match[str]) -> tuple[int, int]:
    """Without quotation marks around it."""
    start, end = found.span("value")
    return start + (found["value"][0] in "\"'“‘"), end - (found["value"][-1] in "\"'”’")


def _are_words_of_one(value: str) -> bool:
    """Whether words can be a password: none of them describes one. Of several "correct" may begin it."""
    words = value.lower().replace("’", "'").split()
    if len(value) < 4:
        return False
    first = words[0] == "correct" and len(words) > 2
    return not any(word in _DESCRIBES or _DESCRIBING.fullmatch(word) for word in words[first:])


def _may_be_told_first(value: str) -> bool:
    """Whether what "is my password" can be one: a word with digits or signs, or words that name nothing else."""
    plain = value.strip("\"'“”‘’")
    return _are_words_of_one(plain) and len(plain.split()) <= 6
