"""Messages whose fact a later message replaced: the newer one stands before the older, in whatever words.

The older often holds more of the question's words. What was replaced is known from the memories drawn of both; an older
message that tells other things too stays in the answer, behind the newer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace as but

from edgemem.recall.passages import Passage
from edgemem.recall.question import Look
from edgemem.recall.words import covered, share_a_word, stems
from edgemem.records import Hit, Part
from edgemem.store.replacements import Replaced, replaced

NOTE = "older; what it tells of this was replaced by a later message"


def newer_first(look: Look, ordered: Sequence[Passage]) -> tuple[list[Passage], dict[int, int]]:
    """The passages with each newer one before the older that the question also finds, and the newer's key by the older's.

    Of the past (``as_of``) nothing is moved: then the older was true.
    """
    if look.question.as_of is not None:
        return list(ordered), {}
    by_key = {p.turn.key: p for p in ordered}
    pairs = [r for r in replaced(look.tx, look.user, by_key) if r.by in by_key]
    newer: dict[int, int] = {}
    for one in sorted(pairs, key=lambda r: by_key[r.turn].turn.at):
        older, later = by_key[one.turn], by_key[one.by]
        if older.turn.at < later.turn.at and _is_asked(look.question.text, one, older, later):
            newer[one.turn] = one.by
            by_key[one.by] = but(later, logit=max(later.logit, older.logit))
    return sorted(by_key.values(), key=lambda p: (p.logit, p.turn.at, p.turn.key), reverse=True), newer


def _is_asked(question: str, one: Replaced, older: Passage, later: Passage) -> bool:
    """Whether both messages speak of one thing, and the question asks for it rather than for the rest of the older one."""
    rest = older.turn.content.replace(one.quote, " ") if one.quote else ""
    wanted = stems(question)
    told = f"{one.content} {one.quote}"
    return share_a_word(told, later.turn.content) and covered(wanted, told) >= covered(wanted, rest)


def marked(hits: Sequence[Hit], newer: Mapping[int, int]) -> list[Hit]:
    """The hits of the log: the older ones with a note, the newer ones with a part that says why they are there."""
    later = set(newer.values())
    return [_marked(hit, newer, later) for hit in hits]


def _marked(hit: Hit, newer: Mapping[int, int], later: set[int]) -> Hit:
    key = hit.turn.key if hit.turn else 0
    if key in later:
        hit = but(hit, parts={**hit.parts, "log_newer": Part(1, 1.0, 0.0)})
    return but(hit, note=NOTE) if key in newer else hit
