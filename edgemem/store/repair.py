"""Repair: a copy is made of what can be read, put in order, checked, and takes the file's place. The original stays."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from edgemem.errors import (
    NewerStore,
    NotAStore,
    PassphraseNeeded,
    StoreBusy,
    StoreError,
    StoreFull,
    StoreReadOnly,
    WrongPassphrase,
)
from edgemem.records import Problem, Repair
from edgemem.store import backup, check, migrations, swap
from edgemem.store.engine import Engine
from edgemem.store.mend import Mended, mend
from edgemem.store.migrations import migrate
from edgemem.store.salvage import Salvaged, salvage
from edgemem.store.spares import Spares
from edgemem.store.swap import Opener
from edgemem.text import counted
from edgemem.times import to_db


def repair(path: Path, opener: Opener, now: datetime) -> Repair:
    """Put a damaged file in order; a file that is in order is left alone.

    Raises ``StoreBusy`` while another program has it open, ``NewerStore`` for a file of a newer
    version, ``NotAStore`` when nothing of edgemem's is in it, ``StoreFull`` and the like when the copy
    cannot be written. The file is then as it was.
    """
    found = find(path, opener)
    if not any(p.area != "sqlite" for p in found):
        return Repair(path, None, tuple(found), (), (), ())
    readable = not any(p.area == "integrity" for p in found)
    folded = swap.settle(path, opener)
    part = path.with_name(f".{path.name}.repaired")
    with _cleared(part, path.with_name(f".{path.name}.damaged")) as scratch:
        mended = _copy(path, part, scratch, opener, now, readable=readable and folded)
        left = find(part, opener)
        swap.sync(part)
        aside = swap.free_name(path.with_name(f"{path.name}.before-repair-{now.astimezone(UTC):%Y%m%dT%H%M%SZ}"))
        swap.put_in_place(part, path, aside)
    return Repair(path, aside, tuple(found), tuple(mended.done), tuple(mended.lost), tuple(left))


def find(path: Path, opener: Opener) -> list[Problem]:
    """What is wrong with a file, also when it cannot be opened. Raises ``StoreBusy`` and ``NewerStore``."""
    try:
        with contextlib.closing(opener(path, True)) as engine:
            _refuse_newer(engine)
            return list(check.problems(engine))
    except (StoreBusy, NewerStore, PassphraseNeeded, WrongPassphrase):
        raise
    except StoreError as error:
        return [Problem("integrity", str(error), "Repair it: edgemem check --repair")]


def _refuse_newer(engine: Engine) -> None:
    with engine.read() as tx, contextlib.suppress(*engine.driver_errors, UnicodeDecodeError):
        # The number alone may be damage; the list of steps says who wrote the file.
        unknown = migrations.unknown_steps(tx)
        if unknown:
            raise NewerStore(
                f"{engine.path} was written by a newer edgemem ({unknown[0]}).", "Upgrade: pip install -U edgemem-store"
            )


@contextlib.contextmanager
def _cleared(*paths: Path) -> Iterator[Path]:
    def clear() -> None:
        for path in paths:
            for left in (path, *swap.side_files(path)):
                left.unlink(missing_ok=True)

    clear()
    try:
        yield paths[-1]
    finally:
        clear()


def _copy(path: Path, part: Path, scratch: Path, opener: Opener, now: datetime, *, readable: bool) -> Mended:
    if readable:
        try:
            with contextlib.closing(opener(path, True)) as engine:
                engine.copy_to(part)
            return _mended(path, part, opener, now, None)
        except (StoreBusy, StoreFull, StoreReadOnly):
            raise
        except StoreError:  # the schema itself is not what it should be: only the rows are taken
            for left in (part, *swap.side_files(part)):
                left.unlink(missing_ok=True)
    return _mended(path, part, opener, now, scratch)


def _mended(path: Path, part: Path, opener: Opener, now: datetime, scratch: Path | None) -> Mended:
    """Bring ``part`` to this version's schema, fill it from the damaged file if it is new, put it in order."""
    notes, found = list[str](), None
    with contextlib.closing(opener(part, False)) as fresh:
        migrate(fresh, now=to_db(now))
        if scratch is not None:
            found = salvage(path, fresh, opener, scratch)
            notes = _told(path, found)
        with _spares(path, fresh, opener) as spares:
            last = None if found is None else found.last_change
            mended = mend(fresh, spares, to_db(now), last_change=last, salvaged=found is not None)
        fresh.leave_wal()
    return Mended(notes + mended.done, mended.lost)


def _told(path: Path, found: Salvaged) -> list[str]:
    if not found.rows["user"] + found.rows["memory"] + found.rows["turn"]:
        raise NotAStore(f"Nothing of edgemem's can be found in {path}.", "Restore a backup: edgemem restore latest")
    notes = [f"read {counted(n, 'row')} of {table}" for table, n in sorted(found.rows.items()) if n]
    notes += [
        f"left out what does not fit: {counted(n, 'row')} of {table}" for table, n in sorted(found.refused.items())
    ]
    if found.torn:
        notes.append(f"read page by page what could not be read through: {', '.join(found.torn)}")
    return notes


@contextlib.contextmanager
def _spares(path: Path, fresh: Engine, opener: Opener) -> Iterator[Spares]:
    with fresh.read() as tx:
        row = tx.execute("SELECT value FROM meta WHERE key = 'file_id'").fetchone()
    spares = Spares(_backups(path), opener, None if row is None else row[0])
    try:
        yield spares
    finally:
        spares.close()


def _backups(path: Path) -> Sequence[Path]:
    return [b.path for b in backup.listed(path)]
