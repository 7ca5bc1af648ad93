"""Rules that need no model: what must not become a memory, whatever the model says."""

from __future__ import annotations

import re

from edgemem.text import fold, query_tokens
from edgemem.write.verify import negated

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


_ENDED = re.compile(
    r"^The user (?:(?:does|is|has|do)(?:n['’]t| not) (?P<a>[^,;:.]+?) any ?more|(?:is |does )?no longer (?P<b>[^,;:.]+)|(?:has |have )?(?:stopped|quit|gave up|given up) (?P<c>[^,;:.]+))\.?$"
    r"|^用户(?:已经|现在|早就)?(?:(?:不再|再也不|没再|不)(?P<d>[^，。；：]{2,16}?)了?|戒(?:掉)?了?(?P<e>[^，。；：]{1,10}?)了?)。?$",
    re.IGNORECASE,
)
_WIDE = re.compile(
    r"\b(?:drinks?|eats?|uses?|using|drinking|eating|has|have|takes?|taking|goes|going|buys?|buying|works?|working|lives?|living|plays?|playing|to|the|a|an|at|in|on|with|for|of|and|or|their|any|all|so|much"
    r"|mornings?|evenings?|afternoons?|nights?|weekends?|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|every|day|week)\b"
    r"|[喝吃用去跟和在住的]|上班|上学|每天|早上|晚上|周末"
)
"""Words of an end that do not say what ends."""

_CHANGED = re.compile(
    r"\b(?:switched|moved|changed|converted) to\b|\b(?:now|only|instead|just)\b|改[用成喝吃]|换[成了到]|现在|只"
)
"""What says that something took the place of something else: that is not ended by the end of the other."""


def ends_another(old: str, new: str) -> bool:
    """Whether a new memory only tells the end of something that the old one does not speak of: who no longer drinks coffee may
    still drink tea. "Eats only fish" is not ended by "no longer eats meat" either."""
    found = _ENDED.match(new)
    ended = next((text for text in found.groups() if text), None) if found is not None else None
    if ended is None or _ENDED.match(old) is not None:
        return False
    words = _stems(_WIDE.sub(" ", fold(ended))) or _stems(fold(ended))
    before = _stems(fold(old))
    met = {word for word in words if word in before or (len(word) == 1 and not word.isascii() and word in old)}
    return bool(words) and (met != words if _CHANGED.search(fold(old)) else not met)


_ADDITION = re.compile(
    r",? (?:because|since|so that|not|instead of|rather than|too|as well|also)\b|[，,](?:不|而不|因为|也)|因为|由于"
)
"""Where a reason, an emphasis or the other of two things begins, behind what a sentence says."""


def adds_only(old: str, new: str) -> bool:
    """Whether two memories say the same up to a reason or an emphasis: "takes the tram, not the car" takes nothing back of
    "takes the tram because parking is dear". A number behind it may well: "since 2019"."""
    (core, tail), (core_before, tail_before) = (_core(text) for text in (new, old))
    return core == core_before and _NUMBER.search(tail + tail_before) is None


def _core(text: str) -> tuple[str, str]:
    said = fold(text).rstrip(".。 ")
    found = _ADDITION.search(said)
    return (said, "") if found is None else (said[: found.start()], said[found.start() :])


_LIKES = re.compile(
    r"the user (?:really |also |especially )?(?:likes|loves|enjoys)\b|用户(?:也|很|特别|非常|最)?(?:喜欢|热爱|爱[吃喝看听玩])"
)
_DISLIKES = re.compile(r"\b(?:hates|dislikes|detests|loathes|avoids|allergic|stand)\b|讨厌|受不了|过敏|反感|戒")


def likes_besides(old: str, new: str) -> bool:
    """Whether a new memory only tells that something is liked, and the old one of no dislike, denial or end: both may be so."""
    said, before = fold(new), fold(old)
    if _LIKES.match(said) is None or _LIKES.match(before) is not None or says_change(new) or says_change(old):
        return False
    return not (negated(before) or negated(said) or _DISLIKES.search(before))


def says_change(text: str) -> bool:
    """Whether a memory says itself that something took the place of something else, or ended."""
    return _CHANGED.search(fold(text)) is not None or _ENDED.match(text) is not None


def _stems(text: str) -> set[str]:
    """Words without their endings, pairs of Han characters."""
    return {re.sub(r"(?<=\w{3})(?:e?s|ing|e|ed)$", "", word) for word, _ in query_tokens(text)}


_FORM = frozenset(("the", "user", "a", "is", "of", "in", "at", "and", "用户", "户的"))
