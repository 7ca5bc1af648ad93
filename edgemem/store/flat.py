"""Vectors in memory, compared one by one with a query: exact, and quick enough for small numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from edgemem.store.usearch_library import usearch_index

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Keys = npt.NDArray[np.int64]
    Places = npt.NDArray[np.intp]
    Half = npt.NDArray[np.float16]
    Single = npt.NDArray[np.float32]

SINGLE_UP_TO = 20_000
"""Rows up to which the vectors are held as float32: twice the memory, a fifth of the time. A numpy product of
float16 has no fast path, so above it usearch compares the float16 rows as they are."""


BLOCK = 64
"""Rows multiplied at a time. A whole matrix would be shared out to all processors, and with one of them busy (a model
at work) the search waits for the slowest: 50 ms instead of 1 on a loaded machine. Blocks are too small for that."""


class Members:
    """Vector rows by their key and their owner's key, in no order. Arrays have room to grow: ``count`` rows count."""

    def __init__(self) -> None:
        import numpy as np

        self.count = 0
        self.keys: Keys = np.empty(0, np.int64)
        self.owners: Keys = np.empty(0, np.int64)
        self._sorted: tuple[Keys, Places] | None = None
        """Owners in order, with where they stand; None after a change."""

    def add_members(self, keys: Keys, owners: Keys) -> None:
        """Take in rows: (n,) and (n,)."""
        end = self.count + len(keys)
        if end > len(self.keys):
            self._resize(end + end // 4)
        self.keys[self.count : end] = keys
        self.owners[self.count : end] = owners
        self.count = end
        self._sorted = None

    def _resize(self, rows: int) -> None:
        room = -(-rows // BLOCK) * BLOCK
        self.keys = _longer(self.keys, self.count, room)
        self.owners = _longer(self.owners, self.count, room)

    def places_of_owners(self, owners: Keys) -> Places:
        """Where the rows of some owners stand, ascending."""
        import numpy as np

        if self._sorted is None:
            order = np.argsort(self.owners[: self.count], kind="stable")
            self._sorted = (self.owners[order], order)
        values, places = self._sorted
        wanted = np.unique(owners)
        starts, ends = np.searchsorted(values, wanted, "left"), np.searchsorted(values, wanted, "right")
        found = np.concatenate([places[a:b] for a, b in zip(starts, ends, strict=True) if b > a] or [places[:0]])
        return np.sort(found)

    def places_of_keys(self, keys: Keys) -> Places:
        """Where some rows stand, ascending."""
        return where(self.keys[: self.count], keys)

    def drop(self, holes: Places) -> None:
        """Fill some places with rows from the end, so that a deletion costs the same in a large block."""
        import numpy as np

        if not len(holes):
            return
        left = self.count - len(holes)
        behind = np.setdiff1d(np.arange(left, self.count), holes, assume_unique=True)
        self._move(behind, holes[holes < left])
        self.count = left
        self._sorted = None

    def _move(self, from_: Places, to: Places) -> None:
        self.keys[to] = self.keys[from_]
        self.owners[to] = self.owners[from_]


class Flat(Members):
    """Unit-length vectors, compared one by one with a query. Not thread-safe."""

    def __init__(self, dim: int) -> None:
        import numpy as np

        super().__init__()
        self.dim = dim
        self.matrix: Half | Single = np.empty((0, dim), np.float32)

    @property
    def memory(self) -> int:
        """Memory taken."""
        return self.matrix.nbytes + 16 * len(self.keys)

    def add(self, keys: Keys, owners: Keys, vectors: Half) -> None:
        """Take in rows: (n,), (n,), and (n, dim) of unit length."""
        start = self.count
        self.add_members(keys, owners)
        self._make_room()
        self.matrix[start : self.count] = vectors

    def _make_room(self) -> None:
        """Give the matrix as many rows as there are keys, in the type that fits their number."""
        import numpy as np

        wanted = np.float32 if len(self.keys) <= SINGLE_UP_TO * 5 // 4 else np.float16
        if len(self.matrix) == len(self.keys) and self.matrix.dtype == wanted:
            return
        matrix = np.zeros((len(self.keys), self.dim), wanted)
        kept = min(len(self.matrix), len(matrix))
        matrix[:kept] = self.matrix[:kept]
        self.matrix = matrix

    def _move(self, from_: Places, to: Places) -> None:
        super()._move(from_, to)
        self.matrix[to] = self.matrix[from_]

    def shrink(self) -> None:
        """Give back the memory that is no longer needed."""
        if self.count * 4 < len(self.keys):
            self._resize(self.count)
            self._make_room()

    def last(self, rows: int) -> tuple[Keys, Keys, Half]:
        """Keys, owners and float16 vectors of up to so many rows, copied."""
        import numpy as np

        cut = slice(max(0, self.count - rows), self.count)
        return self.keys[cut].copy(), self.owners[cut].copy(), self.matrix[cut].astype(np.float16)

    def nearest(self, query: Single, limit: int) -> tuple[Keys, Single]:
        """Owners and cosines of the ``limit`` closest rows, in no order. An owner comes once for each of its rows."""
        import numpy as np

        limit = min(limit, self.count)
        if not limit:
            return np.empty(0, np.int64), np.empty(0, np.float32)
        if self.matrix.dtype == np.float16:
            return self._nearest_of_many(query, limit)
        blocks = -(-self.count // BLOCK)
        values = (self.matrix[: blocks * BLOCK].reshape(blocks, BLOCK, self.dim) @ query).reshape(-1)[: self.count]
        best = np.argpartition(values, -limit)[-limit:] if limit < self.count else np.arange(limit)
        return self.owners[best], values[best]

    def _nearest_of_many(self, query: Single, limit: int) -> tuple[Keys, Single]:
        import numpy as np

        search = usearch_index().search
        rows = self.matrix[: self.count]
        found = search(rows, query.astype(np.float16), limit, "cos", exact=True, threads=1)
        cosines: Single = 1 - np.asarray(found.distances, np.float32)
        return self.owners[np.asarray(found.keys, np.int64)], cosines

    def of_owners(self, owners: Keys, query: Single) -> tuple[Keys, Single]:
        """Owners and cosines of all rows of some owners."""
        import numpy as np

        places = self.places_of_owners(owners)
        return self.owners[places], self.matrix[places].astype(np.float32) @ query


def where(values: Keys, wanted: Keys) -> Places:
    """Positions of the values that are wanted, ascending."""
    import numpy as np

    if len(wanted) == 1:
        return np.flatnonzero(values == wanted[0])
    return np.flatnonzero(np.isin(values, wanted))


def _longer(array: Keys, count: int, room: int) -> Keys:
    import numpy as np

    fresh = np.empty(room, np.int64)
    fresh[:count] = array[:count]
    return fresh
