"""The background work of an open file: one step of its queue, pausing it, and when it keeps quiet by itself."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING, cast

from edgemem.embedding import AT_ONCE
from edgemem.errors import EdgememError, ModelError
from edgemem.store import embedding, jobs
from edgemem.times import to_db
from edgemem.upkeep import quiet
from edgemem.view import Memory
from edgemem.write.extract import warm
from edgemem.write.learner import GRAPH_PRIORITY

if TYPE_CHECKING:
    from edgemem.memory import MemoryFile


class Work:
    """Part of an open file: its queue, and what the background does when nothing waits in it."""

    _embeds = True
    _prepares = False

    @property
    def _file(self) -> MemoryFile:
        return cast("MemoryFile", self)

    def work_once(self) -> bool:
        """Do one waiting job of any user; false when there is none to do now. The background worker's step."""
        self._file._backups.make_if_due()
        if self._file.uses.due:
            self._file.uses.flush()
        with self._file.engine.read() as tx:
            paused, idle = jobs.is_paused(tx), not jobs.any_open(tx)
        if idle and not paused:
            return self._give_vectors() or self._get_ready()
        if paused or not self._ready():
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

    def _give_vectors(self) -> bool:
        """Embed some of what was added while there was no model; false when there is nothing to do."""
        with self._file.engine.read() as tx:
            due = embedding.due(tx)
        if not due or not self._embeds or self._file.embedder_or_reason()[0] is None:
            return False
        self._embeds = False  # not again and again when it fails
        with contextlib.suppress(ModelError):
            Memory(self._file, "", due[0]).embed_missing(most=AT_ONCE)
            self._embeds = True
        return self._embeds

    def embed_missing(self, *, progress: Callable[[int, int], None] | None = None) -> int:
        """``Memory.embed_missing`` for all users; returns how many texts still have no vector."""
        return sum(self._file.user(name).embed_missing(progress=progress) for name in self._file.users())

    def prepare(self) -> None:
        """A chat begins: the background loads what reading its messages needs, so that the first is read at once."""
        if self._file.settings.background:
            self._prepares = True
            self.start_worker()

    def _get_ready(self) -> bool:
        if not self._prepares:
            return False
        self._prepares = False
        models = self._file.models
        with contextlib.suppress(EdgememError):  # whoever needs the model will say what is wrong with it
            warm(models.language_model())
            for load in (models.embedder, models.clause_judge, models.relation_judge):
                load()
        return True

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
