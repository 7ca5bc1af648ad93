"""Files of earlier schemas, as they were written then (``tests/data/schema-N.edgemem.gz``), open today."""

from __future__ import annotations

import contextlib
import gzip
from pathlib import Path

import pytest

import edgemem
from edgemem.errors import NewerStore, StoreReadOnly
from edgemem.store import fulltext, migrations, schema
from edgemem.store.engine import Engine
from edgemem.store.key import fresh
from edgemem.testing import WordsEmbedder
from edgemem.text import SEGMENTER_VERSION
from tests.helpers import child, files, opened, plain_connection, python, said

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


@pytest.mark.parametrize("number", [2, 3, 4, 5, 6, 7, 8, 9])
def test_all_that_a_file_of_a_later_schema_held_is_there(store_path: Path, number: int) -> None:
    """A message with two memories, a pinned one in Chinese, a forgotten and an erased one, a state field, a relation, a second user."""
    store_path.write_bytes(gzip.decompress((DATA / f"schema-{number}.edgemem.gz").read_bytes()))
    with opened(store_path, embedder=WordsEmbedder(16, "words-16")) as file:
        mem = file.user("me")
        assert file.info()["schema"] == schema.VERSION
        assert file.check() == []
        assert {m.content for m in mem.list()} == {"The user keeps goats.", "The user lives in Porto.", "我喜欢喝绿茶"}
        assert [m.content for m in mem.list() if m.pinned] == ["我喜欢喝绿茶"]
        assert [t.content for t in mem.turns("farm")] == ["I keep goats", "I moved to Porto"]
        assert mem.state["trip"]["city"] == "上海"
        assert {e.name for e in mem.graph.entities()} == {"Mia", "Tom"}
        assert [m.content for m in file.user("用户/2").list()] == ["I paint boats"]
        assert [f.value for f in mem.profile()] == (["Deutsch"] if number >= 3 else [])
        mem.erase(session="farm")
        assert file.check() == []
    assert b"Porto" not in store_path.read_bytes()


@pytest.mark.parametrize("read_only", [False, True])
def test_a_file_in_traditional_characters_is_indexed_anew(store_path: Path, read_only: bool) -> None:
    """Schema 7 indexed characters as they stood: words of the other script found nothing."""
    store_path.write_bytes(gzip.decompress((DATA / "schema-7.edgemem.gz").read_bytes()))
    with opened(store_path, words_only=True, read_only=read_only) as file:
        mem = file.user("臺灣")
        for query in ("软体公司", "軟體公司", "台北"):
            assert [h.content for h in mem.recall(query, arms=("text",))] == ["用戶在臺北的軟體公司上班"]
        assert [h.content for h in mem.search_log("阳明山", limit=1)] == ["週末我們去爬陽明山"]
        assert file.info()["segmenter"] == str(SEGMENTER_VERSION)
        assert file.check() == []


@pytest.mark.parametrize("read_only", [False, True])
def test_an_index_of_another_segmenter_is_made_anew(store_path: Path, read_only: bool) -> None:
    """Its schema had what this one's index has, but other words stood in it: forgetting could not take them out."""
    store_path.write_bytes(gzip.decompress((DATA / "schema-8-segmenter-2.edgemem.gz").read_bytes()))
    with opened(store_path, words_only=True, read_only=read_only) as file:
        mem = file.user("me")
        assert file.check() == []
        assert file.info()["segmenter"] == str(SEGMENTER_VERSION)
        assert [h.content for h in mem.recall("🍕", arms=("text",), limit=1)] == ["I love 🍕 pizza"]
        if not read_only:
            for memory in mem.list(limit=0):
                mem.forget(memory.id)
            mem.erase(session="s")
            assert file.check() == []
            assert file.info()["counts"]["turn"] == 0


@pytest.mark.parametrize("note", ["UPDATE meta SET value = '2'", "UPDATE meta SET value = '7'", "DELETE FROM meta"])
def test_an_index_of_another_segmenter_is_made_anew_whatever_the_schema(
    store_path: Path, monkeypatch: pytest.MonkeyPatch, note: str
) -> None:
    with monkeypatch.context() as before:
        before.setattr(fulltext, "segment", str.upper)
        with opened(store_path, words_only=True) as file:
            file.user("me").add("吃火锅")
            file.user("me").log(said("我喜欢喝绿茶", session="s"))
    with contextlib.closing(plain_connection(store_path)) as db:
        assert db.execute(f"{note} WHERE key = 'segmenter'").rowcount == 1
        assert db.execute("PRAGMA user_version").fetchone()[0] == schema.VERSION
    with opened(store_path, words_only=True) as file:
        mem = file.user("me")
        assert file.check() == []
        assert [h.content for h in mem.recall("火锅", arms=("text",), limit=1)] == ["吃火锅"]
        mem.forget(mem.list()[0].id)
        mem.erase(session="s")
        assert file.check() == []


@pytest.mark.parametrize("number", [1, 6, 7, 8, 9])
def test_a_damaged_file_of_an_earlier_schema_is_put_right(store_path: Path, number: int) -> None:
    """Its schema cannot be read: the rows come from the bare pages, and get the seals that they did not have there."""
    data = bytearray(gzip.decompress((DATA / f"schema-{number}.edgemem.gz").read_bytes()))
    data[100:300] = bytes(200)
    store_path.write_bytes(data)
    done = edgemem.repair(store_path)
    assert (done.lost, done.left) == ((), ())
    with opened(store_path, words_only=True) as file:
        mem = file.user("me")
        assert {"I keep goats" if number == 1 else "The user keeps goats.", "我喜欢喝绿茶"} <= {
            m.content for m in mem.list()
        }
        assert len([t.content for s in mem.sessions() for t in mem.turns(s.id)]) == 2
        assert mem.state["trip"]["city"] == "上海"
        assert file.check() == []


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


@pytest.mark.parametrize("passphrase", [None, "words"])
def test_an_old_file_that_may_only_be_read_is_read(schema_1: Path, passphrase: str | None) -> None:
    if passphrase is not None:
        with contextlib.closing(Engine(schema_1, read_only=False, busy_timeout=1.0)) as engine:
            engine.export_to(schema_1.with_name("locked"), fresh(passphrase))
        schema_1.with_name("locked").replace(schema_1)
    before = schema_1.read_bytes()
    with opened(schema_1, embedder=WordsEmbedder(16, "words-16"), read_only=True, passphrase=passphrase) as file:
        mem = file.user("me")
        assert file.info()["schema"] == schema.VERSION
        assert file.check() == []
        assert {m.content for m in mem.list()} == {"I keep goats", "我喜欢喝绿茶"}
        assert [h.content for h in mem.recall("绿茶", arms=("text",))] == ["我喜欢喝绿茶"]
        with pytest.raises(StoreReadOnly):
            mem.add("no")
    assert schema_1.read_bytes() == before
    assert files(schema_1.parent) == [schema_1.name]


def test_an_old_file_can_be_encrypted(schema_1: Path) -> None:
    edgemem.encrypt(schema_1, "words")
    with opened(schema_1, words_only=True, passphrase="words") as file:
        assert file.check() == []
        assert {m.content for m in file.user("me").list()} == {"I keep goats", "我喜欢喝绿茶"}


def _step_that(*, dies: bool) -> str:
    """A next schema, of which the second half kills the process, or does not."""
    return f"""if 1:
    import os, sys
    from pathlib import Path
    from edgemem.store import migrations, schema
    from tests.helpers import opened
    def m099_next(tx, now):
        tx.execute("ALTER TABLE memory ADD COLUMN mood TEXT")
        tx.execute("UPDATE memory SET mood = 'calm'")
        tx.execute("CREATE TABLE weather (day TEXT) STRICT")
        if {dies}:
            os._exit(9)
    migrations.STEPS = (*migrations.STEPS, m099_next)
    schema.VERSION = schema.VERSION + 1
    with opened(Path(sys.argv[1]), words_only=True) as file:
        print(file.info()["schema"], [r[0] for r in file.engine.raw().execute("SELECT mood FROM memory")])
    """


def test_dying_in_the_middle_of_an_upgrade_is_harmless(schema_1: Path) -> None:
    for _ in range(2):
        python(_step_that(dies=True), schema_1, expect=9)
    db = plain_connection(schema_1)
    assert db.execute("PRAGMA user_version").fetchone()[0] == 1
    assert db.execute("SELECT count(*) FROM sqlite_master WHERE name = 'weather'").fetchone()[0] == 0
    db.close()
    with opened(schema_1, words_only=True) as file:
        assert {m.content for m in file.user("me").list()} == {"I keep goats", "我喜欢喝绿茶"}
        assert file.check() == []
    done = python(_step_that(dies=False), schema_1).stdout
    assert done == f"{schema.VERSION + 1} ['calm', 'calm', 'calm', 'calm']\n"


@pytest.mark.parametrize("read_only", [True, False])
def test_a_file_of_a_newer_edgemem_is_refused_and_left_alone(schema_1: Path, read_only: bool) -> None:
    python(_step_that(dies=False), schema_1)
    before = schema_1.read_bytes()
    with pytest.raises(NewerStore, match=r"newer edgemem \(schema"):
        opened(schema_1, read_only=read_only)
    assert schema_1.read_bytes() == before
    assert files(schema_1.parent) == [schema_1.name]


def test_a_file_that_is_upgraded_while_it_is_open_says_so_and_loses_nothing(schema_1: Path) -> None:
    with opened(schema_1, words_only=True) as file:
        mem = file.user("me")
        mem.observe(said("said before", session="new"))
        python(_step_that(dies=False), schema_1)
        for call in (lambda: mem.observe(said("said after", session="new")), mem.list, lambda: mem.add("I keep bees")):
            with pytest.raises(NewerStore, match="while it was open") as told:
                call()
            assert "pip install -U" in told.value.hint
    db = plain_connection(schema_1)
    assert db.execute("PRAGMA user_version").fetchone()[0] == schema.VERSION + 1
    assert [r[0] for r in db.execute("SELECT content FROM turn WHERE content LIKE 'said %'")] == ["said before"]
    assert db.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    db.close()


def test_several_processes_upgrade_one_file_once(schema_1: Path) -> None:
    code = """if 1:
    import sys
    from pathlib import Path
    from tests.helpers import opened
    with opened(Path(sys.argv[1]), words_only=True) as file:
        print(len(file.user("me").list()), file.check())
    """
    with contextlib.ExitStack() as stack:
        running = [stack.enter_context(child(code, schema_1)) for _ in range(3)]
        assert [process.communicate()[0] for process in running] == ["2 []\n"] * 3


def test_a_step_whose_name_was_altered_makes_no_newer_file(store_path: Path) -> None:
    with opened(store_path, words_only=True) as file:
        file.user("me").set_state("trip", "city", "Porto")
    with contextlib.closing(plain_connection(store_path)) as db:
        db.execute("UPDATE _sqlite_migrations SET name = 'm005]conclusions' WHERE name = 'm005_conclusions'")
        db.execute("INSERT INTO memory_fts(memory_fts) VALUES ('delete-all')")
        db.execute("UPDATE task SET name = 'trap'")
    assert edgemem.repair(store_path).left == ()
    with opened(store_path, words_only=True) as file:
        assert file.user("me").state["trip"]["city"] == "Porto"
    with contextlib.closing(plain_connection(store_path)) as db:
        names = [row[0] for row in db.execute("SELECT name FROM _sqlite_migrations ORDER BY rowid")]
    assert names == [step.__name__ for step in migrations.STEPS]
