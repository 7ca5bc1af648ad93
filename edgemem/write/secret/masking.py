"""Where passwords, keys and numbers that nobody else should see stand in a text, and the text without them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from edgemem.write.secret import passphrases

MASK = "••••"
SHORT = 4
"""Characters of the shortest secret but a card's check number: fewer would be found everywhere."""

_KEYS = (
    re.compile(r"\b(?:sk|pk|rk)[-_](?:live|test|proj|ant)?[-_]?[A-Za-z0-9_-]{16,}"),
    re.compile(r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bgh[pousr]_[A-Za-z0-9]{20,}|\bxox[abprs]-[A-Za-z0-9-]{10,}|\beyJ[\w-]{10,}\.[\w-]{10,}"),
    re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL),
)  # fmt: skip
_DOCUMENT = re.compile(
    r"(?:身份证|护照|社保|银行卡|信用卡|passport|ssn|social security)[^\n]{0,12}?(?P<value>[A-Z]{0,2}\d{7,19}[Xx]?)",
    re.IGNORECASE,
)
_LONG_NUMBER = re.compile(r"(?<![\d.])\d(?:[ -]?\d){12,18}(?![\d.])")
_CHINESE_ID = re.compile(r"(?<!\d)\d{17}[\dXx](?!\d)")
_ID_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)

_HAN = "\u3001-\u30ff\u3400-\u9fff\uff00-\uff0f\uff1a-\uff1f"
"""Chinese, kana and their punctuation: no blank parts these from a secret beside them."""
_END = "\u3001\u3002\uff0c\uff01\uff1b\uff1f"
"""Punctuation that ends a clause and after which no blank is written."""
_NAME = re.compile(
    r"\b(?:pass(?:word|code|phrase|wd)?|pwd|pin(?: code| number)?|cvv|secret|token|api key)\b|密码|口令|验证码|取款码|暗号",
    re.IGNORECASE,
)
_FIELD = re.compile(
    rf"(?:\b(?:pass(?:words?|codes?|phrases?|wds?)?|pwds?|{passphrases.PIN}|secrets?|tokens?|(?:api|secret|private|access) ?keys?|{passphrases.CODES}s?)|密码|口令|验证码|取款码|暗号)$",
    re.IGNORECASE,
)
"""How the name of a field ends that holds a secret."""
_COUNTED = re.compile(
    r"\b(?:max|min|page|next|prev|previous|prompt|completion|input|output|total)(?: \w+)? tokens?$", re.IGNORECASE
)
"""Tokens of a language model, and those that name the next page."""
_FILE_PATH = re.compile(r"(?:~|\.{1,2}|[A-Za-z]:)?(?:[\\/][\w.@-]+){2,}[\\/]?")
_SHORT_CODE = re.compile(r"\b(?:cv[vc]2?|code|combination)$", re.IGNORECASE)
SHORTEST_CODE = 3
"""Digits of a card's check number."""
_REACH = 25
"""Characters between the word that names a secret and the word or sign after which it comes."""
_JOINT = re.compile(r"(?<![A-Za-z])(?:is|was|to)(?![A-Za-z])|[:=：]|是|为|改成|设成", re.IGNORECASE)
_DIRECTLY = re.compile(r"(?=[\s\"'“‘「„«-])(?!\s*\()")
"""What parts a secret from its name where no word does: not "token(s)", "password/2FA"."""
_BLANKS = re.compile(r"\s*")
_COLONS = (":", "：", "=")
_OPENING = re.compile(
    r"\s*(?:(?:(?:is|was|to)(?![A-Za-z])|是|为|改成|设成)\s*)?(?:[:=：]\s*)?[\"'“‘「„«]?", re.IGNORECASE
)
_QUOTED = re.compile("|".join(f"{a}[^{b}\n]{{4,80}}{b}" for a, b in ('""', "''", "“”", "‘’", "「」", "„“", "«»")))
_RUN = re.compile(rf"[\"'“‘「„«]?([^\s{_HAN}]{{4,}})")
_RUN_AFTER_COLON = re.compile(rf"[\"'“‘「„«]?([^\s{_END}]{{4,}})")
_DIGITS = re.compile(r"\d(?:[ -]?\d){3,}")
_NEEDED = re.compile(r"[0-9@#$%&*!_^~]")
"""What words have seldom: letters after "password" are most often a word, as in "password manager"."""
_NO_SECRET = re.compile(
    r"\s*(?:[$€£]?\d{1,3}(?:[.:,/]\d{1,4})+[a-z%€$£]{0,3}|1password)(?![^\s.,;:!?)])", re.IGNORECASE
)
"""A time, a date or a price; the program of that name."""
_CLOSING = re.compile(r"[.,;:!?…)\]}\"'”’」』»]{1,3}$")
_REST = re.compile(rf"[^\s{_END}]*")
_GROUPS = re.compile(r"(?:[ -]\d+)*")
_SPLIT = re.compile(r"[;!?…。！？；\n]+|\.(?=\s)")
_BESIDE = 300
"""Characters after a secret in which another one of the same sentence is looked for."""
_SENTENCE_END = re.compile(r"[。！？\n]|[.!?](?=\s|$)")
_WORD = re.compile(rf"[^\s{_HAN}]{{4,}}")
_LIKE_ONE = re.compile(r"(?=.*[^\W\d_])(?=.*\d)|(?:\D*\d){4}")
"""Letters and digits in one word, or four digits."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A secret in a text: ``start`` of the word that names it where there is one, and from where to where it stands itself."""

    start: int
    bare: int
    end: int


def secret_in(text: str) -> bool:
    """Whether a text holds a password, a key, a card number or a Chinese identity number."""
    return next(_spots(text), None) is not None


def names_secret(field: str) -> str | None:
    """The name of a field in words, where it ends as what names a secret: "wifi password" of "wifiPassword2", none of "token_budget"."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])|[_.-]+", " ", field).strip()
    words = re.sub(r"(?<=[A-Za-z密码口令号])\s*\d+$", "", words)
    return words if _FIELD.search(words) and not _COUNTED.search(words) else None


def names_many(field: str) -> bool:
    """Whether a field is named for several secrets, so that each it holds is one, under whatever name: {"passwords": {"wifi": …}}."""
    named = names_secret(field)
    return named is not None and named.lower().endswith("s") and not named.lower().endswith(("pass", "tokens"))


def secret_in_field(name: str, value: str | float) -> bool:
    """Whether a field holds a secret, by its own words or by the field's name: any one word in "wifi_password", no file's path."""
    named, words = names_secret(name), str(value)
    if named is None or _FILE_PATH.fullmatch(words) or (named.lower().endswith("pwd") and words.startswith(("/", "~"))):
        return isinstance(value, str) and secret_in(value)  # a number alone may be the time in milliseconds
    return _is_value(named, value) or secret_in(f"{named}: {words}")


def _is_value(named: str, value: str | float) -> bool:
    """Whether what a field with such a name holds needs no look at its signs. A "pass" may be for a bus, and "tokens" counted."""
    last = named.lower().split()[-1]
    if last == "pass" or (last == "tokens" and not isinstance(value, str)):
        return False
    shortest = SHORTEST_CODE if _SHORT_CODE.search(named) else SHORT
    return len(str(value)) >= shortest and passphrases.may_be_value(str(value))


def secret_spans(text: str) -> list[tuple[int, int]]:
    """Where secrets stand in a text, in order, each with the word that names it where there is one; they may overlap."""
    return sorted((spot.start, spot.end) for spot in _spots(text))


def secret_words(text: str) -> list[str]:
    """The secrets themselves, the longest first: a part of one must not leave the rest of it standing."""
    return sorted({text[spot.bare : spot.end] for spot in _spots(text)}, key=lambda word: (-len(word), word))


def masked(text: str, also: Iterable[str] = ()) -> str:
    """The text with its secrets, and ``also`` these words, masked wherever they stand in it; what names them stays."""
    for word in sorted({*secret_words(text), *also}, key=lambda word: (-len(word), word)):
        text = text.replace(word, MASK)
    return text


def masked_within(value: Any, words: Sequence[str]) -> Any:
    """Any JSON value with all its texts masked; ``words`` are the secrets of the message that they were made of."""
    if isinstance(value, str):
        return masked(value, words)
    if isinstance(value, Mapping):
        return {key: masked_within(item, words) for key, item in value.items()}
    return [masked_within(item, words) for item in value] if isinstance(value, list | tuple) else value


def pieces(words: Iterable[str]) -> list[str]:
    """The words, and what of them stands alone where a message is split at its full stops and the like."""
    found = {piece for word in words for piece in (word, *_SPLIT.split(word)) if piece == word or len(piece) >= SHORT}
    return sorted(found, key=lambda word: (-len(word), word))


def _spots(text: str) -> Iterator[Spot]:
    for pattern in _KEYS:
        yield from (_whole(text, *m.span()) for m in pattern.finditer(text))
    yield from (_whole(text, *m.span()) for m in _LONG_NUMBER.finditer(text) if _luhn(re.sub("[ -]", "", m[0])))
    yield from (_whole(text, *m.span()) for m in _CHINESE_ID.finditer(text) if _identity(m[0]))
    yield from (Spot(m.start(), m.start("value"), _ended(text, m.end())) for m in _DOCUMENT.finditer(text))
    for name in _NAME.finditer(text):
        if name[0][:3].lower() == "pin" and not passphrases.pin_at(text, *name.span()):
            continue
        value = _value(text, name.end())
        if value is not None:
            spot = Spot(name.start(), _begun(text, name.end(), value[0]), _ended(text, value[1]))
            yield spot
            yield from _beside(text, spot)
    yield from (Spot(start, bare, end) for start, bare, end in passphrases.spots(text))


def _whole(text: str, start: int, end: int) -> Spot:
    return Spot(start, start, _ended(text, end))


def _value(text: str, named: int) -> tuple[int, int] | None:
    """Where the secret stands whose name ends at ``named``: right after it, or after what joins the two."""
    line = text.find("\n", named)
    reach = min(named + _REACH, len(text) if line < 0 else line)
    found = _value_at(text, named, "") if _DIRECTLY.match(text, named) or not text[named - 1].isascii() else None
    joints = _JOINT.finditer(text, named, reach)
    while found is None and (joint := next(joints, None)) is not None:
        if _NO_SECRET.match(text, joint.end()):
            break
        found = _value_at(text, joint.end(), joint[0])
    return found


def _value_at(text: str, start: int, joint: str) -> tuple[int, int] | None:
    start = _BLANKS.match(text, start).end()  # type: ignore[union-attr]  # it matches nothing too
    quoted = _QUOTED.match(text, start)
    if quoted is not None and (joint or _NEEDED.search(quoted[0])):
        return quoted.start() + 1, quoted.end() - 1
    run = (_RUN_AFTER_COLON if joint in _COLONS else _RUN).match(text, start)
    if run is not None and _NEEDED.search(run[1]):
        return run.span(1)
    digits = _DIGITS.match(text, start)
    return None if digits is None else digits.span()


def _begun(text: str, named: int, value: int) -> int:
    """Where to begin to mask: a sign in a secret looks like what joins it to its name."""
    opened = _OPENING.match(text, named)
    blank = max(text.rfind(" ", 0, value), text.rfind("\n", 0, value)) + 1
    return min(value, max(blank, named if opened is None else opened.end()))


def _ended(text: str, end: int) -> int:
    """Where to stop: at the next blank without what closes the sentence, but after groups of digits that go on."""
    rest = _REST.match(text, end)
    run = text[: end if rest is None else rest.end()]
    closing = _CLOSING.search(run, max(0, len(run) - 3))
    stop = len(run) if closing is None else closing.start()
    groups = _GROUPS.match(text, stop)
    return stop if groups is None else groups.end()


def _beside(text: str, spot: Spot) -> Iterator[Spot]:
    """What looks like another secret in the same sentence: "hunter22, not hunter33", "from the old1 to the new2"."""
    far = spot.end + _BESIDE
    end = _SENTENCE_END.search(text, spot.end, far)
    for word in _WORD.finditer(text, spot.start, far if end is None else end.start()):
        stop = word.start() + len(_CLOSING.sub("", word[0]))
        if (word.start() >= spot.end or stop <= spot.bare) and _LIKE_ONE.match(text[word.start() : stop]):
            yield Spot(word.start(), word.start(), stop)


def _luhn(number: str) -> bool:
    """Check digit of payment cards, ISO/IEC 7812-1."""
    doubled = [int(d) * (2 if n % 2 else 1) for n, d in enumerate(reversed(number))]
    return sum(d - 9 if d > 9 else d for d in doubled) % 10 == 0


def _identity(number: str) -> bool:
    """Check character of a Chinese identity number, GB 11643-1999."""
    total = sum(int(d) * w for d, w in zip(number[:17], _ID_WEIGHTS, strict=True))
    return "10X98765432"[total % 11] == number[17].upper()
