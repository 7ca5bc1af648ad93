"""Kill a writer with signal 9 at any instant, again and again, on one file: ``python -m tests.torture.kill 1000``.

A write counts as acknowledged when the call has returned and the writer has said so. After each kill the
file is opened again and every acknowledged write must be in it; at the end all of the file is checked.
"""

from __future__ import annotations

import os
import random
import signal
import time
from pathlib import Path

from tests.helpers import opened, said
from tests.torture import common

MOST_SECONDS = 0.12
"""A writer lives up to this long after its first acknowledged write."""


def main(count: int, seed: int) -> common.Report:
    """The figures of ``count`` kills."""
    acknowledged, lost, unclean, pace = 0, [], 0, common.Pace(count)
    with common.folder() as place:
        path = place / "me.edgemem"
        opened(path, words_only=True).close()
        for cycle in range(count):
            steps = _killed(path, cycle, common.dice(seed, cycle))
            acknowledged += 3 * steps
            unclean += path.with_name("me.edgemem-wal").exists()
            lost += _missing(path, cycle, steps)
            pace.tick(cycle, len(lost))
        with opened(path, words_only=True) as file:
            problems = [str(p) for p in file.check()]
        left = sorted(p.name for p in place.iterdir())
    return {
        "kills": count, "acknowledged": acknowledged, "files left with a log": unclean, "lost": lost, "problems": problems,
        "left_over": [name for name in left if name != "me.edgemem"],
    }  # fmt: skip


def _killed(path: Path, cycle: int, dice: random.Random) -> int:
    """Let a child write until it is killed; how many steps it had acknowledged."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _write(path, cycle, writing)
    os.close(writing)
    with os.fdopen(reading, "rb", buffering=0) as acks:
        first = acks.read(1)
        time.sleep(dice.random() * MOST_SECONDS)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return len(first) + len(acks.readall() or b"")


def _write(path: Path, cycle: int, acks: int) -> None:
    try:
        mem = opened(path, words_only=True).user("me")
        for n in range(1_000_000):
            mem.add(f"fact {cycle} {n}")
            mem.log(said(f"turn {n}", session=f"c{cycle}-{n}"))
            mem.set_state(f"c{cycle}", "step", n)
            os.write(acks, b".")
    finally:
        os._exit(1)


def _missing(path: Path, cycle: int, steps: int) -> list[str]:
    with opened(path, words_only=True) as file:
        mem = file.user("me")
        with file.engine.read() as tx:
            facts = {r[0] for r in tx.execute("SELECT content FROM memory WHERE content LIKE ?", (f"fact {cycle} %",))}
            turns = {r[0] for r in tx.execute("SELECT uid FROM session WHERE uid LIKE ?", (f"c{cycle}-%",))}
        state = mem.state_fields(f"c{cycle}", "step")
    missing = [f"fact {cycle} {n}" for n in range(steps) if f"fact {cycle} {n}" not in facts]
    missing += [f"turn c{cycle}-{n}" for n in range(steps) if f"c{cycle}-{n}" not in turns]
    if steps and (not state or state[0].value < steps - 1):
        missing.append(f"state c{cycle}")
    return missing


if __name__ == "__main__":
    given = common.arguments(1000, __doc__ or "")
    common.finish(main(given.count, given.seed), "lost problems left_over")
