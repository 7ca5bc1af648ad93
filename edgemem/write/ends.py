"""What a new memory takes back of an old one, where its words tell: ends, reasons, likings.

The relation head hears a contradiction in nearly every "no longer", and in many an addition. These rules keep what is still true.
"""

from __future__ import annotations

import re
from typing import Final

from edgemem.text import fold, query_tokens
from edgemem.write.guards import numbers
from edgemem.write.verify import negated

_ENDED = re.compile(
    r"^The user (?:(?:does|is|has|do)(?:n['’]t| not) (?P<a>[^,;:.]+?) any ?more|(?:is |does )?no longer (?P<b>[^,;:.]+)|(?:has |have )?(?:stopped|quit|gave up|given up) (?P<c>[^,;:.]+))\.?$"
    r"|^用户(?:已经|现在|早就)?(?:(?:不再|再也不|没再|不)(?P<d>[^，。；：]{1,16}?)了?|戒(?:掉)?了?(?P<e>[^，。；：]{1,10}?)了?)。?$",
    re.IGNORECASE,
)
_WIDE = re.compile(
    r"\b(?:drinks?|eats?|uses?|using|drinking|eating|has|have|takes?|taking|goes|going|buys?|buying|works?|working|lives?|living|plays?|playing|watch(?:es|ing)?|keeps?|keeping|to|the|a|an|at|in|on|with|for|of|and|or|their|any|all|so|much"
    r"|mornings?|evenings?|afternoons?|nights?|weekends?|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|every|day|week)\b"
    r"|[喝吃用去跟和在住的养打看听玩抽]|上班|上学|每天|早上|晚上|周末"
)
"""Words of an end that do not say what ends."""

_SWITCHED = re.compile(
    r"\b(?:switched|moved|changed|converted) (?:from [^,;:.]+ )?to\b|\binstead\b|改[用成喝吃]|换[成了到]"
)
"""What says that something took the place of something else: that is not ended by the end of the other."""

_KINDS: Final = (
    ("alcohol drink drinking 酒", "wine beer whisky whiskey gin vodka rum cider merlot cocktail champagne brandy lager 红酒 啤酒 白酒 黄酒 葡萄酒 威士忌"),
    ("meat 肉", "beef pork lamb chicken steak bacon ham sausage burger duck turkey 牛肉 羊肉 猪肉 鸡肉 牛排 烤鸭 排骨 火腿 牛腩"),
    ("smoking smoke cigarette 烟", "cigarette cigar pipe smok 抽烟 吸烟 香烟"),
    ("football soccer 足球", "premier league uefa bundesliga football soccer 英超 西甲 中超 德甲 意甲 欧冠 世界杯"),
    ("dairy 奶 乳制品", "milk cheese yoghurt yogurt butter cream 牛奶 酸奶 奶酪 黄油"),
    ("coffee 咖啡", "espresso latte cappuccino americano 拿铁 美式 卡布奇诺"),
    ("sugar sweets 糖 甜食", "cake chocolate candy dessert 蛋糕 巧克力 甜品 奶茶"),
    ("job", "work works"),
    ("drive driving car 开车", "car drive 汽车 私家车"),
)  # fmt: skip
"""A word of an end, and what belongs to it: who gave up alcohol no longer drinks wine."""


_ABOUT: Final = "the user is now no longer not doesn't gave up stopped quit last this next week month year any more anymore switched only just also and instead but she he they it their them"
_GRAMMAR = re.compile(r"^(?:用户|户.|.户|现在|不再|已经|.了|了.|不.|[现在了不再也还就都很])$")


def ends_another(old: str, new: str) -> bool:
    """Whether a new memory only tells the end of something that the old one does not speak of: who no longer drinks coffee may
    still drink tea. "Eats only fish" is not ended by "no longer eats meat" either."""
    ended = _ended(new)
    if ended is None or _ENDED.match(old) is not None:
        return False
    said = fold(ended)
    words = _stems(_WIDE.sub(" ", said)) or _stems(said)
    met = {word for word in words if speaks_of(fold(old), word)}
    if not words:
        return False
    return met != words if _SWITCHED.search(fold(old)) else not met


def telling(text: str) -> set[str]:
    """The words of a memory that say what it is about, without their endings: who, when and the doing itself left out."""
    said = fold(_ended(text) or text)
    words = _stems(_WIDE.sub(" ", said)) - _stems(_ABOUT) or _stems(said) - _stems(_ABOUT)
    return {word for word in words if not _GRAMMAR.search(word)}


def _ended(text: str) -> str | None:
    found = _ENDED.match(text)
    return next((part for part in found.groups() if part), None) if found is not None else None


def speaks_of(text: str, word: str) -> bool:
    """Whether a sentence holds a word, one of its kind, or, of a single Han character, that character."""
    words = _stems(text)
    if word in words or (not word.isascii() and word in text):
        return True
    belonging = next((members.split() for names, members in _KINDS if word in map(_stem, names.split())), ())
    return any(_stem(one) in words if one.isascii() else one in text for one in belonging)


_ADDITION = re.compile(
    r",? (?:because|since|so that)\b|, not\b| (?:instead of|rather than)\b|[，,]而?不(?!过)|[，,]?(?:因为|由于)"
)
"""Where a reason, or the other of two things, begins, behind what a sentence says."""


def adds_only(old: str, new: str) -> bool:
    """Whether two memories say the same up to a reason or what it is not: "takes the tram, not the car" takes nothing back of
    "takes the tram because parking is dear". A denial may well, or a number: "since 2019"; and so may what both speak of there."""
    (core, tail), (core_before, tail_before) = (_core(text) for text in (new, old))
    if core != core_before or negated(core) or numbers(tail) != numbers(tail_before):
        return False
    return not ({w for w, _ in query_tokens(tail)} & {w for w, _ in query_tokens(tail_before)} - _LINKS)


_LINKS: Final = frozenset(
    ("because", "since", "so", "that", "not", "instead", "of", "rather", "than", "the", "a", "is", "it", "因为", "由于")
)


def _core(text: str) -> tuple[str, str]:
    said = fold(text).rstrip(".。 ")
    found = _ADDITION.search(said)
    return (said, "") if found is None else (said[: found.start()], said[found.start() :])


_LIKES = re.compile(
    r"the user (?:really |also |especially )?(?:likes|loves|enjoys)\b|用户(?:也|很|特别|非常|最)?(?:喜欢|热爱|爱[吃喝看听玩])"
)
_DISLIKES = re.compile(r"\b(?:hates|dislikes|detests|loathes|avoids|allergic|stand)\b|讨厌|受不了|过敏|反感|戒")
_CHANGES = re.compile(rf"{_SWITCHED.pattern}|\b(?:now|only|just)\b|现在|只")


def likes_besides(old: str, new: str) -> bool:
    """Whether a new memory only tells that something is liked, and the old one of no dislike, denial or end: both may be so."""
    said, before = fold(new), fold(old)
    if _LIKES.match(said) is None or _LIKES.match(before) is not None or negated(said) or negated(before):
        return False
    changes = any(_CHANGES.search(fold(text)) is not None or _ended(text) is not None for text in (old, new))
    return not (changes or _DISLIKES.search(before))


def _stems(text: str) -> set[str]:
    """Words without their endings, pairs of Han characters."""
    return {_stem(word) for word, _ in query_tokens(text)}


def _stem(word: str) -> str:
    bare = re.sub(r"(?<=\w{3})(?:e?rs?|e?s|ing|e|ed)$", "", word)
    return re.sub(r"([bdgklmnprt])\1$", r"\1", bare)
