"""Search by meaning within one scope: in memory, brought up to date from the change log before each search.

A scope is one user's vectors of one owner kind under one model, so nobody's search ever walks through
another's rows and none comes out short. Few vectors are compared one by one. Of many, most are in a graph
(``hnsw``) and the rest, with what changed lately, beside it in a ``Flat`` block that is still compared one by
one: every vector is in exactly one of the two, so answers are whole however far the graph has come.

Another process's writes and deletions count at once, because the log is read in the transaction of the
search itself; and what the graph names is confirmed by the rows before it is given out.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from edgemem.store import changes, graph_layout, snapshots, vectors
from edgemem.store.engine import Engine, Tx
from edgemem.store.flat import Flat
from edgemem.store.hnsw import Filling, Graph
from edgemem.store.vectors import Rows, Scope

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from edgemem.store.flat import Half, Keys, Single

_log = logging.getLogger(__name__)

Nearest = list[tuple[int, float]]
"""Owners with their cosine, best first."""

DEAD = 0.3
"""Share of removed nodes from which a graph is built anew: they cost memory and, in the end, recall."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Vectors on their way from the flat block into the graph."""

    source: Loaded
    graph: Graph
    keys: Keys
    owners: Keys
    vectors: Half


class Loaded:
    """A scope in memory as of change ``seq``."""

    def __init__(self, scope: Scope, dim: int, seq: int) -> None:
        self.scope = scope
        self.dim = dim
        self.seq = seq
        self.flat = Flat(dim)
        self.graph: Graph | None = None
        # What was read inside a write that may yet be rolled back counts for that write only.
        self.unsure: int | None = None
        self.anew = False
        """Whether the stored graph is of no use and may be replaced by whatever there is."""
        self.unsaved = 0
        """Vectors that came into the graph since it was stored."""
        self._moving: Batch | None = None
        self._touched: set[int] = set()

    @classmethod
    def load(cls, tx: Tx, scope: Scope, dim: int, seq: int, *, stored: bool) -> Loaded:
        """Everything from the rows; with ``stored``, those that are in the stored graph into a graph."""
        made = cls(scope, dim, seq)
        filling = made._stored(tx) if stored else None
        for rows in vectors.live(tx, scope, dim):
            made.flat.add(*(rows if filling is None else vectors.only(rows, ~filling.take(rows))))
        if filling is not None:
            made.graph = filling.finish()
        if made.worn:
            made = cls.load(tx, scope, dim, seq, stored=False)
        made.anew |= not stored
        return made

    def _stored(self, tx: Tx) -> Filling | None:
        import numpy as np

        try:
            found = snapshots.read(tx, self.scope)
            if found is None:
                return None
            touched = changes.since(tx, self.scope.user, self.scope.owner, found.upto)
            return Filling(found.tail, self.dim, np.array(touched, np.int64))
        except (snapshots.Unusable, graph_layout.Malformed) as error:
            _log.warning("the stored vector index of %s cannot be used and is built anew: %s", self.scope, error)
            self.anew = True
            return None

    @property
    def memory(self) -> int:
        """Memory taken."""
        return self.flat.memory + (0 if self.graph is None else self.graph.memory)

    @property
    def total(self) -> int:
        """Vectors in memory."""
        return self.flat.count + self.indexed

    @property
    def indexed(self) -> int:
        """Vectors in the graph."""
        return 0 if self.graph is None else self.graph.count

    @property
    def worn(self) -> bool:
        """Whether too much of the graph is dead."""
        return self.graph is not None and self.graph.dead > DEAD * (self.graph.count + self.graph.dead)

    def replay(self, tx: Tx, seq: int) -> None:
        """Take in what changed up to ``seq``. The rows decide, so replaying too much does no harm."""
        import numpy as np

        touched = changes.since(tx, self.scope.user, self.scope.owner, self.seq)
        owners = np.array(touched, np.int64)
        rows = vectors.of_owners(tx, self.scope, self.dim, touched)
        self.flat.drop(self.flat.places_of_owners(owners))
        self.flat.add(*(rows if self.graph is None else self._not_in(self.graph, owners, rows)))
        self._touched.update(touched)
        self.seq = seq

    @staticmethod
    def _not_in(graph: Graph, owners: Keys, rows: Rows) -> Rows:
        """Take out of the graph what these owners no longer have; returns what of theirs it has not."""
        same = graph.unchanged(rows)
        graph.drop_owners(owners, but=rows.keys[same])
        return vectors.only(rows, ~same)

    def nearest(self, tx: Tx, query: Single, limit: int) -> Nearest:
        """The owners closest to a unit-length query, each by the best of its passages."""
        wide = limit
        while True:
            best = _best(*self.flat.nearest(query, wide))
            if self.graph is not None:
                self._add_confirmed(tx, query, wide, best)
            if len(best) >= limit or wide >= self.total:
                return sorted(best.items(), key=_by_value)[:limit]
            wide *= 4  # owners of many passages took the places of others

    def _add_confirmed(self, tx: Tx, query: Single, wide: int, best: dict[int, float]) -> None:
        """Add what the graph finds and the rows confirm."""
        assert self.graph is not None
        keys, values = self.graph.nearest(query, wide)
        owners = vectors.owners_of(tx, self.scope, keys.tolist())
        # What is just being moved stands in the flat block too, in its latest form.
        moving = set() if self._moving is None else set(self._moving.keys.tolist())
        for key, value in zip(keys.tolist(), values.tolist(), strict=True):
            owner = owners.get(key)
            if owner is not None and key not in moving and value > best.get(owner, -2.0):
                best[owner] = value

    def of_owners(self, tx: Tx, query: Single, owners: Collection[int]) -> dict[int, float]:
        """The cosines of some owners; those without a vector are left out."""
        import numpy as np

        if self.graph is None:
            return _best(*self.flat.of_owners(np.array(list(owners), np.int64), query))
        rows = vectors.of_owners(tx, self.scope, self.dim, owners)
        return _best(rows.owners, rows.vectors.astype(np.float32) @ query)

    def take(self, rows: int) -> Batch | None:
        """Some of the vectors that are not in the graph yet, to be linked in; None when all are."""
        if not self.flat.count:
            return None
        self.graph = self.graph or Graph(self.dim)
        self._moving = Batch(self, self.graph, *self.flat.last(rows))
        self._touched = set()
        return self._moving

    def settle(self, batch: Batch) -> None:
        """Move a batch that was linked in; what changed in the meantime is taken out of the graph again."""
        import numpy as np

        flat, size = self.flat, len(batch.keys)
        places = np.arange(flat.count - size, flat.count)
        if self._touched or not np.array_equal(flat.keys[places], batch.keys):
            there = np.isin(batch.keys, flat.keys[: flat.count])
            valid = there & ~np.isin(batch.owners, np.array(list(self._touched), np.int64))
            batch.graph.remove(batch.keys[~valid])
            places = flat.places_of_keys(batch.keys[valid])
        batch.graph.accept(flat.keys[places], flat.owners[places])
        self.unsaved += len(places)
        flat.drop(places)
        flat.shrink()
        self._moving = None


def _by_value(item: tuple[int, float]) -> tuple[float, int]:
    return -item[1], item[0]


def _best(owners: Keys, values: npt.NDArray[np.float32]) -> dict[int, float]:
    best: dict[int, float] = {}
    for owner, value in zip(owners.tolist(), values.tolist(), strict=True):
        if value > best.get(owner, -2.0):
            best[owner] = value
    return best


class ScopeCache:
    """The last used scopes of one open file. Not thread-safe: used inside the engine's lock.

    ``memory`` is how many bytes they may take together; the one in use always stays. Up to
    ``exact_up_to`` vectors of a scope are compared one by one. ``on_behind`` is told of a scope that
    should have more of its vectors in its graph.
    """

    def __init__(self, engine: Engine, memory: int, exact_up_to: int) -> None:
        self._engine = engine
        self._memory = memory
        self.exact_up_to = exact_up_to
        self.on_behind: Callable[[Scope], None] | None = None
        self.pinned: set[Scope] = set()
        self._loaded: OrderedDict[Scope, Loaded] = OrderedDict()

    def nearest(self, tx: Tx, scope: Scope, query: Sequence[float], limit: int) -> Nearest:
        """Up to ``limit`` live owners of a scope by meaning: their keys and cosines, best first.

        ``query`` has unit length and comes from the scope's own model.
        """
        return self.current(tx, scope, len(query)).nearest(tx, _single(query), limit)

    def similarities(self, tx: Tx, scope: Scope, query: Sequence[float], owners: Collection[int]) -> dict[int, float]:
        """The cosines of some owners to the query; those that are not live or have no vector are left out."""
        return self.current(tx, scope, len(query)).of_owners(tx, _single(query), owners)

    def current(self, tx: Tx, scope: Scope, dim: int) -> Loaded:
        """The scope as of this transaction."""
        known = self._loaded.get(scope)
        if known is not None and known.unsure not in (None, self._engine.rollbacks):
            known = None
        latest = changes.latest(tx, scope.user, scope.owner)
        if known is None or known.seq > latest:
            known = self.reload(tx, scope, dim, stored=vectors.count(tx, scope) > self.exact_up_to)
        elif known.seq < latest:
            known.replay(tx, latest)
            self._look_behind(known)
        known.unsure = self._engine.rollbacks if self._engine.writing else None
        self._loaded.move_to_end(scope)
        return known

    def reload(self, tx: Tx, scope: Scope, dim: int, *, stored: bool) -> Loaded:
        """The scope from its rows, whatever is in memory; ``stored`` false leaves the stored graph aside."""
        self._loaded.pop(scope, None)
        fresh = Loaded.load(tx, scope, dim, changes.latest(tx, scope.user, scope.owner), stored=stored)
        self._loaded[scope] = fresh
        self._make_room(scope)
        self._look_behind(fresh)
        return fresh

    def behind(self, loaded: Loaded) -> bool:
        """Whether a graph is worth working on."""
        return loaded.total > self.exact_up_to and (loaded.flat.count > self.exact_up_to // 10 or loaded.worn)

    def _look_behind(self, loaded: Loaded) -> None:
        if self.on_behind is not None and self.behind(loaded):
            self.on_behind(loaded.scope)

    def _make_room(self, wanted: Scope) -> None:
        for scope in list(self._loaded):
            if sum(one.memory for one in self._loaded.values()) <= self._memory:
                return
            if scope != wanted and scope not in self.pinned:
                del self._loaded[scope]


def _single(query: Sequence[float]) -> Single:
    import numpy as np

    return np.asarray(query, dtype=np.float32)
