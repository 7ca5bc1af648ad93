"""Does a message need long-term memory? The words, what the memory holds, then learned weights; in doubt it does."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from edgemem.ports import NeedJudge
from edgemem.recall import need, person
from edgemem.recall.dangers import dangers
from edgemem.recall.question import Look, in_view
from edgemem.recall.related import named
from edgemem.recall.words import covered, stems
from edgemem.reports import Need
from edgemem.store import fulltext, memories, turns
from edgemem.store.vectors import Scope, find_model
from edgemem.text import has_words
from edgemem.times import to_db

SAME_CASE = 0.6
"""Share of a message's words that something told earlier must have; two of them at the least."""

CLOSE: Mapping[str, float] = {"memory": 0.4, "turn": 0.5}
"""Calibrated similarity from which something is close to a question how to do a thing, by where it lies: a turn says more
than what is asked, so that among many of them the nearest is always nearer."""

LOOKED_AT = 5
"""How many of the nearest are looked at."""

_QUESTION = re.compile(r"[^.!?。！？\n]*[?？]")
"""A sentence that asks."""


def decided(
    message: str, after: Sequence[str], known: Callable[[], Need | None], judge: NeedJudge | None,
    embed: Callable[[str], Sequence[float]], least: float, close: Callable[[Sequence[float]], bool],
) -> Need:  # fmt: skip
    """Whether ``message`` needs memory; ``after``: what the user said before it, oldest first.

    ``known`` asks the memory by words, ``close`` whether anything in it is close to a vector, ``embed`` makes the vector of
    a query; each is called at most once, and not one within the other. ``least`` is the chance from which memory is needed.
    """
    found = need.by_rule(message, after) or known()
    if found is not None:
        return found
    if judge is None:
        return Need(True, 1.0, "Nothing here can tell that it does not.")
    text = need.judged_text(message, after)
    vector = embed(text)
    chance = round(judge.chance(need.seen(message, after), vector), 4)
    if chance < least and need.asks_how(text) and close(vector):
        return Need(True, chance, "Something close to how it is done was told in earlier conversations.")
    if chance < least:
        return Need(False, chance, "It asks for nothing that earlier conversations could help with.")
    return Need(True, chance, "Earlier conversations may help.")


def close(look: Look) -> bool:
    """Whether a memory, or something in the log that is not in view, is close in meaning to the question's vector."""
    query = look.vector
    model = None if query is None else find_model(look.tx, query.fingerprint, len(query.values))
    if query is None or model is None:
        return False
    for kind, least in CLOSE.items():
        nearest = look.cache.nearest(look.tx, Scope(look.user, kind, model), query.values, LOOKED_AT)
        keys = [key for key, cosine in nearest if look.calibrate(cosine) >= least]
        if keys and (kind == "memory" or _told_in_log(look, keys)):
            return True
    return False


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
    """Whether the user told how to do what the message speaks of: to the embedding it looks like general knowledge.

    A skill counts whatever is asked, everything else only where it is asked how; what is in view and what was only asked
    tells nothing.
    """
    text, how = need.matter(look.question.text), need.asks_how(look.question.text)
    wanted = stems(text)
    if len(wanted) < 2:
        return False
    told = [
        *_remembered(look, text, frozenset() if how else frozenset({"skill"})),
        *(_logged(look, text) if how else ()),
    ]
    return any((share := covered(wanted, words)) >= SAME_CASE and share * len(wanted) >= 2 for words in told)


def _remembered(look: Look, text: str, kinds: frozenset[str]) -> Iterable[str]:
    keys = [key for key, _ in fulltext.search(look.tx, "memory_fts", look.user, text, look.settings.candidates)]
    return memories.live_words(look.tx, look.user, keys, to_db(look.now), kinds=kinds, namespace=None).values()


def _logged(look: Look, text: str) -> Iterable[str]:
    return _told_in_log(
        look, [key for key, _ in fulltext.search(look.tx, "turn_fts", look.user, text, look.settings.candidates)]
    )


def _told_in_log(look: Look, keys: Iterable[int]) -> list[str]:
    """What the user stated in these turns, as far as they are not in view."""
    said = [
        _QUESTION.sub(" ", turn.content)
        for turn in turns.by_keys(look.tx, look.user, keys).values()
        if turn.role == "user" and not in_view(turn, look.question.without)
    ]
    return [words for words in said if has_words(words)]


def _is_told_of(look: Look, name: str) -> bool:
    return any(fulltext.search(look.tx, table, look.user, name, 1) for table in ("memory_fts", "turn_fts"))
