"""Told in one session, asked in another: cases that go through the whole of a memory file, with time passing.

A case is a list of steps: something is said (``say``, with ``role``, ``session`` and ``at``), days pass
(``wait_days``), upkeep runs (``maintain``), a memory is forgotten or pinned by a word in it (``forget``,
``pin``), and a question is asked (``ask``): one of the first hits must hold one word of every list in
``all``, and no memory among them may hold a word of ``none``. The file is closed and opened again
whenever another session begins. ``scripted`` says what a model should find, for runs without one.
"""

from __future__ import annotations

import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from edgemem.evals.scoring import normalise
from edgemem.evals.seams import ITEM_ERRORS, Narrator
from edgemem.evals.sets import made_of, shipped
from edgemem.memory import MemoryFile
from edgemem.ports import Clock
from edgemem.records import Hit, Turn
from edgemem.times import parse
from edgemem.view import Memory

HITS = 5
"""Hits that are looked at for an answer."""

_ACTS = ("say", "ask", "wait_days", "maintain", "forget", "pin")


@dataclass(frozen=True, slots=True)
class Case:
    """One story: an id, tags, and its steps as they stand in the file."""

    id: str
    tags: tuple[str, ...]
    steps: tuple[Mapping[str, Any], ...]


@dataclass(slots=True)
class StoryClock:
    """The time of the story, which only its steps move."""

    moment: datetime = datetime(2026, 1, 1, tzinfo=UTC)

    def now(self) -> datetime:
        """The story's time."""
        return self.moment


StoryOpener = Callable[[Path, Clock], AbstractContextManager[MemoryFile]]
"""Opens a memory file under a clock; closing it must leave the models loaded."""


def shipped_cases() -> list[Case]:
    """The cases that come with edgemem, in English and Chinese."""
    return shipped("sessions.jsonl", load_cases)


def load_cases(paths: Sequence[Path]) -> list[Case]:
    """Read cases. Raises ``InvalidInput`` for a line that is none."""
    return made_of(paths, _case, "A case has an id and steps.")


def _case(record: Mapping[str, Any]) -> Case:
    return Case(str(record["id"]), tuple(record.get("tags", ())), tuple(_checked(step) for step in record["steps"]))


def _checked(step: Mapping[str, Any]) -> Mapping[str, Any]:
    if sum(act in step for act in _ACTS) != 1:
        raise ValueError(f"a step is one of {', '.join(_ACTS)}")
    if "say" in step:
        parse(datetime.fromisoformat(step["at"]))
    return step


@dataclass(slots=True)
class _Outcome:
    """What came of a case: the questions asked, answered, answered by a memory, and answered with what is no longer true."""

    asked: int = 0
    answered: int = 0
    by_memory: int = 0
    stale: int = 0
    wrong: list[dict[str, Any]] = field(default_factory=list)


def run_sessions(
    cases: Sequence[Case], opener: StoryOpener, narrator: Narrator, *, tended: bool = False
) -> dict[str, Any]:
    """Live through every case; returns the figures, with every question that went wrong and what was found for it.

    ``tended``: before each question all sessions are summarised and the memory reflects, which must cost no answer.
    """
    outcomes: dict[str, _Outcome] = {}
    failed: dict[str, str] = {}
    for number, case in enumerate(cases, 1):
        try:
            outcomes[case.id] = _lived(case, opener, tended)
        except ITEM_ERRORS as error:
            failed[case.id] = str(error)
        narrator.item(number, len(cases), case.id)
    return _figures(cases, outcomes, failed)


def _lived(case: Case, opener: StoryOpener, tended: bool) -> _Outcome:
    clock, outcome = StoryClock(), _Outcome()
    with tempfile.TemporaryDirectory(prefix="edgemem-eval-") as folder:
        for steps in _by_session(case.steps):
            with opener(Path(folder) / "story.edgemem", clock) as file:
                memory = file.user("me")
                for step in steps:
                    if tended and "ask" in step:
                        _tend(memory)
                    _do(step, memory, clock, outcome)
    return outcome


def _tend(memory: Memory) -> None:
    for session in memory.sessions(limit=0):
        memory.summarize(session.id, whole=True)
    memory.reflect()


def _by_session(steps: Sequence[Mapping[str, Any]]) -> Iterator[list[Mapping[str, Any]]]:
    group: list[Mapping[str, Any]] = []
    current = None
    for step in steps:
        session = step.get("session", current)
        if group and session != current:
            yield group
            group = []
        current = session
        group.append(step)
    yield group


def _do(step: Mapping[str, Any], memory: Memory, clock: StoryClock, outcome: _Outcome) -> None:
    if "say" in step:
        at = datetime.fromisoformat(step["at"])
        clock.moment = max(clock.moment, at.astimezone(UTC))
        memory.learn([Turn(step.get("role", "user"), step["say"], at=at, session=step["session"])])
    elif "wait_days" in step:
        clock.moment += timedelta(days=step["wait_days"])
    elif "maintain" in step:
        memory.maintain()
    elif "ask" in step:
        _ask(step, memory, outcome)
    else:
        word = normalise(step.get("forget") or step["pin"])
        for found in [m for m in memory.list(limit=0) if word in normalise(m.content)]:
            if "forget" in step:
                memory.forget(found.id)
            else:
                memory.pin(found.id)


def _ask(step: Mapping[str, Any], memory: Memory, outcome: _Outcome) -> None:
    hits = memory.recall(step["ask"], limit=HITS).hits
    wanted = step["all"]
    good = [h for h in hits if _holds(h, wanted)] if wanted else []
    stale = [
        h
        for h in hits
        if h.memory is not None and any(normalise(n) in normalise(h.content) for n in step.get("none", ()))
    ]
    right = not stale and (bool(good) or not wanted)
    outcome.asked += 1
    outcome.answered += right
    outcome.by_memory += right and (not wanted or any(h.memory is not None for h in good))
    outcome.stale += bool(stale)
    if not right:
        outcome.wrong.append(
            {"ask": step["ask"], "found": [h.content for h in hits], "stale": [h.content for h in stale]}
        )


def _holds(hit: Hit, wanted: Sequence[Sequence[str]]) -> bool:
    text = normalise(hit.content)
    return all(any(normalise(word) in text for word in words) for words in wanted)


def _figures(cases: Sequence[Case], outcomes: Mapping[str, _Outcome], failed: Mapping[str, str]) -> dict[str, Any]:
    tags: dict[str, Counter[str]] = defaultdict(Counter)
    for case in cases:
        done = outcomes.get(case.id, _Outcome())
        passed = case.id in outcomes and not done.wrong
        for tag in (case.id[:2], *case.tags):
            tags[tag].update(cases=1, passed=passed)
    asked = sum(o.asked for o in outcomes.values())
    share = {
        name: round(sum(getattr(o, name) for o in outcomes.values()) / asked, 3) if asked else None
        for name in ("answered", "by_memory")
    }
    return {
        "cases": len(cases), "passed": sum(not o.wrong for o in outcomes.values()), "asked": asked, **share,
        "stale": sum(o.stale for o in outcomes.values()), "by_tag": {tag: dict(c) for tag, c in sorted(tags.items())},
        "wrong": {id_: o.wrong for id_, o in outcomes.items() if o.wrong}, "errors": dict(failed),
    }  # fmt: skip
