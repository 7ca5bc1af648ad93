"""edgemem beside others, on the same machine, data and embedding model: ``python -m tests.benchmarks.side_by_side FILE…``.

FILEs are LoCoMo or MemoryBank sets, as for ``edgemem eval retrieval``. ``make compare`` makes an environment with the
peers first. Every turn is written once to each system, every question asked once; then all turns are written again
(what is kept twice?), one turn is deleted, and the bytes of the folder are searched for it.

Embeddings are made once and shared, so a write's time is what the system itself adds. Times are of the processor, and
said as multiples of the plain SQLite file, since machines differ.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from edgemem.evals.haystacks import Haystack, Question, load_haystacks
from edgemem.evals.retrieval import percentile, score_retrieval
from edgemem.ports import Embedder
from edgemem.records import Turn
from tests.benchmarks.peers import SYSTEMS, System, units

SENTINEL = "xylocarpine"
DELETED = Turn(
    "user", f"My new medicine is called {SENTINEL}", session="last", id="sentinel", at=datetime(2026, 5, 1, tzinfo=UTC)
)


class Remembered:
    """An embedder that makes each vector once."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self._known: dict[tuple[str, str], Sequence[float]] = {}
        self.spent = 0.0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def embed(self, texts: Sequence[str], kind: Any, **options: Any) -> list[Sequence[float]]:
        start = time.process_time()
        missing = list(dict.fromkeys(t for t in texts if (t, kind) not in self._known))
        for at in range(0, len(missing), 16):
            part = missing[at : at + 16]
            self._known |= {(t, kind): v for t, v in zip(part, self._inner.embed(part, kind, **options), strict=True)}
        self.spent += time.process_time() - start
        return [self._known[t, kind] for t in texts]


def run(system: System, haystacks: Sequence[Haystack], embedder: Remembered, folder: Path) -> dict[str, Any]:
    """All figures of one system."""
    writes, searches, predicted = [], [], {}
    for haystack in haystacks:
        for person, turns in haystack.people.items():
            writes += [_timed(partial(system.write, person, turn), embedder) for turn in turns]
        for question in haystack.questions:
            searches.append(_timed(partial(_search, system, question, found := list[str]()), embedder))
            predicted[question.id] = {"turns": units(found)[:20]}
    questions = [q for haystack in haystacks for q in haystack.questions]
    figures = score_retrieval(questions, predicted)
    people = [(person, turns) for haystack in haystacks for person, turns in haystack.people.items()]
    once = sum(system.count(person) for person, _ in people)
    first, again = people[0]
    before = system.count(first)
    for turn in again:
        system.write(first, turn)
    twice = system.count(first) - before
    left = deletion(system, first, folder)
    return {
        "system": system.name, "settings": system.settings, "questions": len([q for q in questions if q.answerable]),
        "any_at": figures["any_at"], "recall_at": figures["recall_at"], "kept": once,
        "kept_twice": round(twice / len(again), 3), "write_ms": _middle(writes), "search_ms": _middle(searches),
    } | left  # fmt: skip


def deletion(system: System, user: str, folder: Path) -> dict[str, Any]:
    """Write a turn with a word of no language, delete it, close, and look for the word in all bytes of the folder."""
    system.write(user, DELETED)
    system.delete(user, DELETED)
    found = DELETED.id in system.search(user, DELETED.content)
    system.close()
    files = [p for p in folder.rglob("*") if p.is_file()]
    left = [p.name for p in files if SENTINEL.encode() in p.read_bytes().lower()]
    return {"found_after_deletion": found, "bytes_after_deletion": left, "bytes": sum(p.stat().st_size for p in files)}


def _search(system: System, question: Question, found: list[str]) -> None:
    found += system.search(question.user, question.text)


def _timed(act: Callable[[], object], embedder: Remembered) -> float:
    spent, start = embedder.spent, time.process_time()
    act()
    return 1000 * (time.process_time() - start - (embedder.spent - spent))


def _middle(times: Sequence[float]) -> float:
    return round(percentile(sorted(times), 50) or 0.0, 3)


def table(results: Sequence[dict[str, Any]]) -> str:
    """The figures as a Markdown table."""
    base = next((r for r in results if "by hand" in r["system"]), results[0])
    lines = [
        "| | any@5 | any@10 | any@20 | recall@10 | write | search | kept again | the deleted word in the files |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for r in results:
        left = ", ".join(sorted(set(r["bytes_after_deletion"]))) or "nowhere"
        cells = [
            r["system"], *(f"{r['any_at'][depth]:.3f}" for depth in ("5", "10", "20")), f"{r['recall_at']['10']:.3f}",
            *(f"{r[what] / base[what]:.1f}" for what in ("write_ms", "search_ms")), f"{r['kept_twice']:.0%}", left,
        ]  # fmt: skip
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([*lines, "", *(f"- {r['system']}: {r['settings']}" for r in results)])


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--only", nargs="+", choices=SYSTEMS, default=list(SYSTEMS), help="Which systems.")
    parser.add_argument("--json", type=Path, metavar="OUT", help="Write all figures there too.")
    options = parser.parse_args()
    from edgemem_models.provider import LocalModels

    haystacks = load_haystacks(options.files)
    provider = LocalModels()
    embedder = Remembered(provider.embedder())
    results = []
    for name in options.only:
        with tempfile.TemporaryDirectory() as folder:
            print(f"{name} …", file=sys.stderr, flush=True)
            results.append(run(SYSTEMS[name](Path(folder), embedder), haystacks, embedder, Path(folder)))  # type: ignore[arg-type]
            if options.json:
                options.json.write_text(json.dumps(results, indent=2, ensure_ascii=False), encoding="utf-8")
    provider.close()
    print(table(results))


if __name__ == "__main__":
    main()
