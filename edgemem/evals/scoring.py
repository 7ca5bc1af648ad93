"""What a run is worth, computed without a judge: string tests on stored memories, a confusion table for pairs.

All figures are plain numbers rounded for reading: shares to three places, junk to one.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from edgemem.evals.sets import Expectation, ExtractionItem, PairItem

MAX_COLUMNS = 200
"""Widest memory that counts as one sentence; a Han character takes two columns."""

# Kept apart from edgemem.text.fold on purpose: scores of different versions must stay comparable
# even if search one day folds text differently.
_STRAIGHT = str.maketrans("‘’“”", "''\"\"")
_QUOTED = re.compile(r"\"[^\"]*\"|「[^」]*」|'[^']{2,}'(?![a-z])")
_FIRST_PERSON = re.compile(r"\b(?:i|my|me|mine|myself|we|our|ours)\b|[我咱俺]")
_MISSED_SHOWN = 40
_HARMFUL = {("conflict", "duplicate"), ("refine", "duplicate")} | {
    ("distinct", merged) for merged in ("duplicate", "refine", "conflict")
}

Prediction = Mapping[str, Any]
"""One stored memory: ``content``, and ``kind`` where known."""


def normalise(text: str) -> str:
    """NFKC, straight quotes, case-folded: the form in which texts are compared."""
    return unicodedata.normalize("NFKC", text).translate(_STRAIGHT).casefold()


def meets(memory: str, expectation: Expectation) -> bool:
    """Whether a memory says what was expected: one alternative of every list, and nothing that makes it wrong."""
    text = normalise(memory)
    if any(normalise(wrong) in text for wrong in expectation.none):
        return False
    return all(any(normalise(word) in text for word in alternatives) for alternatives in expectation.all)


def holds(memory: str, strings: Iterable[str]) -> bool:
    """Whether a memory contains every string; those that begin with a Latin letter or digit only at a word's start."""
    text = normalise(memory)
    return all(_contains(text, normalise(string)) for string in strings)


def _contains(text: str, string: str) -> bool:
    start = r"(?<![a-z0-9])" if re.match("[a-z0-9]", string) else ""
    return re.search(start + re.escape(string), text) is not None


def self_contained(memory: str) -> bool:
    """Whether a memory is a sentence about a third person and not a slice of chat.

    No first person outside quotation marks, and at most ``MAX_COLUMNS`` wide.
    """
    columns = sum(2 if unicodedata.east_asian_width(char) in ("W", "F") else 1 for char in memory)
    return columns <= MAX_COLUMNS and not _FIRST_PERSON.search(_QUOTED.sub("", normalise(memory)))


@dataclass(frozen=True, slots=True)
class _Judged:
    """One stored memory with what the tests say of it."""

    content: str
    kind: str | None
    sound: bool


def extraction_figures(
    items: Sequence[ExtractionItem], predicted: Mapping[str, Sequence[Prediction]]
) -> dict[str, Any]:
    """Score the memories stored for each item id; an item without an entry stored nothing."""
    total: Counter[str] = Counter()
    tags: defaultdict[str, Counter[str]] = defaultdict(Counter)
    missed: list[list[str]] = []
    for item in items:
        counts = _count(item, [_judge(memory) for memory in predicted.get(item.id, ())], missed)
        total.update(counts)
        for tag in item.tags:
            tags[tag].update(counts)
    return _figures(total) | {
        "empty_items_clean": f"{total['empty_clean']}/{total['empty']}",
        "by_tag": {tag: _figures(counts) for tag, counts in sorted(tags.items())},
        "missed": missed[:_MISSED_SHOWN],
    }


def _judge(memory: Prediction) -> _Judged:
    return _Judged(memory["content"], memory.get("kind"), self_contained(memory["content"]))


def _count(item: ExtractionItem, memories: Sequence[_Judged], missed: list[list[str]]) -> Counter[str]:
    counts = Counter(items=1, expected=len(item.expect), stored=len(memories), turns=item.user_turns)
    for expectation in item.expect:
        hits = [m for m in memories if m.sound and meets(m.content, expectation)]
        counts["met"] += bool(hits)
        counts["kind"] += any(m.kind in expectation.kind for m in hits)
        if not hits:
            missed.append([item.id, expectation.quote])
    for memory in memories:
        useful = memory.sound and any(meets(memory.content, e) for e in item.expect + item.optional)
        counts["useful"] += useful
        counts["slices"] += not memory.sound
        counts["false"] += not useful and any(holds(memory.content, strings) for strings in item.forbid)
    counts["empty"] = not item.expect
    counts["empty_clean"] = not item.expect and counts["stored"] == counts["useful"]
    return counts


def _figures(counts: Counter[str]) -> dict[str, Any]:
    return {
        "items": counts["items"],
        "expected": counts["expected"],
        "recall": _share(counts["met"], counts["expected"]),
        "precision": _share(counts["useful"], counts["stored"]),
        "junk_per_100_turns": _share(100 * (counts["stored"] - counts["useful"]), counts["turns"], 1),
        "false_memories": counts["false"],
        "slices": counts["slices"],
        "kind": _share(counts["kind"], counts["met"]),
        "stored": counts["stored"],
    }


def _share(part: int, whole: int, places: int = 3) -> float | None:
    return round(part / whole, places) if whole else None


def pair_figures(items: Sequence[PairItem], predicted: Mapping[str, str]) -> dict[str, Any]:
    """Score the relation given for each pair id; a pair without one counts as wrong."""
    confusion = Counter((item.relation, predicted.get(item.id)) for item in items)
    right = sum(count for (gold, said), count in confusion.items() if gold == said)
    harmful = sum(count for verdict, count in confusion.items() if verdict in _HARMFUL)
    return {
        "n": len(items),
        "accuracy": _share(right, len(items)),
        "harmful": _share(harmful, len(items)),
        "confusion": {f"{gold}->{said}": confusion[gold, said] for gold, said in sorted(confusion, key=str)},
    }
