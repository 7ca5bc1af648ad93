"""The log: which turns answer a question, best first, by what they say and by where they stand.

Words and meaning bring the candidates, the days a question names bring more; then each candidate is
weighed once. ``SIGNALS`` says what is looked at and how much each counts: the weights of a conditional
logit over the candidates of a question, fitted on some conversations and reported on others
(docs/evaluation.md).
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from edgemem.recall.asked import Asked, Calendar, Span
from edgemem.recall.question import QueryVector
from edgemem.records import LoggedTurn, Part
from edgemem.store import fulltext, turns
from edgemem.store.engine import Tx
from edgemem.store.scopes import ScopeCache
from edgemem.store.vectors import Scope, find_model
from edgemem.text import comparable
from edgemem.times import local

WIDE = 100
"""Candidates by words, and as many by meaning."""

OF_A_DAY = 60
"""Turns of the days a question names that are looked at."""

SIGNALS: Mapping[str, float] = {
    "meaning": 4.9,  # cosine
    "before": 2.6,  # cosine of the turn before: what this one answers
    "after": 0.7,  # cosine of the turn after
    "words": 2.35,  # BM25 with the neighbours' words at 0.35, the best candidate's being 1
    "session_meaning": 7.4,  # best cosine of its session
    "session_words": 2.8,  # best BM25 of its session, the best candidate's being 1
    "speaker": 2.2,  # said by the one speaker the question names
    "day": 6.8,  # said on a day the question names
    "month": 3.8,  # said in a month, or another span, the question names
    "length": 1.0,  # logarithm of its words
    "asks": -0.4,  # it ends in a question mark
    "you": -1.7,  # five times the share of "you" in its words, at most 1, when the question names a speaker: talk of the other
    "tells_when": 2.1,  # the question asks for a time, and the turn has one
    "tells_who": 1.5,  # logarithm of its names and quoted titles, when the question asks who, where or which name
}
"""What a candidate is judged by, with the weight of each: few, and none of them looks at single words."""

SCALE, SHIFT = 0.68, -12.9
"""From the weighted sum to the log-odds that a candidate answers, on the same conversations."""

SHIFT_WORDS = -9.5
"""The shift without an embedding model: as if every cosine were that of a middling candidate."""

_QUOTED = re.compile(r"(?<=[a-z,;] )[A-Z][a-z]+|\"[^\"]+\"|“[^”]+”|《[^》]+》|「[^」]+」")
_YOU = re.compile(r"\b(?:you|your|yours|yourself)\b|[你您]", re.IGNORECASE)
_WIDE = re.compile("[\u2e80-\U0010ffff]")
_TIME = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|last|next|ago|since|just|recently|this (?:morning|week|month|year|weekend)"
    r"|(?:week|month|year|weekend)s?|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june"
    r"|july|august|september|october|november|december|(?:19|20)\d\d)\b|[昨今前明]天|[上这下]个?[周月]|[去今明]年|星期|\d[月号日点]",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Found:
    """What the searches brought, by turn key: turns, their neighbours' keys, BM25 and cosine.

    ``words`` and ``meaning`` also hold neighbours; their order is that of the searches.
    """

    turns: Mapping[int, LoggedTurn]
    near: Mapping[int, tuple[int, int]]
    words: Mapping[int, float]
    meaning: Mapping[int, float]


@dataclass(frozen=True, slots=True)
class Passage:
    """A turn with the log-odds that it answers, and what was seen in it, by signal."""

    turn: LoggedTurn
    logit: float
    seen: Mapping[str, float]

    @property
    def score(self) -> float:
        """How likely it answers, 0..1."""
        return round(1 / (1 + math.exp(-max(-60.0, min(60.0, self.logit)))), 6)


def find(tx: Tx, cache: ScopeCache, user: int, text: str, query: QueryVector | None, asked: Asked) -> Found:
    """Candidates of all searches."""
    words = dict(fulltext.search(tx, "turn_fts", user, text, WIDE))
    meaning: dict[int, float] = {}
    model = None if query is None else find_model(tx, query.fingerprint, len(query.values))
    scope = None if model is None else Scope(user, "turn", model)
    if query is not None and scope is not None:
        meaning = dict(cache.nearest(tx, scope, query.values, WIDE))
    keys = {*words, *meaning, *_of_days(tx, user, asked)}
    near = turns.neighbours(tx, user, keys)
    if query is not None and scope is not None:
        around = {*keys, *(key for pair in near.values() for key in pair)} - set(meaning)
        meaning |= cache.similarities(tx, scope, query.values, around)
    return Found(turns.by_keys(tx, user, keys), near, words, meaning)


def ranked(found: Found, text: str, asked: Asked) -> list[Passage]:
    """All candidates, best first."""
    shift = SHIFT if found.meaning else SHIFT_WORDS
    passages = [
        Passage(found.turns[key], SCALE * sum(SIGNALS[name] * value for name, value in seen.items()) + shift, seen)
        for key, seen in signals(found, text, asked).items()
    ]
    return sorted(passages, key=lambda p: (-p.logit, -p.turn.key))


def explained(ordered: Sequence[Passage], count: int) -> list[dict[str, Part]]:
    """For the first ``count``: each signal's place among all candidates, its value, its share of the score."""
    places = {name: sorted(-p.seen[name] for p in ordered) for name in SIGNALS}
    parts = []
    for passage in ordered[:count]:
        whole = sum(SIGNALS[name] * value for name, value in passage.seen.items()) or 1.0
        parts.append(
            {
                name: Part(
                    1 + bisect_left(places[name], -value), round(value, 4),
                    round(passage.score * SIGNALS[name] * value / whole, 6),
                )
                for name, value in passage.seen.items()
                if value
            }
        )  # fmt: skip
    return parts


def signals(found: Found, text: str, asked: Asked) -> dict[int, dict[str, float]]:
    """What is seen in each candidate, by the names of ``SIGNALS``; what is not seen is left out."""
    best = max(found.words.values(), default=0.0) or 1.0
    floor = min(found.meaning.values(), default=0.0)
    meaning, words = _by_session(found, found.meaning), _by_session(found, found.words)
    speaker = _named(found.turns.values(), text)
    rows = {}
    for key, turn in found.turns.items():
        before, after = found.near.get(key, (0, 0))
        rows[key] = {
            "meaning": found.meaning.get(key, floor),
            "before": found.meaning.get(before, floor),
            "after": found.meaning.get(after, floor),
            "words": found.words.get(key, 0.0) / best,
            "session_meaning": meaning.get(turn.session, floor),
            "session_words": words.get(turn.session, 0.0) / best,
            "speaker": float(speaker is not None and turn.speaker == speaker),
            "you": 0.0 if speaker is None else _to_another(turn.content),
            **_of_turn(turn, asked),
        }
    return rows


def _of_turn(turn: LoggedTurn, asked: Asked) -> dict[str, float]:
    """The signals that lie in the turn alone."""
    said = local(turn.at, turn.zone).date()
    return {
        "day": float(any(named.holds(said) for named in asked.days)),
        "month": float(any(named.holds(said) for named in asked.months)),
        "length": math.log1p(_length(turn.content)),
        "asks": float(turn.content.rstrip()[-1:] in ("?", "？")),
        "tells_when": float(asked.when and _TIME.search(turn.content) is not None),
        "tells_who": math.log1p(len(_QUOTED.findall(turn.content))) if asked.who_where else 0.0,
    }


def _to_another(text: str) -> float:
    """How much of a text is said of whom it is said to, 0..1."""
    return min(1.0, 5 * len(_YOU.findall(text)) / (1 + _length(text)))


def _length(text: str) -> float:
    """About how many words: a wide character is most of one, five narrow ones make one."""
    narrow = len(text) if text.isascii() else len(_WIDE.sub("", text))
    return len(text) - narrow + narrow / 5


def _by_session(found: Found, values: Mapping[int, float]) -> dict[str, float]:
    """The best value of each session."""
    best: dict[str, float] = {}
    for key, turn in found.turns.items():
        if key in values:
            best[turn.session] = max(values[key], best.get(turn.session, values[key]))
    return best


def _named(candidates: Iterable[LoggedTurn], text: str) -> str | None:
    """The only speaker whose name the question holds; None for none or several."""
    folded = comparable(text)
    speakers = {turn.speaker for turn in candidates if turn.speaker}
    named = [s for s in speakers if re.search(rf"(?<!\w){re.escape(comparable(s))}(?!\w)", folded)]
    return named[0] if len(named) == 1 else None


def _of_days(tx: Tx, user: int, asked: Asked) -> list[int]:
    """Keys of the turns of the days that are named, each in the years the log has."""
    ends = turns.first_and_last(tx, user) if asked.days else None
    if ends is None:
        return []
    days = [day for named in asked.days for day in _dates(named, *(end.date() for end in ends))]
    return [key for day in days[:OF_A_DAY] for key in turns.of_day(tx, user, day, OF_A_DAY)]


def _dates(named: Calendar | Span, first: date, last: date) -> list[date]:
    """The days meant, as far as the log may hold them."""
    if isinstance(named, Span):
        return [named.first]
    years = range(first.year - 1, last.year + 2) if named.year is None else (named.year,)
    return [day for day in (_day(year, named) for year in years) if day is not None]


def _day(year: int, named: Calendar) -> date | None:
    try:
        return date(year, named.month, named.day or 1)
    except ValueError:  # the 29th of February of most years
        return None
