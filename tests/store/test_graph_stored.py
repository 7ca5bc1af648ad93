"""What is stored of a graph, and what becomes of damage, of delays, and of several processes that build."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

from edgemem.settings import Settings
from edgemem.store import graph_layout, hnsw, snapshots, vectors
from edgemem.store.vectors import Scope
from tests.helpers import opened, plain_connection, python, wait_until
from tests.store.graphs import DIM, MINE, SMALL, directions, fill, found, in_memory, put

# What is stored


def test_the_stored_graph_holds_links_and_not_one_vector(large: Path) -> None:
    db = plain_connection(large)
    stored = b"".join(r[0] for r in db.execute("SELECT data FROM snapshot_chunk ORDER BY n"))
    rows = [bytes(r[0]) for r in db.execute("SELECT v FROM vector")]
    db.close()
    assert len(stored) < 200 * 400
    assert not any(row in stored for row in rows)


def test_put_together_again_it_is_what_usearch_itself_would_save() -> None:
    data = directions(500).astype(np.float16)
    graph = hnsw.Graph(DIM)
    keys = np.arange(1, 501)
    graph.add(keys, data, 1)
    graph.accept(keys, keys)
    saved = bytes(graph._index.save())
    filling = hnsw.Filling(graph.tail(), DIM, np.empty(0, np.int64))
    filling.take(vectors.Rows(keys, keys, data))
    assert bytes(filling._buffer) == saved
    again = filling.finish()
    assert bytes(again._index.save()) == saved


def test_a_stale_snapshot_beside_todays_rows_gives_todays_answers(large: Path) -> None:
    db = plain_connection(large)
    old = [db.execute(f"SELECT * FROM {t}").fetchall() for t in ("snapshot", "snapshot_chunk")]
    db.close()
    late = directions(60, seed=5)
    with opened(large, words_only=True, settings=SMALL) as file:
        mem = file.user("me")
        for m in mem.list(limit=40):
            mem.forget(m.id)
        gone = {m.key for m in mem.list(limit=0, status="forgotten")}
        with file.engine.write() as tx:
            keys = [put(tx, file.now(), 1, 1000 + n, vector) for n, vector in enumerate(late)]
        file.build_indexes()
    db = plain_connection(large)
    for table, rows in zip(("snapshot", "snapshot_chunk"), old, strict=True):
        db.execute(f"DELETE FROM {table}")
        db.executemany(f"INSERT INTO {table} VALUES ({','.join('?' * len(rows[0]))})", [tuple(r) for r in rows])
    db.close()
    with opened(large, words_only=True, settings=SMALL) as file:
        assert [found(file, vector, 1) for vector in late] == [[key] for key in keys]
        assert len(found(file, late[0], 1000)) == 420
        assert not gone & set(found(file, late[0], 1000))
        assert file.check() == []


# Damage


def _cut(db: Any) -> None:
    db.execute("DELETE FROM snapshot_chunk WHERE n = (SELECT max(n) FROM snapshot_chunk)")


def _flip(db: Any) -> None:
    data = bytearray(db.execute("SELECT data FROM snapshot_chunk WHERE n = 0").fetchone()[0])
    data[len(data) // 2] ^= 4
    db.execute("UPDATE snapshot_chunk SET data = ? WHERE n = 0", (bytes(data),))


def _of(column: str, value: object) -> Callable[[Any], None]:
    return lambda db: db.execute(f"UPDATE snapshot SET {column} = ?", (value,))


DAMAGE = [
    (_cut, "bytes instead of"),
    (_flip, "checksum"),
    (_of("crc", 1), "checksum"),
    (_of("bytes", 1), "bytes instead of"),
    (_of("library", "usearch 1.0.0"), "usearch 1.0.0"),
    (_of("settings", json.dumps({"dtype": "bf16"})), "other settings"),
]


@pytest.mark.parametrize(("damage", "reason"), DAMAGE)
def test_a_graph_that_cannot_be_used_is_named_and_built_again(
    large: Path, damage: Callable[[Any], None], reason: str, caplog: pytest.LogCaptureFixture
) -> None:
    db = plain_connection(large)
    damage(db)
    db.close()
    data = directions(400)
    with opened(large, words_only=True, settings=SMALL) as file:
        assert [p.area for p in file.check()] == ["vectors"]
        assert reason in file.check()[0].message
        assert [found(file, data[n], 1) for n in range(0, 400, 40)] == [[n + 1] for n in range(0, 400, 40)]
        assert reason in caplog.text
        file.build_indexes()
        assert file.check() == []
        assert file.info()["indexes"][0]["state"] == "built"
    with opened(large, words_only=True, settings=SMALL) as file:
        assert in_memory(file).indexed == 400


def _tail(count: int = 300) -> bytes:
    graph = hnsw.Graph(DIM)
    graph.add(np.arange(1, count + 1), directions(count).astype(np.float16), 1)
    return graph.tail()


TAIL = _tail()


@given(at=st.integers(0, len(TAIL) - 1), value=st.integers(0, 255), end=st.integers(0, len(TAIL)))
@settings(max_examples=300)
def test_links_that_would_lead_astray_are_never_loaded(at: int, value: int, end: int) -> None:
    """Also with a checksum that is right: then somebody made the file so."""
    changed = bytearray(TAIL)
    changed[at] = value
    for data in (bytes(changed), TAIL[:end]):
        try:
            filling = hnsw.Filling(data, DIM, np.empty(0, np.int64))
        except graph_layout.Malformed:
            continue
        keys = np.arange(1, 301)
        filling.take(vectors.Rows(keys, keys, directions(300).astype(np.float16)))
        graph = filling.finish()
        answers, cosines = graph.nearest(directions(1, seed=4)[0], 50)
        assert set(answers.tolist()) <= set(keys.tolist())
        assert np.isfinite(cosines).all()


_FLIPS = """if 1:
    import sys, random
    from pathlib import Path
    from tests.helpers import opened, plain_connection
    from tests.store.graphs import SMALL, directions, found
    path, data, dice = Path(sys.argv[1]), directions(400), random.Random(5)
    for n in range(int(sys.argv[2])):
        db = plain_connection(path)
        chunk = bytearray(db.execute("SELECT data FROM snapshot_chunk WHERE n = 0").fetchone()[0])
        at = dice.randrange(len(chunk) * 8)
        chunk[at // 8] ^= 1 << at % 8
        db.execute("UPDATE snapshot_chunk SET data = ? WHERE n = 0", (bytes(chunk),))
        db.close()
        with opened(path, words_only=True, settings=SMALL) as file:
            assert found(file, data[n], 1) == [n + 1]
            file.build_indexes()
    print("alive")
"""


def test_flipped_bits_never_end_the_process(large: Path) -> None:
    assert python(_FLIPS, large, 8).stdout == "alive\n"


@pytest.mark.parametrize("other", [("m", DIM * 2), ("n", DIM)])
def test_another_dimension_or_model_gets_an_index_of_its_own(large: Path, other: tuple[str, int]) -> None:
    name, dim = other
    with opened(large, words_only=True, settings=SMALL) as file:
        with file.engine.write() as tx:
            model = vectors.model_key(tx, name, dim)
            assert model != 1
            wide = np.eye(dim, dtype=np.float32)
            for key in range(1, 151):
                vectors.put(tx, 1, model, "memory", key, [wide[key % dim].tolist()])
        file.build_indexes()
        assert len(found(file, wide[0], 150, Scope(1, "memory", model))) == 150
        assert found(file, directions(400)[7], 1) == [8]
        assert {(i["vectors"], i["state"]) for i in file.info()["indexes"]} == {(400, "built"), (150, "built")}


# Several at once, and delays


def test_a_graph_that_knows_less_does_not_replace_one_that_knows_more(large: Path) -> None:
    with opened(large, words_only=True, settings=SMALL) as file, file.engine.write() as tx:
        now = snapshots.read(tx, MINE)
        assert now is not None
        early = snapshots.Stored(TAIL, now.upto - 1, 400)
        half = snapshots.Stored(TAIL, now.upto + 1, 200)
        assert not snapshots.save(tx, MINE, early, anew=False)
        assert not snapshots.save(tx, MINE, half, anew=False)
        assert snapshots.read(tx, MINE) == now
        assert snapshots.save(tx, MINE, half, anew=True)
        assert zlib.crc32(TAIL) == tx.execute("SELECT crc FROM snapshot").fetchone()[0]


def test_one_process_builds_and_the_other_takes_its_graph_over(store_path: Path) -> None:
    quick = Settings(exact_vectors=100)
    with opened(store_path, words_only=True, settings=SMALL) as file:
        fill(file, 1200)
    with (
        opened(store_path, words_only=True, settings=quick) as one,
        opened(store_path, words_only=True, settings=quick) as two,
    ):
        query = directions(1200)[50]
        assert found(one, query, 1) == found(two, query, 1) == [51]
        wait_until(lambda: in_memory(one).indexed == in_memory(two).indexed == 1200)
        assert found(one, query, 1) == found(two, query, 1) == [51]
        assert one.info()["indexing"] == 0
    with opened(store_path, words_only=True, settings=SMALL) as file:
        assert in_memory(file).indexed == 1200


def test_a_build_that_is_stopped_goes_on_where_it_was(large: Path) -> None:
    with opened(large, words_only=True, settings=SMALL) as file:
        rounds = iter(range(4))
        with file.engine.write() as tx:
            snapshots.drop(tx, MINE)
        assert not file.indexer.build(MINE, stopped=lambda: next(rounds, None) is None)
    with opened(large, words_only=True, settings=SMALL) as file:
        assert file.info()["indexes"][0]["indexed"] == in_memory(file).indexed == 128
        assert file.info()["indexes"][0]["state"] == "half built"
        assert len(found(file, directions(1)[0], 500)) == 400


def test_changes_during_a_build_count(large: Path) -> None:
    with opened(large, words_only=True, settings=SMALL) as file:
        with file.engine.write() as tx:
            snapshots.drop(tx, MINE)
        mem, data = file.user("me"), directions(400)
        uids = {m.key: m.id for m in mem.list(limit=0)}
        with file.engine.read() as tx:
            batch = file.cache.current(tx, MINE, DIM).take(32)
        assert batch is not None
        gone, changed = batch.owners.tolist()[:2]
        batch.graph.add(batch.keys, batch.vectors, 1)
        mem.forget(uids[gone])
        with file.engine.write() as tx:
            vectors.put(tx, 1, 1, "memory", changed, [(-data[changed - 1]).tolist()])
        during = found(file, data[changed - 1], 400)
        with file.engine.read():
            batch.source.settle(batch)
        after = found(file, data[changed - 1], 400)
        for keys in (during, after):
            assert gone not in keys
            assert len(keys) == len(set(keys)) == 399
            assert keys[-1] == changed
        assert in_memory(file).indexed == 30


def test_a_file_that_may_not_be_written_is_searched_with_and_without_a_stored_graph(large: Path) -> None:
    before = large.read_bytes()
    with opened(large, words_only=True, settings=Settings(exact_vectors=100), read_only=True) as file:
        assert in_memory(file).indexed == 400
        assert found(file, directions(400)[3], 1) == [4]
    assert large.read_bytes() == before


def test_memory_is_kept_within_its_limit(large: Path) -> None:
    tight = Settings(background=False, exact_vectors=100, vector_memory=1)
    with opened(large, words_only=True, settings=tight) as file:
        fill(file, 50, user="small", seed=2)
        for scope in (MINE, Scope(2, "memory", 1), MINE):
            assert len(found(file, directions(1)[0], 20, scope)) == 20
            assert list(file.cache._loaded) == [scope]
