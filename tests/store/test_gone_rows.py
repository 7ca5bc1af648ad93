"""Rows whose other half damage took away: what reads them says so by name, and is no bare error."""

from __future__ import annotations

from pathlib import Path

import pytest

from edgemem.errors import StoreCorrupt
from edgemem.store import vectors
from tests.helpers import opened, plain_connection


def test_a_row_without_its_vector_is_passed_by() -> None:
    sound = vectors.pack([0.6, 0.8])
    read = vectors._rows([(1, 1, None), (2, 2, sound), (3, 3, "text"), (4, 4, sound[:1])], 2)
    assert list(read.keys) == [2]


def test_an_edge_that_leads_to_nothing_is_named(store_path: Path) -> None:
    with opened(store_path) as file:
        file.user("me").graph.relate("Mia", "sister of", "Tom")
        file.user("you").add("I keep bees")
    db = plain_connection(store_path)
    db.execute("PRAGMA foreign_keys = OFF")
    db.execute("UPDATE entity SET user_id = (SELECT id FROM user WHERE name = 'you') WHERE name = 'Tom'")
    db.commit()
    db.close()
    with opened(store_path) as file, pytest.raises(StoreCorrupt) as told:
        file.user("me").graph.neighbours("Mia")
    assert "check --repair" in told.value.hint
