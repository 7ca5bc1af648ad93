"""Many processes write and read one file at once: ``python -m tests.torture.concurrency [--processes 8] [--writes 5000]``.

Each write of each process is one of five, in turn: a memory of its own, a memory that all the others write
too, a turn in a conversation of its own, a turn in one that all share, and a step of one shared counter, by
version check and retry. Between writes it reads. At the end every count must be exact, every check clean,
and no call may have failed.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from edgemem import Turn
from edgemem.errors import Conflict
from edgemem.settings import Settings
from edgemem.view import Memory
from tests.helpers import ROOT, environment, files, opened

KINDS = 5


def write(mem: Memory, who: int, n: int) -> None:
    """The n-th write of a process."""
    kind, step = n % KINDS, n // KINDS
    if kind == 0:
        mem.add(f"fact {step} of {who}")
    elif kind == 1:
        mem.add(f"everybody's fact {step}")
    elif kind == 2:
        mem.log([Turn("user", f"turn {step} of {who}", session=f"s{who}", id=str(step))])
    elif kind == 3:
        mem.log([Turn("user", f"shared turn {step} of {who}", session="shared", id=f"{who}-{step}")])
    else:
        count_on(mem)


def count_on(mem: Memory) -> None:
    """Add one to the counter that all processes share, however often another one is faster."""
    while True:
        known = mem.state_fields("shared", "counter")
        value, version = (known[0].value, known[0].version) if known else (0, 0)
        assert isinstance(value, int)
        try:
            mem.set_state("shared", "counter", value + 1, expect=version)
        except Conflict:
            continue
        return


def read(mem: Memory, who: int, n: int) -> None:
    """What was acknowledged must be there; what others write may come at any moment, whole."""
    step = max(0, n // KINDS - 1)
    if n >= KINDS:
        assert f"turn {step} of {who}" in {t.content for t in mem.turns(f"s{who}")}
        hits = mem.recall(f"fact {step} of {who}", arms=("text",), counted=False).hits
        assert all("fact" in h.content for h in hits)
    assert all(m.content for m in mem.list(limit=20))


def work(path: Path, who: int, writes: int, patience: float = 10.0) -> None:
    """One process; ``patience``: seconds that it waits for the others at one write."""
    dice = random.Random(who)
    with opened(path, words_only=True, settings=Settings(background=False, busy_timeout=patience)) as file:
        mem = file.user("me")
        for n in range(writes):
            write(mem, who, n)
            if dice.random() < 0.1:
                read(mem, who, n)


def run(path: Path, processes: int, writes: int, patience: float = 10.0) -> float:
    """All processes from start to end; returns the seconds it took. Raises ``AssertionError`` for anything wrong."""
    start = time.monotonic()
    command = [
        sys.executable,
        "-m",
        "tests.torture.concurrency",
        "--work",
        str(path),
        "--writes",
        str(writes),
        "--patience",
        str(patience),
    ]
    started = [
        subprocess.Popen([*command, "--who", str(who)], cwd=ROOT, env=environment(), stderr=subprocess.PIPE, text=True)
        for who in range(processes)
    ]
    errors = [process.communicate()[1] for process in started]
    assert [p.returncode for p in started] == [0] * processes, "\n".join(e[-2000:] for e in errors if e)
    examine(path, processes, writes)
    return time.monotonic() - start


def examine(path: Path, processes: int, writes: int) -> None:
    """Every write is there exactly once."""
    each = [len(range(kind, writes, KINDS)) for kind in range(KINDS)]
    with opened(path, words_only=True) as file:
        mem = file.user("me")
        own = [f"fact {n} of {who}" for who in range(processes) for n in range(each[0])]
        shared = [f"everybody's fact {n}" for n in range(each[1])]
        found = Counter(m.content for m in mem.list(limit=0, status="any"))
        assert found == Counter(own + shared)
        assert len(mem.history(limit=0)) == len(own) + len(shared)
        for who in range(processes):
            assert [t.content for t in mem.turns(f"s{who}")] == [f"turn {n} of {who}" for n in range(each[2])]
        together = [t.id for t in mem.turns("shared")]
        assert Counter(together) == Counter(f"{who}-{n}" for who in range(processes) for n in range(each[3]))
        assert [t.position for t in mem.turns("shared")] == list(range(len(together)))
        counters = mem.state_fields("shared", "counter")
        assert [(c.value, c.version) for c in counters] == [(processes * each[4],) * 2] * bool(each[4])
        assert file.check() == []
    assert files(path.parent) == [path.name]


def main() -> None:
    """Run it, or one process of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--processes", type=int, default=8)
    parser.add_argument("--writes", type=int, default=5000, help="of each process")
    parser.add_argument("--patience", type=float, default=10.0, help="seconds that a process waits for the others")
    parser.add_argument("--work", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--who", type=int, default=0, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work is not None:
        work(options.work, options.who, options.writes, options.patience)
        return
    with tempfile.TemporaryDirectory() as folder:
        seconds = run(Path(folder) / "me.edgemem", options.processes, options.writes, options.patience)
    total = options.processes * options.writes
    print(
        f"{options.processes} processes, {total:,} writes: all there once, none failed ({total / seconds:.0f} a second)"
    )


if __name__ == "__main__":
    main()
