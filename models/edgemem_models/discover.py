"""Finds the models other programs already keep on this machine. Reads only; changes nothing.

``discover`` looks through the folders of Ollama, LM Studio, the Hugging Face cache, llama.cpp, GPT4All, Jan and
edgemem itself, reads each file's header, leaves out what cannot be used (with the reason) and lists a file that
several programs share once.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from edgemem.errors import ModelFileInvalid
from edgemem_models import discover_ollama, discover_tools
from edgemem_models.discover_base import Candidate, LeftOut, Log, Machine, gguf_files, is_unfinished
from edgemem_models.gguf_file import ModelInfo, read_header

__all__ = ["Discovery", "Found", "LeftOut", "Machine", "candidates", "discover", "quick_hash"]

_EDGE: Final = 1 << 20
_SPLIT: Final = re.compile(r"-(\d{5})-of-(\d{5})\.gguf$", re.IGNORECASE)
_OTHER_FILES: Final = re.compile(r"mmproj|(^|[-_.])clip([-_.]|$)|whisper", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Found:
    """A usable model file: whose it is, what that program calls it, its header, and where else the same file lies."""

    path: Path
    tool: str
    label: str
    info: ModelInfo
    also: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Discovery:
    """The usable models, the files left out with the reason, and notes on folders that could not be read."""

    found: tuple[Found, ...]
    left_out: tuple[LeftOut, ...]
    notes: tuple[str, ...]


def discover(
    env: Mapping[str, str],
    home: Path,
    platform: str,
    *,
    models_home: Path | None = None,
    extra: Iterable[Path] = (),
) -> Discovery:
    """Look through all known folders.

    ``env``, ``home`` and ``platform`` (as ``sys.platform``) say whose machine it is; ``models_home`` is edgemem's
    own folder; ``extra`` are more folders to walk.
    """
    log = Log()
    machine = Machine(env, home, platform)
    found = _without_twins(_usable(candidates(machine, log, models_home, extra), log))
    return Discovery(tuple(found), tuple(dict.fromkeys(log.left_out)), tuple(log.notes))


def candidates(
    machine: Machine, log: Log, models_home: Path | None = None, extra: Iterable[Path] = ()
) -> Iterator[Candidate]:
    """Every file that may be a model, edgemem's own first, without opening any."""
    if models_home is not None:
        yield from discover_tools.scan_own(models_home, log)
    for scan in (
        discover_ollama.scan,
        discover_tools.scan_lm_studio,
        discover_tools.scan_hugging_face,
        discover_tools.scan_llama_cpp,
        discover_tools.scan_gpt4all,
        discover_tools.scan_jan,
    ):
        yield from scan(machine, log)
    for folder in extra:
        yield from gguf_files(folder, str(folder), log)


def quick_hash(path: Path) -> str:
    """SHA-256 over size, first and last MiB: tells apart files of the same size without reading gigabytes."""
    size = path.stat().st_size
    digest = hashlib.sha256(str(size).encode())
    with path.open("rb") as file:
        digest.update(file.read(_EDGE))
        file.seek(max(0, size - _EDGE))
        digest.update(file.read(_EDGE))
    return digest.hexdigest()


def _usable(files: Iterable[Candidate], log: Log) -> Iterator[Found]:
    for candidate in files:
        reason = _refused_by_name(candidate.path.name)
        if reason:
            log.leave(candidate.path, candidate.tool, reason)
            continue
        try:
            info = read_header(candidate.path)
        except (ModelFileInvalid, OSError) as error:
            log.leave(candidate.path, candidate.tool, str(error))
            continue
        if info.role == "other":
            log.leave(candidate.path, candidate.tool, f"not a text model ({info.architecture})")
            continue
        yield Found(candidate.path, candidate.tool, candidate.label or candidate.path.name, info)


def _refused_by_name(name: str) -> str:
    if is_unfinished(name):
        return "unfinished download"
    if _OTHER_FILES.search(name):
        return "an image or speech part, not a text model"
    split = _SPLIT.search(name)
    if split and split.group(1) != "00001":
        return f"part {int(split.group(1))} of {int(split.group(2))}; the first part stands for all"
    return ""


def _without_twins(files: Iterable[Found]) -> list[Found]:
    """One entry for each file: same real path, or same size with the same first and last MiB."""
    kept: list[Found] = []
    paths: dict[Path, int] = {}
    sizes: dict[int, list[int]] = {}
    for found in files:
        real = found.path.resolve()
        twin = paths.get(real)
        if twin is None:
            twin = next((i for i in sizes.get(found.info.size, ()) if _same(kept[i].path, found.path)), None)
        if twin is None:
            twin = len(kept)
            kept.append(found)
            sizes.setdefault(found.info.size, []).append(twin)
        elif found.path != kept[twin].path:
            kept[twin] = replace(kept[twin], also=tuple(dict.fromkeys((*kept[twin].also, found.path))))
        paths[real] = twin
    return kept


def _same(one: Path, other: Path) -> bool:
    try:
        return quick_hash(one) == quick_hash(other)
    except OSError:
        return False
