"""What a kept clause says of the user, by rule: first choice where it can be had, since a rule invents nothing.

``said`` is tried first, then ``carried`` and ``beside``; what none can say goes to the language model.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final

from edgemem.kin import FEMALE, HAN, LATIN, MALE
from edgemem.text import is_han
from edgemem.write.clauses import Clause, Corrected
from edgemem.write.gate import Verdict
from edgemem.write.kinds import kind_of
from edgemem.write.statements import answers, carry, mend, person, restate, subjects, wording

_OWN = re.compile(r"\b(?:i|i['’](?:m|ve|d|ll)|im|ive|my|we|our|we['’]re)\b|我|咱|俺", re.IGNORECASE)
ATTRIBUTED: Final = "According to the user"
"""How a sentence begins that names the user as the one who said it."""
_FRAMED: Final = (ATTRIBUTED, "The user's preference:")
_MENTIONED: Final = "用户提到："
_ANSWER_CHARS: Final = 60
_SHORT: Final = 70
_SHORT_HAN: Final = 30
"""Characters up to which a clause without a subject is taken to belong to the one before it."""

_TOLD_ALREADY = re.compile(r"(?:the user(?:['’]s)? |用户)\S.*[.。]$", re.IGNORECASE)
_BARE = re.compile(r"(?:my|our)(?: [\w'’-]+){1,3}$", re.IGNORECASE)
"""An answer that only names somebody or something of the user's."""

_DANGLING = re.compile(
    r"^(?:i|we)(?:['’]\w+)?(?:\s+[a-z'’]+){1,3}?\s+(?:it|them|(?:that|this|those)"
    r"(?=\s*(?:$|[,.;!?(]|(?:up|at|in|on|for|again|ago|already|too|now|every|before|once|back)\b)))\b",
    re.IGNORECASE,
)
_PRONOUN = re.compile(r"^(?:and |but |so |oh |well )*(?P<pronoun>he|she|his|her)(?P<be>['’]s)?(?= )", re.IGNORECASE)
_HAS = re.compile(
    r" (?:just |already |never |always |also )?(?:got|been|had|gone|become|started|moved|lost|left|bought|taken|made|done|broken)\b",
    re.IGNORECASE,
)
"""What turns "she's" into "she has"."""
_MENTION = re.compile(
    r"\b(?:[Mm]y|[Oo]ur) (?P<noun>(?:late |older |younger |little |big |middle |eldest )?[a-z]+(?:[ -]in[ -]law)?)(?P<name>,? [A-ZÀ-ÖØ-Þ][^\W\d_]+)?"
)
_NEWCOMER = re.compile(
    rf"\b(?:an?|another|their|her|his|new) (?:(?!{LATIN})[a-z]+ )?(?P<noun>{LATIN}|baby|girl|boy|kid|child|dog|cat|puppy|kitten|friend|colleague|partner|neighbour|lady|woman|man|guy|teacher|doctor|nurse)\b",
    re.IGNORECASE,
)
_NEWCOMER_HAN = re.compile(
    "女儿|儿子|闺女|宝宝|女婴|男婴|孩子|老婆|老公|妻子|丈夫|女朋友|男朋友|女友|男友|对象|同事|朋友|猫|狗"
)
_OTHER = re.compile(rf"\b(?:he|she|his|her|(?:my|our) (?:[a-z]+ )?(?:{LATIN}|boy|girl|kids|children))\b", re.IGNORECASE)
_SELF = re.compile(r"\b(?:i|i['’](?:m|ve|d|ll)|im|ive|we)\b", re.IGNORECASE)
_KIN_HAN = re.compile(f"(?<![和跟与同带陪给帮替为对让把在])我(?:们?家)?的?(?P<kin>{HAN})")
_ASKED_ABOUT = re.compile(
    r"\b(?:my|our) (?P<what>[a-z][\w-]*(?: (?!again|now)[a-z][\w-]*)?)(?: again| now)?\s*\??\s*$", re.IGNORECASE
)
_NEWS = re.compile(
    r"(?:no,? |nope,? |actually,? )*(?:not|now|no longer|it['’]?s|it is|it was|at|on|in|until|since|only|every|moved|\d)",
    re.IGNORECASE,
)
_OTHER_HAN = re.compile("(?<![其吉伐洛利])[他她](?![们汀人乡])|患者|实习生|客户|学生|徒弟|房东|邻居|新来的|候选人|甲方")


@dataclass(frozen=True, slots=True)
class Said:
    """A clause with what surrounds it.

    ``message`` is the whole turn, ``asked`` the assistant's question just before it or None, ``earlier``
    what the user said in the turns before, where a "she" may have been named. ``previous`` is the clause just
    before in the same message. ``words`` stand for the clause when it corrects what was said before,
    ``corrects`` is that, where another message said it.
    """

    verdict: Verdict
    message: str
    asked: str | None
    earlier: str = ""
    previous: Clause | None = None
    words: str | None = None
    corrects: Corrected | None = None

    @property
    def text(self) -> str:
        """The clause as it was typed, or as it was corrected."""
        return self.words or self.verdict.clause.text

    @property
    def answers(self) -> bool:
        """Whether the clause may be the answer to the question: short, and at the start of the message."""
        before = self.message[: self.verdict.clause.start]
        short = len(self.text) <= _ANSWER_CHARS and len(before.strip()) <= _ANSWER_CHARS
        return self.asked is not None and short and answers.may_answer(self.asked, self.text)

    @property
    def before(self) -> str:
        """All the user said before the clause, as far as it is known."""
        return f"{self.earlier}\n{self.message[: self.verdict.clause.start]}"

    @property
    def standing(self) -> bool:
        """Whether it tells the assistant what to do from now on."""
        return self.verdict.letter == "P" and kind_of("P", self.text, "", "rule") == "rule"


def said(clause: Said) -> str | None:
    """The clause as a sentence about the user that needs nothing else, or None when no rule can give one."""
    if _TOLD_ALREADY.match(clause.text):
        return clause.text  # a memory in its own words
    if clause.answers and clause.asked is not None and (plain := answers.plain(clause.asked, clause.text)) is not None:
        return plain
    if clause.answers and _OWN.search(clause.text) is None and not clause.standing:
        return None  # "two, both girls" is nothing without the question
    if clause.previous is not None and clause.previous.text.endswith((":", "：")) and _carries(clause):
        return None
    if is_han(clause.text):
        content = _chinese(clause)
        return None if content is None or (_carries(clause) and content.startswith(_MENTIONED)) else content
    if clause.previous is not None and _DANGLING.match(person.trimmed(clause.text)):
        return None
    if clause.answers and _BARE.match(clause.text.strip(" .!")):
        return None
    content = _english(clause)
    if content is None or _fragment(content):
        return _of_topic(clause)
    if content.startswith(ATTRIBUTED):
        return _of_topic(clause) or (None if _carries(clause) else _of_person(clause, content))
    return None if clause.answers and not content.startswith("The user") and not clause.standing else content


def carried(clause: Said) -> str | None:
    """The clause said together with the one before it, when it has no subject of its own or points back."""
    if clause.previous is None or not _carries(clause):
        return None
    before = replace(clause, verdict=replace(clause.verdict, clause=clause.previous), previous=None, words=None)
    base = said(before) or (beside(before) if before.answers else None)
    return carry.joined(clause.previous.text, clause.text, base)


def _carries(clause: Said) -> bool:
    """Whether a clause needs the one before it: it points back, or it is a few words without a subject."""
    if (
        clause.previous is None
        or clause.standing
        or clause.words is not None
        or (clause.answers and clause.verdict.clause.start == 0)
    ):
        return False
    text = clause.text
    if is_han(text) != is_han(clause.previous.text):
        return False
    if clause.previous.text.endswith((":", "：")) and _OWN.search(text) is None:
        return True
    if mend.correction(text) is not None:
        return False  # it takes back what the one before said
    if carry.leans(text) or _DANGLING.match(person.trimmed(text)):
        return True
    if _OWN.search(text) is not None or subjects.of(text) is not None:
        return False
    return len(text) <= _SHORT_HAN and restate.without_person(text) if is_han(text) else len(text) <= _SHORT


def beside(clause: Said) -> str | None:
    """A plainer sentence: the answer beside its question, or a clause as what the user mentioned."""
    if clause.answers and clause.asked is not None:
        beside_it = answers.quoted(clause.asked, clause.text, _spoken_of(clause))
        if beside_it is not None or _OWN.search(clause.text) is None:
            return beside_it
    if not is_han(clause.text):
        content = _english(clause)
        return _of_person(clause, content) if content and content.startswith(ATTRIBUTED) else content
    return _chinese(clause) or restate.mentioned(clause.text)


def _of_topic(clause: Said) -> str | None:
    """What the user asked about just before and now corrects: "when is my choir again?" "not since May. Tuesdays now"."""
    asked = _ASKED_ABOUT.search(clause.earlier) if clause.asked is None and clause.previous is None else None
    if asked is None or not _NEWS.match(clause.text) or _OWN.search(clause.text):
        return None
    return f"The user's {asked['what']}: {wording.mid_sentence(person.trimmed(clause.text))}."


def _english(clause: Said) -> str | None:
    before = clause.message[: clause.verdict.clause.start]
    # "does the phone calls": whose note that is, nobody can tell once somebody else was spoken of.
    other = _OTHER.search(before) is not None if person.of_third(clause.text) else _speaks_of_another(before)
    return person.restated(_named(clause), clause.verdict.letter, standing=clause.standing, other=other)


def _of_person(clause: Said, content: str) -> str:
    """A note without a subject with the person it is about: "macular degeneration in both eyes" after "our dad is 83"."""
    before = clause.message[: clause.verdict.clause.start]
    who = _spoken_of(replace(clause, earlier="")) if _speaks_of_another(before) else None
    if who is None or wording.tells(clause.text) or wording.may_be_name(clause.text):
        return content
    return f"{who[0].upper()}{who[1:]}: {content.removeprefix(ATTRIBUTED).lstrip(', ')}"


def _speaks_of_another(before: str) -> bool:
    """Whether the last person named is not the user: a note without a subject is then not the user's."""
    others = [m.end() for m in _OTHER.finditer(before)]
    return bool(others) and not any(m.start() >= others[-1] for m in _SELF.finditer(before))


def _chinese(clause: Said) -> str | None:
    return restate.restated(_named_chinese(clause), instruction=clause.standing, other=_other_chinese(clause))


def _other_chinese(clause: Said) -> str | None:
    """The person spoken of just before a clause: 我外婆, "" for one whom no such word names, None for nobody."""
    before = clause.message[: clause.verdict.clause.start]
    kin, others = list(_KIN_HAN.finditer(before)), list(_OTHER_HAN.finditer(before))
    last = max((m.end() for m in (*kin, *others)), default=0)
    if not last or re.search(f"我(?!的?(?:{HAN}))|咱", before[last:]):
        return None
    return (
        f"我{kin[-1]['kin']}"
        if kin and not any(m.start() > kin[-1].end() and m[0] not in ("他", "她", "患者") for m in others)
        else ""
    )


def _spoken_of(clause: Said) -> str | None:
    """The person the user spoke of last, as a memory names them, or None."""
    if is_han(clause.before):
        kin = re.findall(HAN, clause.before)
        return f"用户的{kin[-1]}" if kin else None
    mentions = list(_MENTION.finditer(clause.before))
    return f"the user's {mentions[-1]['noun']}{mentions[-1]['name'] or ''}".replace(",", "") if mentions else None


def _fragment(content: str) -> bool:
    """Whether the rule only put a few words after an attribution: the model may find what they belong to."""
    return content.startswith(_FRAMED) and len(content.split()) < 9


def _named(clause: Said) -> str:
    """The clause with the person put for a "he" or "she" at its start, when the message names one of that sex before."""
    found = _PRONOUN.match(clause.text)
    if found is None:
        return clause.text
    mentions = list(_MENTION.finditer(clause.before))
    sex = MALE if found["pronoun"].lower() in ("he", "his") else FEMALE
    of_sex = [m for m in mentions if m["noun"].split()[-1] in sex or m["noun"].replace(" ", "-") in sex]
    if not of_sex or _another(clause.before[of_sex[-1].end() :], FEMALE if sex is MALE else MALE):
        return clause.text
    who = f"my {of_sex[-1]['noun']}{of_sex[-1]['name'] or ''}".replace(",", "")
    own = found["pronoun"].lower() in ("his", "her")
    rest = clause.text[found.end() :]
    be = "" if not found["be"] else " has" if _HAS.match(rest) else " is"
    return f"{who}{chr(39) + 's' if own else be}{rest}"


def _another(since: str, not_meant: frozenset[str]) -> bool:
    """Whether somebody else came into the talk whom "she" may mean as well: a baby, a daughter, a cat."""
    return any(m["noun"].lower() not in not_meant for m in _NEWCOMER.finditer(since))


def _named_chinese(clause: Said) -> str:
    """The clause with the person put for 他 or 她 at its start."""
    text = re.sub("^(?:而且|不过|但是?|然后)", "", clause.text)
    if text[:1] not in ("他", "她") or text[1:2] == "们":
        return clause.text
    other = FEMALE if text[0] == "他" else MALE
    fitting = [m for m in _KIN_HAN.finditer(clause.before) if m["kin"] not in other]
    if not fitting or any(m[0] not in other for m in _NEWCOMER_HAN.finditer(clause.before[fitting[-1].end() :])):
        return clause.text
    whose = "的" if re.match(HAN, text[1:]) else ""
    return f"我{fitting[-1]['kin']}{whose}{text[1:]}"
