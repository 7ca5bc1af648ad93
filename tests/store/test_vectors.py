"""Exact search, its cache, and what an embedder may do wrong."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edgemem.errors import OutputInvalid
from edgemem.memory import MemoryFile
from edgemem.ports import Priority
from edgemem.store import vectors
from edgemem.testing import WordsEmbedder
from edgemem.view import Memory
from tests.helpers import opened, plain_connection, said


def by_meaning(mem: Memory, query: str) -> list[str]:
    return [h.content for h in mem.recall(query, arms=("vector",))]


@given(rows=st.integers(1, 40), seed=st.integers(0, 2**32 - 1))
@settings(max_examples=15)
def test_exact_search_is_what_brute_force_says(tmp_path_factory: pytest.TempPathFactory, rows: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    data = rng.normal(size=(rows, 8)).astype(np.float32)
    data /= np.linalg.norm(data, axis=1, keepdims=True)
    query = data[rng.integers(rows)].tolist()
    with opened(tmp_path_factory.mktemp("v") / "v.edgemem") as file, file.engine.write() as tx:
        tx.execute("INSERT INTO user(id, name, created_at) VALUES (1, 'me', '')")
        tx.execute("INSERT INTO session(id, user_id, uid, started_at, last_at) VALUES (1, 1, 's', '', '')")
        model = vectors.model_key(tx, "m", 8)
        for n, row in enumerate(data, 1):
            tx.execute(
                "INSERT INTO turn(id, user_id, session_id, uid, position, role, content, said_at, zone, hash)"
                " VALUES (?, 1, 1, ?, ?, 'user', 'x', '', '', x'')", (n, str(n), n),
            )  # fmt: skip
            vectors.put(tx, 1, model, "turn", n, [row.tolist()])
        scope = vectors.Scope(1, "turn", model)
        found = file.cache.nearest(tx, scope, query, rows)
        same = {key: pytest.approx(value, abs=1e-5) for key, value in found}
        assert file.cache.similarities(tx, scope, query, range(rows + 1)) == same
    exact = data.astype(np.float16).astype(np.float32) @ np.asarray(query, np.float32)
    assert [key for key, _ in found] == (1 + np.argsort(-exact, kind="stable")).tolist()
    assert dict(found) == {n: pytest.approx(float(v), abs=2e-3) for n, v in enumerate(exact, 1)}


def test_the_best_passage_of_a_long_text_counts(store: MemoryFile, mem: Memory) -> None:
    mem.add("x")
    with store.engine.write() as tx:
        model = vectors.model_key(tx, "parts", 2)
        vectors.put(tx, 1, model, "memory", 1, [[1.0, 0.0], [0.0, 1.0]])
        found = store.cache.nearest(tx, vectors.Scope(1, "memory", model), [0.0, 1.0], 5)
    assert dict(found) == {1: pytest.approx(1.0)}


def test_another_connections_writes_and_deletions_count_at_once(store_path: Path) -> None:
    with opened(store_path) as one, opened(store_path) as two:
        here, there = one.user("me"), two.user("me")
        first = here.add("I keep bees")
        assert by_meaning(here, "bees") == by_meaning(there, "bees") == ["I keep bees"]
        there.add("bees need flowers")
        assert sorted(by_meaning(here, "bees")) == ["I keep bees", "bees need flowers"]
        change = there.forget(first)
        assert by_meaning(here, "bees") == ["bees need flowers"]
        there.undo(change)
        assert sorted(by_meaning(here, "bees")) == ["I keep bees", "bees need flowers"]
        there.edit(first, "I paint boats")
        assert by_meaning(here, "bees") == ["bees need flowers"]
        assert by_meaning(here, "boats") == ["I paint boats"]


def test_many_changes_at_once_reload_the_scope(store_path: Path) -> None:
    with opened(store_path) as one, opened(store_path) as two:
        here, there = one.user("me"), two.user("me")
        here.add("fact 0 zero")
        assert by_meaning(here, "zero") == ["fact 0 zero"]
        with two.engine.write():
            for n in range(1, 510):
                there.add(f"fact {n}")
        assert by_meaning(here, "509") == ["fact 509"]


def test_a_vector_of_another_length_does_no_harm(store_path: Path) -> None:
    with opened(store_path) as file:
        mem = file.user("me")
        mem.add("I keep bees")
        mem.add("bees need flowers")
    db = plain_connection(store_path)
    db.execute("UPDATE vector SET v = x'0102' WHERE owner_id = 1")
    db.close()
    with opened(store_path) as file:
        mem = file.user("me")
        assert by_meaning(mem, "bees flowers")[0] == "bees need flowers"
        assert {h.content for h in mem.recall("bees")} == {"I keep bees", "bees need flowers"}
        assert [p.area for p in file.check()] == ["vectors"]


@pytest.mark.parametrize("bad", [[math.nan, 1.0], [0.0, 0.0], [math.inf, 1.0]])
def test_a_vector_without_direction_is_refused(bad: list[float]) -> None:
    assert not vectors.usable(bad)
    with pytest.raises(OutputInvalid):
        vectors.pack(bad)


class Faulty(WordsEmbedder):
    """Gives ``instead`` for every text with "bad" in it; "raise" raises for its whole batch."""

    def __init__(self, instead: list[float] | str) -> None:
        super().__init__()
        self.instead = instead

    def embed(
        self, texts: Sequence[str], kind: Literal["query", "passage"], *, priority: Priority = "background"
    ) -> list[list[float]]:
        if isinstance(self.instead, str) and any("bad" in t for t in texts):
            raise OutputInvalid("The embedding model returned a vector that is not a number.")
        good = super().embed(texts, kind, priority=priority)
        return [
            self.instead if "bad" in t and not isinstance(self.instead, str) else v
            for t, v in zip(texts, good, strict=True)
        ]


@pytest.mark.parametrize("instead", [[math.nan] * 64, [0.0] * 64, [1.0] * 3, "raise"])
def test_a_text_the_embedder_fails_on_keeps_no_other_waiting(store_path: Path, instead: list[float] | str) -> None:
    with opened(store_path, embedder=Faulty(instead)) as file:
        mem = file.user("me")
        mem.add("a bad apple")
        mem.add("a good apple")
        mem.log(said("bad turn", "good turn"))
        assert by_meaning(mem, "apple") == ["a good apple"]
        assert {h.content for h in mem.recall("apple")} == {"a bad apple", "a good apple"}
        assert [h.content for h in mem.search_log("turn", 5)][:1] == ["good turn"]
        assert file.check() == []
    with opened(store_path) as file:
        mem = file.user("me")
        mem.add("later")
        assert sorted(by_meaning(mem, "apple")) == ["a bad apple", "a good apple"]


def test_vectors_of_another_model_are_never_mixed(store_path: Path) -> None:
    with opened(store_path, embedder=WordsEmbedder(32, "old")) as file:
        file.user("me").add("I keep bees")
    with opened(store_path, embedder=WordsEmbedder(32, "new"), read_only=True) as file:
        mem = file.user("me")
        assert mem.recall("bees", arms=("vector",)).hits == ()
        assert [h.content for h in mem.recall("bees")] == ["I keep bees"]
    with opened(store_path, embedder=WordsEmbedder(32, "new")) as file:
        mem = file.user("me")
        mem.add("bees need flowers")
        assert sorted(by_meaning(mem, "bees")) == ["I keep bees", "bees need flowers"]
        with file.engine.read() as tx:
            assert tx.execute("SELECT count(*) FROM vector").fetchone()[0] == 3
        assert file.check() == []


def test_without_an_embedder_words_answer_and_it_is_said(store_path: Path) -> None:
    with opened(store_path, words_only=True) as file:
        mem = file.user("me")
        mem.add("I keep bees")
        found = mem.recall("bees")
        assert [h.content for h in found] == ["I keep bees"]
        assert "by words only" in found.degraded[0]
    with opened(store_path) as file:
        mem = file.user("me")
        mem.log(said("hello"))
        mem.add("another")
        assert by_meaning(mem, "bees") == ["I keep bees"]
        assert mem.recall("bees").degraded == ()
