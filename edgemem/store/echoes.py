"""Turns that say again what an erasure takes: the answer that repeats it, a message that tells it once more."""

from __future__ import annotations

import re
from collections.abc import Iterator

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
    told = [_words(text, left_out) for key in sorted(plan.memories) for text, left_out in _told(tx, user, key)]
    near = _answers(tx, user, plan)
    found: Keys = set()
    for key, content in tx.execute("SELECT id, content FROM turn WHERE user_id = ?", (user,)):
        if key not in plan.turns and any(_repeats(segment(content), words, key in near) for words in told):
            found.add(key)
    return found


def _told(tx: Tx, user: int, key: int) -> Iterator[tuple[str, frozenset[str]]]:
    """What a memory says, and which words of it do not count.

    The words of a sensitive one are only a label, which other secrets have too: it says what its message says
    and the label hides. Of one that was given by hand nobody knows that without the passphrase.
    """
    rows = tx.execute(
        "SELECT m.content, m.sensitivity, substr(t.content, m.source_start + 1, json_extract(m.data, '$.said'))"
        " FROM memory m LEFT JOIN turn t ON t.id = m.source_turn AND t.user_id = m.user_id WHERE m.user_id = ? AND m.id = ?",
        (user, key),
    )
    for content, sensitivity, said in rows:
        if sensitivity == "normal":
            yield content, _GIVEN
        elif said:
            yield said, _GIVEN | {word for word, _ in content_tokens(content)}


def _words(text: str, left_out: frozenset[str]) -> list[re.Pattern[str]]:
    """The words of a text as beginnings of words, without the plural, or as runs of unspaced script."""
    words = [word for word, _ in content_tokens(text) if word not in left_out]
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
