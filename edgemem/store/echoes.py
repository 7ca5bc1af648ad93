"""Turns that say again what an erasure takes: the answer that repeats it, a message that tells it once more."""

from __future__ import annotations

import re

from edgemem.store.engine import Tx
from edgemem.store.erasure import Keys, Plan
from edgemem.text import content_tokens, segment

ANSWERS = 2
"""Turns after one that goes, in which a single word of it counts: they talk about the same."""

SHARE = 0.6
"""Part of a memory's words that a turn elsewhere must have."""

SHORTEST_WORD = 4
"""Characters of a Latin word below which it does not tell by itself that two turns are about the same."""

_ENDED = r"(?:s|es|d|ed|ing|['’]s)?(?![^\W_])"
"""What may follow a stem of so few characters: "car" is in "cars", and not in "careful"."""

_GIVEN = frozenset({"user", "用户"})
"""Words with which memories begin, whatever they say."""


def of_plan(tx: Tx, user: int, plan: Plan) -> Keys:
    """Turns that stay and still hold the words of the memories that go."""
    told = [_words(row[0]) for key in sorted(plan.memories) for row in _contents(tx, user, key)]
    near = _answers(tx, user, plan)
    found: Keys = set()
    for key, content in tx.execute("SELECT id, content FROM turn WHERE user_id = ?", (user,)):
        if key not in plan.turns and any(_repeats(segment(content), words, key in near) for words in told):
            found.add(key)
    return found


def _contents(tx: Tx, user: int, key: int) -> list[tuple[str]]:
    return list(tx.execute("SELECT content FROM memory WHERE user_id = ? AND id = ?", (user, key)))


def _words(text: str) -> list[re.Pattern[str]]:
    """A memory's words as beginnings of words, without the plural, or as runs of unspaced script."""
    words = [word for word, _ in content_tokens(text) if word not in _GIVEN]
    return [_pattern(word) for word in words if not word.isascii() or len(word) >= SHORTEST_WORD]


def _pattern(word: str) -> re.Pattern[str]:
    if not word.isascii():
        return re.compile(re.escape(word))
    stem = word.removesuffix("s")
    return re.compile(rf"(?<![^\W_]){re.escape(stem)}{_ENDED if len(stem) <= SHORTEST_WORD else ''}")


def _repeats(content: str, words: list[re.Pattern[str]], near: bool) -> bool:
    shared = sum(pattern.search(content) is not None for pattern in words)
    return bool(shared) and (near or shared >= SHARE * len(words))


def _answers(tx: Tx, user: int, plan: Plan) -> Keys:
    found: Keys = set()
    for key in plan.turns:
        found |= {
            row[0]
            for row in tx.execute(
                "SELECT a.id FROM turn t JOIN turn a ON a.session_id = t.session_id AND a.position > t.position"
                " WHERE t.user_id = ? AND t.id = ? ORDER BY a.position LIMIT ?",
                (user, key, ANSWERS),
            )
        }
    return found
