"""A short form of `python -m tests.torture.isolation`, and that it leaves no call of the library out."""

from __future__ import annotations

from pathlib import Path

import pytest

from edgemem.view import Memory
from tests.torture.isolation import NOT_ASKED, OPERATIONS, run


@pytest.mark.parametrize("seed", [1, 2])
def test_random_operations_never_reach_another_user(store_path: Path, seed: int) -> None:
    assert run(store_path, 300, seed) == 300


def test_every_call_is_tried_or_excused() -> None:
    public = {name for name in dir(Memory) if not name.startswith("_")}
    assert public - set(NOT_ASKED) - set(OPERATIONS) == set()
    assert set(NOT_ASKED) & set(OPERATIONS) == set()
