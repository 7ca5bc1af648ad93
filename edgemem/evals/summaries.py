"""Does a summary keep what matters, in few words, and nothing that was not said? Whole conversations with marked facts.

A set is a file of JSON lines, a conversation each: ``id``; ``at``, when it began; ``turns``, each ``[role, text]``; ``part``,
``open`` if the folding was written with it in view, or ``held`` if only totals of it were ever looked at; and ``facts``. A fact
has a ``kind`` (number, name, decision, reason or negation), ``all``, a list of lists of words of which one sentence of the
summary must hold one of each list, and ``none``: of a negation words that would flip it, of another fact words of a value that was
replaced later, which must not stand in a sentence without the new one. A sentence is what the summary shows as one entry: words
of one message, or a question or proposal with the answer it got.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from edgemem.evals.scoring import normalise
from edgemem.evals.seams import Narrator
from edgemem.evals.sessions import StoryClock, StoryOpener
from edgemem.evals.sets import made_of, shipped
from edgemem.records import ROLES, Turn
from edgemem.text import is_han
from edgemem.times import parse
from edgemem.view import Memory

KINDS = ("number", "name", "decision", "reason", "negation")
PARTS = ("open", "held")

_APART = timedelta(minutes=1)
"""Turns of a set have no times of their own."""


@dataclass(frozen=True, slots=True)
class Fact:
    """Something a reader of the summary must learn."""

    kind: str
    all: tuple[tuple[str, ...], ...]
    none: tuple[str, ...]

    def told(self, text: str) -> bool:
        """Whether a text holds one word of every list."""
        known = normalise(text)
        return all(any(normalise(word) in known for word in words) for words in self.all)

    def wronged(self, text: str) -> bool:
        """Whether a text tells the old value alone, or a negation without its "not"."""
        known = normalise(text)
        wrong = any(normalise(word) in known for word in self.none)
        return wrong and (self.kind == "negation" or not self.told(text))


@dataclass(frozen=True, slots=True)
class Conversation:
    """A talk of one session with its marked facts."""

    id: str
    part: str
    at: datetime
    turns: tuple[tuple[str, str], ...]
    facts: tuple[Fact, ...]

    def said(self) -> list[Turn]:
        """The turns as they are logged."""
        return [
            Turn(role, text, at=self.at + n * _APART, session=self.id, id=f"t{n}")
            for n, (role, text) in enumerate(self.turns)
        ]


def shipped_conversations() -> list[Conversation]:
    """The conversations that come with edgemem, half English and half Chinese."""
    return shipped("summaries.jsonl", load_conversations)


def load_conversations(paths: Sequence[Path]) -> list[Conversation]:
    """Read a set. Raises ``InvalidInput`` for a line that is no conversation."""
    return made_of(paths, _conversation, "A conversation has id, part, at, turns and facts.")


def _conversation(record: Mapping[str, Any]) -> Conversation:
    turns = tuple((_one_of(role, ROLES), str(text)) for role, text in record["turns"])
    facts = tuple(
        Fact(_one_of(fact["kind"], KINDS), tuple(tuple(map(str, words)) for words in fact["all"]), tuple(fact["none"]))
        for fact in record["facts"]
    )
    at = parse(datetime.fromisoformat(record["at"]))
    return Conversation(str(record["id"]), _one_of(record["part"], PARTS), at, turns, facts)


def _one_of(value: Any, allowed: Sequence[str]) -> str:
    if value not in allowed:
        raise ValueError(f"{value!r} is not one of {', '.join(allowed)}")
    return str(value)


@dataclass(slots=True)
class _Group:
    """Counts over some conversations; ``tokens`` of what was said, ``short`` of what stands for it."""

    conversations: int = 0
    marked: Counter[str] = field(default_factory=Counter)
    kept: Counter[str] = field(default_factory=Counter)
    tokens: int = 0
    short: int = 0
    sentences: int = 0
    invented: int = 0
    flipped: int = 0
    outdated: int = 0
    other_language: int = 0


def run_summaries(
    conversations: Sequence[Conversation], opener: StoryOpener, count: Callable[[str], int], narrator: Narrator
) -> dict[str, Any]:
    """Log and summarise every conversation; returns the figures, with what is missing and wrong in those of part ``open``.

    ``count`` gives the tokens of a text. Of part ``held`` nothing but totals is told, so that nobody mends by it.
    """
    groups: dict[str, _Group] = {}
    missed: dict[str, list[str]] = {}
    wrong: dict[str, list[str]] = {}
    for number, talk in enumerate(conversations, 1):
        with tempfile.TemporaryDirectory(prefix="edgemem-eval-") as folder:
            clock = StoryClock(talk.at.astimezone(UTC) + timedelta(days=1))
            with opener(Path(folder) / "talk.edgemem", clock) as file:
                sentences, invented = _summary(talk, file.user("me"))
        own = [groups.setdefault(name, _Group()) for name in ("all", talk.part, _language(talk))]
        lacking, faulty = _judged(talk, sentences, own)
        for group in own:
            group.invented += invented
            group.tokens += sum(count(text) for _, text in talk.turns)
            group.short += sum(map(count, sentences))
        if talk.part == "open" and lacking:
            missed[talk.id] = lacking
        if talk.part == "open" and faulty:
            wrong[talk.id] = faulty
        narrator.item(number, len(conversations), talk.id)
    return {"groups": {name: _figures(group) for name, group in groups.items()}, "missed": missed, "wrong": wrong}


def _summary(talk: Conversation, memory: Memory) -> tuple[list[str], int]:
    """The sentences of a conversation's summary, and how many of them do not stand in their messages."""
    memory.log(talk.said())
    written = memory.summarize(talk.id, whole=True)
    return [sentence for summary in written for sentence, _ in summary.sentences], len(memory.check_summaries())


def _judged(talk: Conversation, sentences: Sequence[str], groups: Sequence[_Group]) -> tuple[list[str], list[str]]:
    """Count what is kept and what is wrong into ``groups``; returns both in words: the facts missed, the sentences at fault."""
    chinese = _language(talk) == "Chinese"
    missed, wrong = [], []
    for fact in talk.facts:
        kept = any(fact.told(sentence) for sentence in sentences)
        faults = [sentence for sentence in sentences if fact.wronged(sentence)]
        missed += [] if kept else [f"{fact.kind}: {' + '.join('/'.join(words) for words in fact.all)}"]
        wrong += faults
        for group in groups:
            group.marked[fact.kind] += 1
            group.kept[fact.kind] += kept
            group.flipped += bool(faults) and fact.kind == "negation"
            group.outdated += bool(faults) and fact.kind != "negation"
    for group in groups:
        group.conversations += 1
        group.sentences += len(sentences)
        group.other_language += sum(is_han(_words(sentence)) != chinese for sentence in sentences)
    return missed, wrong


def _words(sentence: str) -> str:
    """A sentence without who says it, which is in English whatever the language."""
    return " ".join(line.partition(": ")[2] for line in sentence.split("\n"))


def _language(talk: Conversation) -> str:
    return "Chinese" if is_han("\n".join(text for role, text in talk.turns if role != "tool")) else "English"


def _figures(group: _Group) -> dict[str, Any]:
    by_kind = {kind: _share(group.kept[kind], group.marked[kind]) for kind in KINDS if group.marked[kind]}
    return {
        "conversations": group.conversations, "facts": group.marked.total(),
        "kept": _share(group.kept.total(), group.marked.total()), "tokens": group.tokens,
        "share_of_tokens": _share(group.short, group.tokens), "sentences": group.sentences, "invented": group.invented,
        "flipped": group.flipped, "outdated": group.outdated, "other_language": group.other_language, "by_kind": by_kind,
    }  # fmt: skip


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 3) if whole else None
