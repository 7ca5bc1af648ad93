"""Relations that a sentence states in plain words, read off it by rule: no model, milliseconds, nothing guessed.

English here, Chinese in ``link_rules_zh``. Names become marks in the text, "her", "his" and a leading "she" the mark of
the person named last, and what a mark is to another ("Ruth's daughter Imke") is taken out step by step, so that a verb is seen
between its two ends: "his brother Pat runs the Copper Kettle".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from edgemem import kin
from edgemem.text import fold, is_han
from edgemem.write.links import link_rules_zh
from edgemem.write.links.link import CUES, Link
from edgemem.write.links.link_prompts import SELF
from edgemem.write.links.link_rules_zh import Stated

_TITLE = r"(?:(?:Mr|Mrs|Ms|Dr|Prof|Professor|Sir|Captain|St)\.? )?"
_WORD = r"[A-Z][\w’-]*[\w]|[A-Z]"
_NAME = re.compile(rf"{_TITLE}(?:{_WORD})(?:(?: & | of the | of )(?:{_WORD})| (?:{_WORD}))*")
_USER = re.compile(r"\b(?:the user|my|our)\b(?=['’]s| )", re.I)
_NO_NAMES = frozenset(
    "the a an i it we you he she they his her their this that these those there here what where who when why how which yes no ok "
    "asked according about from to at in on of and but or so if as by for with then exactly right only not let can do does did is "
    "are was were my our your its monday tuesday wednesday thursday friday saturday sunday january february march april may june july "
    "august september october november december".split()
)
_ROLES = (
    r"(?:(?!and|or|is|was)[a-z-]+ ){0,2}?(?:great-)?"
    rf"(?:{kin.LATIN}|supervisor|tutor|coach|mentor|professor|landlady|dentist|doctor|physio|therapist|assistant|student|dog|cat|parrot|rabbit|"
    r"horse|supplier|client|customer|company|firm|employer|school|choir|band|team|club|hairdresser|accountant|lawyer|nurse|sitter|"
    r"babysitter|son-in-law|daughter-in-law|owner|director|chef|trainer)"
)
_M = "\x01(\\d+)\x02"
_OWN = rf"{_M}(?:['’]s?|(?<=\x02)) ({_ROLES})"
_TAKE = (
    re.compile(rf"{_OWN},? (?:(?:is|was) )?(?:(?:called|named) )?(?:[Tt]he (?:\w+ )?)?{_M}"),
    re.compile(rf"{_OWN} (?:is|was) {_M}"),
)
_OF_A_NAME = re.compile(
    r"['’]s |, (?:my|our|the user) |,? (?:is|was|has|had|and|[a-z]+s|[a-z]+ed|told|said|got|went|came|left|gave|took|made|bought|sold|thought|began|met|ran|wrote)\b"
)
_SEX = {
    sex: re.compile(rf"(?:{'|'.join(sorted(words))})\.?(?:,| is| was)?(?: called| named)? ?$")
    for sex, words in {"f": kin.FEMALE | {"landlady", "Mrs", "Ms"}, "m": kin.MALE | {"Mr"}}.items()
}
_IS = re.compile(rf"{_M}(?:,? (?:is|was),?|,) {_OWN}\b(?! {_M})")
_HAS = re.compile(
    rf"{_M} (?:has|keeps|got|adopted) an? (?:\w+ ){{0,2}}({_ROLES}),? (?:called |named |whose name is )?{_M}"
)
_CALLS = re.compile(rf"\bcalls? {_M}, {_M}|{_M},? (?:better |also )?known as {_M}|{_M}['’]s nickname is {_M}")
_NO_PERSON = re.compile(r"(?:\b(?:[Tt]he|at|in|for|to|of|on)|\bcalls? \w+,) $")
"""What stands before a name that "she" does not mean."""

_UNCERTAIN = re.compile(
    r"\b(?:if|would|might|could|maybe|perhaps|not|never|no longer|used to|wish|hopes? to|wants? to)\b|n['’]t\b", re.I
)
_CALLED = re.compile(rf"(\bcalls? (?:{_WORD})) (?=(?:{_WORD}))")
_BETWEEN = r"(?: (?:now|still|also|just|recently|finally|once|has|had))?"
_AFTER = r"(?:,? [Tt]he| a| an)?(?: [a-z][\w-]*){0,3}? "
_VERBS = {
    "works at": r"works? (?:at|for)|works? as an? [\w ]{2,30}? (?:at|for)|(?:is|was) an? [\w -]{2,30} (?:at|for|with)|started at|teaches at|flies for|joined",
    "studies at": r"studies at|goes to school at|is a student at",
    "lives in": r"lives? in|lives? on|moved to|settled in",
    "comes from": r"(?:comes?|is|are|was) from|grew up in|was born in",
    "located in": r"(?:is|are|was|lies|sits) (?:based |located )?(?:in|on|at)|meets? (?:at|in|on)|opened in",
    "part of": r"(?:belongs?|belonged) to|(?:is|are) (?:a )?part of",
    "leads": r"leads?|runs?|manages?|heads?|directs?|conducts?|founded",
    "owns": r"owns?|bought",
    "supplies": r"supplies|delivers? to",
    "works on": r"works? on|worked on|is responsible for|looks after",
    "member of": r"(?:is|was) (?:a )?member of|plays? (?:in|for)|sings in",
    "partner of": r"(?:is |got )?married(?: to)?|is engaged to",
    "pupil of": r"(?:learned|learnt|trained) [\w ]{0,20}?(?:from|under|with)|was taught by",
}
_SAID = tuple(
    (name, re.compile(rf"{_M}{_BETWEEN}(?:,[^,;.\x01\x02]{{1,40}},)? (?:{verb}){_AFTER}{_M}"))
    for name, verb in _VERBS.items()
)
_AND = re.compile(rf"{_M}( [^.;\x01\x02]*(?:\x01\d+\x02)?[^.;\x01\x02]*?(?:,|;)? (?:and|but) )(?:she|he|they)\b")
_PLACE = re.compile(r"\b(?:at|for) (the (?:[a-z]+ ){0,2}[a-z]+)(?= in \x01| in [A-Z]|[.,;]|$)")
_PRONOUN = re.compile(r"\b(?:[Hh]is|[Hh]er|[Tt]heir)(?= [a-z])|(?:(?<=^)|(?<=[.;:,] )|(?<=\band ))(?:[Ss]he|[Hh]e)\b")


BEFORE = 4
"""Turns before a message that may name whom it calls "she"."""


@dataclass(slots=True)
class _Text:
    """A text in which names are marks, the names by number, and what was taken out of it."""

    text: str
    names: list[str]
    found: Stated = field(default_factory=Stated)


def stated(content: str, before: str = "") -> Stated:
    """The relations and second names that a memory or message states. ``before``: what was said just before it,
    in which the person may stand whom a "she" means."""
    if is_han(content):
        return link_rules_zh.stated(content, before)
    content, before = (_CALLED.sub(r"\1, ", text) for text in (_certain(content), before))
    marked = _marked(content, before)
    _take_roles(marked)
    _take_names(marked)
    _take_verbs(marked)
    told = _all_names(marked.found) | set(SELF.values())
    marked.found.left = tuple(name for name in marked.names if name not in told)
    return marked.found


def of_known(clause: str, before: str, known: Callable[[Sequence[str]], bool]) -> bool:
    """Whether a clause states a relation of the user, of somebody the user has told about just before, or of whom ``known``
    says that the memory knows them."""
    names = _all_names(stated(clause, before))
    if not names:
        return False
    own = any(n in SELF.values() or n.startswith((f"{SELF[False]}'s ", f"{SELF[True]}的")) for n in names)
    return own or bool(names & _all_names(stated(before))) or known(sorted(names))


def _all_names(found: Stated) -> set[str]:
    ends = {end for link in found.links for end in (link.subject, link.object)}
    return ends | {name for pair in found.names for name in pair}


def _certain(content: str) -> str:
    """Without the sentences that ask, and the parts of others that deny, suppose or tell of once."""
    sentences = re.split(r"(?<=[.!?;])\s+(?<!\b[DM]r\. )(?<!\bMrs\. )", content)
    parts = [part for s in sentences if not s.endswith("?") for part in re.split(r"(?<=,) ", s)]
    return " ".join(part for part in parts if not _UNCERTAIN.search(part))


def within(found: Stated, content: str) -> Stated:
    """Those relations and names of which at least one, other than the user, stands in a text: the other may be a pronoun there."""
    text = fold(content)

    def there(name: str) -> bool:
        return name not in SELF.values() and fold(name).removeprefix(f"{SELF[False]}'s ") in text

    return Stated(
        [link for link in found.links if there(link.object) or there(link.subject)],
        [pair for pair in found.names if there(pair[0])],
        found.left,
    )


def _is_name(words: str, text: str, start: int) -> bool:
    first = words.split()[0].casefold()
    if first in _NO_NAMES:
        return False
    begins = start == 0 or re.search(r"[.!?;:“]\s*$", text[:start]) is not None
    # A lone capitalised word that begins a sentence is a name only if something is said of it as of a name.
    after = text[start + len(words) :]
    return " " in words or not begins or _OF_A_NAME.match(after) is not None


def _marked(content: str, before: str) -> _Text:
    """The text with marks; a pronoun takes the mark of the person it means."""
    made = _Text("", [])
    out, place = [], 0
    people = [p for start, end, name in _names(before) for p in _person(before, start, end, name)]
    people = [(-1, name, sex) for _, name, sex in people]
    for start, end, name in sorted([*_names(content), *_pronouns(content)], key=lambda p: p[0]):
        who = _meant(content, start, end, people) if name is None else name
        if start < place or who is None:
            continue
        people += _person(content, start, end, name)
        out += [content[place:start], _mark(made, who)]
        if name is None and content[start:end].casefold() in ("his", "her", "their"):
            out.append("'s")
        place = end
    out.append(content[place:])
    made.text = "".join(out)
    return made


def _person(content: str, start: int, end: int, name: str | None) -> list[tuple[int, str, str]]:
    """Someone whom a pronoun may mean: where, who, and "f" or "m" where the words tell. Owners and places are not."""
    before, after = content[:start], content[end:]
    if name is None or name == SELF[False] or _NO_PERSON.search(before) or after.startswith(("'s ", "’s ")):
        return []
    return [
        (start, name, next((sex for sex, cue in _SEX.items() if cue.search(before) or cue.match(name.split()[0])), ""))
    ]


def _meant(content: str, start: int, end: int, people: list[tuple[int, str, str]]) -> str | None:
    """Whom a pronoun means: the first one named in its sentence, else the first of the sentence before, and so on back."""
    sex = {"she": "f", "her": "f", "he": "m", "his": "m"}.get(content[start:end].casefold(), "")
    fit = [p for p in people if not sex or p[2] in ("", sex)]
    latest = max((_sentence(content, p[0]) for p in fit), default=None)
    return next((p[1] for p in fit if _sentence(content, p[0]) == latest), None)


def _sentence(content: str, place: int) -> int:
    """The number of the sentence at a place; what was said before is all one."""
    return -1 if place < 0 else len(re.findall(r"[.!?] ", content[:place]))


def _names(content: str) -> Iterator[tuple[int, int, str | None]]:
    for m in _USER.finditer(content):
        yield m.start(), m.end(), SELF[False]
    for m in _PLACE.finditer(content):
        yield m.start(1), m.end(1), m[1]
    for m in _NAME.finditer(content):
        words, start = m[0], m.start()
        first, _, rest = words.partition(" ")
        if first.casefold() in _NO_NAMES and rest:
            words, start = rest, start + len(first) + 1
        if _is_name(words, content, start):
            yield start, start + len(words), words


def _pronouns(content: str) -> Iterator[tuple[int, int, str | None]]:
    for m in _PRONOUN.finditer(content):
        yield m.start(), m.end(), None


def _mark(made: _Text, name: str) -> str:
    if name not in made.names:
        made.names.append(name)
    return f"\x01{made.names.index(name)}\x02"


def _take_roles(made: _Text) -> None:
    made.text = re.sub(r"(?i)(\x01\d+\x02)(?: )(?=" + _ROLES + r"\b)", lambda m: _possessive(made, m), made.text)
    _take_owned(made)
    for m in _HAS.finditer(made.text):
        _relate(made, int(m[3]), m[2], int(m[1]))
    # Whose name nobody said is known by what he or she is: "my aunt's dentist Dr. Oduya".
    made.text = re.sub(_OWN, lambda m: _unnamed(made, m), made.text)
    _take_owned(made)


def _take_owned(made: _Text) -> None:
    for pattern in (_IS, *_TAKE):
        while (m := pattern.search(made.text)) is not None:
            parts = m.groups()
            owner, role, who = (parts[1], parts[2], parts[0]) if pattern is _IS else parts
            _relate(made, int(who), role, int(owner))
            made.text = f"{made.text[: m.start()]}\x01{who}\x02{made.text[m.end() :]}"


def _possessive(made: _Text, m: re.Match[str]) -> str:
    """ "my sister" has no 's: the mark of the user gets one."""
    mine = made.names[int(m[1][1:-1])] == SELF[False]
    return f"{m[1]}'s " if mine else m[0]


def _unnamed(made: _Text, m: re.Match[str]) -> str:
    owner = made.names[int(m[1])]
    return _mark(made, f"{owner}'s {m[2]}") if owner == SELF[False] else m[0]


def _relate(made: _Text, who: int, role: str, owner: int) -> None:
    """``who`` is the ``role`` of ``owner``."""
    name, other = made.names[who], made.names[owner]
    if name == other:
        return
    made.found.links.append(Link(name, predicate_of(role, chinese=False), other, 1.0))
    if other == SELF[False]:
        made.found.names.append((name, f"{other}'s {role}"))


def predicate_of(role: str, *, chinese: bool) -> str:
    """The relation that a role stands for: one of the list where it is there, else the role itself."""
    for predicate, cues in CUES.items():
        if is_han(predicate) is chinese and re.search(cues, role):
            return predicate
    return role if chinese else f"{role} of"


def _take_names(made: _Text) -> None:
    for m in _CALLS.finditer(made.text):
        name, other = (made.names[int(n)] for n in m.groups() if n is not None)
        if SELF[False] not in (name, other):
            made.found.names.append((name, other))


def _take_verbs(made: _Text) -> None:
    made.text = _AND.sub(lambda m: f"{m[0].rsplit(' ', 1)[0]} \x01{m[1]}\x02", made.text)
    for predicate, pattern in _SAID:
        for m in pattern.finditer(made.text):
            one, other = made.names[int(m[1])], made.names[int(m[2])]
            if one != other and not (other == SELF[False] and predicate != "partner of"):
                made.found.links.append(Link(one, predicate, other, 1.0))
