"""An answer to a question with a question word as one statement: "How many kids do you have?" "two, both girls".

Question and answer give all the words; a question of another form gives None, and is put beside its answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from edgemem.text import is_han
from edgemem.write.statements.english import third_person

_MONTH = r"jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_DAY = re.compile(rf"(?:the )?\d{{1,2}}(?:st|nd|rd|th)? (?:of )?(?:{_MONTH})\b|(?:{_MONTH}|{_WEEKDAY})\b|the \d", re.I)
_HOUR = re.compile(r"\d{1,2}(?:[:.]\d\d|\s?[ap]m\b)|noon\b|midnight\b", re.I)
_PLACED = re.compile(r"(?:in|at|near|on|outside|by|just|with|from|above|under|behind|next|close|about|around)\b", re.I)
_HELD = frozenset(("live", "work", "study", "teach", "stay", "grow up", "train", "volunteer"))
"""What one does in a place."""
_BUT = re.compile(
    r"not (?P<when>(?:since|when|at|on|if|until|before|after|during|without|while|in|any ?more|yet)\b.*)", re.I | re.S
)
_NO_ANSWER = re.compile(
    r"^\W*(?:it depends|depends|why|what|who|how|which|idk|dunno|no idea|not sure|whatever|anything|don['’]?t|doesn['’]?t|can['’]?t|you\b|same)",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"(?P<n>\d{1,4}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|a dozen|none|no)\b(?P<rest>.*)",
    re.I | re.S,
)
_AUX: Final = {"are": "is not", "do": "does not", "can": "cannot", "have": "has not", "will": "will not"}


def stated(question: str, answer: str) -> str | None:
    """The statement, or None where question and answer are of no such form. Both without what leads up to them."""
    said = answer.strip(" .,;:!。，；：！~～")
    if not said or _NO_ANSWER.match(said):
        return None
    forms = _CHINESE if is_han(question) else _ENGLISH
    for pattern, built in forms:
        found = pattern.match(question)
        if found is not None:
            return built(found, said)
    return None


def _theirs(text: str) -> str:
    return re.sub(r"\byou\b", "they", re.sub(r"\byours?\b", "their", text, flags=re.I), flags=re.I)


def _own(found: re.Match[str], said: str) -> str | None:
    """ "What's your registration?" "KX 55" """
    if _starts_statement(said):
        return None
    verb = "are" if found["be"].lower() == "are" else "is"
    return f"The user's {_theirs(found['n'])} {verb} {said}."


def _starts_statement(said: str) -> bool:
    """Whether an answer is a sentence of its own: "they moved it to May"."""
    return re.match(r"(?:i|they|we|he|she|it|that|this|there)\b", said, re.I) is not None


def _when(found: re.Match[str], said: str) -> str | None:
    if _starts_statement(said):
        return None
    at = "on " if _DAY.match(said) else "at " if _HOUR.match(said) else ""
    return f"The user's {_theirs(found['n'])} is {at}{said}."


def _where(found: re.Match[str], said: str) -> str | None:
    verb, rest = found["v"].lower(), found["rest"] or ""
    if _PLACED.match(said):
        place = said
    elif verb in _HELD and said[:1].isupper():
        place = f"in {said}"
    else:
        return None
    return f"The user {third_person(verb)}{_theirs(rest)} {place}."


def _how_many(found: re.Match[str], said: str) -> str | None:
    number = _NUMBER.match(said)
    if number is None:
        return None
    rest = number["rest"].strip(" ,;:–—-")
    count = "no" if number["n"].lower() in ("none", "no") else number["n"].lower()
    return f"The user has {count} {found['n']}{': ' + rest if rest else ''}."


def _which(found: re.Match[str], said: str) -> str | None:
    rest = _theirs(found["rest"] or "")
    return f"The {found['n'].lower()} the user {third_person(found['v'].lower())}{rest}: {said}."


def _how(found: re.Match[str], said: str) -> str | None:
    return f"The user {third_person(found['v'].lower())} their {_theirs(found['n'])} like this: {said}."


def _any(found: re.Match[str], said: str) -> str | None:
    return None if _starts_statement(said) else f"The user's {_theirs(found['n'])}: {said}."


def _unless(found: re.Match[str], said: str) -> str | None:
    """ "Do you drive at night?" "not since the accident" """
    but = _BUT.match(said)
    if but is None:
        return None
    rest = _theirs(found["rest"])
    still = re.match(r"still ", rest)
    aux = found["aux"].lower()
    if still is None:
        return f"The user {_AUX[aux]} {rest} {but['when']}."
    verb, _, tail = rest[still.end() :].partition(" ")
    now = f"no longer {third_person(verb)} {tail}" if aux == "do" else f"is no longer {verb} {tail}"
    return f"The user {now.strip()} {but['when']}."


_ENGLISH: Final[tuple[tuple[re.Pattern[str], Callable[[re.Match[str], str], str | None]], ...]] = (
    (re.compile(r"(?:when|what time|what day|what date)(?:['’]s| is) (?:the|your) (?P<n>[^,?]{3,50}?)\??$", re.I), _when),
    (re.compile(r"what(?P<be>['’]s| is| are) your (?P<n>[^,?]{2,50}?)\??$", re.I), _own),
    (re.compile(r"where do you (?P<v>live|work|study|teach|stay|train|volunteer|keep|buy)(?P<rest> [^,?]{1,40})?\??$", re.I), _where),
    (re.compile(r"how many (?P<n>[^,?]{2,40}?) (?:do you have|have you got)\??$", re.I), _how_many),
    (re.compile(r"(?:what|which) (?P<n>[a-z]+(?: [a-z]+)?) do you (?P<v>wear|drive|use|take|prefer|speak|ride|play|own|teach|support)(?P<rest> [^,?]{1,40})?\??$", re.I), _which),
    (re.compile(r"how do you (?P<v>take|like|want|prefer) your (?P<n>[^,?]{2,40}?)\??$", re.I), _how),
    (re.compile(r"(?:do you have |have you got |are there )?any (?P<n>(?!other\b|idea|plans\b|more\b)[^,?]{3,40}s)\??$", re.I), _any),
    (re.compile(r"(?P<aux>are|do|can|have|will) you (?P<rest>(?!or\b)[^,?]{3,60}?)\??$", re.I), _unless),
)  # fmt: skip


def _chinese(found: re.Match[str], said: str) -> str | None:
    """考试什么时候？——六月八号：用户的考试：六月八号。"""
    if re.match("[他她它这那]|还没|不知道|不清楚|随便|看情况", said):
        return None
    told = {name: value for name, value in found.groupdict().items() if value}
    what = told["n"] if "v" not in told else f"{told['v']}的{told['n']}"
    return f"用户{'' if 'v' in told else '的'}{what}：{said}。"


def _way(found: re.Match[str], said: str) -> str | None:
    return None if re.match("[他她它这那]|不知道", said) else f"用户{found['v']}{found['n']}：{said}。"


_CHINESE: Final[tuple[tuple[re.Pattern[str], Callable[[re.Match[str], str], str | None]], ...]] = (
    (re.compile(r"(?:您|你)?(?:平时|一般)?(?P<n>咖啡|茶|奶茶|鸡蛋|牛排|面条?|豆腐脑)(?:一般|平时)?怎么(?P<v>[喝吃])[呢呀啊]?[?？]?$"), _way),
    (re.compile(r"(?:您|你)(?:平时|一般|现在)?(?P<v>[穿用开养骑教学])(?:的是)?(?:什么|哪种|哪个|多大的?)(?P<n>[一-鿿]{1,6})[呢呀啊]?[?？]?$"), _chinese),
    (re.compile(r"(?:您|你)?(?:平时)?有(?:没有)?(?:什么|哪些)(?P<n>忌口|过敏|爱好|禁忌|病史|特长|证书|要求|偏好)(?:的|吗|没有|么|呢)*[?？]?$"), _chinese),
    (re.compile(r"(?:您|你)?的?(?P<n>(?![这那他她它])[一-鿿A-Za-z]{2,8}?)(?:是|在|定在|安排在|约在)?(?:什么时候|几号|几点|哪天|什么时间|多少|什么地方|哪里|哪儿)[呢呀啊]?[?？]?$"), _chinese),
)  # fmt: skip
