"""Questions that take two or three steps, asked of a memory that was told the steps in different conversations.

A set is a file of JSON lines. A talk has a ``world``, a ``session``, the time ``at`` of its first turn and ``turns``, each
``[role, text]``; the talks of a world are told to one user, in the order of the file. A question has a ``world``, an ``id``,
``ask``, ``hops`` (how many relations lead to the answer) and ``all``: one hit must hold one word of every list in it.
It is asked when everything was told, and counts as answered when one of the first ``HITS`` hits holds the answer; and
once more, when a line of a context block of ``BUDGET`` tokens does. Nobody judges, and nothing of the graph is given:
the product's own steps take memories from the talks and relations from the memories.
"""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from edgemem.evals.scoring import normalise
from edgemem.evals.seams import Narrator
from edgemem.evals.sessions import StoryClock, StoryOpener
from edgemem.evals.sets import made_of, shipped
from edgemem.recall.question import ARMS
from edgemem.records import Turn
from edgemem.times import parse
from edgemem.view import Memory

HITS = 10
"""Hits that are looked at for an answer."""

BUDGET = 1_000
"""Tokens of the context block that is looked at for an answer."""

_OTHER_ARMS = tuple(arm for arm in ARMS if arm != "graph")


@dataclass(frozen=True, slots=True)
class Talk:
    """One conversation."""

    session: str
    at: datetime
    turns: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, and the words that an answer holds: one of each list."""

    id: str
    ask: str
    hops: int
    all: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class World:
    """What one user told, and what is asked about it."""

    name: str
    talks: tuple[Talk, ...]
    questions: tuple[Question, ...]


_SHAPE = "A talk has world, session, at and turns; a question has world, id, ask, hops and all."


def shipped_worlds() -> list[World]:
    """The conversations and questions that come with edgemem, in English and Chinese."""
    return shipped("multihop.jsonl", load_worlds)


def load_worlds(paths: Sequence[Path]) -> list[World]:
    """Read a set. Raises ``InvalidInput`` for a line that is neither a talk nor a question."""
    talks: dict[str, list[Talk]] = defaultdict(list)
    questions: dict[str, list[Question]] = defaultdict(list)
    for world, told in made_of(paths, _talk_or_question, _SHAPE):
        if isinstance(told, Talk):
            talks[world].append(told)
        else:
            questions[world].append(told)
    return [World(name, tuple(talks[name]), tuple(asked)) for name, asked in questions.items()]


def _talk_or_question(record: Mapping[str, Any]) -> tuple[str, Talk | Question]:
    return str(record["world"]), _question(record) if "ask" in record else _talk(record)


def _talk(record: Mapping[str, Any]) -> Talk:
    turns = tuple((str(role), str(text)) for role, text in record["turns"])
    return Talk(str(record["session"]), parse(datetime.fromisoformat(record["at"])), turns)


def _question(record: Mapping[str, Any]) -> Question:
    wanted = tuple(tuple(str(word) for word in words) for words in record["all"])
    if not wanted or not all(wanted):
        raise ValueError("all")
    return Question(str(record["id"]), str(record["ask"]), int(record["hops"]), wanted)


def limited(worlds: Sequence[World], limit: int | None) -> list[World]:
    """The worlds with at most ``limit`` questions together, evenly from each; what was told stays whole."""
    if limit is None:
        return list(worlds)
    share, more = divmod(limit, max(1, len(worlds)))
    return [World(w.name, w.talks, w.questions[: share + (n < more)]) for n, w in enumerate(worlds)]


def run_multihop(worlds: Sequence[World], opener: StoryOpener, narrator: Narrator) -> dict[str, Any]:
    """Tell every world, build its graph and ask; returns the figures, with each question that went wrong."""
    rows = []
    relations = 0
    for world in worlds:
        if not world.questions:
            continue
        with tempfile.TemporaryDirectory(prefix="edgemem-eval-") as folder:
            clock = StoryClock()
            with opener(Path(folder) / "world.edgemem", clock) as file:
                memory = file.user("me")
                _tell(world, memory, clock, narrator)
                narrator.note(f"{world.name}: looking for relations")
                relations += memory.build_graph()
                rows += [_asked(question, memory) for question in world.questions]
    return _figures(rows, relations)


def _tell(world: World, memory: Memory, clock: StoryClock, narrator: Narrator) -> None:
    for number, talk in enumerate(world.talks, 1):
        said = [
            Turn(role, text, at=talk.at + timedelta(minutes=n), session=talk.session)
            for n, (role, text) in enumerate(talk.turns)
        ]
        clock.moment = max(clock.moment, talk.at.astimezone(UTC) + timedelta(minutes=len(said)))
        memory.learn(said)
        narrator.item(number, len(world.talks), talk.session)


@dataclass(frozen=True, slots=True)
class _Row:
    """What came of one question."""

    question: Question
    answered: bool
    by_memory: bool
    in_context: bool
    without_graph: bool
    found: tuple[str, ...]


def _asked(question: Question, memory: Memory) -> _Row:
    hits = memory.recall(question.ask, limit=HITS, counted=False).hits
    plain = memory.recall(question.ask, limit=HITS, arms=_OTHER_ARMS, counted=False).hits
    lines = memory.context(question.ask, budget=BUDGET).text.splitlines()
    good = [h for h in hits if _holds(question, h.content)]
    return _Row(
        question,
        bool(good),
        any(h.memory is not None for h in good),
        any(_holds(question, line) for line in lines),
        any(_holds(question, h.content) for h in plain),
        tuple(h.content for h in hits),
    )


def _holds(question: Question, text: str) -> bool:
    known = normalise(text)
    return all(any(normalise(word) in known for word in words) for words in question.all)


def _figures(rows: Sequence[_Row], relations: int) -> dict[str, Any]:
    groups: dict[str, list[_Row]] = defaultdict(list)
    for row in rows:
        groups[row.question.id[:2]].append(row)
        groups[f"{row.question.hops} hops"].append(row)
    return {
        **_shares(rows), "relations": relations, "by_group": {name: _shares(of) for name, of in sorted(groups.items())},
        "wrong": {r.question.id: {"ask": r.question.ask, "found": list(r.found)} for r in rows if not r.answered},
    }  # fmt: skip


def _shares(rows: Sequence[_Row]) -> dict[str, Any]:
    return {
        "questions": len(rows),
        "answered": _share(r.answered for r in rows),
        "by_memory": _share(r.by_memory for r in rows),
        "in_context": _share(r.in_context for r in rows),
        "without_graph": _share(r.without_graph for r in rows),
    }


def _share(all_: Iterable[bool]) -> float | None:
    seen = list(all_)
    return round(sum(seen) / len(seen), 3) if seen else None
