"""Does reflection draw what recurs, and nothing else? Small stores with patterns, single remarks and coincidences.

A set is a file of JSON lines, a store each: ``id``; ``turns``, each ``[time, text]``, said by the user on several days, each day a
session; ``patterns``, what should be drawn, each a list of lists of words, of which the insight holds one of each list; ``not``, words
that no insight may hold (what one remark or one note said only, or what reaches too far); and ``asks``, each with ``ask`` and ``all``
as in ``edgemem.evals.multihop``, asked before the reflection and after it. An insight that belongs to no pattern, or holds a word of
``not``, says too much. Its evidence is valid when it cites two turns of two days at least, all of them logged, and memories that are live
and hold what the pattern says.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from edgemem.evals.scoring import normalise
from edgemem.evals.seams import Narrator
from edgemem.evals.sessions import HITS, StoryClock, StoryOpener
from edgemem.evals.sets import made_of, shipped
from edgemem.records import Turn
from edgemem.reports import Insight
from edgemem.times import local, parse
from edgemem.view import Memory

Words = tuple[tuple[str, ...], ...]
"""One word of every list."""


@dataclass(frozen=True, slots=True)
class Store:
    """What one user said, what recurs in it, what must not be drawn, and questions about it."""

    id: str
    turns: tuple[tuple[datetime, str], ...]
    patterns: tuple[Words, ...]
    never: tuple[str, ...]
    asks: tuple[tuple[str, Words], ...]


def shipped_stores() -> list[Store]:
    """The stores that come with edgemem, in English and Chinese."""
    return shipped("reflecting.jsonl", load_stores)


def load_stores(paths: Sequence[Path]) -> list[Store]:
    """Read a set. Raises ``InvalidInput`` for a line that is no store."""
    return made_of(paths, _store, "A store has id, turns, patterns, not and asks.")


def _store(record: Mapping[str, Any]) -> Store:
    turns = tuple((parse(datetime.fromisoformat(at)), str(text)) for at, text in record["turns"])
    patterns = tuple(_words(pattern) for pattern in record["patterns"])
    asks = tuple((str(one["ask"]), _words(one["all"])) for one in record["asks"])
    return Store(str(record["id"]), turns, patterns, tuple(map(str, record["not"])), asks)


def _words(lists: Sequence[Sequence[str]]) -> Words:
    return tuple(tuple(str(word) for word in words) for words in lists)


@dataclass(slots=True)
class _Figures:
    """Counts over all stores."""

    insights: int = 0
    valid: int = 0
    too_much: int = 0
    wanted: int = 0
    drawn: int = 0
    in_words: int = 0
    asked: int = 0
    before: int = 0
    after: int = 0


def run_reflecting(stores: Sequence[Store], opener: StoryOpener, narrator: Narrator) -> dict[str, Any]:
    """Fill every store, ask, reflect, ask again; returns the figures, with every insight that is faulty and every pattern missed."""
    sums = _Figures()
    faults: dict[str, list[str]] = {}
    for number, store in enumerate(stores, 1):
        with tempfile.TemporaryDirectory(prefix="edgemem-eval-") as folder:
            clock = StoryClock()
            with opener(Path(folder) / "store.edgemem", clock) as file:
                found = _reflected(store, file.user("me"), clock, sums)
        if found:
            faults[store.id] = found
        narrator.item(number, len(stores), store.id)
    return {
        "stores": len(stores), "insights": sums.insights, "valid_evidence": _share(sums.valid, sums.insights),
        "too_much": _share(sums.too_much, sums.insights), "patterns": sums.wanted, "drawn": _share(sums.drawn, sums.wanted),
        "worded_by_model": sums.in_words, "asked": sums.asked, "answered_before": _share(sums.before, sums.asked),
        "answered_after": _share(sums.after, sums.asked), "faults": faults,
    }  # fmt: skip


def _reflected(store: Store, memory: Memory, clock: StoryClock, sums: _Figures) -> list[str]:
    for at, text in store.turns:
        clock.moment = at.astimezone(UTC) + timedelta(minutes=1)
        memory.learn([Turn("user", text, at=at, session=at.date().isoformat())])
    sums.asked += len(store.asks)
    sums.before += _answered(store, memory)
    done = memory.reflect()
    sums.in_words += len(done.insights) - done.refused
    sums.after += _answered(store, memory)
    faults = [fault for insight in done.insights for fault in _judged(insight, store, memory, sums)]
    missed = [p for p in store.patterns if not any(_holds(p, i.content) for i in done.insights)]
    sums.wanted += len(store.patterns)
    sums.drawn += len(store.patterns) - len(missed)
    return faults + [f"missed: {'/'.join(p[0])}" for p in missed]


def _answered(store: Store, memory: Memory) -> int:
    return sum(
        any(_holds(words, h.content) for h in memory.recall(ask, limit=HITS, counted=False).hits)
        for ask, words in store.asks
    )


def _judged(insight: Insight, store: Store, memory: Memory, sums: _Figures) -> list[str]:
    sums.insights += 1
    pattern = next((p for p in store.patterns if _holds(p, insight.content)), None)
    too_far = [word for word in store.never if normalise(word) in normalise(insight.content)]
    valid = pattern is not None and _evidence(insight, pattern, memory)
    sums.valid += valid
    sums.too_much += pattern is None or bool(too_far)
    faults = [] if valid else [f"evidence: {insight.content}"]
    return faults + ([f"says too much: {insight.content}"] if pattern is None or too_far else [])


def _evidence(insight: Insight, pattern: Words, memory: Memory) -> bool:
    """Whether what is cited is there, of two days at least, and says what the insight says."""
    days = {local(turn.at, turn.zone).date() for turn in insight.turns}
    there = all(memory.turn(turn.session, turn.id) == turn for turn in insight.turns)
    live = [memory.get(uid) for uid in insight.memories]
    return len(days) >= 2 and there and all(m.status == "live" and _holds(pattern, m.content) for m in live)


def _holds(words: Words, text: str) -> bool:
    known = normalise(text)
    return all(any(normalise(word) in known for word in of) for of in words)


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 3) if whole else None
