"""What the file costs, as ratios in one run: ``python tests/benchmarks/bench_store.py [--memories N] [--seed S]``.

Compared against the same SQLite library doing the least possible (one bare durable insert) and against a plain
scan with LIKE. Vectors are random unit vectors of 384 components: exact search costs the same for any vectors.
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

import numpy as np

import edgemem
from edgemem.ports import Priority
from edgemem.store.driver import driver
from edgemem.view import Memory

WORDS = (
    "river stone lamp bread coat train garden violin harbour winter copper letter 火车 花园 早餐 邻居 医院 钢琴".split()
)


class RandomEmbedder:
    """Unit vectors drawn from a seed; nothing is computed from the text."""

    fingerprint, dim = "random-384", 384

    def __init__(self, seed: int) -> None:
        self._random = np.random.default_rng(seed)

    def embed(
        self, texts: Sequence[str], kind: Literal["query", "passage"], *, priority: Priority = "background"
    ) -> list[list[float]]:
        """Random directions."""
        made = self._random.standard_normal((len(texts), self.dim))
        rows: list[list[float]] = (made / np.linalg.norm(made, axis=1, keepdims=True)).tolist()
        return rows

    def calibrate(self, cosine: float) -> float:
        """As it is."""
        return max(0.0, cosine)

    def close(self) -> None:
        """Nothing to free."""


def median_ms(call: Callable[[int], object], times: int) -> float:
    """Median of single calls, in milliseconds."""
    taken = []
    for n in range(times):
        start = time.perf_counter()
        call(n)
        taken.append((time.perf_counter() - start) * 1000)
    return statistics.median(taken)


def bare_commit(folder: Path, times: int) -> float:
    """One row, one durable transaction, the same engine and settings, nothing else."""
    connection = driver().connect(str(folder / "bare.db"), isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, x TEXT)")
    taken = median_ms(lambda n: connection.execute("INSERT INTO t(x) VALUES (?)", (f"message {n}",)), times)
    connection.close()
    return taken


def beside(
    call: Callable[[int], object], long: Callable[[], object], seconds: float = 4.0
) -> tuple[list[float], float]:
    """Sorted milliseconds of single calls while another thread makes long ones without a pause; and those of a long one."""
    longest: list[float] = []
    over = threading.Event()

    def other() -> None:
        while not over.is_set():
            start = time.perf_counter()
            long()
            longest.append((time.perf_counter() - start) * 1000)

    thread = threading.Thread(target=other)
    thread.start()
    taken, end = list[float](), time.perf_counter() + seconds
    while time.perf_counter() < end or len(taken) < 5:
        start = time.perf_counter()
        call(len(taken))
        taken.append((time.perf_counter() - start) * 1000)
        time.sleep(0.01)
    over.set()
    thread.join()
    return sorted(taken), statistics.median(longest)


def waiting(path: Path, memory: Memory, settings: edgemem.Settings) -> str:
    """How long a short read waits for another thread's long ones: in the same opening, and in one of its own."""
    alone = median_ms(lambda _: memory.list(limit=20), 100)
    shared, long = beside(lambda _: memory.list(limit=20), lambda: memory.list(limit=0))
    with edgemem.open(path, settings=settings, read_only=True) as second:
        reader = second.user("me")
        apart, _ = beside(lambda _: memory.list(limit=20), lambda: reader.list(limit=0))
    told = [f"p50 {taken[len(taken) // 2]:.0f} ms, longest {taken[-1]:.0f} ms" for taken in (shared, apart)]
    return (
        f"a page of the list          {alone:8.2f} ms; beside a thread that lists all ({long:.0f} ms each): {told[0]};"
        f" where that thread has opened the file for itself: {told[1]}"
    )


def sentences(count: int, seed: int) -> list[str]:
    """Distinct sentences of ten words."""
    dice = random.Random(seed)
    return [f"The user {' '.join(dice.choices(WORDS, k=10))} {n}" for n in range(count)]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        settings = edgemem.Settings(background=False)
        embedder = RandomEmbedder(options.seed)
        with edgemem.open(folder / "bench.edgemem", embedder=embedder, settings=settings) as file:
            memory = file.user("me")
            texts = sentences(options.memories, options.seed)
            start = time.perf_counter()
            with file.engine.write():
                for text in texts:
                    memory.add(text)
            filled = time.perf_counter() - start
            observe = median_ms(lambda n: memory.observe([edgemem.Turn("user", f"message {n}")]), 200)
            bare = bare_commit(folder, 200)
            queries = [" ".join(random.Random(n).choices(WORDS, k=3)) for n in range(100)]
            both = median_ms(lambda n: memory.recall(queries[n], arms=("vector", "text")), 100)
            words = median_ms(lambda n: memory.recall(queries[n], arms=("text",)), 100)
            told = waiting(folder / "bench.edgemem", memory, settings)
            with file.engine.read() as tx:
                scan = median_ms(
                    lambda n: tx.execute(
                        "SELECT id FROM memory WHERE content LIKE ? LIMIT 8", (f"%{queries[n]} none%",)
                    ).fetchall(),
                    50,
                )
        size = (folder / "bench.edgemem").stat().st_size
    print(f"{platform.machine()}, {os.cpu_count()} cores, {options.memories} memories, seed {options.seed}")
    print(f"fill in one transaction     {filled / options.memories * 1000:8.2f} ms a memory")
    print(
        f"turn acknowledged           {observe:8.2f} ms = {observe / bare:.2f} x a bare durable insert ({bare:.2f} ms)"
    )
    print(f"recall, meaning and words   {both:8.2f} ms = {both / scan:.2f} x a plain LIKE scan ({scan:.2f} ms)")
    print(f"recall, words only          {words:8.2f} ms = {words / scan:.2f} x")
    print(told)
    print(f"file                        {size / options.memories / 1024:8.2f} KiB a memory")


if __name__ == "__main__":
    main()
