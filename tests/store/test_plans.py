"""Steps of every write stay as quick in a large file as in a small one: no table is read from end to end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from edgemem.memory import MemoryFile
from edgemem.recall.question import ARMS
from edgemem.view import Memory
from tests.helpers import Fact, RuleModel, opened, said


class Listening:
    """A connection that writes down what it is asked."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner
        self.asked: list[tuple[str, Any]] = []

    def execute(self, sql: str, parameters: Any = (), /) -> Any:
        self.asked.append((sql, parameters))
        return self.inner.execute(sql, parameters)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)


@contextmanager
def listening(file: MemoryFile) -> Iterator[list[tuple[str, Any]]]:
    inner = file.engine._connection
    file.engine._connection = listener = Listening(inner)
    try:
        yield listener.asked
    finally:
        file.engine._connection = inner


def slow_steps(file: MemoryFile, asked: Sequence[tuple[str, Any]]) -> list[str]:
    """Steps that look at all rows of a table, or sort what an index could have given in order."""
    found = []
    with file.engine.read() as tx:
        for sql, parameters in asked:
            # The plan of an INSERT names the tables that point to its row, which it does not read.
            if not sql.startswith(("SELECT", "UPDATE", "DELETE")) or "_fts" in sql:
                continue
            plan = [row[3] for row in tx.execute(f"EXPLAIN QUERY PLAN {sql}", parameters)]
            found += [
                f"{step}: {sql}"
                for step in plan
                if (step.startswith("SCAN") and "json_each" not in step) or "TEMP B-TREE FOR ORDER" in step
            ]
    return found


def filtered(file: MemoryFile, asked: Sequence[tuple[str, Any]]) -> list[str]:
    """Questions for rows by their keys that SQLite answers by going through all of a user's rows instead."""
    with file.engine.read() as tx:
        plans = [
            (sql, [row[3] for row in tx.execute(f"EXPLAIN QUERY PLAN {sql}", parameters)])
            for sql, parameters in asked
            if sql.startswith(("SELECT", "WITH")) and "json_each" in sql
        ]
    return sorted({sql for sql, plan in plans if any("BLOOM FILTER" in step for step in plan)})


@pytest.fixture
def large(store_path: Path) -> Iterator[Memory]:
    with opened(store_path, RuleModel(Fact("I keep bees", "The user keeps bees.")), words_only=True) as file:
        mem = file.user("me")
        for n in range(30):
            mem.add(f"fact {n}")
            mem.observe(said(f"turn {n}", session=f"s{n}"))
        yield mem


def test_adding_and_changing_by_hand(large: Memory) -> None:
    with listening(large.file) as asked:
        one = large.add("The user paints boats.")
        large.undo(large.edit(one, "The user paints barns."))
        large.pin(one)
        large.forget(one)
    assert slow_steps(large.file, asked) == []


def test_capturing_and_learning(large: Memory) -> None:
    with listening(large.file) as asked:
        large.learn(said("I keep bees", session="new"))
        large.turns("new")
        large.jobs()
    assert slow_steps(large.file, asked) == []


@pytest.mark.parametrize("arms", [ARMS, ("log",), ("graph", "slot", "insight", "summary")])
def test_recalling_looks_rows_up_by_their_keys(large: Memory, arms: Sequence[str]) -> None:
    large.learn(said("I keep bees", session="new"))
    large.graph.relate("Mia", "keeps", "bees")
    with listening(large.file) as asked:
        assert large.recall("who keeps bees and fact 7?", arms=arms).hits or arms != ARMS
        large.recall("turn 7", as_of=large.file.clock.now())
        large.context("bees")
        large.browse(limit=20)
    assert any("json_each" in sql for sql, _ in asked)
    assert filtered(large.file, asked) == []
