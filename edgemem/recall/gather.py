"""The arms that find memories: each brings candidates of its own, from one user's rows only."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from edgemem.recall.dangers import dangers
from edgemem.recall.question import Look, QueryVector
from edgemem.recall.related import related
from edgemem.recall.slots import by_slot
from edgemem.records import Memory
from edgemem.store import earlier, fulltext, memories
from edgemem.store.vectors import Scope, find_model
from edgemem.times import to_db

Found = Mapping[str, list[int]]
"""Row keys of memories, best first, by the name of the search that found them."""


def by_text(look: Look) -> list[int]:
    """Full text, BM25."""
    return _with_words(look, look.question.text)


def by_other_words(look: Look) -> list[int]:
    """Full text, of the other words of a second look."""
    return _with_words(look, look.words) if look.words else []


def _with_words(look: Look, text: str) -> list[int]:
    return [key for key, _ in fulltext.search(look.tx, "memory_fts", look.user, text, wide(look))]


def by_vector(look: Look) -> list[int]:
    """By meaning."""
    return _nearest(look, look.vector)


def by_statement(look: Look) -> list[int]:
    """By the meaning of the question put as a statement, in a second look."""
    return _nearest(look, look.statement)


def _nearest(look: Look, query: QueryVector | None) -> list[int]:
    model = None if query is None else find_model(look.tx, query.fingerprint, len(query.values))
    if query is None or model is None:
        return []
    scope = Scope(look.user, "memory", model)
    return [key for key, _ in look.cache.nearest(look.tx, scope, query.values, wide(look))]


def by_graph(look: Look) -> list[int]:
    """What hangs together with whom the question names, nearest first."""
    as_of = None if look.question.as_of is None else to_db(look.question.as_of)
    return related(look.tx, look.user, look.question.text, most=look.settings.candidates, as_of=as_of)


SEARCHES: Mapping[str, tuple[str, Callable[[Look], list[int]]]] = {
    "danger": ("key", dangers),
    "slot": ("slot", by_slot),
    "text": ("text", by_text),
    "vector": ("vector", by_vector),
    "graph": ("graph", by_graph),
}
"""What finds memories, by the name it has in a hit's parts: the arm it belongs to, and the search."""


AGAIN: Mapping[str, Callable[[Look], list[int]]] = {"text": by_other_words, "vector": by_statement}
"""What a second look adds to what the first one found, by the name of the search."""


def first(look: Look) -> Found:
    """What the arms that are asked found."""
    return {name: search(look) for name, (arm, search) in SEARCHES.items() if arm in look.question.arms}


def more(look: Look, found: Found) -> Found:
    """What the first look found, and behind it what the second one adds."""
    return {
        name: list(dict.fromkeys([*keys, *AGAIN[name](look)])) if name in AGAIN else keys
        for name, keys in found.items()
    }


def true_words(look: Look, found: Found) -> dict[int, str]:
    """The words of those of the memories found that were true at the time asked for."""
    keys = {key for ranking in found.values() for key in ranking}
    asked = look.question
    if asked.as_of is not None:
        then = earlier.true_at(look.tx, look.user, to_db(asked.as_of), keys)
        return {key: m.content for key, m in then.items() if _passes(m, asked.kinds, asked.namespace)}
    return memories.live_words(look.tx, look.user, keys, to_db(look.now), kinds=asked.kinds, namespace=asked.namespace)


def whole(look: Look, keys: Iterable[int]) -> dict[int, Memory]:
    """The memories themselves, of some of the candidates: a whole row is checked against its seal, which costs."""
    then = look.question.as_of
    if then is not None:
        return earlier.true_at(look.tx, look.user, to_db(then), keys)
    return memories.live_by_keys(look.tx, look.user, keys, to_db(look.now))


def _passes(memory: Memory, kinds: frozenset[str], namespace: str | None) -> bool:
    return (not kinds or memory.kind in kinds) and namespace in (None, memory.namespace)


def wide(look: Look) -> int:
    """How many candidates an arm may bring: with a hard filter the best of all may all fall out of it."""
    return look.settings.candidates * (20 if look.question.only_memories else 1)
