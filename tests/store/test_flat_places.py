"""Where the vectors of some owners stand in the block, whatever came and went before."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from edgemem.store.flat import Flat

OWNERS = st.lists(st.integers(1, 9), max_size=12)


@given(st.lists(st.tuples(OWNERS, OWNERS), max_size=5), OWNERS)
def test_the_places_of_owners_are_right_after_every_change(
    steps: list[tuple[list[int], list[int]]], asked: list[int]
) -> None:
    flat, next_key = Flat(2), 1
    for added, dropped in steps:
        keys = np.arange(next_key, next_key + len(added), dtype=np.int64)
        next_key += len(added)
        flat.add(keys, np.array(added, np.int64), np.zeros((len(added), 2), np.float16))
        flat.drop(flat.places_of_owners(np.array(dropped, np.int64)))
        assert not set(flat.owners[: flat.count].tolist()) & set(dropped)
        found = flat.places_of_owners(np.array(asked, np.int64))
        wanted = [n for n, owner in enumerate(flat.owners[: flat.count].tolist()) if owner in asked]
        assert found.tolist() == wanted
