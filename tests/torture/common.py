"""What the torture programs share: their arguments, a life to damage, children that may die."""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from edgemem.memory import MemoryFile
from edgemem.testing import WordsEmbedder
from edgemem.view import Memory
from tests.helpers import opened, said

Report = dict[str, Any]


def arguments(count: int, what: str) -> argparse.Namespace:
    """``COUNT --seed N``: how many rounds, and where the dice start."""
    parser = argparse.ArgumentParser(description=what)
    parser.add_argument("count", nargs="?", type=int, default=count, help=f"rounds (default {count})")
    parser.add_argument("--seed", type=int, default=1, help="seed of the dice (default 1)")
    return parser.parse_args()


def say(text: str) -> None:
    """Tell of a fault as soon as it is found."""
    print(text, file=sys.stderr)


def finish(report: Report, bad: str) -> None:
    """Print the figures as JSON; leave with 1 if any of the ``bad`` ones (names with spaces between) is not 0."""
    print(json.dumps(report, indent=2, ensure_ascii=False))
    sys.exit(int(any(report[name] for name in bad.split())))


@contextmanager
def folder() -> Iterator[Path]:
    """A folder that is gone afterwards."""
    place = Path(tempfile.mkdtemp(prefix="edgemem-torture-"))
    try:
        yield place
    finally:
        shutil.rmtree(place)


def in_child(work: Callable[[], Any]) -> tuple[int, Any]:
    """Run something in a fork; its exit code (negative: the signal that killed it) and what it returned as JSON."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        code = 0
        try:
            answer: Any = work()
        except BaseException:
            answer, code = traceback.format_exc(), 1
        with os.fdopen(writing, "w", encoding="utf-8") as out:
            json.dump(answer, out)
        os._exit(code)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as answer_of:
        text = answer_of.read()
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return code, json.loads(text) if text else None


def life(path: Path, people: tuple[str, ...] = ("me", "you", "they"), size: int = 14) -> None:
    """Fill a file with what people leave: memories of every status, turns, state, vectors, history."""
    with opened(path, embedder=WordsEmbedder()) as file:
        for name in people:
            mem = file.user(name)
            with file.engine.write():
                ids = [mem.add(f"{name} fact {n} 蜜蜂 {'word ' * n}") for n in range(size)]
                mem.log(said(*[f"{name} said {n} {'long ' * (n * 7)}" for n in range(size)], session=f"{name}-s"))
            mem.edit(ids[0], f"{name} fact zero, in other words")
            mem.forget(ids[1])
            mem.undo(mem.forget(ids[2]))
            mem.pin(ids[3])
            for n in range(4):
                mem.set_state(f"{name} task {n}", "step", {"n": n})
                mem.set_profile(f"field {n}", f"{name} value {n}")
                mem.graph.relate(f"{name} Mia {n}", "sister of", f"{name} Tom {n}")


def readable(file: MemoryFile, name: str) -> dict[str, Any]:
    """All memories, turns and state fields that a person can read."""
    mem = file.user(name)
    return {
        "memories": {m.id: [m.content, m.status] for m in mem.list(limit=0, status="any")},
        "turns": [[t.session, t.id, t.content] for s in mem.sessions(limit=0) for t in mem.turns(s.id)],
        "past": [[c.memory, c.after["content"]] for c in mem.history(limit=0) if c.after is not None],
        "others": others(mem),
    }


def others(mem: Memory) -> list[str]:
    """Fields of tasks and of the profile, and what the graph says."""
    found = [f"{f.task}.{f.field} = {f.value}" for f in mem.state_fields()]
    found += [f"{f.field} = {f.value}" for f in mem.profile()]
    for entity in mem.graph.entities(limit=0):
        around = mem.graph.neighbours(entity.id).relations
        found += [entity.name, *(f"{r.subject} {r.predicate} {r.object}" for r in around)]
    return found


def dice(seed: int, *more: int) -> random.Random:
    """Dice of their own for each round, so that one round can be repeated alone."""
    return random.Random(f"{seed}-{more}")


class Pace:
    """A line on standard error now and then."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._last = time.monotonic()

    def tick(self, done: int, bad: int) -> None:
        if time.monotonic() - self._last > 10:
            self._last = time.monotonic()
            print(f"{done} of {self._total}, {bad} bad", file=sys.stderr)
