"""A simulated year: ``python -m tests.benchmarks.year [--days N] [--sessions N] [--budget N]``. Prints the curves.

A person talks several times a day. Some things are said once and matter (``lasting``), one is asked for every week,
one is pinned, most are small events that fade. A model that answers by rule finds them; the clock is injected,
so a year passes in minutes. Upkeep runs every day. Each month: size, live memories, time to write and to ask, and
how many probe questions are answered among the first five hits, by a memory or by the log.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import edgemem
from edgemem.ports import Generation, Message, Priority
from edgemem.settings import Settings
from edgemem.testing import ScriptedModel, WordsEmbedder
from edgemem.view import Memory
from edgemem.write.prompts import GATE_OPTIONS

START = datetime(2026, 1, 1, 8, 0, tzinfo=UTC)
PINNED = "The user is allergic to latex."
WEEKLY = "The user takes the tram to work."
LASTING = ("keep", "repair", "collect", "paint", "study", "build")
THINGS = ("clocks", "canoes", "lanterns", "violins", "maps", "kites", "bonsai", "radios", "puppets", "barometers")
PLACES = ("Ghent", "Turku", "Sopot", "Brno", "Vigo", "Bergen", "Nantes", "Zadar", "Malmo", "Trento")


class Diarist(ScriptedModel):
    """Notes down what a message about the user says, word for word; everything else is nothing to keep."""

    def generate(
        self, messages: Sequence[Message], *, max_tokens: int = 512, grammar: str | None = None, temperature: float = 0.0,
        seed: int = 0, priority: Priority = "background",
    ) -> Generation:  # fmt: skip
        """The sentences of the passage that begin with "I", in the third person."""
        passage = messages[-1].content.rpartition("Message:\n")[2]
        told = [line.strip() for line in passage.splitlines() if line.startswith("I ")]
        items = [
            {
                "quote": t.rstrip("."),
                "memory": f"The user {t[2:].rstrip('.')}.",
                "kind": "event" if " lunch " in t else "fact",
            }
            for t in told
        ]
        text = json.dumps(items)
        return Generation(text, "stop", tuple(text), tuple(-0.01 for _ in text))

    def _odds(self, question: str, options: Sequence[str]) -> dict[str, float]:
        if tuple(options) != GATE_OPTIONS:
            return super()._odds(question, options)
        clause = question.rpartition("\n")[2]
        letter = "F" if clause.startswith("I ") else options[-1]
        return {o: 0.97 if o == letter else 0.01 for o in options}


@dataclass(slots=True)
class Clock:
    """The time of the simulation."""

    moment: datetime = START

    def now(self) -> datetime:
        """Its time."""
        return self.moment


@dataclass(frozen=True, slots=True)
class Month:
    """The state of the file after a month. Times are medians in milliseconds, scores shares of 0..1."""

    day: int
    sessions: int
    turns: int
    megabytes: float
    live: int
    out_of_use: int
    write_ms: float
    ask_ms: float
    by_memory: float
    by_anything: float
    protected: bool


@dataclass(slots=True)
class Year:
    """One simulation in a folder."""

    memory: Memory
    clock: Clock
    path: Path
    sessions: int = 0
    turns: int = 0

    def day(self, number: int, per_day: int) -> list[float]:
        """One day's sessions and its upkeep; returns the milliseconds of each session's learning."""
        took = []
        for n in range(per_day):
            self.clock.moment = START + timedelta(days=number, hours=2 * n)
            said = [edgemem.Turn(role, text, at=self.clock.moment, session=f"day {number}-{n}")
                    for role, text in talk(number, n, per_day)]  # fmt: skip
            start = time.perf_counter()
            self.memory.learn(said)
            took.append((time.perf_counter() - start) * 1000)
            self.sessions += 1
            self.turns += len(said)
        if number % 7 == 0:
            self.memory.recall("which tram does the user take to work")
        self.memory.maintain()
        return took

    def measured(self, number: int, writes: Sequence[float]) -> Month:
        """Ask about what mattered so far, and look at the file."""
        asked, by_memory, by_anything = [], [], []
        for n in sorted({*range(0, number + 1, max(1, number // 40))}):
            verb, thing, place = lasting(n)
            start = time.perf_counter()
            hits = self.memory.recall(f"{verb} {thing} {place}", limit=5, counted=False).hits
            asked.append((time.perf_counter() - start) * 1000)
            by_memory.append(any(thing in h.content and place in h.content for h in hits if h.memory is not None))
            by_anything.append(any(thing in h.content and place in h.content for h in hits))
        live = {m.content for m in self.memory.list(limit=0)}
        gone = len(self.memory.list(limit=0, status="any")) - len(live)
        return Month(
            number + 1, self.sessions, self.turns, round(self.path.stat().st_size / 1e6, 2), len(live), gone,
            round(statistics.median(writes), 1), round(statistics.median(asked), 1),
            round(statistics.mean(by_memory), 3), round(statistics.mean(by_anything), 3), {PINNED, WEEKLY} <= live,
        )  # fmt: skip


def lasting(day: int) -> tuple[str, str, str]:
    """What is told on a day and asked for later: a verb, a thing, a place."""
    verb = LASTING[day % len(LASTING)]
    return verb, THINGS[(day // 6) % len(THINGS)], f"{PLACES[(day // 60) % len(PLACES)]}"


def talk(day: int, n: int, per_day: int) -> list[tuple[str, str]]:
    """The turns of one session: one thing that lasts a day, small events in the others."""
    if n == 0:
        verb, thing, place = lasting(day)
        told = f"I {verb} {thing} in {place}."
        return [("user", told), ("assistant", "How did that begin?"), ("user", "Long ago, thanks for asking!")]
    told = f"I had lunch number {day * per_day + n} at the canteen today."
    return [("user", told), ("assistant", "Was it good?"), ("user", "Hm, see you later!")]


def simulate(folder: Path, days: int, per_day: int, budget: int, every: int = 30) -> Iterator[Month]:
    """Live through the days; tells what was measured every so many days."""
    clock, path = Clock(), folder / "year.edgemem"
    settings = Settings(background=False, memory_budget=budget, backups=0, rules_first=False)
    with edgemem.open(
        path, language_model=Diarist(), embedder=WordsEmbedder(256), settings=settings, clock=clock
    ) as file:
        memory = file.user("me")
        memory.add(PINNED, pinned=True, importance=0.0)
        memory.add(WEEKLY, kind="event")
        year, writes = Year(memory, clock, path), []
        for number in range(days):
            writes += year.day(number, per_day)
            if (number + 1) % every == 0 or number + 1 == days:
                yield year.measured(number, writes)
                writes = []
        assert file.check() == []


def main() -> None:
    """Run it and print one line a month."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--days", type=int, default=365)
    parser.add_argument("--sessions", type=int, default=6, help="sessions a day")
    parser.add_argument("--budget", type=int, default=1_000)
    given = parser.parse_args()
    names = list(Month.__slots__)
    print("\t".join(names))
    with tempfile.TemporaryDirectory(prefix="edgemem-year-") as folder:
        for month in simulate(Path(folder), given.days, given.sessions, given.budget):
            print("\t".join(str(getattr(month, name)) for name in names), flush=True)


if __name__ == "__main__":
    main()
