"""The graph of near vectors: its answers, however far it has come, and what is gone from them."""

from __future__ import annotations

from pathlib import Path

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

from edgemem.store import snapshots, vectors
from edgemem.store.vectors import Scope
from tests.helpers import opened, plain_connection
from tests.store.graphs import MINE, SMALL, directions, fill, found, in_memory, put

# Answers


def test_a_graph_answers_as_exact_search_does(large: Path) -> None:
    data, queries = directions(400), directions(60, seed=7)
    with opened(large, words_only=True, settings=SMALL) as file:
        loaded = in_memory(file)
        assert (loaded.indexed, loaded.flat.count) == (400, 0)
        hits = 0
        for query in queries:
            best = (1 + np.argsort(-(data @ query))[:10]).tolist()
            hits += len(set(best) & set(found(file, query)))
        assert hits >= 0.99 * 600
        with file.engine.read() as tx:
            cosines = dict(file.cache.nearest(tx, MINE, queries[0].tolist(), 5))
            assert file.cache.similarities(tx, MINE, queries[0].tolist(), list(cosines)) == {
                key: pytest.approx(value, abs=2e-3) for key, value in cosines.items()
            }


@given(share=st.integers(0, 12), limit=st.integers(1, 450))
@settings(max_examples=20)
def test_however_far_the_graph_has_come_every_vector_is_searched(
    tmp_path_factory: pytest.TempPathFactory, share: int, limit: int
) -> None:
    with opened(tmp_path_factory.mktemp("g") / "g.edgemem", words_only=True, settings=SMALL) as file:
        data = fill(file, 400)
        rounds = iter(range(share))
        file.indexer.build(MINE, stopped=lambda: next(rounds, None) is None)
        loaded = in_memory(file)
        assert loaded.indexed == min(400, share * 32)
        assert loaded.total == 400
        query = directions(1, seed=3)[0]
        keys = found(file, query, limit)
        assert len(keys) == len(set(keys))
        assert len(keys) == min(limit, 400)
        best = (1 + np.argsort(-(data @ query))[:limit]).tolist()
        # One may be out of reach, whichever it is.
        assert len(set(keys) & set(best)) >= 0.98 * min(limit, 400) - 1


def test_a_small_user_in_a_large_file_gets_all_of_his_own_and_nothing_else(large: Path) -> None:
    with opened(large, words_only=True, settings=SMALL) as file:
        fill(file, 30, user="small", seed=2)
        query = directions(400)[5]
        keys = found(file, query, 10, Scope(2, "memory", 1))
        best = 401 + np.argsort(-(directions(30, seed=2) @ query))[:10]
        assert keys == best.tolist()
        assert in_memory(file, Scope(2, "memory", 1)).graph is None
        assert len(found(file, query, 500)) == 400


def test_many_passages_of_one_memory_do_not_crowd_out_the_others(store_path: Path) -> None:
    with opened(store_path, words_only=True, settings=SMALL) as file:
        data = fill(file, 120)
        with file.engine.write() as tx:
            vectors.put(tx, 1, 1, "memory", 1, [data[0].tolist()] * 60)
        file.build_indexes()
        assert len(found(file, data[0], 20)) == 20


# What is gone


@pytest.mark.parametrize("indexed", [True, False])
def test_what_is_forgotten_replaced_or_erased_is_never_found_again(large: Path, indexed: bool) -> None:
    data = directions(400)
    with (
        opened(large, words_only=True, settings=SMALL) as file,
        opened(large, words_only=True, settings=SMALL) as other,
    ):
        if not indexed:
            with file.engine.write() as tx:
                snapshots.drop(tx, MINE)
        mem = file.user("me")
        uids = {m.key: m.id for m in mem.list(limit=0)}
        assert found(file, data[9], 1) == found(other, data[9], 1) == [10]
        change = mem.forget(uids[10])
        mem.edit(uids[20], "other words")
        mem.erase(uids[30])
        for one in (file, other):
            assert not {10, 20, 30} & set(found(one, data[9], 400))
            assert len(found(one, data[9], 400)) == 397
        mem.undo(change)
        assert found(other, data[9], 1) == [10]
    with opened(large, words_only=True, settings=SMALL) as file:
        assert not {20, 30} & set(found(file, data[9], 400))
        assert found(file, data[9], 1) == [10]


def test_even_rows_taken_away_behind_the_back_are_not_given_out(large: Path) -> None:
    with opened(large, words_only=True, settings=SMALL) as file:
        query = directions(400)[4]
        assert found(file, query, 1) == [5]
        db = plain_connection(large)
        db.execute("UPDATE memory SET status = 'superseded' WHERE id = 5")
        db.close()
        assert 5 not in found(file, query, 400)


def test_a_row_key_that_is_used_again_finds_the_new_words(large: Path) -> None:
    with opened(large, words_only=True, settings=SMALL) as file:
        old, new = directions(400)[399], directions(1, seed=9)[0]
        assert found(file, old, 1) == [400]
        with file.engine.write() as tx:
            vectors.put(tx, 1, 1, "memory", 400, [new.tolist()])
        assert found(file, new, 1) == [400]
        assert found(file, old, 1) != [400]
    with opened(large, words_only=True, settings=SMALL) as file:
        assert found(file, new, 1) == [400]
        assert found(file, old, 1) != [400]


def test_what_a_rolled_back_write_showed_is_forgotten(large: Path) -> None:
    with opened(large, words_only=True, settings=SMALL) as file:
        query = directions(1, seed=11)[0]
        before = found(file, query, 400)
        seen = []

        def fail() -> None:
            with file.engine.write() as tx:
                seen.append(put(tx, file.now(), 1, 1000, query))
                assert found(file, query, 1) == seen
                raise RuntimeError

        with pytest.raises(RuntimeError):
            fail()
        with file.engine.write() as tx:
            put(tx, file.now(), 1, 1001, directions(1, seed=12)[0])
        assert set(before) < set(found(file, query, 500))
        assert found(file, directions(1, seed=12)[0], 1) == seen


def test_after_many_deletions_the_graph_is_built_anew(large: Path) -> None:
    with opened(large, words_only=True, settings=SMALL) as file:
        mem = file.user("me")
        before = file.info()["indexes"][0]["bytes"]
        in_memory(file)
        for m in mem.list(limit=200):
            mem.forget(m.id)
        assert in_memory(file).worn
        file.build_indexes()
        assert not in_memory(file).worn
        assert in_memory(file).indexed == 200
        assert file.info()["indexes"][0]["bytes"] < 0.7 * before
    with opened(large, words_only=True, settings=SMALL) as file:
        assert (in_memory(file).indexed, in_memory(file).flat.count) == (200, 0)
