"""Verification by code: nothing is stored that the user's own words do not carry."""

from __future__ import annotations

import re
import unicodedata

from edgemem.text import fold
from edgemem.write.extract import Proposal, locate
from edgemem.write.secret import masking
from edgemem.write.statements import sentence
from edgemem.write.unsaid import unsaid

SEALED_ONLY = "it looks like a password, a key or an identity number"
"""Why nothing with a secret in it is stored as it is."""

MAX_COLUMNS = 200
"""Longest memory, in terminal columns; a Han character takes two."""

_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_CAPITAL = re.compile(r"(?<![.!?\"“]\s)(?<!^)\b[A-Z][\w'’-]+")
_FIRST_PERSON = re.compile(r"\b(?:i|i'm|i've|i'd|i'll|my|me|mine|myself|we|our|ours)\b|我|咱|俺")
_QUOTATION = re.compile(r"\"[^\"]*\"|“[^”]*”|「[^」]*」|'[^']{2,}'(?![a-z])")
_THIRD_PERSON = re.compile(r"\b(?:he|she|him|his|her|hers|they|their)\b|他|她")
_OWN_PERSON = re.compile(r"\b(?:i|i'm|i've|i'd|i'll|im|my|me|mine|we|our|us)\b|我|咱|俺")
_ANY_CAPITAL = re.compile(r"\b[A-Z][\w'’-]+")
_ASKING = re.compile(
    r"^the user (?:is asking|asks|asked|wants to know|would like to know|is wondering|wonders|thanks|thanked|greets|is trying(?! to (?:quit|lose|cut|eat|drink|learn|conceive|stop|save|get (?:fit|pregnant|into)))"
    r"|is looking for(?! an? (?:new )?(?:job|flat|house|apartment|place to live|room|nursery|therapist|flatmate))|requests|requested|wants the assistant to (?:help|explain|translate|write|summari[sz]e|tell))\b"
    r"|^用户(?:想知道|询问|在问|问|请求|感谢|打招呼|让助手|请助手|想让助手|希望助手帮|需要助手帮)"
)
_HAN = re.compile("[\u4e00-\u9fff]")
_WORD = re.compile(r"[^\W\d_]{3,}")
_NEGATION = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|without|neither|nor|can't|cannot|won't|don't|doesn't|didn't|isn't|aren't|wasn't"
    r"|weren't|haven't|hasn't|hadn't|wouldn't|shouldn't|couldn't|stop(?:ped|s)?|quit|avoids?|hates?|dislikes?|refuses?"
    r"|dont|doesnt|didnt|isnt|cant|wont|no longer|anymore|allerg\w+|stand|detests?|loathes?|unable|except|free)\b"
    r"|不|没|无|别|勿|未|非|莫|禁|忌|讨厌|拒|戒|停|避|过敏|受不了"
)
_TOPIC = re.compile("(?:状态|情况|名单|过程|信息|事项|问题|安排|位置|面积|地址|方式|要求|原因)[。.]?$")
_PARTICLES = frozenset(
    """user the users user's has have had was were does did with from for and his her their that this they who which will
    would about into likes want wants there them than then also been being years year old named called name lives works
    currently prefers needs said not""".split()
)
"""Words that any memory may have, whatever was said."""


def refusal(proposal: Proposal, message: str, context: str) -> str | None:
    """Why a proposal cannot be stored, or None when it can.

    ``message`` is the user's turn, ``context`` the earlier turns that may explain its pronouns.
    """
    place = locate(proposal.quote, message)
    if place is None:
        return "the quoted words are not in the message"
    return unfit(proposal.content, place[1], message) or _unfounded(proposal.content, place[1], message, context)


def unfit(content: str, quote: str, message: str, *, standing: bool = False) -> str | None:
    """Why a sentence is no memory, whatever it rests on: the form, the language, a secret in it.

    ``standing``: it is known to be what the user asks for from now on.
    """
    told = masking.secret_words(message)
    if any(word in content or word in quote for word in told) or masking.secret_in(content) or masking.secret_in(quote):
        return SEALED_ONLY
    return malformed(content, message, standing=standing)


def malformed(content: str, message: str, *, standing: bool = False) -> str | None:
    """Why a sentence is no memory, whatever it says."""
    if not fits(content):
        return "longer than one sentence should be"
    if _FIRST_PERSON.search(_QUOTATION.sub("", fold(content))):
        return "not about a third person"
    if _HAN.search(content) and not _HAN.search(message):
        return "not in the language of the message"
    if content.rstrip().endswith(("?", "？")):
        return "a question"
    if not standing and _ASKING.search(fold(content)):
        return "what the user asks for now is not a memory"
    return sentence.flaw(content)


def fits(content: str) -> bool:
    """Whether a sentence is short enough for a memory."""
    return _columns(content) <= MAX_COLUMNS


def _unfounded(content: str, quote: str, message: str, context: str) -> str | None:
    """Why the words said do not carry a memory."""
    source = f"{message}\n{context}"
    reason = strange(content, source, chinese=bool(_HAN.search(message)))
    if reason:
        return reason
    if _TOPIC.search(content) and not _TOPIC.search(quote.strip() + "。"):
        return "names a topic and says nothing of it"
    if _NUMBER.search(fold(quote)) and not _NUMBER.search(fold(content)):
        return "the numbers of the quote are missing"
    if _wrong_person(content, quote):
        return "the words are about somebody else"
    if not _polarity_kept(content, quote, message):
        return "the quote and the memory disagree about a negation"
    return None if grounded(content, source) else "says more than the words it rests on"


def strange(content: str, source: str, *, chinese: bool) -> str | None:
    """Why a number or a name of a sentence is not the source's, or None. ``chinese``: the source has Chinese in it."""
    found = (
        _strange_number(content, source) or _strange_name(content, source) or unsaid(content, source, chinese=chinese)
    )
    return f"{found!r} was not said" if found else None


def negated(text: str) -> bool:
    """Whether a text denies, refuses or avoids something."""
    return _NEGATION.search(fold(text)) is not None


def _columns(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def _strange_number(content: str, source: str) -> str | None:
    known = fold(source)
    return next((n for n in _NUMBER.findall(fold(content)) if n not in known and not _year_of(n, known)), None)


def _year_of(number: str, known: str) -> bool:
    """2009 may be written for '09."""
    return (
        len(number) == 4 and number[:2] in ("19", "20") and re.search(rf"(?<!\d){number[2:]}(?!\d)", known) is not None
    )


def _strange_name(content: str, source: str) -> str | None:
    known = fold(source)
    names = (name.removesuffix("'s").removesuffix("’s") for name in _CAPITAL.findall(content))
    return next((name for name in names if fold(name) not in known), None)


def _polarity_kept(content: str, quote: str, message: str) -> bool:
    """A memory may not gain a "not" that is nowhere in the message, nor lose the one of its quote."""
    says, said = negated(content), negated(quote)
    return says == said or (says and negated(message))


def _wrong_person(content: str, quote: str) -> bool:
    """Words about "him" or "her" alone may not become a statement about the user."""
    said = fold(quote)
    if not _THIRD_PERSON.search(said) or _OWN_PERSON.search(said):
        return False
    named = any(name in content for name in _ANY_CAPITAL.findall(quote))
    return not (
        named or re.search(r"user['’]s\b|用户[^，。,]{0,2}的|用户(?:家|姐|哥|弟|妹|妈|爸|妻|夫|丈|老|儿|女)", content)
    )


def grounded(content: str, source: str) -> bool:
    """At least half of the words (English) or characters (Chinese) that carry meaning come from the source."""
    known = fold(source)
    han = [c for c in re.sub("用户|助手|的", "", content) if "\u4e00" <= c <= "\u9fff"]
    words = [w for w in _WORD.findall(fold(re.sub("[\u4e00-\u9fff]", "", content))) if w not in _PARTICLES]
    units = len(han) + len(words)
    met = sum(c in known for c in han) + sum(_stem(w) in known for w in words)
    # A name or a number of the source carries more than the words around it.
    anchored = any(fold(a) in known for a in (*_NUMBER.findall(content), *_CAPITAL.findall(content)))
    return units == 0 or met / units >= (1 / 3 if anchored else 0.5)


def _stem(word: str) -> str:
    return word[: max(3, len(word) - 3)] if len(word) > 4 else word[:3]
