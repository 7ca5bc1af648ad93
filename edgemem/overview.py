"""The part of a user's view for whoever looks through it: pages, figures, what was believed when."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from edgemem import filters
from edgemem.browse import ORDERS, Believed, MemoryFilter, MemoryPage, Statistics
from edgemem.errors import InvalidInput
from edgemem.store import listing
from edgemem.times import parse, to_db

if TYPE_CHECKING:
    from edgemem.memory import MemoryFile
    from edgemem.store.engine import Engine


class Overview:
    """Calls of ``Memory`` that only look."""

    file: MemoryFile
    _engine: Engine
    _key: int

    def stamp(self) -> tuple[int, int]:
        """Two numbers of which one changes whenever something in the file does, whoever's it is, here or in another program.

        Costs next to nothing.
        """
        with self._engine.read() as tx:
            others, own = (tx.execute(q).fetchone()[0] for q in ("PRAGMA data_version", "SELECT total_changes()"))
        return int(others), int(own)

    def browse(self, wanted: MemoryFilter | None = None, *, limit: int = 200, offset: int = 0) -> MemoryPage:
        """A page of the memories that pass a filter, and how many pass it; ``limit`` 0 means all from ``offset`` on.

        Raises ``InvalidInput`` for an order, a kind or a status that there is not, and for negative numbers.
        """
        wanted = wanted or MemoryFilter()
        if wanted.order not in ORDERS:
            raise InvalidInput(f"There is no order {wanted.order!r}.", f"Orders are: {', '.join(ORDERS)}.")
        filters.check_list(wanted.kind, wanted.namespace, wanted.status, limit, offset)
        with self._engine.read() as tx:
            return listing.page(tx, self._key, wanted, limit, offset)

    def believed(self, at: datetime, *, limit: int = 200, offset: int = 0) -> Believed:
        """What was in use at a moment, latest change first, each memory as it was then; ``limit`` 0 means all.

        It is drawn from the history: what was erased since is not in it. Raises ``InvalidInput`` for a time without zone.
        """
        moment = to_db(parse(at))
        with self._engine.read() as tx:
            return listing.believed(tx, self._key, moment, limit, offset)

    def statistics(self) -> Statistics:
        """Figures on this user's memory: kinds, growth by day, confidence, use."""
        size = self.file.path.stat().st_size
        with self._engine.read() as tx:
            return listing.statistics(tx, self._key, size)
