"""Numbers, dates and times of day in a sentence, however they are written, English and Chinese."""

from __future__ import annotations

import re

MONTHS = "january february march april may june july august september october november december".split()
_MONTH = re.compile(
    r"\b(?:(\d{1,2})(?:st|nd|rd|th)?\s+(?:of\s+)?)?("
    + "|".join(f"{m.capitalize()}|{m[:3].capitalize()}" for m in MONTHS)
    + r")\b\.?(?:\s+(\d{1,2})(?:st|nd|rd|th)?\b)?"
)
_PAST = re.compile(r"\b(half|(?:a )?quarter|[a-z]+) (past|to) ([a-z]+)\b")
DAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_WORD_NUMBERS = dict(
    zip(
        "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen"
        " nineteen twenty once twice first second third fourth fifth sixth".split(),
        [*range(1, 21), 1, 2, 1, 2, 3, 4, 5, 6],
        strict=True,
    )
)
_HAN_DIGITS = dict(zip("〇零一二两三四五六七八九", (0, 0, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9), strict=True))
_HAN_NUMBER = re.compile(
    "[〇零一二两三四五六七八九十百千万]+(?=[^些样起定直般旦切向下共])|[一二两三四五六七八九十百千万]+$"
)
_TIME = re.compile(r"(?<!\d)(\d{1,2})[:：](\d\d)(?!\d)|(?<![\d.])(\d{1,2})\s*([ap])\.?m\b")
_HAN_TIME = re.compile(r"(下午|晚上|傍晚|夜里)?\s*([〇一二两三四五六七八九十\d]{1,3})[点點](半)?")
_DATE = re.compile(r"(?<!\d)((?:19|20)\d\d)[-/](\d{1,2})[-/](\d{1,2})(?!\d)")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


def numbers(text: str) -> list[str]:
    """The numbers of a folded text, in one form: hours and minutes as ``9h`` and ``30m``, dates part by part."""
    found: list[str] = []

    def take(values: list[str]) -> str:
        found.extend(values)
        return " "

    text = _DATE.sub(lambda m: take([m[1], f"{int(m[2])}", f"{int(m[3])}"]), text)
    text = _TIME.sub(lambda m: take(_clock(m)), text)
    text = _PAST.sub(lambda m: take(_past(m)) if _past(m) else m[0], text)
    text = _HAN_TIME.sub(lambda m: take(_han_clock(m)), text)
    found += [_plain(n) for n in _NUMBER.findall(text)]
    found += [str(_WORD_NUMBERS[w]) for w in re.findall("[a-z]+", text) if w in _WORD_NUMBERS]
    return found + [str(_han_value(n)) for n in _HAN_NUMBER.findall(text)]


def months(text: str) -> list[tuple[str, bool]]:
    """The months named in English, by number, and whether a day stands beside; "may" with a small letter is no month."""
    return [
        (str(next(n for n, m in enumerate(MONTHS, 1) if m.startswith(found[2].lower()))), bool(found[1] or found[3]))
        for found in _MONTH.finditer(text)
    ]


def _past(match: re.Match[str]) -> list[str]:
    minutes = {"half": 30, "quarter": 15, "a quarter": 15}.get(match[1], _WORD_NUMBERS.get(match[1], 0))
    hour = _WORD_NUMBERS.get(match[3])
    if hour is None or not minutes:
        return []
    late = match[2] == "to"
    return [f"{(hour - late) % 12}h", f"{60 - minutes if late else minutes}m"]


def _clock(match: re.Match[str]) -> list[str]:
    if match[1]:
        return [f"{int(match[1]) % 12}h", *([] if match[2] == "00" else [f"{int(match[2])}m"])]
    return [f"{int(match[3]) % 12}h"]


def _han_clock(match: re.Match[str]) -> list[str]:
    hour = int(match[2]) if match[2].isdigit() else _han_value("".join(c for c in match[2] if not c.isdigit()))
    return [f"{hour % 12}h", *(["30m"] if match[3] else [])]


def _plain(number: str) -> str:
    text = re.sub(r"[.,](?=\d{3}(?:\D|$))", "", number).replace(",", ".")
    return text.rstrip("0").rstrip(".").lstrip("0") or "0" if "." in text else text.lstrip("0") or "0"


def _han_value(text: str) -> int:
    total = section = digit = 0
    for char in text:
        if char in _HAN_DIGITS:
            digit = _HAN_DIGITS[char]
        elif char == "万":
            total, section, digit = (total + section + digit) * 10_000, 0, 0
        else:
            section, digit = section + (digit or 1) * {"十": 10, "百": 100, "千": 1000}[char], 0
    return total + section + digit


def dated(text: str) -> list[str]:
    """The months and weekdays of a folded text, English months left out: see ``months``."""
    months = [f"month {n}" for n in range(1, 13) if re.search(rf"(?<!\d){n}月", text)]
    han = [f"month {_han_value(m)}" for m in re.findall("([一二三四五六七八九十]{1,2})月", text)]
    days = [
        f"day {n}"
        for n, name in enumerate(DAYS)
        if re.search(rf"\b{name}s?\b|(?:周|星期|礼拜){'一二三四五六'[n] if n < 6 else '[日天末]'}", text)
    ]
    iso = [f"month {int(m[2])}" for m in _DATE.finditer(text)]
    return months + han + days + iso


def names(text: str) -> list[str]:
    """Words with a capital inside a sentence that are no months or days, folded."""
    words = [w for w in re.findall(r"(?<!^)(?<![.!?]\s)\b[A-Z][\w-]*", text) if w not in ("I", "User", "The")]
    known = {*MONTHS, *DAYS, *(f"{d}s" for d in DAYS)}
    return [w.casefold() for w in words if w.casefold() not in known]
