"""An answer and the question before it as one sentence about the user: "Do you smoke?" "never did"."""

from __future__ import annotations

import re
from typing import Final

from edgemem.text import is_han
from edgemem.write.statements import wh
from edgemem.write.statements.english import third_person
from edgemem.write.statements.person import as_they, trimmed
from edgemem.write.statements.restate import about_user

MAX_QUESTION: Final = 80
MAX_ANSWER: Final = 90
"""Characters (a Han character counts two) of a question and an answer that still fit one memory."""

_MAX_STATED: Final = 190

_SOMEBODY = re.compile(r"\b(?:he|she|they|it|him|her|them)\b|(?<![其吉])[他她它]", re.IGNORECASE)
_POINTING = re.compile(r"^(?:he|she|it|they|that|this|both|same|neither)\b|^[他她它都]", re.IGNORECASE)
_LAST_QUESTION = re.compile(r"[^.!?。！？\n]*[?？]\s*$")
_OPENING = re.compile(
    r"^(?:[^,，:：]{0,12}[,，:：]\s*)?(?:and|so|ok|okay|great|thanks|请问|那|那么|好的)?[\s,，:：]*", re.IGNORECASE
)
_FIRST_PART = re.compile(r"^[^,，;；—]*[,，;；—]\s*")
_NO = re.compile(
    r"^(?:(?:absolutely|definitely|of course|certainly) not|(?:hell|god) no|no|nope|nah|none|never(?: did| have)?|not really|not any ?more|nothing|neither|i don['’]?t|don['’]?t)\b[\s,.;:!-]*",
    re.IGNORECASE,
)
_YES = re.compile(
    r"^(?:yes|yeah|yep|yup|yea|sure|correct|right|i do|i am|i have|exactly|definitely|ya|aye)\b[\s,.;:!-]*",
    re.IGNORECASE,
)
_NOTHING = re.compile(
    r"^(?:not yet|no idea|maybe|perhaps|dunno|don['’]?t know|not sure|we['’]ll see|who knows)\b[^\w]*(?:$|[;:])"
    r"|^(?:还没(?:有|呢|想好)?|不知道|不清楚|不确定|看情况|再说吧?|随便)[啊呢吧啦]?[。！!~～ ]*$",
    re.IGNORECASE,
)
"""Answers that leave the question open: true for now, and nothing to remember."""
_OPEN = re.compile(
    r"\b(?:how|what) (?:can|could|may|should|shall) (?:i|we) (?:help|do|assist|get|start)\b|\bwhat(?:['’]s| is) (?:up|on your mind|new)\b|\b(?:do you )?(?:need|want|like) (?:any |some |my )?help\b|\banything else\b"
    r"|\bwhat (?:would you like|do you want) to (?:talk|chat|know|do|start)\b|\bwhat brings you\b|(?:有|还有)(?:什么|啥).{0,4}(?:可以|能|需要).{0,3}帮|想(?:聊|问|了解)(?:些|点)?(?:什么|啥|哪)|需要(?:我)?帮",
    re.IGNORECASE,
)
"""Questions that ask for the next request: what answers them says what the talk is to be about, and nothing of the user."""

_TELLS_MORE = re.compile(
    r"\b(?:i|i['’]\w+|im|ive|my|we|our|always|never|every|from now on|please|only|no|not|don['’]t|since|prefer|hate|love|like|want|need|avoid|use|call|keep|answer|reply|write|speak"
    r"|allerg\w+|intoleran\w+|vegan|veget\w+)\b|我|咱|以后|每次|只|不|别|喜欢|讨厌|过敏|爱|怕|忌|吃素|叫|用",
    re.IGNORECASE,
)
_SWITCHES = re.compile(
    r"^\W*(?:(?:quick|one|another|other|different|unrelated|next|last)(?: (?:more|last|other|quick))?(?: (?:one|thing|question|topic))?[:,—–-]|by the way\b|btw\b|also[,:]|anyway\b|on another note\b)"
    r"|^\W*(?:对了|另外|顺便|话说|换个话题|还有(?:个|一)|再问)",
    re.IGNORECASE,
)
_ASKED = re.compile(r"^(?P<aux>do|are|have|can|will|did|were) you (?P<rest>[^,]{2,60})\?$", re.IGNORECASE)
_ANY = re.compile(r"^(?:do you have |have you got |are there )?any (?P<what>[^,?]{2,50})\?$", re.IGNORECASE)
_FORMS: Final = {"are": ("is", "is not"), "have": ("has", "has not"), "can": ("can", "cannot"), "will": ("will", "will not"),
                 "did": ("did", "did not"), "were": ("was", "was not")}  # fmt: skip
_NO_HAN = re.compile(r"^(?:从来不|从不|不会|不是|没有|没|不|无|否|未)")
_YES_HAN = re.compile(r"^(?:有的|有|是的|是|对的|对|会的|会|嗯|要)(?![一-鿿])")
_ASKED_HAN = re.compile(r"^(?:您|你)?(?:平时|现在|平常)?(?P<what>[一-鿿A-Za-z]{1,16})(?:吗|嘛|么)[?？]$")
_ANY_HAN = re.compile(r"^(?P<who>[一-鿿]{0,8}?)有没有(?P<what>[一-鿿A-Za-z]{1,14}?)(?:的)?(?:吗|呢)?[?？]$")


def may_answer(asked: str, said: str) -> bool:
    """Whether words can be the answer to a question: it asks for something of the user, and they do not begin another subject."""
    return not begins(asked, said) and _SWITCHES.match(said) is None


def begins(asked: str, said: str) -> bool:
    """Whether words only say what the talk is to be about: "How can I help?" "mostly recipes". With "I" or "always" they tell more."""
    question = _LAST_QUESTION.search(asked.strip())
    return question is not None and _OPEN.search(question[0]) is not None and _TELLS_MORE.search(said) is None


def plain(asked: str, answer: str) -> str | None:
    """A yes or no to a plain question, said as a statement; None when the two are not of that kind."""
    question = _question(asked)
    if question is None:
        return None
    return _plain_chinese(question, answer.strip()) if is_han(question) else _plain_english(question, answer.strip())


def quoted(asked: str, answer: str, about: str | None = None) -> str | None:
    """Question and answer side by side, for answers that no rule can restate; None when they are too long.

    ``about`` is the person spoken of before: what "he" in the question means.
    """
    question, said = _question(asked), answer.strip()
    if question is not None and about is None and (told := _by_question_word(question, said)) is not None:
        return told
    if (
        question is None
        or _columns(question) > MAX_QUESTION
        or _columns(said) > MAX_ANSWER
        or (about is None and bool(_POINTING.search(said) or _SOMEBODY.search(question)))
    ):
        return None
    if not re.search(r"\w", said) or _NOTHING.match(said):
        return None
    if is_han(question + said):
        told = about_user(said).strip("。！!~～ ")
        whom = f"{about}的事：" if about and _SOMEBODY.search(question) else ""
        return f"被问到{whom}“{question.rstrip('?？')}”时，用户回答：{told}。"
    told = as_they(trimmed(said) or said).strip(" .,;")
    whom = f" about {about}" if about and _SOMEBODY.search(question) else ""
    return f"Asked{whom} “{question}”, the user answered: {told}."


def _by_question_word(question: str, said: str) -> str | None:
    """The answer to a question with a question word, as a statement."""
    if _columns(said) > MAX_ANSWER or _NOTHING.match(said):
        return None
    told = wh.stated(question, about_user(said) if is_han(said) else as_they(trimmed(said) or said))
    return told if told is not None and _columns(told) <= _MAX_STATED else None


def _question(asked: str) -> str | None:
    found = _LAST_QUESTION.search(asked.strip())
    if found is None:
        return None
    text = " ".join(found[0].split()).lstrip("- ")
    if not (is_han(text) and _columns(text) <= MAX_QUESTION and not re.match(".{1,12}[:：]", text)):
        text = _OPENING.sub("", text, count=1)
    while _columns(text) > MAX_QUESTION and (shorter := _FIRST_PART.sub("", text, count=1)) != text:
        text = shorter  # the question itself stands last
    return text


def _columns(text: str) -> int:
    return sum(2 if ord(c) > 0x2E7F else 1 for c in text)


def _plain_english(question: str, answer: str) -> str | None:
    no, yes = _NO.match(answer), _YES.match(answer)
    found = no or yes
    if found is None:
        return None
    extra = as_they(answer[found.end() :].strip(" .,;:!"))
    if (any_ := _ANY.match(question)) is not None:
        return _with(f"The user has {'no' if no else ''} {_known(any_['what'])}", extra)
    asked = _ASKED.match(question)
    if asked is None or " or " in question:
        return None
    return _with(f"The user {_verb(asked['aux'].lower(), _known(asked['rest']), bool(no))}", extra)


def _verb(aux: str, rest: str, no: bool) -> str:
    """The question's verb as a statement."""
    still = rest.removeprefix("still ")
    if no and still != rest:
        verb, _, tail = still.partition(" ")
        return f"no longer {third_person(verb)} {tail}" if aux == "do" else f"{_FORMS[aux][0]} no longer {still}"
    if aux == "do":
        verb, _, tail = rest.partition(" ")
        return f"does not {rest}" if no else f"{third_person(verb)} {_certain(tail)}"
    positive, negative = _FORMS[aux]
    return f"{negative} {rest}" if no else f"{positive} {_certain(rest)}"


def _certain(text: str) -> str:
    return re.sub(r"\b(?:any|ever) ", "", text)


def _known(text: str) -> str:
    return re.sub(
        r"\byours?\b", "their", re.sub(r"\byou\b", "they", text, flags=re.IGNORECASE), flags=re.IGNORECASE
    ).strip()


def _with(statement: str, extra: str) -> str:
    said = " ".join(statement.split())
    return f"{said}: {extra}." if extra else f"{said}."


def _plain_chinese(question: str, answer: str) -> str | None:
    no, yes = _NO_HAN.match(answer), _YES_HAN.match(answer)
    found = no or yes
    if found is None:
        return None
    extra = _said_again(question, answer[found.end() :]).strip(" ，,。.!！、了啊呀的").replace("我", "用户")
    if (any_ := _ANY_HAN.match(question)) is not None:
        said = f"用户{any_['who'].lstrip('您你')}{'没有' if no else '有'}{any_['what']}"
    elif (asked := _ASKED_HAN.match(question)) is not None and not re.search("还是|什么|哪", question):
        said = f"用户{_denied(asked['what'], no[0]) if no else asked['what']}"
    else:
        return None
    return f"{said}，{extra}。" if extra else f"{said}。"


def _said_again(question: str, rest: str) -> str:
    """What follows 不 without the question's own verb: 不租了，… answers 还租吗."""
    again = re.match(r"(?P<verb>[一-鿿]{1,2}?)了?(?=[，,。！!]|$)", rest)
    return rest[again.end() :] if again is not None and again["verb"] in question else rest


def _denied(what: str, word: str) -> str:
    """吸烟 becomes 从来不吸烟, 有孩子 becomes 没有孩子, 还租 becomes 不再租."""
    if what.startswith("还"):
        return f"不再{what.removeprefix('还')}"
    if "有" in what:
        return what.replace("有", "没有", 1)
    adverb = word if word in ("从来不", "从不") else "不"
    return adverb + what.removeprefix("要" if what.startswith("要不要") else "")
