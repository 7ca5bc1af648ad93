"""A cheap look at the file, once a second: what changed, whoever changed it, and how much work waits."""

from __future__ import annotations

import threading

from edgemem.browse import MemoryFilter
from edgemem.errors import NotFound
from edgemem.records import Change, Memory
from edgemem.view import Memory as View
from edgemem_tui.messages import News

MOST = 50
"""Changes shown from one look; after an import of thousands the rest is left to the memory list."""


class Watch:
    """Remembers the newest change seen. ``look`` runs in worker threads."""

    def __init__(self, memory: View) -> None:
        self._memory = memory
        self._stamp: tuple[int, int] | None = None
        self._seq: int | None = None
        self._lock = threading.Lock()

    def look(self) -> News | None:
        """What is new since the last look; None when nothing is. The first look only takes its bearings."""
        with self._lock:
            stamp = self._memory.stamp()
            if stamp == self._stamp:
                return None
            self._stamp = stamp
            fresh = self._fresh()
            waiting, failed = self._jobs()
            left_out = len(fresh) == MOST
            doubtful = self._memory.browse(MemoryFilter(status="review"), limit=1).total
            reviews = doubtful + len(self._memory.graph.reviews()) + len(self._memory.proposals())
            return News(self._paired(fresh[::-1]), waiting, failed, left_out, moved=True, reviews=reviews)

    def _fresh(self) -> list[Change]:
        newest = self._memory.history(limit=1)
        seq = newest[0].seq if newest else 0
        first, known = self._seq is None, self._seq or 0
        changes = list(self._memory.history(limit=MOST)) if not first and seq > known else []
        self._seq = max(seq, known)
        return [c for c in changes if c.seq > known]

    def _jobs(self) -> tuple[int, int]:
        jobs = self._memory.jobs()
        failed = sum(job.status == "failed" for job in jobs)
        return len(jobs) - failed, failed

    def _paired(self, changes: list[Change]) -> tuple[tuple[Change, Memory], ...]:
        pairs = []
        for change in changes:
            try:
                pairs.append((change, self._memory.get(change.memory)))
            except NotFound:
                continue  # erased since
        return tuple(pairs)
