"""The surface: ``open`` a file, take a user's view of it, tell it what was said, ask it what matters."""

from __future__ import annotations

import contextlib
import logging
import os
import unicodedata
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from edgemem.errors import InvalidInput, ModelError, NotAStore, StoreError, StoreReadOnly, WrongPassphrase
from edgemem.folders import default_path
from edgemem.hooks import Event, Hooks
from edgemem.ports import Clock, Embedder, FixedModels, LanguageModel, ModelProvider, SystemClock
from edgemem.receipts import Copies, Restored
from edgemem.records import Backup, Problem, Repair
from edgemem.settings import Settings
from edgemem.store import backup, check, graves, recrypt, snapshots, users, vectors
from edgemem.store.embedding import Backlog
from edgemem.store.engine import Engine
from edgemem.store.index_builder import IndexBuilder
from edgemem.store.key import Key, Unlock
from edgemem.store.migrations import migrate
from edgemem.store.scopes import ScopeCache
from edgemem.store.swap import Opener
from edgemem.text import check_path
from edgemem.times import to_db
from edgemem.upkeep.backups import AutomaticBackups
from edgemem.upkeep.uses import Uses
from edgemem.upkeep.worker import Worker
from edgemem.view import Memory
from edgemem.work import Work

if TYPE_CHECKING:
    from edgemem.store.merge import Merged

__all__ = ["Memory", "MemoryFile", "default_path", "open", "repair", "restore"]

_log = logging.getLogger(__name__)

_FACTS = ("file_id", "created_at", "segmenter")
"""What ``info`` tells of the file's own notes; the others are of no use to anybody, or nobody's business."""


def open(  # noqa: A001 - the name users know from the standard library
    path: str | os.PathLike[str] | None = None,
    *,
    language_model: LanguageModel | None = None,
    embedder: Embedder | None = None,
    provider: ModelProvider | None = None,
    settings: Settings | None = None,
    clock: Clock | None = None,
    read_only: bool = False,
    passphrase: str | None = None,
    key: Key | None = None,
) -> MemoryFile:
    """Open a memory file, making it if it is not there.

    Models are loaded the first time they are needed: ``language_model`` and ``embedder`` if given,
    else those of ``provider``, else the models installed on this machine.

    ``passphrase`` opens an encrypted file, and encrypts one that is made now; ``key`` opens one
    without the passphrase, but not the sealed values in it.

    Raises ``NotAStore``, ``NewerStore``, ``StoreReadOnly``, ``StoreBusy``, ``StoreCorrupt``,
    ``PassphraseNeeded``, ``WrongPassphrase`` or another ``StoreError``.
    """
    place = default_path() if path is None else check_path(path)
    if path is None and not read_only:
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreReadOnly(
                f"The folder {place.parent} cannot be made: {error.strerror}.", "Name another file with --file."
            ) from error
    if read_only and not place.exists():
        raise StoreError(
            f"There is no file {place}.", "Look at the name; a new file is made when it is opened to be written."
        )
    models = FixedModels(language_model, embedder, provider or _installed())
    if not read_only:
        recrypt.finish(place)
    unlock = Unlock(passphrase, key)
    if passphrase is not None and place.exists() and place.stat().st_size and unlock.key_for(place) is None:
        raise NotAStore(f"{place} is not encrypted.", "Open it without a passphrase, or encrypt it: edgemem encrypt")
    return MemoryFile(place, models, settings or Settings(), clock or SystemClock(), unlock, read_only=read_only)


def restore(
    source: str | os.PathLike[str], path: str | os.PathLike[str] | None = None, *, clock: Clock | None = None,
    passphrase: str | None = None, backup_passphrase: str | None = None, revive: bool = False,
) -> Restored:  # fmt: skip
    """Put a backup in the place of a memory file; tells where the file that was there is kept.

    What was erased from the file after the backup was made stays erased, unless ``revive``. ``path`` None is
    the default file. Nobody may have it open. ``backup_passphrase`` is for a backup that was made under another
    passphrase than the file has now. Raises ``StoreCorrupt`` or ``NotAStore`` for a backup that is not in
    order, ``WrongPassphrase`` for one of another passphrase, ``StoreBusy`` when another program has the file open.
    """
    place, source = default_path() if path is None else check_path(path), check_path(source)
    if not source.is_file():
        raise StoreError(f"There is no backup {source}.", "List them with: edgemem backup --list")
    of_file = Unlock(passphrase)
    of_backup = of_file if backup_passphrase is None else Unlock(backup_passphrase)
    try:
        of_backup.key_for(source)
    except WrongPassphrase as error:
        raise WrongPassphrase(
            f"The backup {source} was made under another passphrase.",
            "Give that one: backup_passphrase, or EDGEMEM_BACKUP_PASSPHRASE on the command line.",
        ) from error
    return backup.restore(
        source, place, _opener(of_file, Settings().busy_timeout), (clock or SystemClock()).now(),
        source_opener=_opener(of_backup, Settings().busy_timeout), revive=revive,
    )  # fmt: skip


def repair(
    path: str | os.PathLike[str] | None = None, *, clock: Clock | None = None, passphrase: str | None = None
) -> Repair:
    """Put a damaged memory file in order and say what was wrong and what was done; the original is kept beside it.

    ``path`` None is the default file. Nobody may have it open. What full text and vectors need is made
    anew from the rows. Raises ``StoreBusy``, ``NewerStore``, or ``NotAStore`` when nothing of edgemem's is in it.
    """
    place = default_path() if path is None else check_path(path)
    if not place.is_file():
        raise StoreError(f"There is no file {place}.", "Name the file with --file.")
    from edgemem.store.repair import repair as put_in_order

    opener = _opener(Unlock(passphrase), Settings().busy_timeout)
    return put_in_order(place, opener, (clock or SystemClock()).now())


def _opener(unlock: Unlock, timeout: float) -> Opener:
    def opened(path: Path, read_only: bool) -> Engine:
        return Engine(path, read_only=read_only, busy_timeout=timeout, key=unlock.key_for(path))

    return opened


def _installed() -> ModelProvider | None:
    """The provider that an installed package offers under the entry point group ``edgemem.models``."""
    from importlib.metadata import entry_points

    for entry in entry_points(group="edgemem.models"):
        loaded: ModelProvider = entry.load()()
        return loaded
    return None


class MemoryFile(Work):
    """One open file. Thread-safe; a context manager; ``close`` is idempotent."""

    def __init__(
        self, path: Path, models: ModelProvider, settings: Settings, clock: Clock, unlock: Unlock, *, read_only: bool
    ) -> None:  # fmt: skip
        self.path = path
        self.models = models
        self.settings = settings
        self.clock = clock
        self.opener = _opener(unlock, settings.busy_timeout)
        self.engine = self.opener(path, read_only)
        self.cache = ScopeCache(self.engine, settings.vector_memory, settings.exact_vectors)
        self.indexer = IndexBuilder(self.engine, self.cache)
        if settings.background:
            self.cache.on_behind = self.indexer.wake
        self.backlog = Backlog()
        self._people = users.Seen()
        self._backups = AutomaticBackups(self.engine, self.opener, settings, clock)
        self._worker = Worker(self.work_once)
        self._hooks = Hooks(self.engine)
        self.uses = Uses(self.engine)
        try:
            self.is_new = migrate(self.engine, now=self.now())
            """Whether the file was not there: of several programs that open it at once, it is new to one."""
        except BaseException:
            # What there is of a file that could not be made stays: another program may be making it just now.
            self.engine.close()
            raise

    def __enter__(self) -> MemoryFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def now(self) -> str:
        """The clock's time as database text."""
        return to_db(self.clock.now())

    def user(self, name: str, *, make: bool = True) -> Memory:
        """The hard-isolated view of one user, who is made if the name is new and ``make`` is not false.

        Letters are the same however they are composed (NFC or NFD) or joined (ZWJ, ZWNJ). Raises ``InvalidInput`` for an
        empty or impossible name, and for a new one with blanks or other characters that nobody sees.
        """
        users.check_name(name)
        with self.engine.read() as tx:
            name = users.same(tx, name)
            known = users.find(tx, name)
        if known is None and make and not self.engine.read_only:
            name = users.check_new(name)
            with self.engine.write() as tx:
                name = users.same(tx, name)
                known = users.find_or_add(tx, name, self.now(), self._people)
        # Keys begin at 1: key 0 is a user without a row, of whom there is nothing to read.
        return Memory(self, name, known or 0)

    def on(
        self, listener: Callable[[Event], object], *, kinds: Sequence[str] = (), user: str | None = None
    ) -> Callable[[], None]:
        """Call ``listener`` after each change of a memory: added, replaced, changed, removed, needs_review.

        ``kinds`` and ``user`` narrow it down. It is called after the change is on disk, in the thread
        that made it (the worker's, for what is learned in the background); an error of its own is logged
        and goes no further. Returns the call that ends it.
        """
        if user is not None:
            with self.engine.read() as tx:
                known = users.same(tx, users.check_name(user))
                user = known if users.find(tx, known) is not None else unicodedata.normalize("NFC", user)
        return self._hooks.on(listener, kinds, user)

    def use_settings(self, settings: Settings) -> None:
        """Go by other settings from now on. Views made before go on by the old ones where they hold them: take new ones."""
        self.settings = settings
        self._backups = AutomaticBackups(self.engine, self.opener, settings, self.clock)

    def users(self) -> list[str]:
        """Names of all users of the file."""
        with self.engine.read() as tx:
            return users.names(tx)

    def backup(self, to: str | os.PathLike[str] | None = None) -> Backup:
        """Write a checked copy while the file is in use; returns where it is.

        ``to`` is a new file or a folder that is there; None: the folder ``FILE-backups``. Raises
        ``StoreCorrupt`` when the file has damage, ``StoreError`` when the name is taken.
        """
        now, target = self.clock.now(), backup.folder_of(self.path) if to is None else check_path(to)
        if to is None or target.is_dir():
            target = backup.place_for(target, self.path, now)
        return Backup(target, backup.make(self.engine, target, self.opener), now, automatic=False)

    def backups(self) -> list[Backup]:
        """The backups in the folder beside the file, newest first."""
        return backup.listed(self.path)

    def copies_with_erased(self) -> Copies:
        """The backups beside the file, and what a restore or a repair put aside, that hold what was erased since."""
        with self.engine.read() as tx:
            gone = graves.known(tx)
        return Copies(*map(tuple, backup.holding(self.path, gone, self.opener, self.clock.now())))

    def merge(self, other: str | os.PathLike[str]) -> Merged:
        """Bring in what another file of the same people knows; tells what came, and what both had changed.

        All of it or nothing; again changes nothing. The other is only read. What now contradicts each other is left
        as it is and waits in the review (``Memory.proposals``). Raises ``InvalidInput`` for this very file.
        """
        from edgemem.store.merge import merge

        place = check_path(other)
        if not place.is_file():
            raise StoreError(f"There is no file {other}.", "Name the file to merge.")
        if place.samefile(self.path):
            raise InvalidInput(f"{other} is this very file.", "Name the other one.")
        with contextlib.closing(self.opener(place, True)) as theirs:
            migrate(theirs, now=self.now())
            done = merge(self.engine, theirs, self.now())
        if done.erased:
            self.engine.scrub()
        for name, came in done.came.items():
            try:
                done.contradictions += len(self.user(name).contradictions(came))
            except ModelError as error:
                _log.warning("what was merged is not compared by meaning: %s; edgemem reflect does it", error)
        return done

    def check(self) -> list[Problem]:
        """Everything wrong with the file; an empty list when all is well. Reads all of it."""
        return list(check.problems(self.engine))

    def info(self) -> dict[str, Any]:
        """Path, size in bytes, versions, row counts and vector indexes of the whole file.

        ``without_vectors`` counts memories in use and messages that have none; ``indexing`` is how many vectors the
        background has still to bring into their index.
        """
        with self.engine.read() as tx:
            meta = dict(tx.execute("SELECT key, value FROM meta").fetchall())
            facts = {key: meta[key] for key in _FACTS if key in meta} | {"sealed_values": "seal" in meta}
            counts = check.counts(tx, None)
            schema = tx.execute("PRAGMA user_version").fetchone()[0]
            indexes = snapshots.overview(tx, self.settings.exact_vectors)
            bare = vectors.missing(tx, None, None)
        return {
            "path": str(self.path.resolve()), "bytes": self.path.stat().st_size, "schema": schema, **facts, "users": self.users(),
            "counts": counts, "sqlite": self.engine.sqlite_version, "driver": self.engine.driver_name,
            "without_vectors": bare, "indexes": indexes, "indexing": sum(total - done for done, total in self.indexer.progress.copy().values()),
        }  # fmt: skip

    def build_indexes(
        self, *, anew: bool = False, progress: Callable[[int, int], None] | None = None
    ) -> list[dict[str, Any]]:
        """Bring the vector indexes of all users up to date now, on all processors; returns what ``info`` says of them.

        Only needed by who cannot wait for the background, or wants to do without it: searches are right
        all the time. ``anew`` leaves the stored ones aside. ``progress`` is called with the vectors of
        one index that are in it, and all of them. Raises ``StoreReadOnly``.
        """
        self.indexer.build_all(anew=anew, progress=progress)
        with self.engine.read() as tx:
            return snapshots.overview(tx, self.settings.exact_vectors)

    def embedder_or_reason(self) -> tuple[Embedder | None, str]:
        """The embedder, or None and a sentence on why there is none; search then goes by words."""
        try:
            return self.models.embedder(), ""
        except ModelError as error:
            return None, f"{error} {error.hint}".strip()

    def close(self) -> None:
        """Stop the worker, free the models, write what waits, make a backup if one is due, fold the file into one.

        A job at work goes back into the queue: closing its model ends what it waits for. Idempotent; in a
        forked child it does nothing.
        """
        if self.engine.forked:
            return  # the worker, the models and the file are the parent's
        try:
            self._worker.stop(timeout=0)
            self.models.close()
            self._worker.stop()
            self.engine.hurry()
            self.indexer.stop()
            self.uses.flush()
            self._backups.make_if_due()
        except StoreError:
            pass  # a use count is not worth an error on the way out
        finally:
            self.engine.close()
