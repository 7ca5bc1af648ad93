"""Finding a pinned file of the catalogue in another program's folder: by size first, by SHA-256 before it is used."""

from __future__ import annotations

from pathlib import Path

from edgemem_models.catalog import Build
from edgemem_models.discover import candidates
from edgemem_models.discover_base import Log, Machine, is_unfinished
from edgemem_models.progress import Meter
from edgemem_models.verified import Verified


def find_elsewhere(build: Build, home: Path, machine: Machine, log: Log, meter: Meter | None = None) -> Path | None:
    """A file with exactly the bytes of ``build``, or None. Only pinned builds can be told apart, others give None.

    A file of the right size is hashed once; ``verified.json`` in ``home`` remembers the result.
    """
    if build.sha256 is None or build.size is None:
        return None
    verified = Verified(home)
    for candidate in candidates(machine, log):
        path = candidate.path
        try:
            if is_unfinished(path.name) or path.stat().st_size != build.size:
                continue
            if meter is not None and verified.known(path) is None:
                meter.begin("checking", build.size)
            if verified.sha256(path, meter.at if meter else None) == build.sha256:
                return path
        except OSError as error:
            log.note(f"{candidate.tool}: {path} cannot be read ({error.strerror or error}).")
    return None
