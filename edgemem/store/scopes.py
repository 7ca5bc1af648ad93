"""Search by meaning within one scope: cached vectors, brought up to date from the change log before each search.

A scope is one user's vectors of one owner kind under one model. Another process's writes and
deletions count at once, because the log is read in the transaction of the search itself.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from edgemem.store import changes, vectors
from edgemem.store.engine import Engine, Tx
from edgemem.store.flat import Flat
from edgemem.store.vectors import Scope

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Nearest = list[tuple[int, float]]
"""Owners with their cosine, best first."""


class Loaded:
    """A scope in memory as of change ``seq``."""

    def __init__(self, scope: Scope, dim: int, seq: int) -> None:
        self.scope = scope
        self.dim = dim
        self.seq = seq
        self.flat = Flat(dim)
        # What was read inside a write that may yet be rolled back counts for that write only.
        self.unsure: int | None = None

    @classmethod
    def load(cls, tx: Tx, scope: Scope, dim: int, seq: int) -> Loaded:
        """Everything from the rows."""
        made = cls(scope, dim, seq)
        for rows in vectors.live(tx, scope, dim):
            made.flat.add(*rows)
        return made

    @property
    def bytes(self) -> int:
        """Memory taken."""
        return self.flat.bytes

    def replay(self, tx: Tx, seq: int) -> None:
        """Take in what changed up to ``seq``. The rows decide, so replaying too much does no harm."""
        import numpy as np

        touched = changes.since(tx, self.scope.user, self.scope.owner, self.seq)
        self.flat.drop_owners(np.array(touched, np.int64))
        self.flat.add(*vectors.of_owners(tx, self.scope, self.dim, touched))
        self.seq = seq

    def nearest(self, query: npt.NDArray[np.float32], limit: int) -> Nearest:
        """The owners closest to a unit-length query, each by the best of its passages."""
        wide = limit
        while True:
            owners, values = self.flat.nearest(query, wide)
            best = _best(owners, values)
            if len(best) >= limit or len(owners) < wide:
                return sorted(best.items(), key=_by_value)[:limit]
            wide *= 4  # owners of many passages took the places of others

    def of_owners(self, query: npt.NDArray[np.float32], owners: Collection[int]) -> dict[int, float]:
        """The cosines of some owners; those without a vector are left out."""
        import numpy as np

        return _best(*self.flat.of_owners(np.array(list(owners), np.int64), query))


def _by_value(item: tuple[int, float]) -> tuple[float, int]:
    return -item[1], item[0]


def _best(owners: npt.NDArray[np.int64], values: npt.NDArray[np.float32]) -> dict[int, float]:
    best: dict[int, float] = {}
    for owner, value in zip(owners.tolist(), values.tolist(), strict=True):
        if value > best.get(owner, -2.0):
            best[owner] = value
    return best


class ScopeCache:
    """The last used scopes of one open file. Not thread-safe: used inside the engine's lock.

    ``memory`` is how many bytes they may take together; the one in use always stays.
    """

    def __init__(self, engine: Engine, memory: int) -> None:
        self._engine = engine
        self._memory = memory
        self._loaded: OrderedDict[Scope, Loaded] = OrderedDict()

    def nearest(self, tx: Tx, scope: Scope, query: Sequence[float], limit: int) -> Nearest:
        """Up to ``limit`` live owners of a scope by meaning: their keys and cosines, best first.

        ``query`` has unit length and comes from the scope's own model.
        """
        return self._current(tx, scope, len(query)).nearest(_single(query), limit)

    def similarities(self, tx: Tx, scope: Scope, query: Sequence[float], owners: Collection[int]) -> dict[int, float]:
        """The cosines of some owners to the query; those that are not live or have no vector are left out."""
        return self._current(tx, scope, len(query)).of_owners(_single(query), owners)

    def _current(self, tx: Tx, scope: Scope, dim: int) -> Loaded:
        """The scope as of this transaction."""
        known = self._loaded.get(scope)
        if known is not None and known.unsure not in (None, self._engine.rollbacks):
            known = None
        latest = changes.latest(tx, scope.user, scope.owner)
        if known is None or known.seq > latest or known.dim != dim:
            known = self._loaded[scope] = Loaded.load(tx, scope, dim, latest)
            self._make_room(scope)
        elif known.seq < latest:
            known.replay(tx, latest)
        known.unsure = self._engine.rollbacks if self._engine.writing else None
        self._loaded.move_to_end(scope)
        return known

    def _make_room(self, wanted: Scope) -> None:
        for scope in list(self._loaded):
            if sum(one.bytes for one in self._loaded.values()) <= self._memory:
                return
            if scope != wanted:
                del self._loaded[scope]


def _single(query: Sequence[float]) -> npt.NDArray[np.float32]:
    import numpy as np

    return np.asarray(query, dtype=np.float32)
