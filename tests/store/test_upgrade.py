"""Files of earlier schemas, as they were written then (``tests/data/schema-N.edgemem.gz``), open today."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from edgemem.errors import StoreReadOnly
from edgemem.store import schema
from edgemem.testing import WordsEmbedder
from tests.helpers import opened, plain_connection, said

DATA = Path(__file__).parent.parent / "data"


@pytest.fixture
def schema_1(store_path: Path) -> Path:
    """Two memories edited and forgotten, one in Chinese, two turns, a state field, and a second user."""
    store_path.write_bytes(gzip.decompress((DATA / "schema-1.edgemem.gz").read_bytes()))
    return store_path


def test_all_that_a_file_of_schema_1_held_is_there(schema_1: Path) -> None:
    with opened(schema_1, embedder=WordsEmbedder(16, "words-16")) as file:
        mem = file.user("me")
        assert file.info()["schema"] == schema.VERSION
        assert file.check() == []
        assert {m.content for m in mem.list()} == {"I keep goats", "我喜欢喝绿茶"}
        assert {m.content for m in mem.list(status="any")} == {"I keep goats", "我喜欢喝绿茶", "bees need flowers"}
        assert [h.content for h in mem.recall("goats", arms=("vector",), limit=1)] == ["I keep goats"]
        assert [h.content for h in mem.recall("绿茶", arms=("text",))] == ["我喜欢喝绿茶"]
        assert mem.state["trip"]["city"] == "上海"
        assert [m.content for m in file.user("用户/2").list()] == ["I paint boats"]


def test_the_change_log_goes_on_where_schema_1_left_it(schema_1: Path) -> None:
    db = plain_connection(schema_1)
    last = db.execute("SELECT max(seq) FROM change").fetchone()[0]
    changed = {tuple(row) for row in db.execute("SELECT DISTINCT user_id, owner, owner_id FROM change")}
    db.close()
    with opened(schema_1, words_only=True) as file:
        file.user("me").log(said("later", session="new"))
        with file.engine.read() as tx:
            rows = tx.execute("SELECT user_id, owner, owner_id, seq FROM change").fetchall()
    assert {tuple(row[:3]) for row in rows if row[3] <= last} == changed
    assert [row[3] for row in rows if row[3] > last] == [last + 1]


def test_an_old_file_that_may_not_be_written_says_what_to_do(schema_1: Path) -> None:
    before = schema_1.read_bytes()
    with pytest.raises(StoreReadOnly, match="upgraded"):
        opened(schema_1, read_only=True)
    assert schema_1.read_bytes() == before
