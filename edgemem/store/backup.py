"""Copies of a file: made while it is in use, checked before they count, kept a few deep."""

from __future__ import annotations

import contextlib
import glob
import itertools
import os
import re
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from edgemem.errors import StoreBusy, StoreCorrupt, StoreError, StoreReadOnly
from edgemem.receipts import Restored
from edgemem.records import Backup
from edgemem.store import check, graves, rest, swap
from edgemem.store.engine import Engine
from edgemem.store.graves import Graves
from edgemem.store.migrations import migrate
from edgemem.store.swap import Opener
from edgemem.times import to_db

_NAME = re.compile(r"(?P<stem>.+)-(?P<at>\d{8}T\d{6}Z)(?P<auto>-auto)?(?:-(?P<n>\d+))?\.edgemem")
_TIME = "%Y%m%dT%H%M%SZ"


def folder_of(path: Path) -> Path:
    """Where the backups of a file lie: a folder beside it."""
    return path.with_name(f"{path.name}-backups")


def place_for(folder: Path, path: Path, at: datetime, *, automatic: bool = False) -> Path:
    """Where in a folder a backup made at this time goes; a second one in the same second gets a number."""
    stem = f"{path.stem}-{at.astimezone(UTC).strftime(_TIME)}{'-auto' if automatic else ''}"
    names = itertools.chain([stem], (f"{stem}-{n}" for n in itertools.count(2)))
    return next(place for name in names if not (place := folder / f"{name}.edgemem").exists())


def listed(path: Path) -> list[Backup]:
    """The backups in the file's own folder, newest first."""
    found = [b for p in folder_of(path).glob("*.edgemem") if (b := _described(p)) is not None]
    return sorted(found, key=lambda b: (b.at, _number(b.path), b.path), reverse=True)


def _number(path: Path) -> int:
    match = _NAME.fullmatch(path.name)
    return int(match["n"] or 1) if match else 1


def _described(path: Path) -> Backup | None:
    match = _NAME.fullmatch(path.name)
    if match is None:
        return None
    try:
        at = datetime.strptime(match["at"], _TIME).replace(tzinfo=UTC)
        return Backup(path, path.stat().st_size, at, match["auto"] is not None)
    except (ValueError, OSError):
        return None


def make(engine: Engine, target: Path, opener: Opener) -> int:
    """Write a checked copy of an open file; returns its bytes.

    The copy appears under its name only when it is whole, on the disk and found in order. Raises
    ``StoreError`` when the name is taken, ``StoreCorrupt`` when the file has damage, which a copy
    would only carry on, ``StoreFull`` or ``StoreReadOnly`` for where it should go.
    """
    if target.exists():
        raise StoreError(f"{target} is there already.", "Name another file, or a folder.")
    with _writable(target):
        target.parent.mkdir(exist_ok=True)
    part = _part(target)
    try:
        with _writable(target):
            engine.copy_to(part)
            shutil.copymode(engine.path, part)
            verify(part, opener)
            swap.sync(part)
            part.rename(target)
            swap.sync_folder(target.parent)
    finally:
        _discard(part)
    return target.stat().st_size


def _part(target: Path) -> Path:
    """A name for a copy on its way to becoming ``target``. What a crash left of earlier ones goes."""
    for left in target.parent.glob(f".{glob.escape(target.name)}.*.part*"):
        _discard(left)
    return target.with_name(f".{target.name}.{os.getpid()}.part")


@contextlib.contextmanager
def _writable(target: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StoreReadOnly(f"{target} cannot be written: {error.strerror}.", "Name another place.") from error


def _discard(part: Path) -> None:
    with contextlib.suppress(OSError):
        for left in (part, *swap.side_files(part)):
            left.unlink(missing_ok=True)


def verify(path: Path, opener: Opener) -> None:
    """Read all of a file that nobody else has open. Raises ``StoreCorrupt`` with the first thing that is wrong."""
    with contextlib.closing(opener(path, True)) as engine:
        wrong = next((p for p in check.problems(engine) if p.area != "sqlite"), None)
    if wrong is not None:
        raise StoreCorrupt(
            f"The copy is not in order ({wrong.area}: {wrong.message}).", "Repair the file: edgemem check --repair"
        )


def due(path: Path, created: datetime, now: datetime, days: float) -> bool:
    """Whether an automatic backup should be made: the last is old enough, and the file was written since."""
    newest = next(iter(listed(path)), None)
    if now < (newest.at if newest else created) + timedelta(days=days):
        return False
    # Looking at the time of a file does not open it: no lock of SQLite's is dropped by it.
    log = path.with_name(f"{path.name}-wal")
    written = max(p.stat().st_mtime for p in (path, log) if p == path or (log.exists() and log.stat().st_size))
    return newest is None or written > newest.path.stat().st_mtime


def prune(path: Path, keep: int) -> list[Path]:
    """Remove all automatic backups but the newest ``keep``; returns those that are gone."""
    old = [b.path for b in listed(path) if b.automatic][keep:]
    for gone in old:
        gone.unlink(missing_ok=True)
    return old


def copies(path: Path) -> list[Path]:
    """Older states of a file that lie beside it: backups, and what a restore or a repair put aside."""
    aside = sorted(path.parent.glob(f"{glob.escape(path.name)}.before-*"))
    return [*(b.path for b in listed(path)), *(p for p in aside if not p.name.endswith(swap.SIDES))]


def holding(path: Path, gone: Graves, opener: Opener, now: datetime) -> tuple[list[Path], list[Path]]:
    """The copies that hold what was erased since, and those that cannot be looked into."""
    holds, closed = [], []
    for copy in copies(path):
        try:
            with contextlib.closing(opener(copy, True)) as engine:
                migrate(engine, now=to_db(now))
                with engine.read() as tx:
                    holds += [copy] if rest.remaining(tx, gone) else []
        except StoreError:
            closed.append(copy)
    return holds, closed


def restore(
    source: Path, path: Path, opener: Opener, now: datetime, *, source_opener: Opener, revive: bool
) -> Restored:  # fmt: skip
    """Put a backup in the place of a file. What was erased from the file since stays erased, unless ``revive``.

    ``source_opener`` opens the backup, which may have another passphrase. Raises ``StoreCorrupt`` for a
    backup that is not in order (nothing is changed), ``StoreBusy`` when another program has the file open.
    """
    part = _part(path)
    gone, unread = (None, "") if revive else _erased_since(source, path, source_opener, opener, now)
    try:
        with _writable(path):
            erased = _copy(source, part, source_opener, now, gone)
            swap.sync(part)
            if path.exists():
                swap.settle(path, opener)
            aside = swap.free_name(path.with_name(f"{path.name}.before-restore-{now.astimezone(UTC).strftime(_TIME)}"))
            there = path.exists()
            swap.put_in_place(part, path, aside)
    finally:
        _discard(part)
    return Restored(path, aside if there else None, erased, unread)


def _erased_since(
    source: Path, path: Path, source_opener: Opener, opener: Opener, now: datetime
) -> tuple[Graves | None, str]:  # fmt: skip
    """What the file in place knows to have been erased, if the backup is one of it; else why that cannot be told."""
    if not path.exists():
        return None, ""
    try:
        theirs, _ = _identity(source, source_opener, now)
        with swap.log_kept(path):
            ours, gone = _identity(path, opener, now)
    except StoreBusy:
        raise
    except StoreError as error:
        return None, str(error)
    return (gone if theirs == ours else None), ""


def _identity(path: Path, opener: Opener, now: datetime) -> tuple[str, Graves]:
    with contextlib.closing(opener(path, True)) as engine:
        migrate(engine, now=to_db(now))
        with engine.read() as tx:
            return tx.execute("SELECT value FROM meta WHERE key = 'file_id'").fetchone()[0], graves.known(tx)


def _copy(source: Path, part: Path, opener: Opener, now: datetime, gone: Graves | None) -> int:
    """A copy of a backup, brought to this version's schema, without what is gone, and checked; returns how much went."""
    erased = 0
    with contextlib.closing(opener(source, True)) as engine:
        engine.copy_to(part)
    with contextlib.closing(opener(part, False)) as engine:
        migrate(engine, now=to_db(now))
        if gone is not None:
            with engine.write() as tx:
                erased = rest.rest(tx, gone, to_db(now))
            engine.scrub(vacuum=bool(erased))
    verify(part, opener)
    return erased
