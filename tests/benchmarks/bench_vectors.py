"""Search by meaning in large files, as ratios in one run against sqlite-vec on the same vectors.

``python -m tests.benchmarks.bench_vectors [--vectors 100000] [--real 4000] [--million] [--keep FOLDER]``

What is measured, and what it is to reach, is printed with each figure. Ours and the other's calls take turns,
so that a busy machine slows both. ``--keep`` keeps the files and embeddings, which take minutes to make.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import sqlite_vec

import edgemem
from edgemem.memory import MemoryFile
from edgemem.store import changes, vectors
from edgemem.store.driver import driver
from edgemem.store.vectors import Scope
from edgemem.write import manual
from tests.benchmarks.vector_data import DIM, Vectors, clustered, near, sentences, unit
from tests.helpers import NoModels

SMALL_USER = 300
ME, OTHER = Scope(1, "memory", 1), Scope(2, "memory", 1)


def opened(path: Path, exact: int = 20_000) -> MemoryFile:
    """The file without models and without anything in the background."""
    settings = edgemem.Settings(background=False, backups=0, exact_vectors=exact)
    return edgemem.open(path, provider=NoModels(), settings=settings)


def filled(path: Path, data: Vectors, texts: Sequence[str]) -> float:
    """A file with a memory for each of the vectors, the last 300 another user's; seconds a thousand memories."""
    start = time.perf_counter()
    with opened(path) as file:
        for name in ("me", "other"):
            file.user(name)
        for first in range(0, len(data), 1000):
            with file.engine.write() as tx:
                model = vectors.model_key(tx, "bench", DIM)
                for n in range(first, min(first + 1000, len(data))):
                    user = 2 if n >= len(data) - SMALL_USER else 1
                    manual.add(tx, user, texts[n], "fact", file.now())
                    vectors.put(tx, user, model, "memory", n + 1, [data[n].tolist()])
    return (time.perf_counter() - start) / len(data) * 1000


def held(path: Path) -> Vectors:
    """The vectors of a file in the order of its memories."""
    with opened(path) as file, file.engine.read() as tx:
        rows = tx.execute("SELECT v FROM vector ORDER BY owner_id").fetchall()
    found: Vectors = np.frombuffer(b"".join(row[0] for row in rows), "<f2").reshape(-1, DIM).astype(np.float32)
    return found


def built(path: Path, exact: int = 20_000) -> float:
    """Seconds to build and store the graphs."""
    start = time.perf_counter()
    with opened(path, exact) as file:
        file.build_indexes(progress=_progress)
    return time.perf_counter() - start


def _progress(done: int, total: int) -> None:
    if sys.stderr.isatty():
        print(f"\r{done:,} of {total:,}", end="", file=sys.stderr)


def sqlite_vec_of(path: Path, data: Vectors) -> Any:
    """The same vectors in a vec0 table: float32, cosine."""
    fresh = not path.exists()
    connection = driver().connect(str(path), isolation_level=None)
    connection.enable_load_extension(True)
    sqlite_vec.load(connection)
    if fresh:
        connection.execute("BEGIN")
        connection.execute(f"CREATE VIRTUAL TABLE v USING vec0(e float[{DIM}] distance_metric=cosine)")
        connection.executemany(
            "INSERT INTO v(rowid, e) VALUES (?,?)", ((n, row.tobytes()) for n, row in enumerate(data, 1))
        )
        connection.execute("COMMIT")
    return connection


def take_turns(calls: Sequence[Callable[[int], object]], times: int) -> list[float]:
    """The median of each call in milliseconds; they run one after the other, round after round."""
    taken: list[list[float]] = [[] for _ in calls]
    for n in range(times):
        for mine, call in zip(taken, calls, strict=True):
            start = time.perf_counter()
            call(n)
            mine.append((time.perf_counter() - start) * 1000)
    return [statistics.median(one) for one in taken]


def compare(title: str, path: Path, data: Vectors, queries: Vectors, exact: int = 20_000) -> None:
    """The vector arm against sqlite-vec, with its recall against comparing all."""
    other = sqlite_vec_of(path.with_suffix(".vec0"), data)
    with opened(path, exact) as file, file.engine.read() as tx:
        loaded = file.cache.current(tx, ME, DIM)

        def ours(n: int) -> list[tuple[int, float]]:
            return file.cache.nearest(tx, ME, queries[n].tolist(), 10)

        def theirs(n: int) -> object:
            return other.execute(
                "SELECT rowid, distance FROM v WHERE e MATCH ? AND k = 10", (queries[n].tobytes(),)
            ).fetchall()

        ours(0)
        quick, slow = take_turns([ours, theirs], 60)
        hits = 0
        for n in range(len(queries)):
            best = set((1 + np.argsort(-(data @ queries[n]))[:10]).tolist())
            hits += len(best & {key for key, _ in ours(n)})
        recall = hits / (10 * len(queries))
        print(f"{title}: {loaded.indexed:,} of {loaded.total:,} vectors in the graph")
        print(f"  nearest 10        {quick:8.3f} ms, sqlite-vec {slow:8.3f} ms: {slow / quick:6.1f} x (to reach: 20 x)")
        print(f"  recall@10         {recall:8.4f} of {len(queries)} queries (to reach: 0.99)")
    other.close()


def beside(path: Path, data: Vectors) -> None:
    """A small user in the large file, and what it costs to see that nothing changed."""
    with opened(path) as file, file.engine.read() as tx:
        small = [row.tolist() for row in data[-SMALL_USER:]]
        one, fresh = take_turns(
            [lambda n: file.cache.nearest(tx, OTHER, small[n], 10), lambda n: changes.latest(tx, 1, "memory")],
            SMALL_USER,
        )
        print(f"a user of {SMALL_USER} in it  {one:8.3f} ms (to reach: under 0.3 ms)")
        print(f"nothing changed     {fresh * 1000:8.1f} us (to reach: under 20 us)")


def acknowledged(folder: Path) -> None:
    """Durable writes of the file against a bare durable insert with the same SQLite and settings."""
    bare = driver().connect(str(folder / "bare.db"), isolation_level=None)
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "secure_delete=ON"):
        bare.execute(f"PRAGMA {pragma}")
    bare.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, x TEXT)")
    with opened(folder / "writes.edgemem") as file:
        mem = file.user("me")
        plain, turn, memory = take_turns(
            [
                lambda n: bare.execute("INSERT INTO t(x) VALUES (?)", (f"message {n} of the day",)),
                lambda n: mem.observe([edgemem.Turn("user", f"message {n} of the day")]),
                lambda n: mem.add(f"The user said message {n} of the day."),
            ],
            300,
        )
    bare.close()
    print(f"turn acknowledged   {turn:8.3f} ms = {turn / plain:.2f} x a bare durable insert (to reach: 1.5 x)")
    print(f"memory acknowledged {memory:8.3f} ms = {memory / plain:.2f} x")


_OPEN = """if 1:
    import json, resource, sys, time
    from pathlib import Path
    from tests.benchmarks.bench_vectors import ME, opened
    import numpy as np
    from edgemem.store.usearch_library import usearch_index
    usearch_index()
    query = [1.0] + [0.0] * 383
    before = time.perf_counter(), time.process_time()
    with opened(Path(sys.argv[1])) as file:
        with file.engine.read() as tx:
            file.cache.nearest(tx, ME, query, 10)
        first = time.perf_counter() - before[0], time.process_time() - before[1]
        with file.engine.read() as tx:
            start = time.perf_counter(), time.process_time()
            rows = tx.execute("SELECT id, v FROM vector WHERE user_id = 1").fetchall()
            plain = time.perf_counter() - start[0], time.process_time() - start[1]
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps([*first, *plain]))
"""
_PEAK = _OPEN.replace('rows = tx.execute("SELECT id, v FROM vector WHERE user_id = 1").fetchall()', "pass").replace(
    "print(json.dumps([*first, *plain]))", "print(json.dumps([peak]))"
)


def opening(path: Path, count: int) -> None:
    """Open and answer one question in a new process."""
    runs = [_child(_OPEN, path) for _ in range(3)]
    wall, cpu, plain_wall, plain_cpu = (min(run[i] for run in runs) for i in range(4))
    peak = _child(_PEAK, path)[0] / 1024
    size = path.stat().st_size / count
    print(f"open, first answer  {wall:8.3f} s ({cpu:.3f} s of processor; to reach: 0.5 s) = {wall / plain_wall:.1f} x")
    print(
        f"                    reading the vector rows and nothing else ({plain_wall:.3f} s, {plain_cpu:.3f} s of processor)"
    )
    print(f"memory at its most  {peak:8.0f} MB (to reach: 350 MB)")
    print(f"file                {size:8.0f} bytes a memory, text included (to reach: 1,600 + text)")


def _child(code: str, path: Path) -> list[float]:
    found = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    numbers: list[float] = json.loads(found.stdout)
    return numbers


def growth(folder: Path, sizes: Sequence[int], seed: int) -> None:
    """Time per write, per question and bytes, as files grow."""
    for count in sizes:
        path = folder / f"clustered-{count}.edgemem"
        if not path.exists():
            data = clustered(count + SMALL_USER, seed)
            filled(path, data, [f"The user likes thing number {n} of the harbour" for n in range(len(data))])
            built(path)
        ask, add = _costs(path, [row.tolist() for row in near(held(path)[:-SMALL_USER], 100, seed)])
        print(
            f"  {count:>9,}  {ask:8.3f} ms a question  {add:8.3f} ms a write  {path.stat().st_size / count:6.0f} bytes a memory"
        )


def _costs(path: Path, queries: Sequence[Sequence[float]]) -> tuple[float, float]:
    """Milliseconds of a question and of a durable write."""
    with opened(path) as file:
        mem = file.user("me")
        with file.engine.read() as tx:
            file.cache.nearest(tx, ME, queries[0], 10)
            ask = take_turns([lambda n: file.cache.nearest(tx, ME, queries[n], 10)], len(queries))[0]
        return ask, take_turns([lambda n: mem.add(f"Something new {n} {time.time_ns()}")], len(queries))[0]


def embedded(folder: Path, count: int, seed: int) -> tuple[list[str], Vectors]:
    """Sentences and their vectors by the installed embedding model."""
    texts, place = sentences(count, seed), folder / f"e5-{count}-{seed}.npy"
    if not place.exists():
        from edgemem_models.provider import LocalModels

        models = LocalModels()
        made = [v for n in range(0, count, 64) for v in models.embedder().embed(texts[n : n + 64], "passage")]
        models.close()
        np.save(place, np.asarray(made, np.float32))
    return texts, unit(np.load(place))


def real(folder: Path, count: int, seed: int) -> None:
    """The same comparison with vectors of the embedding model, the last tenth of which are the queries."""
    texts, data = embedded(folder, count, seed)
    stored = data[: count * 9 // 10]
    path = folder / f"real-{count}.edgemem"
    if not path.exists():
        filled(path, np.concatenate([stored, stored[:SMALL_USER]]), [*texts[: len(stored)], *texts[:SMALL_USER]])
        built(path, exact=1000)
    compare(f"e5, {len(stored):,} sentences", path, stored, data[len(stored) :][:300], exact=1000)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vectors", type=int, default=100_000)
    parser.add_argument("--real", type=int, default=4000, help="sentences to embed; 0 leaves this out")
    parser.add_argument("--million", action="store_true", help="let the growth go on to 1,000,000 (an hour)")
    parser.add_argument("--keep", type=Path, help="a folder that keeps what was made")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        print(
            f"{platform.machine()}, {os.cpu_count()} cores, usearch and sqlite-vec on one thread, seed {options.seed}"
        )
        path = folder / f"clustered-{options.vectors}.edgemem"
        if not path.exists():
            data = clustered(options.vectors + SMALL_USER, options.seed)
            filled(path, data, [f"The user likes thing number {n} of the harbour" for n in range(len(data))])
            print(f"graphs built in     {built(path):8.1f} s")
        data = held(path)
        mine = data[:-SMALL_USER]
        compare(f"clustered, {options.vectors:,}", path, mine, near(mine, 300, options.seed))
        beside(path, data)
        opening(path, options.vectors)
        acknowledged(Path(temporary))
        if options.real:
            real(folder, options.real, options.seed)
        print("growth")
        growth(folder, [10_000, options.vectors, *([1_000_000] if options.million else [])], options.seed)


if __name__ == "__main__":
    main()
