"""Whom a question asks about and of whom a sentence speaks: what is true of the sister must not answer for the brother.

Rules over English and Chinese, for relatives and friends of the user and for names in the place of a subject. Where
they see nobody, nothing is assumed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from edgemem.text import fold

USER = "user"

_WORDS: Mapping[str, str] = {
    "sister": "sisters? 姐姐 妹妹 姐 妹", "brother": "brothers? 哥哥 弟弟 哥 弟", "mother": "mother mom mum mama mommy mummy 妈妈 母亲 老妈 妈",
    "father": "father dad daddy papa 爸爸 父亲 老爸 爸", "wife": "wife 妻子 老婆 太太 媳妇", "husband": "husband 丈夫 老公 先生",
    "partner": "partner spouse fianc[eé]e? 爱人 对象", "girlfriend": "girlfriend 女朋友 女友", "boyfriend": "boyfriend 男朋友 男友",
    "son": "sons? 儿子", "daughter": "daughters? 女儿", "grandmother": "grandmother grandma granny nan 奶奶 外婆 姥姥 外祖母",
    "grandfather": "grandfather grandpa grandad 爷爷 外公 姥爷 外祖父", "aunt": "aunt(?:ie)?s? 阿姨 姑姑 姨妈 舅妈 婶婶", "uncle": "uncles? 叔叔 舅舅 伯伯 姑父 姨父",
    "cousin": "cousins? 表妹 表弟 表姐 表哥 堂妹 堂弟 堂姐 堂哥", "niece": "nieces? 侄女 外甥女", "nephew": "nephews? 侄子 外甥",
    "mother-in-law": "mother-in-law 婆婆 岳母 丈母娘", "father-in-law": "father-in-law 公公 岳父", "sister-in-law": "sister-in-law 嫂子 弟媳 小姨子",
    "brother-in-law": "brother-in-law 姐夫 妹夫 小舅子", "friend": "friends? 朋友 闺蜜 哥们", "colleague": "colleagues? co-?workers? 同事",
    "roommate": "(?:room|flat|house)-?mates? 室友",
}  # fmt: skip
"""How a relative or friend of the user is called, in both languages."""

_GROUPS: Mapping[str, tuple[str, ...]] = {
    r"siblings?|兄弟姐妹|兄妹|姐弟|兄弟|姐妹": ("sister", "brother"),
    r"child(?:ren)?|kids?|孩子|小孩|子女": ("son", "daughter"),
    r"parents?|父母|爸妈": ("mother", "father"),
    r"grandparents?": ("grandmother", "grandfather"),
    r"famil(?:y|ies)|relatives?|家人|家里|亲戚|亲人|who|谁": tuple(_WORDS),
}
"""Words that ask for any of several."""

_LATIN = {
    name: re.compile(rf"(?<![\w-])(?:{'|'.join(w for w in words.split() if w[0].isascii())})(?![\w-])")
    for name, words in _WORDS.items()
}
_HAN = sorted(
    ((w, name) for name, words in _WORDS.items() for w in words.split() if not w[0].isascii()), key=lambda p: -len(p[0])
)
_HAN_PATTERN = re.compile("|".join(word for word, _ in _HAN))
_HAN_NAMES = dict(_HAN)
_ANY = "|".join(w for words in _WORDS.values() for w in words.split() if w[0].isascii())
_OWN_PART = re.compile(rf"\bmy\s+(?:\w+\s+)?(?:{_ANY})(?:'s)?\b|我的?(?:{'|'.join(w for w, _ in _HAN)})")
_SPEAKER = re.compile(r"\b(?:i|i'm|i've|i'd|i'll|me|my|mine|myself)\b|我")
_NAMED = re.compile(
    r"\b(?:[Dd]oes|[Dd]id|[Ii]s|[Ww]as|[Hh]as|[Hh]ad|[Cc]an|[Ww]ill)\s+([A-Z][a-z]+)\b|\b([A-Z][a-z]+)['’]s\b"
)
_ALIAS = re.compile(rf"\b({_ANY})\s+(?:is\s+)?(?:called\s+|named\s+)?([A-Z][a-z]+)")
_SUBJECT = re.compile(
    rf"(?:the user's|my)\s+(?:\w+\s+)?({_ANY})(?![\w-])|(?:用户的?|我的?)({'|'.join(w for w, _ in _HAN)})"
)
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
    text = fold(question)
    found = set(_relatives(text))
    for pattern, names in () if found else _GROUPS.items():
        if re.search(rf"\b(?:{pattern})\b" if pattern[0].isascii() else pattern, text) or _han_in(pattern, text):
            found |= {*names, USER}
    found |= {fold(n) for pair in _NAMED.findall(question) for n in pair if n and n not in _NO_NAME}
    if _SPEAKER.search(_OWN_PART.sub(" ", text)):
        found.add(USER)
    return frozenset(found)


def _han_in(pattern: str, text: str) -> bool:
    return any(not word.isascii() and word in text for word in pattern.split("|"))


def _relatives(text: str) -> Iterable[str]:
    yield from (name for name, pattern in _LATIN.items() if pattern.search(text))
    yield from (_HAN_NAMES[word] for word in _HAN_PATTERN.findall(text))


def aliases(sentences: Iterable[str]) -> dict[str, str]:
    """Which relative a name stands for ("my sister Nuala"), by the folded name, as far as the sentences tell."""
    found = {}
    for sentence in sentences:
        for word, name in _ALIAS.findall(sentence):
            found[fold(name)] = next(iter(_relatives(fold(word))), word)
    return found


def speaks_of_another(sentence: str, about: frozenset[str], names: Mapping[str, str]) -> bool:
    """Whether a sentence speaks only of people the question is not about. ``names`` are ``aliases``."""
    if not about:
        return False
    wanted = about | {names[n] for n in about if n in names} | {n for n, who in names.items() if who in about}
    text = fold(sentence)
    subject = _SUBJECT.match(text)
    told = set(_relatives(text)) | {n for n in wanted - {USER} if re.search(rf"(?<!\w){re.escape(n)}(?!\w)", text)}
    if subject is None and USER in wanted:
        return False
    who = {next(iter(_relatives(subject[1] or subject[2])))} if subject else set()
    return not (who | told) & wanted if USER not in wanted else bool(who) and not (who | told) & wanted
