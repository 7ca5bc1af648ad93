"""Exports that come as a folder or zip of several files: conversations, in one file or in numbered ones, and memories."""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from edgemem.errors import InvalidInput
from edgemem.interop.found import Found

ZIP = b"PK\x03\x04"
"""How a zip begins, a cut one too."""

_PARTS = re.compile(r"(?:.*/)?(?:conversations(?:-\d+)?\.json|memories\.json|memories/[^/]+\.json)$")


def parts_of_folder(folder: Path) -> list[tuple[str, bytes]]:
    """Name and content of each part of an unpacked export, conversations first; none where the folder is no export."""
    inside = {path.relative_to(folder).as_posix(): path for path in folder.glob("*.json")}
    inside |= {path.relative_to(folder).as_posix(): path for path in folder.glob("memories/*.json")}
    names = _chosen(inside)
    return [(name, inside[name].read_bytes()) for name in names]


def parts_of_zip(data: bytes) -> list[tuple[str, bytes]]:
    """The same of a zip, wherever in it the parts lie. Raises ``InvalidInput`` for one that holds none or cannot be read."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = _chosen(archive.namelist())
            found = [(name, archive.read(name)) for name in names]
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise InvalidInput(
            f"The zip cannot be read: {error}.", "Fetch it again, or unpack it with another tool."
        ) from error
    if not found:
        raise InvalidInput("The zip holds no conversations.json.", "Unpack it, and import the file you mean.")
    return found


def _chosen(names: Iterable[str]) -> list[str]:
    fit = sorted(name for name in names if _PARTS.match(name) and not name.startswith("__MACOSX/"))
    conversations = [name for name in fit if Path(name).name.startswith("conversations")]
    return conversations + [name for name in fit if name not in conversations] if conversations else []


def joined(found: list[tuple[str, Found]]) -> Found:
    """What all parts hold, in their order; each strange record with the part it stands in. Not for an empty list."""
    whole = Found(found[0][1].format)
    known: set[str] = set()
    for name, part in found:
        whole.turns += part.turns
        whole.notes += [note for note in part.notes if note.id not in known]
        known |= {note.id for note in part.notes}
        whole.titles |= part.titles
        whole.left += [replace(place, where=f"{name}, {place.where}") for place in part.left]
        whole.notices += [f"{name}: {notice}" for notice in part.notices]
    return whole
