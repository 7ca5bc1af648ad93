"""Whom a question asks about and of whom a sentence speaks: what is true of the sister must not answer for the brother.

Rules over English and Chinese, for relatives and friends of the user and for names in the place of a subject. Where
they see nobody, nothing is assumed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from edgemem.kin import RELATIONS, Relation
from edgemem.text import comparable

USER = "user"

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
_SPEAKER = re.compile(r"\b(?:i|i'm|i've|i'd|i'll|me|my|mine|myself)\b|我")
_NAMED = re.compile(
    r"\b(?:[Dd]oes|[Dd]id|[Ii]s|[Ww]as|[Hh]as|[Hh]ad|[Cc]an|[Ww]ill)\s+([A-Z][a-z]+)\b|\b([A-Z][a-z]+)['’]s\b"
)
_ALIAS = re.compile(rf"\b({_ANY})\s+(?:is\s+)?(?:called\s+|named\s+)?([A-Z][a-z]+)")
_SUBJECT = re.compile(rf"(?:the user's|my)\s+(?:\w+\s+)?({_ANY})(?![\w-])|(?:用户的?|我的?)({_HAN})")
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
        found.add(USER)
    return frozenset(found)


def named(question: str) -> set[str]:
    """The names of people that a question asks about, folded."""
    return {comparable(n) for pair in _NAMED.findall(question) for n in pair if n and n not in _NO_NAME}


def known_names(question: str, names: Iterable[str]) -> set[str]:
    """Those of the folded ``names`` that stand in a question: "what should I bake for Pim?"."""
    text = comparable(question)
    return {name for name in names if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text)}


def _han_in(pattern: str, text: str) -> bool:
    return any(not word.isascii() and word in text for word in pattern.split("|"))


def _relatives(text: str) -> Iterable[str]:
    yield from (_NAMES[match.lastindex or 0] for match in _LATIN.finditer(text))
    if not text.isascii():
        yield from (_HAN_NAMES[word] for word in _HAN_PATTERN.findall(text))


def aliases(sentences: Iterable[str]) -> dict[str, str]:
    """Which relative a name stands for ("my sister Nuala"), by the folded name, as far as the sentences tell."""
    found = {}
    for sentence in sentences:
        for word, name in _ALIAS.findall(sentence):
            found[comparable(name)] = next(iter(_relatives(comparable(word))), word)
    return found


def speaks_of_another(sentence: str, about: frozenset[str], names: Mapping[str, str]) -> bool:
    """Whether a sentence speaks only of people the question is not about. ``names`` are ``aliases``."""
    if not about:
        return False
    wanted = about | {names[n] for n in about if n in names} | {n for n, who in names.items() if who in about}
    text = comparable(sentence)
    subject = _SUBJECT.match(text)
    told = set(_relatives(text)) | {n for n in wanted - {USER} if re.search(rf"(?<!\w){re.escape(n)}(?!\w)", text)}
    if subject is None and USER in wanted:
        return False
    who = {next(iter(_relatives(subject[1] or subject[2])))} if subject else set()
    return not (who | told) & wanted if USER not in wanted else bool(who) and not (who | told) & wanted
