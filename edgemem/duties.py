"""The background jobs of one user: what each kind does, how far it is, and when it stops."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from edgemem.errors import ModelError
from edgemem.records import Job
from edgemem.store import graph as graph_rows
from edgemem.store import jobs, summaries
from edgemem.upkeep.progress import JobProgress
from edgemem.write.learner import FOLD_JOB, GRAPH_JOB, GRAPH_PRIORITY, REFLECT_JOB, Learner

if TYPE_CHECKING:
    from edgemem.memory import MemoryFile
    from edgemem.store.engine import Engine
    from edgemem.view import Memory


class Duties:
    """Part of a user's view: doing one job that was leased for the user."""

    file: MemoryFile
    _engine: Engine
    _key: int
    _learner: Learner

    @property
    def _memory(self) -> Memory:
        return cast("Memory", self)

    def run(self, job: Job, stopped: Callable[[], bool]) -> bool:
        """Do one job that was leased for this user; false when it must wait. The background worker calls it."""
        try:
            models = self._memory._loaded()
        except ModelError as error:
            # Not the job's fault: it waits for a model, and says so.
            self._learner.give_back(job.id, f"{error} {error.hint}")
            return False
        far = JobProgress(self._engine, self._key, job)

        def stop() -> bool:
            return stopped() or far.cancelled()

        if models.embedder is not None:
            self._learner.embed(models.embedder, "turn", stop)
        if stop():
            self._learner.give_back(job.id, None)
            return False
        if job.kind == GRAPH_JOB:
            self._learner.settled(job.id, lambda: self._graph_until(stop, far))
        elif job.kind == REFLECT_JOB:
            self._learner.settled(job.id, lambda: self._reflected(stop, far))
        elif job.kind == FOLD_JOB:
            self._learner.settled(job.id, lambda: self._fold_all(stop, far))
        else:
            self._learner.run_job(job.id, int(job.payload["turn"]), models, far.tell)
        return True

    def _reflected(self, stop: Callable[[], bool], far: JobProgress) -> bool:
        self._memory.reflect(stop=stop, progress=far.counting("putting patterns in words"))
        return not stop()

    def _fold_all(self, stop: Callable[[], bool], far: JobProgress) -> bool:
        """Fold every conversation that has grown long; false when it was stopped before the last."""
        with self._engine.read() as tx:
            long = summaries.long_unfolded(tx, self._key, 2 * self.file.settings.fold_turns)
        count = far.counting("summing up long chats", on=True)
        for n, session in enumerate(long):
            count(n, len(long))
            if stop():
                return False
            self._memory.summarize(session)
        return True

    def _graph_until(self, stopped: Callable[[], bool], far: JobProgress) -> bool:
        """Build the graph until something more urgent waits; true when nothing is left to look through."""

        def stop() -> bool:
            with self._engine.read() as tx:
                waits = jobs.any_before(tx, GRAPH_PRIORITY)
            return waits or stopped()

        self._memory.build_graph(stop=stop, progress=far.counting("looking through memories for relations", on=True))
        with self._engine.read() as tx:
            return not graph_rows.unread(tx, self._key)
