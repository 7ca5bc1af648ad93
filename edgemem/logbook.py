"""A user's log, queue, task state, graph and upkeep: the calls of a view that are about more than memories."""

from __future__ import annotations

import logging
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final, cast

from edgemem import filters
from edgemem.errors import InvalidInput, ModelError, NotFound
from edgemem.graph import Graph
from edgemem.recall import fields
from edgemem.recall.render import estimate as estimate_tokens
from edgemem.recall.render import plain
from edgemem.records import Job, JsonValue, LoggedTurn, ProfileField, Session, StateField, Summary, Task
from edgemem.reports import Drift, Dropped, Tidied
from edgemem.session.working import State
from edgemem.store import check, jobs, memories, profile, states, summaries, tasks, traces, turns
from edgemem.store import graph as graph_rows
from edgemem.text import check_text
from edgemem.times import to_db
from edgemem.upkeep import drift, tidy
from edgemem.write import manual
from edgemem.write.folding.fold import Kept, fold
from edgemem.write.links.link import links, together
from edgemem.write.links.link_rules import BEFORE, stated, within
from edgemem.write.links.link_rules_zh import Stated
from edgemem.write.secret import masking, sealed

if TYPE_CHECKING:
    from edgemem.memory import MemoryFile
    from edgemem.store.engine import Engine


LONGEST_TITLE = 200
"""Characters of a conversation's title."""

_log = logging.getLogger(__name__)


class Logbook:
    """Part of a user's view: what was said, what waits, what a task holds, and upkeep."""

    file: MemoryFile
    _engine: Engine
    _key: int

    @abstractmethod
    def embed_missing(self, *, most: int | None = None, progress: Callable[[int, int], None] | None = None) -> int:
        """Give texts without a vector theirs: the view's own call."""

    def sessions(self, *, limit: int = 100) -> Sequence[Session]:
        """Conversations, latest first; ``limit`` 0 means all."""
        with self._engine.read() as tx:
            return turns.sessions(tx, self._key, limit)

    def rename(self, session: str, title: str) -> str:
        """Give a conversation another title (an empty one: none); returns the one it had. Raises ``NotFound`` or ``InvalidInput``."""
        text = " ".join(title.split())
        if len(check_text(text, "The title")) > LONGEST_TITLE:
            raise InvalidInput(f"A title has at most {LONGEST_TITLE} characters.", "Give it a shorter one.")
        with self._engine.write() as tx:
            before = turns.retitle(tx, self._key, session, text)
        if before is None:
            raise NotFound(f"There is no session {session!r}.", "List them with: edgemem sessions")
        return before

    def turns(self, session: str, *, last: int | None = None, before: int | None = None) -> Sequence[LoggedTurn]:
        """The turns of a session in order: all, or the ``last`` ones, of those before a position if ``before`` is given."""
        with self._engine.read() as tx:
            return turns.of_session(tx, self._key, session, last=last, before=before)

    def turn(self, session: str, turn: str) -> LoggedTurn:
        """One turn by its ids. Raises ``NotFound``."""
        with self._engine.read() as tx:
            found = turns.find(tx, self._key, session, turn)
        if found is None:
            raise NotFound(f"There is no turn {turn!r} in session {session!r}.", "List them with: edgemem sessions")
        return found

    def trace(self, trace: str) -> Sequence[JsonValue]:
        """What each step of one write saw and decided. Raises ``NotFound``."""
        with self._engine.read() as tx:
            steps = traces.get(tx, self._key, trace)
        if steps is None:
            raise NotFound(f"There is no trace {trace}.")
        return steps

    def jobs(self, *, limit: int = 100) -> Sequence[Job]:
        """Background work that is not done, newest first; failed jobs carry their error, each the message it is about."""
        with self._engine.read() as tx:
            found = jobs.listed(tx, self._key, limit)
            said = turns.by_keys(tx, self._key, [key for key in map(_turn_of, found) if key is not None])
        told = {key: _beginning(turn.content) for key, turn in said.items()}
        return [replace(job, about=told.get(_turn_of(job) or 0, "")) for job in found]

    def retry(self, job: str) -> None:
        """Queue a failed job again. Raises ``NotFound``."""
        with self._engine.write() as tx:
            if not jobs.retry(tx, self._key, job, self.file.now()):
                raise NotFound(f"There is no failed job {job}.", "List them with: edgemem jobs")
        if self.file.settings.background:
            self.file.start_worker()

    def cancel(self, job: str) -> None:
        """Take a job out of the queue for good; what it was to read stays in the log. Raises ``NotFound``.

        A job at work ends before its next step, in whichever program it runs: a message that is just being read
        leaves no memory, and what the others finished so far stays.
        """
        with self._engine.write() as tx:
            gone = jobs.cancel(tx, self._key, job)
            if gone is None:
                raise NotFound(f"There is no job {job} to be done.", "List them with: edgemem jobs list")
            if "turn" in gone.payload:
                turns.never_extract(tx, self._key, int(cast("int", gone.payload["turn"])))

    def counts(self) -> dict[str, Any]:
        """How many rows of each kind this user has."""
        with self._engine.read() as tx:
            return check.counts(tx, self._key)

    def summarize(self, session: str, *, whole: bool = False) -> Sequence[Summary]:
        """Fold the oldest turns of a conversation that are not folded yet; returns what was written.

        The latest ``settings.fold_turns`` turns stay as they are, unless ``whole`` asks for all. Without an embedding
        model the choice is coarser. Raises ``NotFound`` for a session that is not there.
        """
        size = self.file.settings.fold_turns
        with self._engine.read() as tx:
            said = turns.of_session(tx, self._key, session)
            start = summaries.folded_to(tx, self._key, session)
        if not said:
            raise NotFound(f"There is no session {session!r}.", "List them with: edgemem sessions")
        waiting = [t for t in said if t.position >= start]
        end = len(waiting) if whole else (len(waiting) - size) // size * size
        written = [self._fold(waiting[n : min(n + size, end)]) for n in range(0, end, size)]
        return [y for y in self.summaries(session) if y.id in written]

    def _fold(self, said: Sequence[LoggedTurn]) -> str | None:
        kept = self._folded(said)
        with self._engine.write() as tx:
            if summaries.folded_to(tx, self._key, said[0].session) > said[0].position:
                return None  # another process was faster
            if not turns.are_there(tx, self._key, said):
                return None  # erased meanwhile
            return summaries.add(
                tx, self._key, list(said), [(k.content, k.turns) for k in kept], to_db(self.file.clock.now())
            )

    def _folded(self, said: Sequence[LoggedTurn]) -> list[Kept]:
        embedder, _ = self.file.embedder_or_reason()
        return fold(said, None if embedder is None else self.file.models.clause_judge(), estimate_tokens, embedder)

    def check_summaries(self) -> Sequence[Drift]:
        """Sentences of summaries that are not what their messages say; none when all is well."""
        with self._engine.read() as tx:
            return list(drift.drifted(tx, self._key))

    def repair_summaries(self) -> Sequence[Drift]:
        """Fold anew what ``check_summaries`` finds fault with; returns what was wrong."""
        found = self.check_summaries()
        for key in dict.fromkeys(d.key for d in found):
            with self._engine.read() as tx:
                place = summaries.span(tx, self._key, key)
                said = [] if place is None else turns.of_session(tx, self._key, place[0])
            kept = self._folded([t for t in said if place is not None and place[1] <= t.position <= place[2]])
            with self._engine.write() as tx:
                summaries.rewrite(tx, self._key, key, [(k.content, k.turns) for k in kept])
        return found

    def summaries(self, session: str) -> Sequence[Summary]:
        """The folded parts of a conversation in order; each sentence with the ids of the turns it rests on."""
        with self._engine.read() as tx:
            return summaries.of_session(tx, self._key, session)

    def earlier(self, session: str, before: int) -> Sequence[str]:
        """Sentences that stand for the folded turns of a conversation before a position."""
        with self._engine.read() as tx:
            return [plain(y) for y in summaries.of_turns(tx, self._key, session, before)]

    @property
    def graph(self) -> Graph:
        """Who and what the user told about, and how it hangs together."""
        return Graph(self._engine, self._key, self.file.clock)

    def build_graph(
        self, *, progress: Callable[[int, int], None] | None = None, stop: Callable[[], bool] = lambda: False
    ) -> int:
        """Look through memories that are new or changed for relations; returns how many were kept.

        What is said plainly is read by rule; the language model is asked where a name is left that no rule relates.

        ``stop`` is asked before each memory; what was looked through is not looked through again. Raises ``ModelMissing``.
        """
        model = self.file.models.language_model()
        done = kept = 0
        with self._engine.read() as tx:
            total = graph_rows.unread(tx, self._key)
        while True:
            if progress is not None:
                progress(min(done, total), total)
            with self._engine.read() as tx:
                waiting = graph_rows.next_unread(tx, self._key)
            if waiting is None or stop():
                return kept
            seq, memory, content = waiting
            if memory is not None:
                said = self._stated(memory, content)
                drawn = [] if said.whole else links(model, content)
                kept += self.graph.learn(memory, together(said.links, drawn), said.names)
            with self._engine.write() as tx:
                graph_rows.mark_read(tx, self._key, seq)
            done += 1

    def _stated(self, memory: str, content: str) -> Stated:
        """What a memory states in plain words, read in the words it was told in: these have all capitals and pronouns.

        Only what its own words hold counts, for it may have been put in other words since.
        """
        with self._engine.read() as tx:
            row = memories.row(tx, self._key, memory)
            source = None if row is None else memories.record(row).source
            turn = (
                None
                if source is None or source.turn is None
                else turns.find(tx, self._key, source.session or "", source.turn)
            )
            before = [] if turn is None else turns.around(tx, self._key, turn, BEFORE)
        if source is None or turn is None or not source.quote:
            return stated(content)
        told = "\n".join([t.content for t in before if t.role == "user"] + [turn.content[: source.start or 0]])
        return within(stated(source.quote, told), content)

    @property
    def state(self) -> State:
        """Working memory: ``mem.state["task:8812"]["status"]``."""
        return State(self)

    def state_fields(self, task: str | None = None, field: str | None = None) -> Sequence[StateField]:
        """Fields of one task or of all."""
        with self._engine.read() as tx:
            return states.fields(tx, self._key, task, field)

    def tasks(self, *, archived: bool = False) -> Sequence[Task]:
        """Tasks, latest first; archived ones only when asked for."""
        with self._engine.read() as tx:
            return tasks.listed(tx, self._key, archived=archived)

    def end_task(self, task: str) -> Task:
        """The task is over; its fields stay readable for ``settings.task_days``. Raises ``NotFound``."""
        now = self.file.clock.now()
        with self._engine.write() as tx:
            tasks.end(tx, self._key, task, to_db(now), to_db(now + timedelta(days=self.file.settings.task_days)))
            found = tasks.find(tx, self._key, task)
        if found is None:
            raise NotFound(f"There is no task {task!r}.", "List them with: edgemem state list")
        return found

    def profile(self, field: str | None = None, *, reader: str | None = None) -> Sequence[ProfileField]:
        """Fields of the profile, or one of them, exactly as they were set; ``reader`` leaves out what is not for them."""
        filters.check_name(field, "field")
        filters.check_name(reader, "reader")
        with self._engine.read() as tx:
            found = profile.listed(tx, self._key)
        return [
            f for f in found if field in (None, f.field) and (reader is None or not f.readers or reader in f.readers)
        ]

    def set_profile(self, field: str, value: JsonValue, *, avoid: bool = False, readers: Sequence[str] = ()) -> None:
        """Set a field of the profile. ``avoid``: the value is what the user does not want; ``readers`` None but these.

        What is wanted and what is to be avoided are kept side by side under one name. Raises ``InvalidInput``, also for a password or the like.
        """
        for reader in readers:
            check_text(reader, "The reader")
        sealed.refuse_secret_value(field, value)
        with self._engine.write() as tx:
            profile.put(tx, self._key, fields.checked_name(field), value, self.file.now(), avoid=avoid, readers=readers)

    def unset_profile(self, field: str, *, avoid: bool = False) -> None:
        """Take a field out of the profile: one set by hand for good; the memory that tells one goes out of use, as ``forget`` does.

        Raises ``NotFound``.
        """
        with self._engine.write() as tx:
            if profile.remove(tx, self._key, field, avoid=avoid):
                return
            told = [f.memory for f in profile.listed(tx, self._key) if f.field == field and f.memory and not avoid]
            for memory in told:
                manual.forget(tx, self._key, memory, self.file.now(), "taken out of the profile")
            if not told:
                raise NotFound(f"The profile has no field {field!r}.", "List them with: edgemem profile list")

    def rules(self) -> Sequence[str]:
        """The user's standing rules for the assistant as safe single lines, pinned and most important first."""
        now = self.file.clock.now()
        with self._engine.read() as tx:
            live = memories.listed(tx, self._key, limit=0, kind="rule")
        found = [m for m in live if m.expires_at is None or m.expires_at > now]
        return [plain(m.content) for m in sorted(found, key=lambda m: (not m.pinned, -m.importance))]

    # Upkeep

    def maintain(self, *, preview: bool = False) -> Tidied:
        """Put out of use what has expired or is least valuable above the budget; ``preview`` only says what would go.

        Pinned memories stay. Each removal is a change that ``undo`` takes back. Summaries that drifted from what was
        said are folded anew, and what has no vector of the embedding model in use gets one.
        """
        self.file.uses.flush()
        now = self.file.clock.now()
        wrong = self.check_summaries() if preview else self.repair_summaries()
        if not preview:
            try:
                self.embed_missing()
            except ModelError as error:
                _log.info("texts wait for their vectors: %s", error)
        with self._engine.read() if preview else self._engine.write() as tx:
            done = tidy.tidy(tx, self._key, self.file.settings, now, preview=preview)
        redone = tuple(Dropped("summary", d.summary, d.sentence, f"folded anew: {d.reason}") for d in wrong)
        return replace(done, dropped=(*done.dropped, *redone))

    def set_state(self, task: str, field: str, value: JsonValue, *, expect: int | None = None) -> int:
        """Set a field; returns its version. ``expect`` is the version read before (0: none); else ``Conflict``.

        Raises ``InvalidInput`` for a password or the like: ``add_secret`` keeps one.
        """
        if not task.startswith(states.APP):  # what an app keeps for itself is recalled by nobody
            sealed.refuse_secret_value(field, value)
        with self._engine.write() as tx:
            return states.put(tx, self._key, task, field, value, self.file.now(), expect)


_BEGINNING: Final = 80
"""Characters of a message that tell which one it is."""


def _turn_of(job: Job) -> int | None:
    turn = job.payload.get("turn")
    return turn if isinstance(turn, int) else None


def _beginning(content: str) -> str:
    words = " ".join(masking.masked(content, masking.secret_words(content)).split())
    return words if len(words) <= _BEGINNING else words[: _BEGINNING - 1] + "…"
