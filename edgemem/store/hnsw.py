"""A graph of near vectors (HNSW, by usearch): finds the closest of hundreds of thousands in well under a millisecond.

It knows rows by their keys only, and may be behind the rows; whoever asks it confirms its answers by them.
Only its links are stored: the vectors are put back from the rows when it is loaded, so that a vector
that is gone from the rows is gone from the file.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from edgemem.store import graph_layout
from edgemem.store.flat import Members
from edgemem.store.usearch_library import usearch_index

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from edgemem.store.flat import Half, Keys, Single
    from edgemem.store.vectors import Rows

EXPANSION_ADD = 128
EXPANSION_SEARCH = 192
"""Candidates kept while a vector is linked in, and while one is searched. At 100,000 clustered vectors a search with 128
has a recall@10 of 0.989; each candidate more costs time in proportion."""

SETTINGS = {
    "dtype": "f16",
    "metric": "cos",
    "m": graph_layout.CONNECTIVITY,
    "expansion_add": EXPANSION_ADD,
    "layout": 1,
}
"""What a stored graph must have been made with."""


ALONE_BELOW = 2_000
"""Nodes below which a graph is built by one thread."""


def _empty(dim: int) -> Any:
    # The type is named because usearch's own choice depends on the processor.
    return usearch_index().Index(
        ndim=dim, metric="cos", dtype="f16", connectivity=graph_layout.CONNECTIVITY, expansion_add=EXPANSION_ADD,
        expansion_search=EXPANSION_SEARCH,
    )  # fmt: skip


class Graph(Members):
    """One scope's graph. ``add`` may run beside searches; all else is called by one thread at a time."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.dim = dim
        self.dead = 0
        """Nodes that were removed and whose place nobody has taken: they cost memory and time."""
        self._index = _empty(dim)
        # usearch serialises searches and additions by itself, but neither removals nor saving.
        self._lock = threading.Lock()

    @property
    def memory(self) -> int:
        """Memory taken."""
        return int(self._index.memory_usage) + 16 * len(self.keys)

    def add(self, keys: Keys, vectors: Half, threads: int) -> None:
        """Link vectors in: (n,), (n, dim). They are no members yet."""
        import numpy as np

        with self._lock:
            # Nodes added side by side do not see each other: in a small graph some would stay without a link to them.
            small = len(self._index) < ALONE_BELOW
            self._index.add(keys.astype(np.uint64), vectors, threads=1 if small else threads)

    def remove(self, keys: Keys) -> None:
        """Unlink vectors that are no members (any more)."""
        with self._lock:
            for key in keys.tolist():
                self._index.remove(key)
        self.dead += len(keys)

    def accept(self, keys: Keys, owners: Keys) -> None:
        """Count vectors that were linked in as members."""
        self.add_members(keys, owners)
        self.dead = max(0, self.dead - len(keys))

    def drop_owners(self, owners: Keys, but: Keys) -> None:
        """Let go of the vectors of some owners, except those with the keys ``but``."""
        import numpy as np

        places = self.places_of_owners(owners)
        places = places[~np.isin(self.keys[places], but)]
        gone = self.keys[places]
        self.drop(places)
        self.remove(gone)

    def unchanged(self, rows: Rows) -> npt.NDArray[np.bool_]:
        """Which of these rows are members with the very same vector."""
        import numpy as np

        same: npt.NDArray[np.bool_] = np.isin(rows.keys, self.keys[self.places_of_keys(rows.keys)])
        for n in np.flatnonzero(same):
            held = np.asarray(self._index.get(int(rows.keys[n]), dtype="f16"))
            same[n] = held.tobytes() == rows.vectors[n].tobytes()
        return same

    def nearest(self, query: Single, limit: int) -> tuple[Keys, Single]:
        """Keys and cosines of about the ``limit`` closest vectors, best first."""
        import numpy as np

        if not self.count:
            return np.empty(0, np.int64), np.empty(0, np.float32)
        found = self._index.search(query.astype(np.float16), limit, threads=1)
        cosines: Single = 1 - np.asarray(found.distances, np.float32)
        sound = np.isfinite(cosines)
        return np.asarray(found.keys).astype(np.int64)[sound], cosines[sound]

    def tail(self) -> bytes:
        """The links, for storing."""
        with self._lock:
            return graph_layout.tail_of(self._index.save())


class Filling:
    """A stored graph that is being given its vectors back, row by row.

    ``touched`` are owners that changed since it was stored: their nodes are not used again, since
    their links may belong to other words.
    """

    def __init__(self, tail: bytes, dim: int, touched: Keys) -> None:
        import numpy as np

        slots = keys_of(tail, dim)
        self._touched = touched
        self._graph = Graph(dim)
        self._buffer = graph_layout.whole(tail, len(slots), 2 * dim)
        self._matrix = np.frombuffer(self._buffer, "<f2", len(slots) * dim, 8).reshape(len(slots), dim)
        self._slots = np.argsort(slots)
        self._keys = slots[self._slots]
        self._free = int((slots == graph_layout.FREE).sum())

    def take(self, rows: Rows) -> npt.NDArray[np.bool_]:
        """Take in the rows that are nodes; returns which these are."""
        import numpy as np

        places = np.minimum(np.searchsorted(self._keys, rows.keys), len(self._keys) - 1)
        known: npt.NDArray[np.bool_] = (self._keys[places] == rows.keys) & ~np.isin(rows.owners, self._touched)
        self._matrix[self._slots[places[known]]] = rows.vectors[known]
        self._graph.add_members(rows.keys[known], rows.owners[known])
        return known

    def finish(self) -> Graph:
        """The graph, without the nodes whose rows are gone."""
        import numpy as np

        graph = self._graph
        graph._index.load(self._buffer)
        del self._matrix
        self._buffer = bytearray()
        graph._index.expansion_add, graph._index.expansion_search = EXPANSION_ADD, EXPANSION_SEARCH
        # Neither has a key twice; said so, they are sorted, which is far quicker than making sure.
        used = self._keys[self._keys != graph_layout.FREE]
        gone = np.setdiff1d(used, graph.keys[: graph.count], assume_unique=True)
        graph.remove(gone)
        graph.dead += self._free
        return graph


def keys_of(tail: bytes, dim: int) -> Keys:
    """The key of each node of stored links, by slot. Raises ``graph_layout.Malformed`` for what must not be loaded."""
    return graph_layout.checked_keys(tail, graph_layout.tail_of(_empty(dim).save()), dim)
