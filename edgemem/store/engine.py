"""One SQLite file: how it is opened, locked, written and closed, and what its errors mean.

The driver is ``sqlcipher3`` (a current SQLite with FTS5 on every platform) where it is installed,
the standard library's ``sqlite3`` otherwise. One connection serves all threads of a process behind
a lock; other processes are kept apart by SQLite itself.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Protocol

from edgemem.errors import NewerStore, StoreBusy, StoreClosed, StoreError, StoreFull, StoreReadOnly
from edgemem.store import in_memory, row_seals
from edgemem.store.driver import driver
from edgemem.store.error_names import ErrorNames
from edgemem.store.gate import connection_class
from edgemem.store.key import Key
from edgemem.store.patience import Patience
from edgemem.store.place import can_write, make_private, tell_unfolded
from edgemem.store.process_lock import ProcessLock

Row = Any
"""One result row: columns by name or position."""


_NO_LOCKS = "win32-none" if os.name == "nt" else "unix-none"
"""SQLite's file layer that takes no locks, for a medium on which none can be taken."""


class Tx(Protocol):
    """What the table modules need of a connection inside a transaction."""

    def execute(self, sql: str, parameters: Any = ..., /) -> Any:
        """Run one statement."""

    def executemany(self, sql: str, parameters: Any, /) -> Any:
        """Run one statement for many rows."""


class Engine:
    """One open file. Thread-safe: calls of several threads take turns."""

    def __init__(self, path: Path, *, read_only: bool, busy_timeout: float, key: Key | None = None) -> None:
        self.path = path
        self.read_only = read_only
        self.key = key
        self._driver = driver()
        self._names = ErrorNames(self._driver, path, key)
        self._errors = self._names.errors
        self._lock = ProcessLock(self._forked)
        self._connection: Any = None
        self._patience = Patience(busy_timeout, self._errors)
        self._depth = 0
        self._writing = False
        self._sealing = False
        self.schema: int | None = None
        """The schema that the file has, once it is this version's; another one since then is an error."""
        self.rollbacks = 0
        """Write transactions taken back so far: what was cached inside one of them is not so."""
        self.committed: Callable[[], None] | None = None
        """Called after each durable transaction, when the lock is free again."""
        with self.errors_named():
            self._connection = self._connect(busy_timeout)
            try:
                _set_up(self._connection)
            except BaseException:
                self._connection.close()
                raise

    @property
    def sqlite_version(self) -> str:
        """Version of the SQLite library in use, for example 3.53.4."""
        return str(self._driver.sqlite_version)

    @property
    def driver_name(self) -> str:
        """Name of the DB-API module in use."""
        return self._driver.__name__.split(".")[0]

    @property
    def driver_errors(self) -> tuple[type[Exception], ...]:
        """What the bare connection raises, for code that goes on after a statement that failed."""
        return self._errors

    @contextmanager
    def read(self) -> Iterator[Tx]:
        """A consistent view of the file for the length of the block."""
        with self._lock, self.errors_named():
            connection = self._usable()
            if self._depth:
                yield connection
                return
            connection.execute("BEGIN")
            yield from self._transaction(connection)

    @contextmanager
    def write(self) -> Iterator[Tx]:
        """One durable transaction: all of the block, or nothing of it.

        Takes the write lock at once: a transaction that begins by reading cannot wait for a
        writer later, whatever the timeout.
        """
        with self._lock, self.errors_named():
            connection = self._usable()
            if self.read_only:
                raise StoreReadOnly(f"{self.path} is open for reading only.", "Open it without read_only to change it.")
            if self._depth:
                if not self._writing:
                    raise RuntimeError("a write inside a read cannot wait for another process's write")
                yield connection
                return
            # Before the transaction: taken back, it would take the triggers along.
            self._sealing = self._sealing or row_seals.watch(connection)
            self._patience.begin(connection)
            self._writing = True
            try:
                yield from self._transaction(connection)
            except BaseException:
                self.rollbacks += 1
                raise
            finally:
                self._writing = False
        if self.committed is not None:
            self.committed()

    @property
    def writing(self) -> bool:
        """Whether this thread's transaction is one that writes. Meaningful inside ``read`` and ``write`` only."""
        return self._writing

    def _transaction(self, connection: Any) -> Iterator[Tx]:
        self._depth += 1
        try:
            self._check_schema(connection)
            yield connection
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        finally:
            self._depth -= 1

    def _check_schema(self, connection: Any) -> None:
        """Another program may have upgraded the file while it was open here."""
        if self.schema is None:
            return
        found = connection.execute("PRAGMA user_version").fetchone()[0]
        if found != self.schema:
            raise NewerStore(
                f"{self.path} was upgraded by a newer edgemem (schema {found}) while it was open here.",
                "Nothing of it is lost. Close this program, pip install -U edgemem-store, and open the file again.",
            )

    def use_wal(self) -> None:
        """Switch the file to its write-ahead log. Only for a file that is known to be ours: this changes it.

        Of several processes that open a new file together, all but one find it locked, and SQLite says so
        at once here: the switch begins by reading.
        """
        with self._lock, self.errors_named():
            self._patience.run(self._usable(), "PRAGMA journal_mode=WAL")

    def leave_wal(self) -> None:
        """Fold the write-ahead log for good. Raises ``StoreBusy`` when anybody else has the file open."""
        with self._lock, self.errors_named():
            self._usable().execute("PRAGMA busy_timeout=500")
            mode = self._usable().execute("PRAGMA journal_mode=DELETE").fetchone()[0]
        if mode != "delete":
            raise StoreBusy(f"Another program has {self.path} open.", "Close it first, then try again.")

    def lock_out(self) -> None:
        """Keep everybody else from reading and writing until this is closed. After ``leave_wal``."""
        with self._lock, self.errors_named():
            self._usable().execute("PRAGMA locking_mode=EXCLUSIVE")
            self._usable().execute("BEGIN EXCLUSIVE")
            self._usable().execute("COMMIT")

    def export_to(self, target: Path, key: Key | None) -> None:
        """Write all of the file to a new one under another key, or none."""
        with self._lock, self.errors_named():
            connection = self._usable()
            # The place as a parameter; the key is hexadecimal.
            connection.execute(f'ATTACH DATABASE ? AS fresh KEY "{key.literal if key else ""}"', (str(target),))
            try:
                connection.execute("SELECT sqlcipher_export('fresh')").fetchall()
                for pragma in ("application_id", "user_version"):
                    value = connection.execute(f"PRAGMA main.{pragma}").fetchone()[0]
                    connection.execute(f"PRAGMA fresh.{pragma}={value}")
            finally:
                connection.execute("DETACH DATABASE fresh")

    def copy_to(self, target: Path) -> None:
        """Write the file's present state to a new file, compact, while others go on reading and writing."""
        with self._lock, self.errors_named():
            connection = self._usable()
            # Counts as writing, though this file is only read.
            connection.execute("PRAGMA query_only=OFF")
            try:
                connection.execute("VACUUM INTO ?", (str(target),))
            finally:
                connection.execute(f"PRAGMA query_only={int(self.read_only)}")

    def to_memory(self, change: Callable[[Tx], object]) -> None:
        """Go on with a copy of the file in memory, changed by ``change``, for a file that may only be read."""
        with self._lock, self.errors_named():
            copy = in_memory.copied(self._usable(), self._uri, self.key)
            _set_up(copy)
            row_seals.watch(copy)
            copy.execute("BEGIN")
            change(copy)
            copy.execute("COMMIT")
            copy.execute("PRAGMA query_only=ON")
            old, self._connection = self._connection, copy
            old.close()

    def raw(self) -> Any:
        """The bare connection, for migrations and checks that set their own transactions."""
        return self._usable()

    def data_version(self) -> int:
        """Changes whenever another connection has committed; own commits leave it alone."""
        with self._lock, self.errors_named():
            return int(self._usable().execute("PRAGMA data_version").fetchone()[0])

    def scrub(self, *, vacuum: bool = False, wait: float | None = None) -> bool:
        """Empty the write-ahead log, so that deleted words stand nowhere; ``vacuum`` writes the file anew first.

        False when another process was reading an older state for longer than ``wait`` seconds (None: the busy
        timeout), whose own close empties the log, or when the disk has no room for it.
        """
        with self._lock, self.errors_named():
            connection = self._usable()
            usual = connection.execute("PRAGMA busy_timeout").fetchone()[0]
            try:
                if wait is not None:
                    connection.execute(f"PRAGMA busy_timeout={int(wait * 1000)}")
                if vacuum:
                    connection.execute("VACUUM")
                return not connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
            except self._errors as error:
                if isinstance(self._names.name(error), StoreBusy | StoreFull):
                    return False
                raise
            finally:
                connection.execute(f"PRAGMA busy_timeout={usual}")

    def hurry(self) -> None:
        """Wait half a second at most for other processes from now on: on the way out nobody wants to hang."""
        with self._lock, self.errors_named():
            if self._connection is not None:
                self._patience.seconds = 0.5
                self._usable().execute("PRAGMA busy_timeout=500")

    def close(self) -> None:
        """Fold the write-ahead log into the file and let go. Idempotent; in a forked child it does nothing."""
        if self.forked:
            return  # the file is the parent's: closing it here would fold the log under its feet
        with self._lock:
            connection, self._connection = self._connection, None
            if connection is None:
                return
            try:
                if not self.read_only:
                    # Whoever holds the file now will fold the log; leaving must not wait for them.
                    connection.execute("PRAGMA busy_timeout=0")
                    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            except self._errors as error:
                tell_unfolded(self.path, str(error))
            finally:
                connection.close()

    @property
    def forked(self) -> bool:
        """Whether this is a child of the process that opened the file."""
        return self._lock.forked

    def _forked(self) -> StoreClosed:
        return StoreClosed(
            f"{self.path} was opened before this process forked.", "Open the file anew in the child process."
        )

    def _usable(self) -> Any:
        if self._connection is None:
            raise StoreClosed(f"{self.path} is closed.", "Open it again with edgemem.open().")
        return self._connection

    def _connect(self, busy_timeout: float) -> Any:
        try:
            place = self.path.resolve()
        except (OSError, RuntimeError) as error:
            # Before Python 3.13 a link that leads to itself is a RuntimeError.
            raise StoreError(f"{self.path} cannot be opened: {error}.", "Name another file with --file.") from error
        uri = f"{place.as_uri()}?{_read_mode(self.path) if self.read_only else 'mode=rwc'}"
        self._uri = uri
        if not self.read_only:
            make_private(place)
        connection = self._driver.connect(
            uri, uri=True, isolation_level=None, timeout=busy_timeout, check_same_thread=False,
            factory=connection_class(),
        )  # fmt: skip
        if self.key is not None:
            # Before anything that reads. Hexadecimal only, so nothing can be smuggled in.
            connection.execute("PRAGMA cipher_log_level=NONE")
            connection.execute(f'PRAGMA key = "{self.key.literal}"')
        connection.row_factory = self._driver.Row
        if _NO_LOCKS in uri:
            # Keeps the index of the log in memory: there is no shared memory to keep it in.
            connection.execute("PRAGMA locking_mode=EXCLUSIVE")
        if self.read_only:
            connection.execute("PRAGMA query_only=ON")
        return connection

    def errors_named(self) -> AbstractContextManager[None]:
        """Turn the driver's errors into ours, which say what to do."""
        return self._names.named()


def _read_mode(path: Path) -> str:
    """How to open a file that is only to be read.

    A write-ahead log needs its side files even for reading. Where they may be made, a connection that
    may write takes them away again when it closes. Where they may not, a writer can only be at work
    if its shared memory lies there; otherwise the file, and the log that a crash left, are read as they lie.
    """
    if can_write(path):
        return "mode=rw"
    if not path.with_name(f"{path.name}-wal").exists():
        return "mode=ro&immutable=1"
    return "mode=ro" if path.with_name(f"{path.name}-shm").exists() else f"mode=ro&vfs={_NO_LOCKS}"


def _set_up(connection: Any) -> None:
    for pragma in (
        "foreign_keys=ON",
        # Functions in a schema that somebody prepared must not run by our merely reading it.
        "trusted_schema=OFF",
        # Deleted words are overwritten, not just unlinked.
        "secure_delete=ON",
        "temp_store=MEMORY",
        # "Remembered" means on disk: NORMAL lost acknowledged commits in simulated power cuts.
        "synchronous=FULL",
    ):
        connection.execute(f"PRAGMA {pragma}")
    row_seals.install(connection)
    # Reads the header: a file that is no database is recognised here.
    connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
