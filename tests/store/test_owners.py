"""Whose a row is, is part of its seal: one that went to somebody else on the disk is shown to nobody, found, and put back."""

from __future__ import annotations

import contextlib
import gzip
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import edgemem
from edgemem import Memory
from edgemem.errors import StoreCorrupt
from edgemem.store import memories, row_seals, schema, turn_seals
from tests.helpers import opened, plain_connection, python

from .everywhere import live_through

DATA = Path(__file__).parent.parent / "data"
WORDS = {"me": "walnuts", "you": "peaches", "they": "almonds"}
OWNED = sorted({t for t, columns in row_seals.COLUMNS.items() if "user_id" in columns} | {"memory", "turn"})
"""All tables that name a person and hold what they said or did. A vector holds no words, and its key finds only its owner's row."""


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three people with a word each, in every table."""
    path = tmp_path_factory.mktemp("owners") / "lived.edgemem"
    for name, word in WORDS.items():
        live_through(path, name, word)
    with contextlib.closing(plain_connection(path, sealing=True)) as db:
        for table in ("summary", "insight", "entity"):
            db.execute(f"UPDATE {table} SET status = 'live', created_at = '2026-05-06T12:00:00.000000Z'")
        db.execute("UPDATE insight SET checked_at = NULL")
        db.execute("UPDATE relation SET valid_from = NULL, valid_to = NULL")
    with opened(path, words_only=True) as file:
        assert file.check() == []
    return path


def give_away(path: Path, table: str, to: int) -> None:
    with contextlib.closing(plain_connection(path)) as db:
        for pragma in ("foreign_keys=OFF", "ignore_check_constraints=ON"):
            db.execute(f"PRAGMA {pragma}")
        assert db.execute(f"UPDATE OR IGNORE {table} SET user_id = ? WHERE user_id = 1", (to,)).rowcount


READS: list[Callable[[Memory], object]] = [
    lambda m: m.list(limit=0, status="any"),
    lambda m: [m.get(memory.id) for memory in m.list(limit=0)],
    lambda m: m.recall(WORDS["me"], limit=50).hits,
    lambda m: m.context(WORDS["me"], budget=2000).text,
    lambda m: json.dumps(list(m.records(sensitive=True)), ensure_ascii=False),
    lambda m: m.history(limit=0),
    lambda m: m.search_log(WORDS["me"], limit=50),
    lambda m: [m.turns(s.id) for s in m.sessions(limit=0)],
    lambda m: [m.summaries(s.id) for s in m.sessions(limit=0)],
    lambda m: m.profile(),
    lambda m: m.state_fields(),
    lambda m: m.tasks(archived=True),
    lambda m: [m.graph.neighbours(entity.id) for entity in m.graph.entities(limit=0)],
    lambda m: m.insights(),
    lambda m: m.jobs(limit=0),
]


def shown(path: Path, name: str) -> list[str]:
    """All that a person can read, as text; what is refused reads so. Read in a copy: a search counts what it finds as used."""
    told = []
    copy = Path(shutil.copy(path, path.with_suffix(".copy")))
    with opened(copy, words_only=True) as file:
        for read in READS:
            try:
                told.append(repr(read(file.user(name))))
            except StoreCorrupt as error:
                told.append(str(error))
    return told


@pytest.mark.parametrize("table", OWNED)
def test_what_went_to_somebody_else_is_shown_to_nobody_found_and_put_back(
    lived: Path, store_path: Path, table: str
) -> None:
    shutil.copy(lived, store_path)
    before = {name: shown(store_path, name) for name in WORDS}
    assert all(any(WORDS[name] in text for text in texts) for name, texts in before.items())
    for other in (2, 3, 65):  # two bits, one bit, nobody
        shutil.copy(lived, store_path)
        give_away(store_path, table, other)
        assert not [text for name in ("you", "they") for text in shown(store_path, name) if WORDS["me"] in text]
        with opened(store_path, words_only=True, read_only=True) as file:
            assert file.check()
    done = edgemem.repair(store_path)
    assert (done.lost, done.left) == ((), ())
    assert {name: shown(store_path, name) for name in WORDS} == before


def test_no_other_owner_fits_the_seal_of_any_row(lived: Path) -> None:
    with contextlib.closing(plain_connection(lived)) as db:
        for table in OWNED:
            cursor = db.execute(f"SELECT * FROM {table} WHERE user_id = 1")
            names = [column[0] for column in cursor.description]
            for row in (dict(zip(names, values, strict=True)) for values in cursor.fetchall()):
                others = [row | {"user_id": user} for user in range(-128, 128)]
                assert [other["user_id"] for other in others if _is_whole(table, other)] == [1], table


def _is_whole(table: str, row: dict[str, Any]) -> bool:
    if table in row_seals.COLUMNS:
        return row_seals.is_whole(table, row)
    return memories.is_sealed(row) if table == "memory" else turn_seals.is_whole(row)


@pytest.fixture
def schema_9(store_path: Path) -> Path:
    """Two people, each with memories and a history of their own."""
    store_path.write_bytes(gzip.decompress((DATA / "schema-9.edgemem.gz").read_bytes()))
    return store_path


def told(path: Path) -> dict[str, list[str]]:
    with opened(path, words_only=True) as file:
        return {name: sorted(m.content for m in file.user(name).list(limit=0)) for name in file.users()}


OLD_DAMAGE = {
    "memory to somebody else": "UPDATE memory SET user_id = 2 WHERE id = 1",
    "memory of the one with one change": "UPDATE memory SET user_id = 1 WHERE user_id = 2",
    "memory's words": "UPDATE memory SET content = content || '!' WHERE id = 1",
    "first change to somebody else": "UPDATE history SET user_id = 2 WHERE seq = 1",
    "change to somebody else": "UPDATE history SET user_id = 2 WHERE seq = 2",
    "change to nobody": "UPDATE history SET user_id = 66 WHERE seq = 2",
    "change of the one with one": "UPDATE history SET user_id = 1 WHERE user_id = 2",
}


@pytest.mark.parametrize("damage", OLD_DAMAGE)
def test_an_upgrade_gives_no_damaged_row_a_seal(schema_9: Path, damage: str) -> None:
    """What an older file's seals do not tell of, its history does: shown to nobody else before repair, then put back."""
    with contextlib.closing(plain_connection(schema_9)) as db:
        assert db.execute("PRAGMA user_version").fetchone()[0] == 9
        was = {
            name: sorted(row[0] for row in db.execute("SELECT content FROM memory JOIN user u ON u.id = user_id"
                                                      " WHERE status = 'live' AND u.name = ?", (name,)))
            for (name,) in db.execute("SELECT name FROM user").fetchall()
        }  # fmt: skip
        db.execute("PRAGMA foreign_keys=OFF")
        assert db.execute(OLD_DAMAGE[damage]).rowcount == 1
    with opened(schema_9, words_only=True) as file:
        assert file.info()["schema"] == schema.VERSION
        for name in was:
            with contextlib.suppress(StoreCorrupt):
                assert {m.content for m in file.user(name).list(limit=0)} <= set(was[name])
        assert [p for p in file.check() if p.area in ("rows", "history")]
    done = edgemem.repair(schema_9)
    assert (done.lost, done.left) == ((), ())
    assert told(schema_9) == was


def test_an_upgrade_that_is_killed_leaves_the_old_file(schema_9: Path) -> None:
    before = told_raw(schema_9)
    code = """if 1:
    import os, sys
    from pathlib import Path
    from edgemem.store import owner_seals
    from tests.helpers import opened
    made = owner_seals.memories.row_hash
    owner_seals.memories.row_hash = lambda *given: os._exit(9) if given[1] else made(*given)
    opened(Path(sys.argv[1]), words_only=True)
    """
    python(code, schema_9, expect=9)
    assert told_raw(schema_9) == before
    with opened(schema_9, words_only=True) as file:
        assert file.check() == []


def told_raw(path: Path) -> list[Any]:
    with contextlib.closing(plain_connection(path)) as db:
        version = db.execute("PRAGMA user_version").fetchone()
        return [tuple(version), *map(tuple, db.execute("SELECT user_id, row_hash FROM memory ORDER BY id"))]
