"""Whom a question asks about and of whom a sentence speaks: what is true of the sister must not answer for the brother.

Rules over English and Chinese, for relatives and friends of the user and for names in the place of a subject. Where
they see nobody, nothing is assumed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from edgemem.kin import HAN, LATIN, RELATIONS, Relation
from edgemem.recall.dangers import DRUGS
from edgemem.text import comparable, simplified

USER = "user"

COMPANY = "*"
"""Whom "we" and "everybody" ask about besides the user: anybody may be of it."""

_BY_OTHERS = frozenset({"kid", "boss", "manager", "neighbour", "landlord", "teacher"})
"""Whom questions ask for by a relation to somebody else ("my sister's boss"), and children, who are sons and daughters."""

_WORDS: Mapping[str, Relation] = {name: relation for name, relation in RELATIONS.items() if name not in _BY_OTHERS}

_GROUPS: Mapping[str, tuple[str, ...]] = {
    r"siblings?|兄弟姐妹|兄妹|姐弟|兄弟|姐妹": ("sister", "brother"),
    r"child(?:ren)?|kids?|孩子|小孩|子女": ("son", "daughter"),
    r"parents?|父母|爸妈": ("mother", "father"),
    r"grandparents?": ("grandmother", "grandfather"),
    r"famil(?:y|ies)|relatives?|家人|家里|亲戚|亲人|who|谁": tuple(_WORDS),
}
"""Words that ask for any of several."""

_NAMES = ("", *_WORDS)
_GROUPED = "|".join(f"({'|'.join(relation.latin)})s?" for relation in _WORDS.values())
_LATIN = re.compile(rf"(?<![\w-])(?:{_GROUPED})(?![\w-])")
_HAN_NAMES = {word: name for name, relation in _WORDS.items() for word in relation.han}
_HAN = "|".join(sorted(_HAN_NAMES, key=lambda word: -len(word)))
_HAN_PATTERN = re.compile(_HAN)
_ANY = "|".join(word for relation in _WORDS.values() for word in relation.latin)
_OWN_PART = re.compile(rf"\bmy\s+(?:\w+\s+)?(?:{_ANY})(?:'s)?\b|我的?(?:{_HAN})")
_SPEAKER = re.compile(r"\b(?:i|i'm|i've|i'd|i'll|me|my|mine|myself|we|us|our|ours)\b|[我咱]")
_NAMED = re.compile(
    r"\b(?:[Dd]oes|[Dd]id|[Ii]s|[Ww]as|[Hh]as|[Hh]ad|[Cc]an|[Cc]ould|[Ww]ill|[Ww]ould|[Ss]hould|[Mm]ay|[Mm]ust)\s+([A-Z][a-z]+)\b"
    r"|\b([A-Z][a-z]+)['’]s\b"
)
_NO_GIVEN = "了我两一半气名声时孩区学说吃心猫狗朋组型提麦米票费腿偷镇店数路车家板师人婆公爸妈虎鼠是外实大姨拉里尔"
"""Characters that make a word of 小, 老 or 阿, and no name."""
_NAMED_HAN = re.compile(
    "(?<![\u4e00-\u9fff])([小老阿](?![" + _NO_GIVEN + "])[\u4e00-\u9fff](?=能|可以|会|爱|怕|养|在哪|做什么)"
    "|(?:[小老阿][\u4e00-\u9fff]|[A-Z][a-z]+)(?=能[吃喝]|不?喜欢|爱[吃喝]|不?吃|不?喝|对.{1,8}过敏|住|结婚|几岁|多大|的(?:妈|爸|哥|姐|弟|妹|生日|老家)))"
)
_MAY = r"\b(?:can|could|may|must|does|do)(?:n['’]t)?\s+(?!you\s+(?!think|know))(?:\w+['’]?\s+){1,4}?"
_ONE = re.compile(
    rf"{_MAY}(?:eat|drink|tolerate|digest|avoid)\b"
    r"|\bshould(?:n['’]t)?\s+(?:\w+['’]?\s+){1,4}?avoid\b"
    r"|\ballerg|[能会]不[能会]吃|[能会要](?:吃|喝|用)|可以(?:吃|喝|用)|[吃喝]不[吃喝]|[吃喝].{1,6}[吗么]|[吃喝]得了|过敏|忌口"
)
_TAKE = re.compile(rf"{_MAY}take\b(?! (?:a|the) (?:\w+ )?(?:look|train|bus|taxi|cab|tram|metro|flight|ride|trip)\b)")
"""Said of medicines, and of trains and looks."""
_NAME = r"[A-ZÀ-ÖØ-Þ][a-zà-öø-ÿ]+"
_SURNAMES = "王李张刘陈杨黄赵周吴徐孙胡朱林何郭马罗梁宋郑谢韩唐冯董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘杜戴夏钟汪田任姜范石姚谭廖邹熊陆郝孔崔康毛邱秦江史顾侯邵孟龙雷钱汤尹黎武乔贺赖龚"
_CALLED_HAN = f"(?:[小阿](?![{_NO_GIVEN}])[\u4e00-\u9fff]|老[{_SURNAMES}])"
"""How people are called by a part of their name: 小王, 阿珍, 老李."""
_FULL_HAN = f"(?:{_CALLED_HAN}|[{_SURNAMES}][\u4e00-\u9fff]{{1,2}})"
_OF_USER_HAN = "(?:用户|我)们?的?[好大小二前]?"
_ENDS = "(?=[，。；、,.;!！\\s]|$)"
_BEGINS = "(?:^|(?<=[，。；,.;\\s]))"
_ALIASES = (
    re.compile(rf"\b(?P<who>{LATIN})\s+(?:is\s+)?(?:called\s+|named\s+)?(?P<name>{_NAME})"),
    re.compile(rf"\b(?P<name>{_NAME})(?:,| is) (?:the user's|my|our) (?:\w+ )?(?P<who>{LATIN})(?![\w'’-])"),
    re.compile(rf"\b(?P<name>{_NAME})(?:,| is) (?:an?|one) (?:\w+ ){{0,2}}?(?P<who>{LATIN})s? of (?:the user|mine)\b"),
    re.compile(f"(?:{_BEGINS}|{_OF_USER_HAN})(?P<who>{HAN})(?:是|，)?(?P<name>{_CALLED_HAN})"),
    re.compile(f"(?P<who>{HAN})(?:的名字)?(?:名?叫做?|是)(?P<name>{_FULL_HAN}){_ENDS}"),
    re.compile(f"{_BEGINS}(?P<name>{_FULL_HAN})(?:，|是){_OF_USER_HAN}(?P<who>{HAN}){_ENDS}"),
)
"""Sentences that tell what somebody with a name is to the user."""
_ROLE = re.compile(rf"(?:the user's |my )?(?:[\w-]+ )?({LATIN})|(?:用户|我)?的?({HAN})")
_RELATION = {word: name for name, relation in RELATIONS.items() for word in relation.words}
_AT_TABLE = (
    r"\b(?:we|us|our|dinner|lunch|breakfast|party|menu|cook|everybody|everyone)\b|我们|咱|大家|一起|[晚午早]饭|聚|请客"
)
_TOGETHER = re.compile(_AT_TABLE)
_COMPANY = re.compile(rf"{_AT_TABLE}|\bwhere\b|哪里|哪儿|哪家|做什么")
_LONG_HAN = "|".join(sorted((word for word in _HAN_NAMES if len(word) > 1), key=lambda word: -len(word)))
_SUBJECT = re.compile(
    rf"(?:the user's|my|our)\s+(?:\w+\s+)?({_ANY})(?![\w-])|({_ANY})\s(?=\w)|(?:用户的?|我的?)({_HAN})|({_LONG_HAN})"
)
_FIRST = re.compile(
    rf"({_NAME})(?:,| (?:lives|works|likes|loves|hates|prefers|eats|drinks|drives|studies|plays|owns|moved|married"
    r"|was born|is (?:allergic|vegetarian|vegan|married))\b)"
    r"|([\u4e00-\u9fff]{2,3}?)(?=[住在对喜爱不吃喝是会能的，很有做养怕每也从想要])"
)
"""A sentence that begins with what may be somebody's name, and says what people are or do. Whether it is one, the memories know."""
_APPOSED = re.compile(
    rf"{_NAME}(?:,| is) (?:an? [\w ]{{2,30}} of the user\b|the user's (?:\w+ )?(?:{LATIN}),)"
    f"|[\u4e00-\u9fff]{{2,3}}(?:，|是)用户的?(?:{HAN})，"
)
"""Who somebody is: it names the user, and says nothing of the user."""
_USER_TOO = re.compile(r"\b(?:[Uu]ser|[Mm]y|I)\b|用户|我")
_CAPITAL = re.compile(rf"\b{_NAME}\b|{_CALLED_HAN}")
_NO_NAME = frozenset(
    {
        "It",
        "He",
        "She",
        "They",
        "We",
        "You",
        "There",
        "This",
        "That",
        "The",
        "What",
        "Who",
        "Where",
        "How",
        "When",
        "Let",
    }
)


def asked_about(question: str) -> frozenset[str]:
    """Whom the question is about: ``USER``, relatives by name of ``_WORDS``, names folded; empty when it does not say."""
    text = comparable(question)
    found = set(_relatives(text))
    for pattern, names in () if found else _GROUPS.items():
        if re.search(rf"\b(?:{pattern})\b" if pattern[0].isascii() else pattern, text) or _han_in(pattern, text):
            found |= {*names, USER}
    found |= named(question)
    if _SPEAKER.search(_OWN_PART.sub(" ", text)):
        found |= {USER, COMPANY} if _TOGETHER.search(text) else {USER}
    return frozenset(found)


def named(question: str) -> set[str]:
    """The names of people that a question asks about, comparable."""
    found = [n for pair in _NAMED.findall(question) for n in pair if n]
    return {comparable(n) for n in (*found, *_NAMED_HAN.findall(simplified(question))) if n not in _NO_NAME}


def asks_of_one(question: str) -> bool:
    """Whether it asks what one person, named or the user, can eat or take, and not what to cook for a company."""
    text = comparable(question)
    asked = _ONE.search(text) or (_TAKE.search(text) and DRUGS.search(text))
    return bool(asked) and _COMPANY.search(text) is None


def known_names(question: str, names: Iterable[str]) -> set[str]:
    """Those of the folded ``names`` that stand in a question: "what should I bake for Pim?"."""
    text = comparable(question)
    return {name for name in names if _stands(name, text)}


def perhaps_names(question: str, sentences: Iterable[str]) -> set[str]:
    """What may be a person's name in a question, or as the first word of a sentence; comparable. Most are none."""
    found = {m[0] for m in _CAPITAL.finditer(simplified(question))}
    return {comparable(n) for n in found - _NO_NAME} | {n for s in sentences if (n := _first_name(s))}


def _first_name(sentence: str) -> str:
    """What may be the name that a sentence begins with, comparable; "" when it begins otherwise."""
    found = _FIRST.match(simplified(sentence))
    name = "" if found is None else next(filter(None, found.groups()))
    return "" if name in _NO_NAME else comparable(name)


def _han_in(pattern: str, text: str) -> bool:
    return any(not word.isascii() and word in text for word in pattern.split("|"))


def _relatives(text: str) -> Iterable[str]:
    yield from (_NAMES[match.lastindex or 0] for match in _LATIN.finditer(text))
    if not text.isascii():
        yield from (_HAN_NAMES[word] for word in _HAN_PATTERN.findall(text))


def aliases(sentences: Iterable[str]) -> dict[str, str]:
    """Which relative a name stands for ("my sister Nuala"), by the folded name, as far as the sentences tell."""
    found = {}
    for sentence in map(simplified, sentences):
        for match in (m for pattern in _ALIASES for m in pattern.finditer(sentence)):
            found[comparable(match["name"])] = _RELATION[match["who"]]
    return found


def relation_of(role: str) -> str:
    """What somebody is who is called "the user's older sister" or 用户的姐姐; "" where that says no relation."""
    found = _ROLE.fullmatch(comparable(role))
    return "" if found is None else _RELATION[found[1] or found[2]]


def _stands(name: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None if name.isascii() else name in text


def only_others(sentence: str, about: frozenset[str]) -> bool:
    """Whether what was said speaks of some relative, the question of another, and of nobody else: a plain case of the wrong one.

    Of what people say in their own words less can be told than of a memory: "she cannot" may be about anybody.
    """
    told = set(_relatives(comparable(sentence)))
    return bool(about) and about <= set(_WORDS) and bool(told) and not told & about


def _speaks_of_user(sentence: str) -> bool:
    return _USER_TOO.search(_APPOSED.sub("", simplified(sentence))) is not None


def speaks_of_another(sentence: str, about: frozenset[str], names: Mapping[str, str]) -> bool:
    """Whether a sentence speaks only of people the question is not about.

    ``names``: the people who are known, as ``aliases`` has them. A capital alone makes nobody: Audi is no person.
    """
    if not about:
        return False
    wanted = about | {names[n] for n in about if n in names} | {n for n, who in names.items() if who in about}
    text = comparable(sentence)
    subject = _SUBJECT.match(text)
    if subject is None and USER in wanted:
        return about == {USER} and _first_name(sentence) in names and not _speaks_of_user(sentence)
    told = set(_relatives(text)) | {n for n in wanted - {USER} if _stands(n, text)}
    who = set(_relatives(next(filter(None, subject.groups())))) if subject else set()
    return not (who | told) & wanted if USER not in wanted else bool(who) and not (who | told) & wanted
