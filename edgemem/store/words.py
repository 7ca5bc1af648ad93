"""The words that an erasure takes, as the byte strings to look for, and those that other rows still hold."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from edgemem.store import fulltext
from edgemem.store.engine import Tx
from edgemem.store.erasure import Plan
from edgemem.text import index_tokens, segment, unaccented

SHORTEST = 4
"""Letters below which a word is too common in the bytes of a file to say anything."""

MOST_WORK = 20_000_000_000
"""Bytes looked at in one scan, needles times file size: some ten seconds."""

_OF_PLAN = (
    ("memory", "touched", "content, value, data, subject, attribute, source_quote"),
    ("turn", "turns", "content, speaker"),
    ("insight", "insights", "content"),
    ("entity", "entities", "name"),
    ("task", "tasks", "name"),
    ("session", "sessions", "uid, title"),
)


def going(tx: Tx, user: int, plan: Plan) -> list[str]:
    """All texts that go with a plan, in every version the history has of them."""
    found: list[str] = []
    for table, keys, columns in _OF_PLAN:
        query = f"SELECT {columns} FROM {table} WHERE user_id = ? AND id = ?"
        found += _texts(row for key in getattr(plan, keys) for row in tx.execute(query, (user, key)))
    changed = "SELECT payload FROM history WHERE user_id = ? AND seq = ? AND payload IS NOT NULL"
    payloads = [row[0] for key in plan.changes for row in tx.execute(changed, (user, key))]
    found += [s["content"] for p in map(json.loads, payloads) for s in (p["before"], p["after"]) if s]
    sentence = "SELECT content FROM summary_sentence WHERE summary_id = ? AND n = ?"
    found += _texts(row for place in plan.sentences for row in tx.execute(sentence, place))
    state = "SELECT field, value FROM state WHERE user_id = ? AND task_id = ? AND field = ?"
    found += _texts(row for place in plan.fields for row in tx.execute(state, (user, *place)))
    alias = "SELECT name FROM alias WHERE user_id = ? AND entity_id = ?"
    found += _texts(row for key in plan.entities for row in tx.execute(alias, (user, key)))
    profile = "SELECT field, value FROM profile WHERE user_id = ? AND field = ? AND avoid = ?"
    return found + _texts(row for place in plan.profile for row in tx.execute(profile, (user, *place)))


def _texts(rows: Iterable[Any]) -> list[str]:
    return [row[n] for row in rows for n in range(len(row)) if isinstance(row[n], str)]


@dataclass(frozen=True, slots=True)
class Needles:
    """``words`` to look for; ``kept`` also stand in rows that stay; ``skipped`` would take too long to look for."""

    words: tuple[str, ...]
    kept: tuple[str, ...]
    skipped: int


def needles(tx: Tx, texts: Iterable[str], size: int) -> Needles:
    """The words of erased texts and the pairs of their unspaced runs that nothing else in the file says.

    ``size`` is the file's, in bytes. Of words that full text stores without their beginning (it shares
    that with the word before) the rest is looked for too.
    """
    texts = list(texts)
    tokens = {token for text in texts for token in index_tokens(text)}
    spelled = {form for text in texts for form in _spelled(text)}
    stems = {stem for stem in fulltext.stems(tx, tokens) if _telling(stem)}
    tails = {stem[cut:] for stem in stems if stem.isascii() for cut in (1, 2, 3) if len(stem) - cut > SHORTEST}
    forms = sorted(spelled | {t for t in tokens if _telling(t)} | stems | tails, key=lambda f: (-len(f), f))
    remaining = "\n".join(_remaining(tx))
    folded = f"{remaining}\n{segment(remaining)}"
    folded = f"{folded}\n{unaccented(folded)}"
    kept = [form for form in forms if form in folded or (form.endswith("i") and f"{form[:-1]}y" in folded)]
    alone = sorted(set(forms) - set(kept), key=lambda f: (-len(f), f))
    most = max(200, MOST_WORK // max(size, 1))
    return Needles(tuple(alone[:most]), tuple(f for f in kept if f in spelled), len(alone[most:]))


def _telling(word: str) -> bool:
    return len(word) >= SHORTEST or (len(word) > 1 and not word.isascii())


def _spelled(text: str) -> Iterator[str]:
    """Words as they were typed, and pairs of unspaced script."""
    for word in re.findall(r"[^\W_]+", text):
        if word.isascii():
            if _telling(word):
                yield word
        else:
            yield from (word[n : n + 2] for n in range(len(word) - 1))


def _remaining(tx: Tx) -> Iterator[str]:
    """Every text that the file still holds, the words of its own schema among them."""
    tables = tx.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
    for name, sql in tables:
        yield sql
        if "VIRTUAL" in sql or "_fts_" in name or sql.startswith(("CREATE INDEX", "CREATE UNIQUE")):
            continue
        for row in tx.execute(f'SELECT * FROM "{name}"'):
            yield from (value for value in tuple(row) if isinstance(value, str))
