"""A cheap look at the file, once a second: what changed, whoever changed it, and how much work waits."""

from __future__ import annotations

import threading

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
        self._seq: int | None = None
        self._queue = (0, 0)
        self._lock = threading.Lock()

    def look(self) -> News | None:
        """What is new since the last look; None when nothing is. The first look only takes its bearings."""
        with self._lock:
            newest = self._memory.history(limit=1)
            seq = newest[0].seq if newest else 0
            first, known = self._seq is None, self._seq or 0
            changes = list(self._memory.history(limit=MOST)) if not first and seq > known else []
            self._seq = max(seq, known)
            fresh = [c for c in changes if c.seq > known]
            queue = self._jobs()
            moved, self._queue = queue != self._queue, queue
        if not fresh and not moved and not first:
            return None
        return News(self._paired(fresh[::-1]), *queue, left_out=len(fresh) == MOST)

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
