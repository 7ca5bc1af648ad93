"""The background work of an open file: one step of its queue, pausing it, and when it keeps quiet by itself."""

from __future__ import annotations

import time
from datetime import timedelta
from typing import TYPE_CHECKING, cast

from edgemem.errors import ModelError
from edgemem.store import jobs
from edgemem.times import to_db
from edgemem.upkeep import quiet
from edgemem.view import Memory
from edgemem.write.learner import GRAPH_PRIORITY

if TYPE_CHECKING:
    from edgemem.memory import MemoryFile

USE_SECONDS = 20.0
"""How long uses of memories are gathered before the background worker writes them."""


class Work:
    """Part of an open file: its queue."""

    @property
    def _file(self) -> MemoryFile:
        return cast("MemoryFile", self)

    def work_once(self) -> bool:
        """Do one waiting job of any user; false when there is none to do now. The background worker's step."""
        self._file._backups.make_if_due()
        if self._file._uses and time.monotonic() - self._file._uses_since > USE_SECONDS:
            self._file.flush_uses()
        with self._file.engine.read() as tx:
            idle = jobs.is_paused(tx) or not jobs.any_open(tx)
        if idle or not self._ready():
            return False
        # What nobody waits for may wait until the computer has nothing better to do.
        before = GRAPH_PRIORITY if quiet.reason(self._file.settings) else None
        with self._file.engine.write() as tx:
            jobs.requeue_dead(tx, self._file.now())
            jobs.park_vanished(tx, self._file.now(), self._file.settings.job_attempts)
            taken = jobs.take(tx, self._file.now(), self.lease_until(), self._file.settings.job_attempts, before=before)
        if taken is None:
            return False
        user, job = taken
        return Memory(self._file, "", user).run(job, stopped=lambda: self._file._worker.stopping or self.is_paused())

    def _ready(self) -> bool:
        """Whether there is a language model: without one jobs wait, and say once what for."""
        try:
            self._file.models.language_model()
        except ModelError as error:
            why = f"{error} {error.hint}".strip()
            with self._file.engine.read() as tx:
                told = jobs.all_say(tx, why)
            if not told:
                with self._file.engine.write() as tx:
                    jobs.say(tx, why, self._file.now())
            return False
        return True

    def lease_until(self) -> str:
        """When a job taken now counts as abandoned."""
        return to_db(self._file.clock.now() + timedelta(seconds=self._file.settings.job_lease))

    def start_worker(self) -> None:
        """Start (or wake) the background worker."""
        self._file._worker.wake()

    def pause_jobs(self) -> None:
        """Let the background work of this file rest, in every program, until ``resume_jobs``; also over a restart.

        A job at work stops at its next step and goes back into the queue. Messages are logged as ever.
        """
        with self._file.engine.write() as tx:
            jobs.pause(tx, paused=True)

    def resume_jobs(self) -> None:
        """Let the background work go on."""
        with self._file.engine.write() as tx:
            jobs.pause(tx, paused=False)
        if self._file.settings.background:
            self.start_worker()

    def is_paused(self) -> bool:
        """Whether the background work rests because somebody said so."""
        with self._file.engine.read() as tx:
            return jobs.is_paused(tx)

    def waiting_because(self) -> str:
        """Why background work waits, in a few words; empty when it does not.

        On battery (``Settings.wait_on_battery``) and above a load (``wait_above_load``) only the graph and
        reflection wait; memories are taken from messages all the same.
        """
        return "paused: edgemem jobs resume" if self.is_paused() else quiet.reason(self._file.settings)
