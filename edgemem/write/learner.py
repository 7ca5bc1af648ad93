"""Learning for one user: capture, then each turn's memories read, compared and applied.

Model calls happen outside transactions; what they decide is applied in one.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from edgemem.embedded import embedded
from edgemem.errors import (
    Aborted,
    Conflict,
    EdgememError,
    ModelError,
    StoreBusy,
    StoreClosed,
    StoreCorrupt,
    StoreError,
    StoreFull,
    StoreReadOnly,
)
from edgemem.ids import new_id
from edgemem.ports import ClauseJudge, Clock, Embedder, LanguageModel, RelationJudge
from edgemem.records import Learned, LoggedTurn, Memory, Rejected, Turn
from edgemem.reports import Spent
from edgemem.settings import Settings
from edgemem.store import history, insights, jobs, memories, summaries, traces, turns, vectors
from edgemem.store.embedding import Backlog, embed_pending, note_due
from edgemem.store.engine import Engine, Tx
from edgemem.store.scopes import ScopeCache
from edgemem.text import printable
from edgemem.times import to_db
from edgemem.write import apply, attributes, capture, compare, fields
from edgemem.write.apply import Candidate, Meeting
from edgemem.write.attributes import Slot
from edgemem.write.pipeline import Reader, Reading
from edgemem.write.requests import requests, takeback
from edgemem.write.requests.scene import TURNS as SCENE_TURNS
from edgemem.write.secret import secrets

_log = logging.getLogger(__name__)

_NOT_ITS_FAULT = (Aborted, StoreBusy, StoreClosed, StoreFull, StoreReadOnly)
"""What stops a job for a reason that passes. Any other error of the store comes back with every try."""

PRIORITY = 100
FOLD_JOB, FOLD_PRIORITY = "fold", 90
"""Folding what a chat's window will soon no longer hold: quick, and before the reading of new messages."""

GRAPH_JOB, GRAPH_PRIORITY = "graph", 200
"""Looking through memories for relations: one job for all that wait, after everything else."""

REFLECT_JOB, REFLECT_PRIORITY = "reflect", 300
"""Drawing insights: last of all."""

COMPARE_FROM = 0.6
"""Calibrated similarity (0..1) from which a stored memory is compared with a new one."""

NEAREST = 5
"""Stored memories a new one is compared with at most."""

SCRUB_SECONDS = 0.5
"""Longest wait for another process that reads an older state, after words were erased while talking."""

Tell = Callable[[int, int, str], None]
"""Is told how far a piece of work is: done, total, and what it is at."""

ATTEMPTS = 3
"""Times a candidate is compared anew because another process changed the memory it met."""


@dataclass(frozen=True, slots=True)
class Captured:
    """A turn in the log; ``job`` is its waiting extraction, None when there is nothing (left) to extract.

    ``erased``: the ids of the turns of its session that went because it asks for that, itself among them.
    """

    turn: LoggedTurn
    job: str | None
    erased: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LoadedModels:
    """The models at work. Without an embedder nothing is compared by meaning.

    Without ``judge`` the language model is the gate, without ``relations`` it also relates memories.
    """

    language: LanguageModel
    embedder: Embedder | None = None
    judge: ClauseJudge | None = None
    relations: RelationJudge | None = None


@dataclass(frozen=True, slots=True)
class Learner:
    """The write side of one user of one open file."""

    engine: Engine
    cache: ScopeCache
    backlog: Backlog
    user: int
    settings: Settings
    clock: Clock

    def capture(self, said: Sequence[Turn], *, extract: bool, spent: Spent | None = None) -> list[Captured]:
        """Log turns and queue their extraction in one durable transaction; ``spent`` is kept with the last one.

        Raises ``InvalidInput`` before anything is written, or ``Conflict`` for a reused turn id.
        """
        given = capture.checked(said, now=self.clock.now(), max_bytes=self.settings.max_turn_bytes)
        fresh = [capture.permitted_only(turn) for turn in given]
        with self.engine.write() as tx:
            jobs.requeue_dead(tx, self._now())
            logged = turns.append(tx, self.user, fresh, extracted=0 if extract else 2)
            captured = [Captured(turn, self._queued(tx, turn, new) if extract else None) for turn, new in logged]
            self._fold_later(tx, [turn for turn, _ in logged])
            if spent is not None and logged and logged[-1][1]:
                traces.add_answer(tx, self.user, logged[-1][0].key, spent, self._now())
        return self._obeyed(captured)

    def _fold_later(self, tx: Tx, logged: Sequence[LoggedTurn]) -> None:
        """Have the oldest part folded of a conversation that has grown long."""
        size = self.settings.fold_turns
        for session in dict.fromkeys(t.session for t in logged) if self.settings.background else ():
            last = max(t.position for t in logged if t.session == session)
            if last + 1 - summaries.folded_to(tx, self.user, session) >= 2 * size:
                jobs.ensure(tx, self.user, FOLD_JOB, self._now(), FOLD_PRIORITY)

    def _obeyed(self, captured: list[Captured]) -> list[Captured]:
        """Erase what the turns just captured ask not to keep. They were safe first: a request may be half of a batch."""
        if all(requests.target(c.turn.content, None) is None for c in captured):
            return captured
        gone: set[tuple[str, str]] = set()
        obeyed = []
        with self.engine.write() as tx:
            for item in captured:
                there = (item.turn.session, item.turn.id) not in gone
                erased = takeback.obey(tx, self.user, item.turn, self._now()) if there else []
                gone |= {(item.turn.session, uid) for uid in erased}
                obeyed.append(replace(item, erased=tuple(erased)))
        self.engine.scrub(wait=SCRUB_SECONDS)
        return [replace(c, job=None) if (c.turn.session, c.turn.id) in gone else c for c in obeyed]

    def _queued(self, tx: Tx, turn: LoggedTurn, new: bool) -> str | None:
        if turn.role != "user":
            return None
        if not new:
            # Said before: a learning that was interrupted goes on where it stopped.
            return jobs.waiting_for(tx, self.user, "extract", turn.key)
        return jobs.add(tx, self.user, "extract", {"turn": turn.key}, self._now(), PRIORITY)

    def embed(self, embedder: Embedder, owner: str, stopped: Callable[[], bool] = lambda: False) -> bool:
        """Give the memories or turns (``owner``) that have none their vectors; false when that failed.

        An embedder that fails, or a disk without room for the vectors, costs the search by meaning, nothing
        else: they are in the file, found by their words, and wait for the next try.
        """
        try:
            embed_pending(self.engine, self.backlog, embedder, self.user, owner, stopped=stopped)
        except (StoreCorrupt, StoreClosed):
            raise
        except (ModelError, StoreError) as error:
            note_due(self.engine, self.backlog, self.user)
            _log.warning(
                "%s are kept, and wait for their vectors: %s", "memories" if owner == "memory" else "turns", error
            )
            return False
        return True

    def extract(
        self, key: int, models: LoadedModels, tell: Tell = lambda *_: None
    ) -> tuple[list[Learned], list[Rejected]]:
        """Take the memories of one logged turn. A turn already done gives nothing."""
        tell(0, 2, "reading a message")
        with self.engine.read() as tx:
            found = turns.by_keys(tx, self.user, [key]).get(key)
            if found is None or turns.is_extracted(tx, self.user, key):
                return [], []
            earlier = turns.around(tx, self.user, found, max(self.settings.context_turns, SCENE_TURNS))
            earlier = [*takeback.of_whole_chat(tx, self.user, found, earlier), *earlier]
        reading = Reader(models.language, models.judge, self.settings, self._known).read(found, earlier)
        tell(1, 2, "comparing it with what is known")
        learned = self._apply(found, reading, models)
        if models.embedder is not None:
            self.embed(models.embedder, "memory")
        return learned, reading.rejected

    def _known(self, names: Sequence[str]) -> bool:
        with self.engine.read() as tx:
            return memories.any_names(tx, self.user, names)

    def _apply(self, turn: LoggedTurn, reading: Reading, models: LoadedModels) -> list[Learned]:
        trace = new_id()
        for attempt in range(1, ATTEMPTS + 1):
            meetings = [self._meeting(c, turn, models, reading) for c in reading.candidates]
            try:
                return self._write(turn, reading, meetings, trace)
            except Conflict:
                if attempt == ATTEMPTS:
                    raise
        return []

    def _write(
        self, turn: LoggedTurn, reading: Reading, meetings: Sequence[Meeting | None], trace: str
    ) -> list[Learned]:
        with self.engine.write() as tx:
            if turns.is_extracted(tx, self.user, turn.key) or not turns.is_there(tx, self.user, turn):
                return []  # another process was faster, or it was erased while it was read
            if reading.take_back:
                if takeback.obey(tx, self.user, turn, self._now()):
                    return []
                takeback.unlearn(tx, self.user, turn, self._now())
            met: set[str] = set()
            learned = []
            for candidate, meeting in zip(reading.candidates, meetings, strict=True):
                # One turn may not rewrite the same memory twice: the second stands by itself.
                once = None if meeting is None or meeting.uid in met else meeting
                met |= {once.uid} if once else set()
                if candidate.slot is not None and not self._fits(tx, candidate.slot, meeting):
                    candidate = replace(candidate, slot=None)
                learned.append(apply.store(tx, self.user, turn, candidate, once, now=self._now(), trace=trace))
            secrets.wait(tx, self.user, turn, reading.secrets, self._now(), trace)
            outcomes = [{"id": item.id, "outcome": item.outcome, "content": item.content} for item in learned]
            traces.add(
                tx,
                self.user,
                trace,
                "write",
                turn.key,
                [*reading.steps, reading.timed(step="apply", items=outcomes)],
                self._now(),
            )
            turns.mark_extracted(tx, self.user, turn.key)
            if self.settings.background:
                self._queue_upkeep(tx, learned)
            return learned

    def _fits(self, tx: Tx, slot: Slot, meeting: Meeting | None) -> bool:
        """Whether words that may mean something else tell their attribute here."""
        if slot.weak:
            return meeting is not None and meeting.same_slot
        keys = memories.slots(tx, self.user, [slot.subject], [slot.attribute]) if slot.bare else []
        known = memories.live_by_keys(tx, self.user, keys, self._now())
        return not attributes.is_another(slot, [memory.value for memory in known.values()])

    def _queue_upkeep(self, tx: Tx, learned: Sequence[Learned]) -> None:
        """What there is to do about new memories when nothing else waits."""
        if self.settings.build_graph and any(x.outcome != "duplicate" for x in learned):
            jobs.ensure(tx, self.user, GRAPH_JOB, self._now(), GRAPH_PRIORITY)
        if self.settings.reflect_after and learned:
            fresh, replaced = insights.news(tx, self.user)
            if fresh >= self.settings.reflect_after or replaced:
                jobs.ensure(tx, self.user, REFLECT_JOB, self._now(), REFLECT_PRIORITY)

    def _meeting(
        self,
        candidate: Candidate,
        turn: LoggedTurn,
        models: LoadedModels,
        reading: Reading,
    ) -> Meeting | None:
        """The stored memory that the candidate repeats, refines or replaces, if there is one."""
        if (put_right := self._put_right(candidate, reading)) is not None:
            return put_right
        alike = self._of_slot(candidate, turn)
        if (settled := fields.settled(candidate, alike)) is not None:
            memory, relation = settled
            reading.note(step="compare", new=candidate.content, old=memory.content, relation=relation, by="fields")
            return Meeting(memory.id, memory.version, relation, same_slot=True)
        near: list[tuple[Memory, float | None]] = [(m, None) for m in alike if candidate.slot and candidate.slot.weak]
        if models.embedder is not None:
            found = self._nearest(candidate.content, turn, models.embedder)
            near += [one for one in found if one[0] not in [memory for memory, _ in near]]
        if models.relations is None:
            near = near[:1]  # a call of the language model for each would take too long
        pairs = [(memory.content, candidate.content) for memory, _ in near]
        verdicts = compare.relate(pairs, models.relations, lambda: models.language)
        for (memory, similarity), verdict in zip(near, verdicts, strict=True):
            reading.note(step="compare", new=candidate.content, old=memory.content, similarity=similarity,
                         relation=verdict.relation, by=verdict.by,
                         odds={k: round(v, 4) for k, v in verdict.odds.items()})  # fmt: skip
        met = [(m, v) for (m, _), v in zip(near, verdicts, strict=True) if fields.stands(v.relation, candidate, m)]
        if not met:
            return None
        # What is there already is not written again, whatever else it meets.
        memory, verdict = max(met, key=lambda one: (one[1].relation == "duplicate", one[1].odds[one[1].relation]))
        slot = candidate.slot
        same = slot is not None and (slot.subject, slot.attribute) == (memory.subject, memory.attribute)
        return Meeting(memory.id, memory.version, verdict.relation, same_slot=same)

    def _put_right(self, candidate: Candidate, reading: Reading) -> Meeting | None:
        """The memory in use that rests on the words which the candidate corrects, as it was learned: what the user wrote stays."""
        wrong = candidate.corrects
        if wrong is None:
            return None
        with self.engine.read() as tx:
            live = memories.live_of_turn(tx, self.user, wrong.turn, self._now())
            drawn = [m for m in live if fields.rests_on(m, wrong.clause) and self._as_learned(tx, m)]
        found = [(m, fields.righted(m.content, wrong)) for m in drawn]
        for memory, righted in sorted(found, key=lambda one: one[1] is None):  # first what holds the wrong value
            if (whole := fields.within(memory, wrong.clause)) or righted is not None:
                new = candidate.content if whole else righted
                reading.note(step="compare", new=new, old=memory.content, relation="conflict", by="correction")
                more = None if whole else righted
                return Meeting(memory.id, memory.version, "conflict", same_slot=True, correction=True, righted=more)
        return None

    def _as_learned(self, tx: Tx, memory: Memory) -> bool:
        """Whether a memory says what a model or a rule gave it, not what its user made of it."""
        states = (c.after for c in history.of_memory(tx, self.user, memory.id) if c.author == "model")
        return any(state is not None and state.get("content") == memory.content for state in states)

    def _of_slot(self, candidate: Candidate, turn: LoggedTurn) -> list[Memory]:
        """The stored memories that tell the same attribute of the same subject, newest first; none from this same turn."""
        told = candidate.slot
        if told is None:
            return []
        with self.engine.read() as tx:
            keys = memories.slots(tx, self.user, [told.subject], [told.attribute])
            live = memories.live_by_keys(tx, self.user, keys, self._now())
        found = [live[key] for key in keys if key in live and fields.comparable(live[key], turn)]
        return [memory for memory in found if attributes.of_same_person(told, fields.told(memory.content))]

    def _nearest(self, content: str, turn: LoggedTurn, embedder: Embedder) -> list[tuple[Memory, float]]:
        """The stored memories near in meaning, nearest first, with their similarity; none from this same turn."""
        try:
            query = embedded(embedder, [content], "passage")[0]
        except ModelError as error:
            _log.info("not compared with what is stored: %s", error)
            return []
        with self.engine.read() as tx:
            known = vectors.find_model(tx, embedder.fingerprint, len(query))
            if known is None:
                return []
            best = self.cache.nearest(tx, vectors.Scope(self.user, "memory", known), query, NEAREST)
            live = memories.live_by_keys(tx, self.user, [key for key, _ in best], self._now())
        found = [(live[key], round(embedder.calibrate(cosine), 4)) for key, cosine in best if key in live]
        return [
            (memory, similarity)
            for memory, similarity in found
            if similarity >= COMPARE_FROM and fields.comparable(memory, turn)
        ]

    def run_job(
        self, uid: str, turn: int, models: LoadedModels, tell: Tell = lambda *_: None
    ) -> tuple[list[Learned], list[Rejected], str | None]:
        """Do one leased extraction job and settle it: what was learned, refused, and the error if it failed."""
        done: list[tuple[list[Learned], list[Rejected]]] = []

        def work() -> bool:
            done.append(self.extract(turn, models, tell))
            return True

        error = self.settled(uid, work)
        return (*done[0], None) if error is None else ([], [], error)

    def settled(self, uid: str, work: Callable[[], bool]) -> str | None:
        """Do a leased job's work and settle it: done, or given back when ``work`` says there is more; the error if it failed."""
        try:
            whole = work()
        except _NOT_ITS_FAULT:
            self.give_back(uid, None)
            raise
        except EdgememError as error:
            return self._failed(uid, str(error))
        except Exception as error:
            # A fault of ours: parked with its name like any other failure, or it would be tried for ever.
            return self._failed(uid, f"{type(error).__name__}: {error}")
        except BaseException:
            self.give_back(uid, None)
            raise
        if not whole:
            self.give_back(uid, None)
            return None
        with self.engine.write() as tx:
            jobs.finish(tx, self.user, uid, self._now())
        return None

    def _failed(self, uid: str, error: str) -> str:
        with self.engine.write() as tx:
            jobs.fail(tx, self.user, uid, printable(error), self._now(), self.settings.job_attempts)
        return error

    def give_back(self, uid: str, why: str | None) -> None:
        """Put a leased job back into the queue: it is not the job's fault that it could not be done."""
        with self.engine.write() as tx:
            jobs.give_back(tx, self.user, uid, why, self._now())

    def _now(self) -> str:
        return to_db(self.clock.now())
