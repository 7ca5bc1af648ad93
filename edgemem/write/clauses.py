"""Split a message into the clauses that are judged one by one, each with its place in the message."""

from __future__ import annotations

import re
from dataclasses import dataclass

from edgemem.kin import LATIN

_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_RECALLED = re.compile(r"<memory>.*?(?:</memory>|\Z)", re.DOTALL | re.IGNORECASE)
"""What was recalled into a prompt comes back in some chats: it is nothing the user says now."""

_QUOTED_LINE = re.compile(r"^[ \t]*>.*$", re.MULTILINE)
_END = re.compile(
    r"[。！？；!?;…]+[”’」』\")）]*\s*"  # an end that needs no space after it
    r"|\.+[\"')]*(?=\s|$)\s*"  # a full stop, not a decimal point
    r"|\n+",
)
_HAN_QUESTION = re.compile(
    # "房租涨到三千了，合法吗"
    r"[，,\s]+(?=[^，,\s。！!]{2,16}$)(?=[^，,\s]*(?:[吗么呢嘛][?？]?$|什么|怎么|咋|哪|多少|啥|几[个点号]|能不能|可不可以|好不好|[?？]$))"
)
_HAN_COMMA = re.compile(r"[，,]\s*|(?<=[一-鿿])[ \u3000]+(?=[一-鿿])")
"""Many type a space where a comma belongs: 车位是租的 物业不一定让装."""
_OWN_START = r"(?:i|i['’](?:m|ve|d|ll)|im|ive|my|we|we['’](?:re|ve|ll|d)|our|please|pls|plz)\b"
_ENGLISH_JOINT = re.compile(
    # Where another statement begins: "I'm from Hull, but I live in York", "she's ten - my other one is six"
    rf"(?<=[,;])\s*(?={_OWN_START})|\s+(?=(?:and|but|so|plus|also)\s+(?:{_OWN_START}|(?:he|she|they|his|her|the)\b))|\s+(?=[-–—]+\s)|(?<=;)\s|(?<=[:;,.\s])(?=\d{{1,2}}\)\s)"
    # "my rent went up, is that legal", "we have two toddlers, what can we do indoors?"
    r"|(?<=[,;:])\s*(?=(?:so |and |but )?(?:(?:is|are|can|could|should|would|do|does|did|will)\s+(?:that|it|this|there|i|we|you|they|he|she|the|my)\b|(?:what|how|why|which|where|who|when|any)\b[^,.;!?]*\?))",
    re.IGNORECASE,
)
_OF_A_LIST = re.compile(
    # "with my wife Noor and our twins", "between the shed and the lake": what follows "and" is no statement
    rf"\s*and\s+(?:(?:my|our|his|her)\s+(?:[a-z]+\s+)?(?:{LATIN}|twins|kids|children|girls|boys|dogs?|cats?|parents)(?:\s+[A-Z][\w'’-]+)?|the\s+[a-z]+)\s*[.!]*$",
)
_INTRODUCED = re.compile(r"(?:^|[\s,])(?i:i['’]?m|i am|my name is|my name['’]s) [A-Z][\w'’-]+[,;]?\s*$")
"""A name told in passing is short, and a statement of its own: "I'm Ada, I live in Ghent"."""
_LEANS = re.compile(
    r"^\W*(?:if|when|whenever|since|because|as|given|while|although|though|after|before|unless|once)\b", re.IGNORECASE
)
_ORDER_WITH_REASON = re.compile(
    # "don't round the sums, I need the cents": the second half says what the first is for
    r"(?:\w+\s+)?(?:(?:please|pls|plz)\s+)?(?:do not|don['’]?t|stop|no|always|never|use|give|keep|skip)\b[^,.;]*,\s*i (?:need|want|prefer|like|hate|can['’]?t)\b[^,;]*$",
    re.IGNORECASE,
)
_BULLET = re.compile(r"^\s*(?:[-*•·]|\d{1,2}[.)、](?!\d))\s*")
_ABBREVIATION = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|st|vs|e\.g|i\.e|approx|prof|incl|excl|ca|max|min|tel|ext|dept)|(?-i:\b[A-Z]))\.\s*$",
    re.IGNORECASE,
)
_NUMBER_SIGN = re.compile(r"\b(?:no|nr|nos)\.\s*$", re.IGNORECASE)
_WORDLIKE = re.compile(r"\w")

LONG_HAN = 24
"""Characters above which a Chinese sentence is split at its commas too."""

SHORT_HAN = 4
"""Characters that must stand before a question for it to be cut off."""

SHORT_ENGLISH = 12
"""Characters below which an English piece stays with its neighbour."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A piece of a message: ``text`` is ``message[start:start + len(text)]``."""

    text: str
    start: int


@dataclass(frozen=True, slots=True)
class Corrected:
    """A clause of an earlier message whose value a correction replaces: the key of its turn, where it stands in ``message``.

    ``words`` are the clause with the right value.
    """

    turn: int
    clause: Clause
    message: str
    words: str


def split(message: str) -> list[Clause]:
    """The clauses of a message in order, without code, quoted mail, recalled context and bullets."""
    hidden = _QUOTED_LINE.sub(_blank, _FENCE.sub(_blank, _RECALLED.sub(_blank, message)))
    pieces = _sentences(hidden)
    return [c for start, end in pieces for c in _finer(message, hidden, start, end)]


def _blank(match: re.Match[str]) -> str:
    # Same length, so that places in the message stay what they are.
    return re.sub(r"[^\n]", "\0", match[0])


def _sentences(text: str) -> list[tuple[int, int]]:
    spans, start = [], 0
    for match in _END.finditer(text):
        if match[0].startswith(".") and _goes_on(text[start : match.end()], text[match.end() : match.end() + 1]):
            continue
        spans.append((start, match.end()))
        start = match.end()
    spans.append((start, len(text)))
    return spans


def _goes_on(so_far: str, following: str) -> bool:
    """Whether a full stop only ends an abbreviation: "Dr. Who", "no. 7", but not "oh no. Next"."""
    return bool(_ABBREVIATION.search(so_far)) or (following.isdigit() and bool(_NUMBER_SIGN.search(so_far)))


def _finer(message: str, hidden: str, start: int, end: int) -> list[Clause]:
    clause = _trimmed(message, hidden, start, end)
    if clause is None:
        return []
    if not re.search("[\u4e00-\u9fff]", clause.text):
        return _at_joints(message, hidden, clause)
    asked = _HAN_QUESTION.search(clause.text)
    if asked is not None and asked.start() > SHORT_HAN:
        told = _trimmed(message, hidden, clause.start, clause.start + asked.start())
        tail = _trimmed(message, hidden, clause.start + asked.end(), clause.start + len(clause.text))
        return [*(_by_length(message, hidden, told) if told else []), *([tail] if tail else [])]
    return _by_length(message, hidden, clause)


def _by_length(message: str, hidden: str, clause: Clause) -> list[Clause]:
    return [clause] if len(clause.text) <= LONG_HAN else _at_commas(message, hidden, clause)


def _at_joints(message: str, hidden: str, clause: Clause) -> list[Clause]:
    """Cut an English sentence where another statement begins; one that leans on what follows stays whole."""
    begin, stop = clause.start, clause.start + len(clause.text)
    if _LEANS.match(clause.text):
        return [clause]
    cuts = [
        m.start()
        for m in _ENGLISH_JOINT.finditer(message, begin, stop)
        if not _inside_brackets(message, begin, m.start())
        and not _ORDER_WITH_REASON.match(clause.text)
        and not _OF_A_LIST.match(message[m.start() : stop])
    ]
    found, start = [], begin
    for cut in [*cuts, stop]:
        whole = min(cut - start, stop - cut or SHORT_ENGLISH) >= SHORT_ENGLISH
        if whole or cut == stop or _INTRODUCED.search(message[start:cut]):
            piece = _trimmed(message, hidden, start, cut)
            found += [piece] if piece else []
            start = cut
    return found


def _inside_brackets(message: str, begin: int, place: int) -> bool:
    before = message[begin:place]
    return before.count("(") > before.count(")") or before.count('"') % 2 == 1


def _at_commas(message: str, hidden: str, clause: Clause) -> list[Clause]:
    """Join comma pieces into clauses of a readable length."""
    begin, stop = clause.start, clause.start + len(clause.text)
    cuts = [m.end() for m in _HAN_COMMA.finditer(message, begin, stop)] + [stop]
    found, start = [], begin
    for cut in cuts:
        if cut - start >= LONG_HAN // 2 or cut == stop:
            piece = _trimmed(message, hidden, start, cut)
            found += [piece] if piece else []
            start = cut
    return found


def _trimmed(message: str, hidden: str, start: int, end: int) -> Clause | None:
    text = hidden[start:end].replace("\0", " ")
    if not _WORDLIKE.search(text):
        return None
    bullet = _BULLET.match(text)
    lead = bullet.end() if bullet else len(text) - len(text.lstrip())
    kept = message[start + lead : start + len(text.rstrip())]
    return Clause(kept, start + lead) if kept.strip() else None
