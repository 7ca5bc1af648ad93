"""Vectors in memory, compared one by one with a query: exact, and quick enough for small numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Keys = npt.NDArray[np.int64]
    Half = npt.NDArray[np.float16]
    Single = npt.NDArray[np.float32]

SINGLE_UP_TO = 20_000
"""Rows up to which the vectors are held as float32: twice the memory, a fifth of the time. A numpy product of
float16 has no fast path, so above it usearch compares the float16 rows as they are."""


class Flat:
    """Unit-length vectors with the key of their row and of the owner of that row. Rows are in no order.

    Arrays have room to grow; only the first ``count`` rows count. Not thread-safe.
    """

    def __init__(self, dim: int) -> None:
        import numpy as np

        self.dim = dim
        self.count = 0
        self.keys: Keys = np.empty(0, np.int64)
        self.owners: Keys = np.empty(0, np.int64)
        self.matrix: Half | Single = np.empty((0, dim), np.float32)

    @property
    def bytes(self) -> int:
        """Memory taken."""
        return self.matrix.nbytes + 16 * len(self.keys)

    def add(self, keys: Keys, owners: Keys, vectors: Half) -> None:
        """Take in rows: (n,), (n,), and (n, dim) of unit length."""
        end = self.count + len(keys)
        self._make_room(end)
        self.keys[self.count : end] = keys
        self.owners[self.count : end] = owners
        self.matrix[self.count : end] = vectors
        self.count = end

    def _make_room(self, rows: int) -> None:
        import numpy as np

        wanted = np.float32 if rows <= SINGLE_UP_TO else np.float16
        if rows <= len(self.keys) and self.matrix.dtype == wanted:
            return
        room = len(self.keys) if rows <= len(self.keys) else rows + rows // 4
        for name in ("keys", "owners"):
            fresh = np.empty(room, np.int64)
            fresh[: self.count] = getattr(self, name)[: self.count]
            setattr(self, name, fresh)
        matrix = np.empty((room, self.dim), wanted)
        matrix[: self.count] = self.matrix[: self.count]
        self.matrix = matrix

    def drop_owners(self, owners: Keys) -> None:
        """Let go of all rows of some owners."""
        self._drop(_where(self.owners[: self.count], owners))

    def drop_keys(self, keys: Keys) -> None:
        """Let go of some rows."""
        self._drop(_where(self.keys[: self.count], keys))

    def _drop(self, holes: npt.NDArray[np.intp]) -> None:
        """Fill the holes with rows from the end, so that a deletion costs the same in a large block."""
        import numpy as np

        if not len(holes):
            return
        left = self.count - len(holes)
        behind = np.setdiff1d(np.arange(left, self.count), holes, assume_unique=True)
        before = holes[holes < left]
        for array in (self.keys, self.owners, self.matrix):
            array[before] = array[behind]
        self.count = left

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
        values = self.matrix[: self.count] @ query
        best = np.argpartition(values, -limit)[-limit:] if limit < self.count else np.arange(limit)
        return self.owners[best], values[best]

    def _nearest_of_many(self, query: Single, limit: int) -> tuple[Keys, Single]:
        import numpy as np
        from usearch.index import search

        rows = self.matrix[: self.count]
        found = search(rows, query.astype(np.float16), limit, "cos", exact=True, threads=1)
        cosines: Single = 1 - np.asarray(found.distances, np.float32)
        return self.owners[np.asarray(found.keys, np.int64)], cosines

    def of_owners(self, owners: Keys, query: Single) -> tuple[Keys, Single]:
        """Owners and cosines of all rows of some owners."""
        import numpy as np

        places = _where(self.owners[: self.count], owners)
        return self.owners[places], self.matrix[places].astype(np.float32) @ query


def _where(values: Keys, wanted: Keys) -> npt.NDArray[np.intp]:
    """Positions of the values that are wanted, ascending."""
    import numpy as np

    if len(wanted) == 1:
        return np.flatnonzero(values == wanted[0])
    return np.flatnonzero(np.isin(values, wanted))
