"""One user's view of a file: everything an assistant, the command line and the terminal app call."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from edgemem import filters, records
from edgemem.asking import Asking
from edgemem.duties import Duties
from edgemem.errors import NotFound, StoreFull
from edgemem.logbook import Logbook
from edgemem.overview import Overview
from edgemem.portable import Portable
from edgemem.privacy import Privacy
from edgemem.provenance import Provenance
from edgemem.records import (
    Change,
    Failed,
    JsonValue,
    Learned,
    Receipt,
    Rejected,
    Turn,
)  # fmt: skip
from edgemem.reflection import Reflection
from edgemem.reports import Spent, Split
from edgemem.session.chat import Conversation
from edgemem.store import history, jobs, memories, states
from edgemem.text import check_text
from edgemem.times import parse, to_db
from edgemem.upkeep import regroup
from edgemem.write import compare, manual, prompts
from edgemem.write.learner import Captured, Learner, LoadedModels
from edgemem.write.secret import sealed, secrets

if TYPE_CHECKING:
    from edgemem.memory import MemoryFile

Progress = Callable[[int, int], None]
"""Called with turns done and turns in all."""


class Memory(Asking, Portable, Privacy, Logbook, Overview, Reflection, Provenance, Duties):
    """One user's view. No argument of any method can reach another user's rows."""

    pipeline_version = prompts.VERSION
    """Changes whenever the write steps or their prompts do."""

    def __init__(self, file: MemoryFile, name: str, key: int) -> None:
        self.file = file
        self.name = name
        self._key = key
        self._engine = file.engine
        self._learner = Learner(file.engine, file.cache, file.backlog, key, file.settings, file.clock)

    # Writing

    def add(
        self, content: str, *, kind: str = "fact", namespace: str | None = None, importance: float | None = None,
        expires: datetime | None = None, pinned: bool = False, data: Mapping[str, JsonValue] | None = None,
        subject: str | None = None, attribute: str | None = None, value: str | None = None, avoid: bool = False,
    ) -> str:  # fmt: skip
        """Store a sentence as it is, without a model; returns its id.

        ``subject`` ("user" for the user), ``attribute`` and ``value`` say in fields what it is about; ``avoid`` that the
        value is not wanted. A question that names subject and attribute finds it by them. The same words are stored once. Raises ``InvalidInput``, also for a password or the like: ``add_secret`` keeps it.
        """
        text = manual.checked_content(content)
        sealed.refuse_secret(text)
        sealed.refuse_secret_value(attribute or "", value)
        sealed.refuse_secret_value("", data)
        filters.check_name(namespace, "namespace")
        ends = None if expires is None else to_db(parse(expires))
        with self._engine.write() as tx:
            uid, _ = manual.add(
                tx, self._key, text, kind, self.file.now(), namespace=namespace, importance=importance, pinned=int(pinned),
                expires_at=ends, data=states.as_json(dict(data)) if data else None, polarity=-1 if avoid else None,
                **manual.slot(subject, attribute, value),
            )  # fmt: skip
        self._embed("memory")
        return uid

    def log(self, said: Sequence[Turn], *, spent: Spent | None = None) -> tuple[str, ...]:
        """Put turns into the raw log only, without looking for memories; returns their ids.

        ``spent`` is what a model needed for the last of them; ``statistics`` adds it up.
        """
        captured = self._learner.capture(said, extract=False, spent=spent)
        self._embed("turn")
        return tuple(c.turn.id for c in captured)

    def observe(self, said: Sequence[Turn]) -> tuple[str, ...]:
        """Put turns into the log, durably, and let the background worker take their memories; returns their ids."""
        captured = self._learner.capture(said, extract=True)
        if self.file.settings.background:
            self.file.start_worker()
        return tuple(c.turn.id for c in captured)

    def learn(
        self,
        said: Sequence[Turn],
        *,
        progress: Progress | None = None,
        on_learned: Callable[[Learned], None] | None = None,
    ) -> Receipt:
        """Put turns into the log, durably, then take their memories now.

        Raises ``InvalidInput`` before anything is written, ``ModelMissing`` after the turns are
        safe in the log (their extraction waits in the queue), ``Aborted`` likewise.
        """
        start = time.perf_counter()
        captured = self._learner.capture(said, extract=True)
        try:
            learned, rejected, failed = self._take(captured, progress, on_learned)
        except StoreFull as error:
            told = f"The messages are in the log, and what is not yet taken from them waits in the queue. {error}"
            raise StoreFull(told, error.hint) from error
        ids = tuple(c.turn.id for c in captured)
        gone = tuple(uid for c in captured for uid in c.erased)
        return Receipt(ids, tuple(learned), tuple(rejected), tuple(failed), round(time.perf_counter() - start, 3), gone)

    def _take(
        self, captured: Sequence[Captured], progress: Progress | None, on_learned: Callable[[Learned], None] | None
    ) -> tuple[list[Learned], list[Rejected], list[Failed]]:
        """Take the memories of turns that are in the log."""
        models = self._loaded()
        if models.embedder is not None:
            self._learner.embed(models.embedder, "turn")
        learned: list[Learned] = []
        rejected: list[Rejected] = []
        failed: list[Failed] = []
        for n, item in enumerate(captured):
            if progress is not None:
                progress(n, len(captured))
            if item.job is None or not self._lease(item.job):
                continue
            found, refused, error = self._learner.run_job(item.job, item.turn.key, models)
            learned += found
            rejected += refused
            failed += [Failed(item.turn.id, error, item.job)] if error else []
            for one in found if on_learned is not None else ():
                on_learned(one)  # type: ignore[misc]
        if progress is not None:
            progress(len(captured), len(captured))
        return learned, rejected, failed

    def _loaded(self) -> LoadedModels:
        """The models that learning needs. Raises ``ModelMissing`` or another ``ModelError`` without a language model."""
        language = self.file.models.language_model()
        embedder, _ = self.file.embedder_or_reason()
        if embedder is None:
            return LoadedModels(language)
        return LoadedModels(language, embedder, self.file.models.clause_judge(), self.file.models.relation_judge())

    def _lease(self, job: str) -> bool:
        with self._engine.write() as tx:
            return jobs.lease(tx, self._key, job, self.file.now(), self.file.lease_until())

    def chat(self, session: str | None = None, *, remember: bool = True) -> Conversation:
        """A conversation with the local model, with this memory behind it. Raises ``ModelMissing``."""
        filters.check_name(session, "session")
        name = session or self.file.clock.now().isoformat(timespec="seconds")
        model = self.file.models.language_model()
        if remember:
            self.file.prepare()
        return Conversation(self, model, name, remember)

    # Changing

    def edit(
        self, memory: str, content: str, *, expect: int | None = None, data: Mapping[str, JsonValue] | None = None
    ) -> str:
        """Change the words of a memory, and with ``data`` what is kept with it; returns the change's id.

        Raises ``NotFound`` or ``Conflict``; ``InvalidInput`` as ``add`` does, also for a password or the like.
        """
        fields = {"content": manual.checked_content(content)}
        sealed.refuse_secret(content)
        sealed.refuse_secret_value("", data)
        if data is not None:
            fields["data"] = states.as_json(dict(data))
        with self._engine.write() as tx:
            change = manual.edit(tx, self._key, self.resolve(memory), self.file.now(), expect=expect, **fields)
        self._embed("memory")
        return change

    def pin(self, memory: str, *, pinned: bool = True) -> str:
        """Keep a memory from ever being dropped; returns the change's id."""
        with self._engine.write() as tx:
            return manual.edit(tx, self._key, self.resolve(memory), self.file.now(), pinned=int(pinned))

    def confirm(self, memory: str) -> str:
        """A doubtful memory (status ``review``) is true: it is used from now on; returns the change's id. A secret is kept
        sealed, for which the file needs a passphrase. Raises ``Conflict``, ``InvalidInput`` or ``PassphraseNeeded``."""
        with self._engine.write() as tx:
            return secrets.confirm(tx, self._key, self.file.engine.key, self.resolve(memory), self.file.now())

    def forget(self, memory: str, *, reason: str = "forgotten by hand") -> str:
        """Take a memory out of use; returns the change's id, with which ``undo`` brings it back."""
        check_text(reason, "The reason")
        with self._engine.write() as tx:
            return manual.forget(tx, self._key, self.resolve(memory), self.file.now(), reason)

    def undo(self, change: str) -> list[str]:
        """Take back a change and those decided with it; returns the ids of the changes that did so."""
        with self._engine.write() as tx:
            done = manual.undo(tx, self._key, change, self.file.now())
        self._embed("memory")
        return done

    def join(self, memory: str, *others: str, content: str | None = None) -> str:
        """Make one memory stand for several that say the same; returns the change's id, with which ``undo`` parts them.

        It says ``content``, or what it said before. Raises ``InvalidInput``, ``NotFound``, or ``Conflict`` when one of
        them is out of use or sealed.
        """
        words = None if content is None else manual.checked_content(content)
        sealed.refuse_secret(words or "")
        uids = [self.resolve(one) for one in (memory, *others)]
        with self._engine.write() as tx:
            change = regroup.join(tx, self._key, uids, words, self.file.now())
        self._embed("memory")
        return change

    def split(self, memory: str, parts: Sequence[str]) -> Split:
        """Make several memories of one, with the same source; the first of the sentences keeps the id.

        ``undo`` with the change takes it back. Raises ``InvalidInput``, ``NotFound`` or ``Conflict`` as ``join`` does.
        """
        words = [manual.checked_content(part) for part in parts]
        for part in words:
            sealed.refuse_secret(part)
        uid = self.resolve(memory)
        with self._engine.write() as tx:
            done = regroup.split(tx, self._key, uid, words, self.file.now())
        self._embed("memory")
        return done

    # Reading

    def resolve(self, memory: str) -> str:
        """The full id for a full id, or for a part of at least 6 characters.

        Raises ``NotFound`` when none or several of this user's memories fit.
        """
        with self._engine.read() as tx:
            if memories.row(tx, self._key, memory) is not None:
                return memory
            found = memories.find_part(tx, self._key, memory) if len(memory) >= 6 else []
        if len(found) == 1:
            return found[0]
        why = f"Several memories fit {memory!r}." if found else f"There is no memory {memory!r}."
        raise NotFound(why, "List them with: edgemem list (6 characters of an id are enough)")

    def get(self, memory: str) -> records.Memory:
        """One memory by id. Raises ``NotFound``."""
        uid = self.resolve(memory)
        with self._engine.read() as tx:
            return memories.record(memories.row(tx, self._key, uid))

    def saying(self, content: str) -> records.Memory | None:
        """The memory in use that has just these words (but for case, width and closing dots), or None."""
        check_text(content, "The text")
        with self._engine.read() as tx:
            row = memories.live_with_hash(tx, self._key, content)
            return None if row is None else memories.record(row)

    def list(
        self,
        *,
        limit: int = 100,
        offset: int = 0,
        kind: str | None = None,
        namespace: str | None = None,
        status: str = "live",
    ) -> list[records.Memory]:
        """Memories, latest change first; ``limit`` 0 means all, ``status`` ``any`` also those out of use."""
        filters.check_list(kind, namespace, status, limit, offset)
        with self._engine.read() as tx:
            return memories.listed(
                tx, self._key, limit=limit, offset=offset, kind=kind, namespace=namespace, status=status
            )

    def history(self, memory: str | None = None, *, limit: int = 50) -> Sequence[Change]:
        """Changes of one memory, oldest first; or of all, newest first."""
        if memory is None:
            with self._engine.read() as tx:
                return history.latest(tx, self._key, limit)
        uid = self.resolve(memory)
        with self._engine.read() as tx:
            return history.of_memory(tx, self._key, uid)

    def relate(self, old: str, new: str) -> tuple[str, dict[str, float]]:
        """How a new memory relates to an old one, and the probabilities of all four relations."""
        for words in (old, new):
            check_text(words, "The text")
        models = self.file.models
        _, missing = self.file.embedder_or_reason()
        judge = None if missing else models.relation_judge()
        verdict = compare.relate([(old, new)], judge, models.language_model)[0]
        return verdict.relation, {str(relation): share for relation, share in verdict.odds.items()}
