"""The note of an erasure that changed on the disk would bring back what was erased, or erase something else: nothing goes by it."""

from __future__ import annotations

import contextlib
import shutil
from pathlib import Path
from typing import Any

import pytest

import edgemem
from edgemem.errors import StoreCorrupt
from edgemem.store import graves
from tests.helpers import opened, plain_connection, said

FLIPS: dict[str, str] = {
    "user_id": "user_id + 4", "kind": "'tusn'", "salt": "CAST(substr(salt, 1, 15) || x'00' AS BLOB)", "undo": "1 - undo",
    "at": "'6' || substr(at, 2)", "digest": "CAST(x'00' || substr(digest, 2) AS BLOB)",
    "seal": "CAST(substr(digest, 1, 47) || x'00' AS BLOB)",
}  # fmt: skip


@pytest.fixture
def two(store_path: Path, tmp_path: Path) -> tuple[Path, Path]:
    """A file in which a conversation was erased, and a copy from before."""
    other = tmp_path / "other.edgemem"
    with opened(store_path, words_only=True) as file:
        file.user("me").log(said("I keep bees", session="farm"))
        file.user("you").log(said("I keep goats", session="farm"))
    shutil.copy(store_path, other)
    with opened(store_path, words_only=True) as file:
        file.user("me").erase(session="farm")
        file.user("me").log(said("I keep hens", session="coop"))
    return store_path, other


def _alter(path: Path, column: str) -> None:
    with contextlib.closing(plain_connection(path)) as db:
        name = "digest" if column == "seal" else column
        assert db.execute(f"UPDATE erased SET {name} = {FLIPS[column]}").rowcount == 1


@pytest.mark.parametrize("column", FLIPS)
def test_nothing_goes_by_an_altered_note(two: tuple[Path, Path], column: str) -> None:
    here, other = two
    _alter(here, column)
    with opened(here, words_only=True) as file:
        assert any("erased is not what was written" in p.message for p in file.check())
        with pytest.raises(StoreCorrupt, match="erasures was altered"):
            file.merge(other)
        assert [s.id for s in file.user("me").sessions()] == ["coop"]
    with opened(other, words_only=True) as file:
        with pytest.raises(StoreCorrupt, match="erasures was altered"):
            file.merge(here)
        assert [s.id for s in file.user("me").sessions()] == ["farm"]


@pytest.mark.parametrize("column", ["user_id", "kind", "at", "undo"])
def test_repair_puts_one_bit_right_and_the_erasure_stands(two: tuple[Path, Path], column: str) -> None:
    here, other = two
    with contextlib.closing(plain_connection(here)) as db:
        before = [tuple(row) for row in db.execute("SELECT * FROM erased")]
    _alter(here, column)
    done = edgemem.repair(here)
    assert (done.left, done.lost) == ((), ())
    with contextlib.closing(plain_connection(here)) as db:
        assert [tuple(row) for row in db.execute("SELECT * FROM erased")] == before
    with opened(here, words_only=True) as file:
        file.merge(other)
        assert [s.id for s in file.user("me").sessions()] == ["coop"]


def test_a_note_past_repair_is_named(two: tuple[Path, Path]) -> None:
    here, other = two
    with contextlib.closing(plain_connection(here)) as db:
        db.execute("UPDATE erased SET at = '1999', undo = 7, kind = 'task'")
    done = edgemem.repair(here)
    assert done.left == ()
    assert any("may bring that back" in line for line in done.lost)
    with opened(here, words_only=True) as file:
        file.merge(other)


def test_a_grave_dug_twice_is_one_with_the_later_time(two: tuple[Path, Path]) -> None:
    with opened(two[0], words_only=True) as file, file.engine.write() as tx:
        row = tx.execute("SELECT * FROM erased").fetchone()
        known: Any = graves.known(tx).rows["me"][0]
        for at in ("2099-01-01T00:00:00.000000Z", "2000-01-01T00:00:00.000000Z"):
            graves.add(tx, row["user_id"], graves.Grave(known.kind, known.salt, known.digest, at, undo=at > "2050"))
        (found,) = graves.known(tx).rows["me"]
        assert (found.at[:4], found.undo) == ("2099", True)
        assert tx.execute("SELECT count(*) FROM erased").fetchone()[0] == 1
        graves.remove(tx, row["user_id"], found)
        assert graves.known(tx).rows["me"] == []
