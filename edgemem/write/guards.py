"""Rules that need no model: what must not become a memory, whatever the model says."""

from __future__ import annotations

import re

from edgemem.text import fold, query_tokens

_SECRETS = (
    re.compile(r"\b(?:sk|pk|rk)[-_](?:live|test|proj|ant)?[-_]?[A-Za-z0-9_-]{16,}"),
    re.compile(r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bgh[pousr]_[A-Za-z0-9]{20,}|\bxox[abprs]-[A-Za-z0-9-]{10,}|\beyJ[\w-]{10,}\.[\w-]{10,}"),
    re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----"),
    re.compile(
        r"(?:\bpass(?:word|code|phrase|wd)?\b|\bpwd\b|\bpin\b|\bcvv\b|\bsecret\b|\btoken\b|\bapi key\b|密码|口令|验证码|取款码|暗号)"
        r"(?:[^\n]{0,25}?(?:is|:|=|：|是|为|改成|设成|to))?\s*[\"'“‘「]?(?=[A-Za-z0-9@#$%&*!_-]*[0-9@#$%&*!_])[A-Za-z0-9@#$%&*!_-]{4,}",
        re.IGNORECASE,
    ),
    re.compile(r"(?:身份证|护照|社保|银行卡|信用卡|passport|ssn|social security)[^\n]{0,12}?[A-Z]{0,2}\d{7,19}[Xx]?", re.IGNORECASE),
)  # fmt: skip
_LONG_NUMBER = re.compile(r"(?<![\d.])\d(?:[ -]?\d){12,18}(?![\d.])")
_CHINESE_ID = re.compile(r"(?<!\d)\d{17}[\dXx](?!\d)")
_ID_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
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


def secret_in(text: str) -> bool:
    """Whether a text holds a password, a key, a card number or a Chinese identity number."""
    return bool(secret_spans(text))


def secret_spans(text: str) -> list[tuple[int, int]]:
    """Where secrets stand in a text, in order, each with the word that names it where there is one; they may overlap."""
    spans = [m.span() for pattern in _SECRETS for m in pattern.finditer(text)]
    spans += [m.span() for m in _LONG_NUMBER.finditer(text) if _luhn(re.sub("[ -]", "", m[0]))]
    spans += [m.span() for m in _CHINESE_ID.finditer(text) if _identity(m[0])]
    return sorted(spans)


def masked(text: str, mask: str) -> str:
    """The text with its secrets masked wherever they stand in it; the words that name them stay."""
    for secret in sorted({_bare(text[start:end]) for start, end in secret_spans(text)}, key=len, reverse=True):
        text = text.replace(secret, mask)
    return text


def _bare(found: str) -> str:
    """The secret itself: the last unbroken run; digits in groups belong together."""
    run = re.search(r"(?:\d[\d -]*[\dXx]|[^\s:=：是为]+)$", found)
    return run[0] if run else found


def _luhn(number: str) -> bool:
    """Check digit of payment cards, ISO/IEC 7812-1."""
    doubled = [int(d) * (2 if n % 2 else 1) for n, d in enumerate(reversed(number))]
    return sum(d - 9 if d > 9 else d for d in doubled) % 10 == 0


def _identity(number: str) -> bool:
    """Check character of a Chinese identity number, GB 11643-1999."""
    total = sum(int(d) * w for d, w in zip(number[:17], _ID_WEIGHTS, strict=True))
    return "10X98765432"[total % 11] == number[17].upper()


def same_numbers(old: str, new: str) -> bool:
    """Whether two texts hold the same numbers; if not, they do not say the same."""
    return set(_NUMBER.findall(fold(old))) == set(_NUMBER.findall(fold(new)))


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
