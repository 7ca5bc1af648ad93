"""What an export holds, in which form, and where it goes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TextIO

from edgemem import records
from edgemem.errors import InvalidInput
from edgemem.interop.writing_out import write_file


@dataclass(frozen=True, slots=True)
class Selection:
    """Which memories an export holds. ``since`` is the last change; ``status`` ``any`` is all, None what the form suggests."""

    kinds: tuple[str, ...] = ()
    namespace: str | None = None
    status: str | None = "any"
    since: datetime | None = None
    sensitive: bool = False

    @property
    def everything(self) -> bool:
        """Whether nothing is left out."""
        return not self.kinds and self.namespace is None and self.status == "any" and self.since is None

    def takes(self, memory: records.Memory) -> bool:
        """Whether a memory is in."""
        return (
            (not self.kinds or memory.kind in self.kinds)
            and self.namespace in (None, memory.namespace)
            and self.status in ("any", memory.status)
            and (self.since is None or memory.updated_at >= self.since)
        )


@dataclass(frozen=True, slots=True)
class Exported:
    """What an export wrote: records (or memories) in all, and how many of them had something masked."""

    records: int
    masked: int


FORMS = ("jsonl", "markdown", "csv", "graphml", "dot")
"""What can be exported: the whole with its history, notes to read, a table, the graph for two families of programs."""

_ENDINGS = {".csv": "csv", ".md": "markdown", ".graphml": "graphml", ".dot": "dot", ".gv": "dot"}


def form_of(target: Path | TextIO) -> str:
    """The form a target's name asks for; a stream, or a name that says nothing, gets JSON lines."""
    if not isinstance(target, Path):
        return "jsonl"
    if target.is_dir() or not target.suffix:
        return "markdown"
    return _ENDINGS.get(target.suffix.lower(), "jsonl")


def put(target: Path | TextIO, lines: Iterable[str], *, overwrite: bool, passphrase: str | None = None) -> None:
    """Write the lines to a file, encrypted if there is a passphrase, or to a stream. Raises ``InvalidInput``."""
    if isinstance(target, Path):
        write_file(target, lines, overwrite=overwrite, passphrase=passphrase)
    elif passphrase is not None:
        raise InvalidInput("An encrypted export is no text for a stream.", "Name a file for it.")
    else:
        target.writelines(lines)
