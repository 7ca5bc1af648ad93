"""How far a job at work is, told to everybody who opens the file."""

from __future__ import annotations

import time
from collections.abc import Callable

from edgemem.records import Job
from edgemem.store import jobs
from edgemem.store.engine import Engine

EVERY_SECONDS = 0.25
"""Shortest time between two notes of the same step: each is a transaction of its own."""


class JobProgress:
    """Writes a job's progress into its row. What its earlier tries finished counts as done where they are gone on with."""

    def __init__(self, engine: Engine, user: int, job: Job) -> None:
        self._engine = engine
        self._user = user
        self._job = job
        self._told: tuple[str, float] | None = None

    def tell(self, done: int, total: int, step: str) -> None:
        """``done`` of ``total`` pieces are finished, at ``step``."""
        now = time.monotonic()
        if self._told is not None and self._told[0] == step and now < self._told[1] + EVERY_SECONDS:
            return
        self._told = (step, now)
        with self._engine.write() as tx:
            jobs.at(tx, self._user, self._job.id, done, total, step)

    def counting(self, step: str, *, on: bool = False) -> Callable[[int, int], None]:
        """Takes done and total of one step; ``on``: this try goes on where the one before stopped."""
        before = self._job.done if on else 0
        return lambda done, total: self.tell(before + done, before + total, step)

    def cancelled(self) -> bool:
        """Whether somebody took the job out of the queue."""
        with self._engine.read() as tx:
            return not jobs.is_there(tx, self._user, self._job.id)
