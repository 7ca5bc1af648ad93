"""A bit that changed may break a rule of the table: the row is put right all the same, or named as lost; a job goes on."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import pytest

import edgemem
from tests.helpers import opened, plain_connection, said

from .everywhere import live_through

FLIPPED = [
    ("turn", "role", "usdr"), ("task", "status", "opan"), ("relation", "status", "livd"), ("review", "status", "opan"),
    ("memory", "status", "livd"), ("history", "author", "modem"), ("profile", "value", '"a'), ("review", "proposal", "[}"),
]  # fmt: skip


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("lived") / "lived.edgemem"
    live_through(path, "me", "walnuts")
    with opened(path) as file:  # a turn and a task that were never touched by anything else
        file.user("me").log(said("I keep wrens", session="farm"))
        file.user("me").set_state("trip", "city", "Porto")
    return path


def _set(path: Path, table: str, column: str, value: object, where: str = "1") -> list[Any]:
    """Write a value past all rules; returns the column's values before."""
    with contextlib.closing(plain_connection(path)) as db:
        db.execute("PRAGMA ignore_check_constraints=ON")
        before = _column(db, table, column)
        given = "CAST(? AS TEXT)" if isinstance(value, bytes) else "?"
        assert db.execute(f"UPDATE {table} SET {column} = {given} WHERE {where}", (value,)).rowcount
        return before


def _column(db: Any, table: str, column: str) -> list[Any]:
    return [row[0] for row in db.execute(f"SELECT {column} FROM {table} ORDER BY 1")]


def _one_bit_off(old: str, new: str) -> bool:
    return (
        len(old) == len(new) and sum((a ^ b).bit_count() for a, b in zip(old.encode(), new.encode(), strict=True)) == 1
    )


@pytest.mark.parametrize(("table", "column", "value"), FLIPPED, ids=[f"{t}.{c}" for t, c, _ in FLIPPED])
def test_a_row_that_breaks_a_rule_is_not_left_out_unsaid(
    lived: Path, store_path: Path, table: str, column: str, value: str
) -> None:
    store_path.write_bytes(lived.read_bytes())
    name = {"task": "name", "profile": "field"}.get(table, "uid")
    with contextlib.closing(plain_connection(store_path)) as db:
        key, old = db.execute(f"SELECT {name}, {column} FROM {table} LIMIT 1").fetchone()
    before = _set(store_path, table, column, value, f"{name} = '{key}'")
    done = edgemem.repair(store_path)
    assert done.left == ()
    with contextlib.closing(plain_connection(store_path)) as db:
        after = _column(db, table, column)
    if _one_bit_off(str(old), value):
        assert after == before
        assert done.lost == ()
    else:
        assert after == before or any(table in line for line in done.lost), done


ASTRAY = [
    ("status", "qteued"), ("status", "dond"), ("attempts", 1 << 20), ("attempts", -8), ("error", b"\xffno model"),
    ("lease_by", b"\xff/1"), ("lease_until", "20\xb26-05"), ("updated_at", b"\xff"),
]  # fmt: skip


@pytest.mark.parametrize(("column", "value"), ASTRAY)
def test_a_job_that_stands_nowhere_is_done_all_the_same(store_path: Path, column: str, value: object) -> None:
    with opened(store_path, words_only=True) as file:
        file.user("me").observe(said("I keep bees", session="farm"))
    if column.startswith("lease"):
        _set(store_path, "job", "status", "running")
    _set(store_path, "job", column, value)
    with opened(store_path, words_only=True, read_only=True) as file:
        assert any("job" in p.message for p in file.check())
    done = edgemem.repair(store_path)
    assert (done.left, done.lost) == ((), ())
    with opened(store_path, words_only=True) as file:
        assert [(j.status, j.attempts, j.error) for j in file.user("me").jobs()] == [("queued", 0, None)]
        assert file.check() == []
