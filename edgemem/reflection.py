"""A user's insights and what waits for an answer: the calls of a view that are about reflection."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING

from edgemem.errors import ModelError, NotFound
from edgemem.reports import Insight, Proposal, Reflected
from edgemem.store import insights
from edgemem.store.embedding import embed_pending
from edgemem.text import check_texts
from edgemem.upkeep import proposals
from edgemem.upkeep.proposals import Rules
from edgemem.upkeep.reflect import Minds, Reflector
from edgemem.write import conclusion, guards, verify

if TYPE_CHECKING:
    from edgemem.memory import MemoryFile
    from edgemem.store.engine import Engine


class Reflection:
    """Part of a user's view: patterns drawn from many memories, and proposals that wait for the user."""

    file: MemoryFile
    _engine: Engine
    _key: int

    def reflect(
        self, *, stop: Callable[[], bool] = lambda: False, progress: Callable[[int, int], None] = lambda *_: None
    ) -> Reflected:
        """Draw insights from what was told on several days, hold the known ones against their evidence, make proposals.

        Nothing but insights is changed: what else should change is a proposal for ``accept`` or ``reject``. Works
        without models too, and says in ``degraded`` what it then cannot see. ``stop`` is asked before each insight;
        ``progress`` is told how many of the patterns found are in words.
        """
        minds, degraded = self._minds()
        if minds.embedder is not None:
            embed_pending(self._engine, self.file.backlog, minds.embedder, self._key, "memory", stopped=stop)
        done = self._reflector(minds).reflect(stop, progress)
        if minds.embedder is not None:
            embed_pending(self._engine, self.file.backlog, minds.embedder, self._key, "insight")
        return Reflected(done.insights, done.withdrawn, done.proposals, done.refused, degraded)

    def contradictions(self, came: Collection[str]) -> Sequence[Proposal]:
        """Put to the user what memories that ``came`` from another file, and those that were here, say against each other."""
        check_texts(tuple(came), "An id")
        embedder, _ = self.file.embedder_or_reason()
        if embedder is not None:
            embed_pending(self._engine, self.file.backlog, embedder, self._key, "memory")
        relations = None if embedder is None else self.file.models.relation_judge()
        return self._reflector(Minds(None, embedder, relations)).contradict(came)

    def _reflector(self, minds: Minds) -> Reflector:
        rules = Rules(verify.negated, guards.same_numbers)
        return Reflector(self._engine, self._key, self.file.settings, self.file.clock, minds, conclusion.refusal, rules)

    def _minds(self) -> tuple[Minds, tuple[str, ...]]:
        degraded = []
        embedder, missing = self.file.embedder_or_reason()
        if embedder is None:
            degraded.append(f"Memories were not compared by meaning: {missing}")
        try:
            language = self.file.models.language_model()
        except ModelError as error:
            language = None
            degraded.append(f"Insights are in plain words: {error} {error.hint}".strip())
        relations = None if embedder is None else self.file.models.relation_judge()
        return Minds(language, embedder, relations), tuple(degraded)

    def insights(self, *, status: str = "live") -> Sequence[Insight]:
        """Insights with their evidence, surest first; ``status`` also withdrawn or rejected."""
        with self._engine.read() as tx:
            found = insights.resting(tx, self._key, self.file.now(), status=status)
            return insights.records(tx, self._key, [r.key for r in found])

    def insight(self, insight: str) -> Insight:
        """One insight by id, or a part of at least 6 characters of it. Raises ``NotFound``."""
        with self._engine.read() as tx:
            found = insights.find(tx, self._key, insight, self.file.now())
            if found is None:
                raise NotFound(f"There is no insight {insight!r}.", "List them with: edgemem insights list")
            return insights.records(tx, self._key, [found.key])[0]

    def drop_insight(self, insight: str) -> Insight:
        """An insight is wrong or unwanted: nothing uses it, and it is not drawn again. Raises ``NotFound``."""
        with self._engine.write() as tx:
            found = insights.find(tx, self._key, insight, self.file.now())
            if found is None:
                raise NotFound(f"There is no insight {insight!r}.", "List them with: edgemem insights list")
            insights.settle(tx, self._key, found.key, "rejected")
            return insights.records(tx, self._key, [found.key])[0]

    def proposals(self, *, status: str = "open") -> Sequence[Proposal]:
        """What waits for the user, oldest first; ``status`` also accepted, rejected or any."""
        with self._engine.read() as tx:
            return proposals.listed(tx, self._key, status)

    def accept(self, proposal: str) -> Proposal:
        """Do what is proposed; its ``change`` is what ``undo`` takes. Raises ``NotFound`` or ``Conflict``."""
        with self._engine.write() as tx:
            return proposals.accept(tx, self._key, proposal, self.file.clock.now())

    def reject(self, proposal: str) -> Proposal:
        """Leave things as they are; it is not proposed again. Raises ``NotFound`` or ``Conflict``."""
        with self._engine.write() as tx:
            return proposals.reject(tx, self._key, proposal, self.file.clock.now())
