"""Does a message need long-term memory? The words, what the memory holds, then learned weights; in doubt it does."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from edgemem.ports import NeedJudge
from edgemem.recall import need, person
from edgemem.recall.dangers import dangers
from edgemem.recall.question import Look
from edgemem.recall.related import named
from edgemem.recall.words import coverage, stems
from edgemem.reports import Need
from edgemem.store import fulltext, memories
from edgemem.times import to_db

SAME_CASE = 0.6
"""Share of a message's words that a way of doing things, told earlier, must have; two of them at the least."""


def decided(
    message: str, after: Sequence[str], known: Callable[[], Need | None], judge: NeedJudge | None,
    embed: Callable[[str], Sequence[float]], least: float,
) -> Need:  # fmt: skip
    """Whether ``message`` needs memory; ``after``: what the user said before it, oldest first.

    ``known`` asks the memory, ``embed`` makes the vector of a query; each is called at most once, and not one within the
    other. ``least`` is the chance from which memory is needed.
    """
    found = need.by_rule(message, after) or known()
    if found is not None:
        return found
    if judge is None:
        return Need(True, 1.0, "Nothing here can tell that it does not.")
    chance = round(judge.chance(need.seen(message, after), embed(need.judged_text(message, after))), 4)
    if chance < least:
        return Need(False, chance, "It asks for nothing that earlier conversations could help with.")
    return Need(True, chance, "Earlier conversations may help.")


def known(look: Look) -> Need | None:
    """What the memory itself knows of a message: somebody it names, a danger in what it is about. None: nothing."""
    text = look.question.text
    if dangers(look):
        return Need(True, 1.0, "There is something that is dangerous to forget here.")
    if named(look.tx, look.user, text) or any(_is_told_of(look, name) for name in person.named(text)):
        return Need(True, 1.0, "It names what earlier conversations told of.")
    if _has_a_way(look):
        return Need(True, 1.0, "How to do it was told in earlier conversations.")
    return None


def _has_a_way(look: Look) -> bool:
    """Whether a skill is remembered for what the message speaks of: to the embedding it looks like general knowledge."""
    text = look.question.text
    if len(stems(text)) < 2:
        return False
    keys = [key for key, _ in fulltext.search(look.tx, "memory_fts", look.user, text, look.settings.candidates)]
    told = memories.live_words(look.tx, look.user, keys, to_db(look.now), kinds=frozenset({"skill"}), namespace=None)
    return any(
        (share := coverage(text, words)) >= SAME_CASE and share * len(stems(text)) >= 2 for words in told.values()
    )


def _is_told_of(look: Look, name: str) -> bool:
    return any(fulltext.search(look.tx, table, look.user, name, 1) for table in ("memory_fts", "turn_fts"))
