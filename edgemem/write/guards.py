"""Rules that need no model: what must not become a memory, whatever the model says."""

from __future__ import annotations

import re

from edgemem.text import fold, query_tokens

_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_QUESTION_END = re.compile(
    r"(?:[?？]|吗|么)[\s”’\"')）!！~～]*$"
    r"|(?:多少|什么|啥|怎么[办弄样做]?|咋[办弄样整]?|哪[个里儿]|几[个点号天])(?:钱|好|合适|来着|啊|呀|呢)*[\s。.!！~～]*$"
)
_STRAIGHT_OPEN = re.compile(r'(?:^|(?<=[\s(:]))"(?=\S)')
_STRAIGHT_CLOSE = re.compile(r'(?<=\S)"(?=$|[\s).,;:!?])')
_STATEMENT_BEFORE = re.compile(r"[,，;；:：—]|\b(?:because|since|but|and i|as i)\b|因为|但|所以")


_RULE_ASKED = re.compile(
    r"\b(?:can|could|would|will) (?:you|u)\b.*\b(?:always|from now on|every time|in (?:the )?future|never)\b|\b(?:from now on|in future)\b.*\b(?:can|could|would|will) (?:you|u)\b"
    r"|^\W*(?:(?:and|so|please|pls|ok)\W+)*(?:when(?:ever)? (?:you|u)|use|don['’]?t|do not|keep|call|write|give|answer|always|never|no)\b.*\b(?:ok(?:ay)?|alright|yeah|deal)\s*[?？]"
    r"|(?:以[后後]|今[后後]|从现在起|從現在起|每次).*(?:可以|可唔可以|得唔得|行不行|能不能|好不好|好吗|行吗)"
)
_OFFER = re.compile(
    r"\b(?:shall|should) i\b|\b(?:do you )?want me to\b|\bwould you like me to\b|\bneed me to\b|\bcan i (?:help|also)\b|(?:需要|要不要|要|想让|用不用)(?:我|先|换|再|休息|帮)|需不需要"
)
_TAKES = re.compile(
    r"\W*(?:no|nah|nope|yes|yeah|yep|sure|ok|okay|please|go ahead|not now|later)\b(?!.*\b(?:always|never|from now on|every)\b)|\s*(?:不了|不用|不必|算了|免了|没事|好啊?|行|可以|要|嗯|来)(?=[\s，,。!！~]|$)(?!.*(?:以后|每次|都))"
)


def same_numbers(old: str, new: str) -> bool:
    """Whether two texts hold the same numbers; if not, they do not say the same."""
    return numbers(old) == numbers(new)


def other_numbers(old: str, new: str) -> bool:
    """Whether both texts hold numbers, and not the same."""
    before, said = numbers(old), numbers(new)
    return bool(before and said) and before != said


def numbers(text: str) -> set[str]:
    """The numbers in a text."""
    return set(_NUMBER.findall(fold(text)))


def quoted(message: str, start: int) -> bool:
    """Whether ``message[start]`` lies inside a quotation that began earlier: pasted text is nobody's own word."""
    before = message[:start]
    curly = sum(before.count(o) - before.count(c) for o, c in ("“”", "「」", "『』", "【】", "《》"))
    return curly > 0 or len(_STRAIGHT_OPEN.findall(before)) > len(_STRAIGHT_CLOSE.findall(before))


def plain_question(clause: str) -> bool:
    """Whether a clause only asks. "I'm vegan, what can I cook?" tells something too, "can you always …?" is a rule."""
    if _QUESTION_END.search(clause) is None or _STATEMENT_BEFORE.search(fold(clause)) is not None:
        return False
    return _RULE_ASKED.search(fold(clause)) is None


def declines(asked: str, clause: str) -> bool:
    """Whether a clause only takes up or turns down an offer: "Shall I draft a mail?" "no, I'll ring them"."""
    return _OFFER.search(fold(asked)) is not None and len(clause) <= 40 and _TAKES.match(fold(clause)) is not None


_FRAME = re.compile(r"^(?:Asked [^“]*“[^”]*”, the user answered: |被问到“[^”]*”时，用户回答：)")


def answers_another(old: str, new: str) -> bool:
    """Whether two memories, one an answer beside its question, are alike by that form only: their words are not, or the new
    one has no word that the old one has not. Then the new one neither refines nor replaces the old one."""
    if _FRAME.match(old) is None and _FRAME.match(new) is None:
        return False
    before, after = ({word for word, _ in query_tokens(_FRAME.sub("", text))} - _FORM for text in (old, new))
    return not before & after or (_FRAME.match(new) is not None and after < before)


_FORM = frozenset(("the", "user", "a", "is", "of", "in", "at", "and", "用户", "户的"))
