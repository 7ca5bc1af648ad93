"""Which tool a file came from, told by its outline, and the reader for it."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import replace
from datetime import tzinfo
from pathlib import Path
from typing import Any

from edgemem.errors import InvalidInput
from edgemem.interop import (
    chatgpt,
    claude,
    graphiti,
    langmem,
    letta,
    mcp_memory,
    mem0,
    notes_in,
    own,
    plainlog,
    readers,
)
from edgemem.interop.bundles import ZIP, joined, parts_of_folder, parts_of_zip
from edgemem.interop.found import Found, Place
from edgemem.interop.lines import LineRefused, RawLine, decode, parse_object, raw_lines
from edgemem.interop.sealed_file import is_sealed, opened
from edgemem.interop.turn_ids import identified
from edgemem.times import zone_named

FORMATS = ("edgemem", "turns", chatgpt.NAME, claude.NAME, mem0.NAME, letta.NAME, graphiti.NAME, langmem.NAME,
           mcp_memory.NAME, notes_in.NAME, plainlog.NAME, "locomo", "memorybank")  # fmt: skip
"""Names of what can be imported."""

_SQLITE = b"SQLite format 3\0"

_Reader = Callable[[Any, tzinfo | None], Found | None]

_DOCUMENTS: dict[str, _Reader] = {
    chatgpt.NAME: lambda d, _: chatgpt.read(d) if chatgpt.fits(d) else None,
    claude.NAME: lambda d, zone: claude.read(d, zone) if claude.fits(d) else None,
    letta.NAME: lambda d, zone: letta.read(d, zone) if letta.fits(d) else None,
    mem0.NAME: lambda d, zone: mem0.read(d, zone) if mem0.records(d) is not None else None,
    graphiti.NAME: lambda d, zone: graphiti.read(d, zone) if graphiti.edges(d) is not None else None,
    langmem.NAME: lambda d, zone: langmem.read(d, zone) if langmem.records(d) is not None else None,
    mcp_memory.NAME: lambda d, _: (
        mcp_memory.read_document(d) if isinstance(d, dict) and {"entities", "relations"} <= set(d) else None
    ),
}
"""Readers of single JSON documents; each gives None for what is not its own."""


def read(
    source: Path,
    *,
    form: str | None = None,
    zone: str | None = None,
    me: str | None = None,
    passphrase: str | None = None,
) -> Found | list[RawLine]:
    """Everything in a file or folder; the lines themselves for an edgemem export, which is read as it is written.

    ``form`` is one of ``FORMATS``, told from the content when None. ``zone`` is for times that
    carry none; ``me`` is the user's name in a plain log; ``passphrase`` opens an encrypted export.
    Raises ``InvalidInput``, ``PassphraseNeeded`` or ``WrongPassphrase``.
    """
    if form is not None and form not in FORMATS:
        raise InvalidInput(f"There is no format {form!r}.", f"Formats are: {', '.join(FORMATS)}.")
    where = None if zone is None else zone_named(zone)
    if source.is_dir():
        return _folder(source, form, where)
    data = _bytes(source)
    if data.startswith(ZIP):
        return _bundle(parts_of_zip(data), source, form, where)
    if is_sealed(data):
        data = opened(data, passphrase)
    if data.startswith(_SQLITE):
        return _expect(mem0.read_history(source, where), form)
    if source.suffix.lower() in (".md", ".markdown") and form in (None, notes_in.NAME):
        found = Found(notes_in.NAME)
        notes_in.read_file(source, source.name, where, found)
        return found
    return _content(data, source.stem, form, where, me)


def _folder(source: Path, form: str | None, zone: tzinfo | None) -> Found:
    parts = parts_of_folder(source) if form in (None, chatgpt.NAME, claude.NAME) else []
    return _bundle(parts, source, form, zone) if parts else _expect(notes_in.read_folder(source, zone), form)


def _bundle(parts: list[tuple[str, bytes]], source: Path, form: str | None, zone: tzinfo | None) -> Found:
    """An export of several files; what is wrong with a part is named, and the others are taken."""
    found: list[tuple[str, Found]] = []
    broken: list[tuple[str, InvalidInput]] = []
    for name, data in parts:
        try:
            one = _content(data, source.stem, form or (found[0][1].format if found else None), zone, None)
        except InvalidInput as refused:
            broken.append((name, refused))
            continue
        if isinstance(one, Found):
            found.append((name, one))
    if not found:
        raise (
            broken[0][1]
            if broken
            else InvalidInput(f"{source} is no export of another tool.", "Import its files one by one.")
        )
    whole = found[0][1] if len(parts) == 1 else joined(found)
    for name, why in broken:
        whole.leave(name, str(why).removesuffix("."))
    return whole


def _expect(found: Found, form: str | None) -> Found:
    if form not in (None, found.format):
        raise InvalidInput(f"This is {found.format}, not {form}.", "Leave --format out, and it is told by its content.")
    return found


def _bytes(source: Path) -> bytes:
    try:
        return source.read_bytes()
    except OSError as error:
        raise InvalidInput(
            f"Cannot read {source}: {error.strerror or error}.", "Name a file that can be read."
        ) from error


def _content(data: bytes, stem: str, form: str | None, zone: tzinfo | None, me: str | None) -> Found | list[RawLine]:
    if form != plainlog.NAME:
        found = _json(data, stem, form, zone)
        if found is not None:
            return found
    text = _text(data)
    if form == plainlog.NAME or (form is None and text is not None and plainlog.fits(text)):
        if text is None:
            raise InvalidInput("The log is not UTF-8.", "Save it as UTF-8 and try again.")
        return plainlog.read(text, stem, zone, me)
    broken = _broken_json(text)
    if broken is not None:
        raise InvalidInput(f"The JSON is cut or broken: {broken}.", "Fetch or export the file again.")
    if text is None and form is None:
        raise InvalidInput("This is no text in UTF-8.", f"Save it as UTF-8. Formats are: {', '.join(FORMATS)}.")
    if form is not None:
        raise InvalidInput(f"This is no {form} file.", "Leave --format out, and it is told by its content.")
    raise InvalidInput("This is no file edgemem can import.", f"Formats are: {', '.join(FORMATS)}.")


def _json(data: bytes, stem: str, form: str | None, zone: tzinfo | None) -> Found | list[RawLine] | None:
    """What JSON holds, as one document or as lines; None if it is neither, or of no format that was asked for."""
    document = _document(data)
    for name, reader in _DOCUMENTS.items():
        found = reader(document, zone) if form in (None, name) else None
        if found is not None:
            return found
    lines = list(raw_lines(io.BytesIO(data)))
    first = next((record for record in map(_object, lines[:20]) if record is not None), None)
    if first is None:
        # One document over many lines, or a list: of conversations, if anything.
        return None if document is None else _turns(data, stem, form, zone)
    if own.is_own(first) and form in (None, "edgemem"):
        return lines
    if mcp_memory.fits(first) and form in (None, mcp_memory.NAME):
        return mcp_memory.read(lines)
    records = [record for record in map(_object, lines) if record is not None] if len(lines) > 1 else []
    for name in (mem0.NAME, langmem.NAME, graphiti.NAME):
        found = _DOCUMENTS[name](records, zone) if form in (None, name) and len(records) == len(lines) else None
        if found is not None:
            return found
    return _turns(data, stem, form, zone)


def _turns(data: bytes, stem: str, form: str | None, zone: tzinfo | None) -> Found | None:
    """Conversations in the formats that ``learn`` reads too."""
    try:
        reading = readers.read(data, zone=zone)
    except InvalidInput:
        return None
    if form not in (None, reading.format):
        return None
    found = Found(reading.format, notices=list(reading.notices))
    found.left = [Place(f"line {p.line}", f"column {p.column}: {p.message}") for p in reading.problems]
    several = len(reading.conversations) > 1
    for conversation in reading.conversations:
        turns = identified(conversation.turns, stem)
        if several and conversation.user is not None:
            turns = [replace(turn, session=f"{conversation.user}/{turn.session}") for turn in turns]
        found.turns += turns
    if several:
        found.notices.append(
            f"The file holds {len(reading.conversations)} people; all go to one user. `learn` keeps them apart."
        )
    return found


def _document(data: bytes) -> Any:
    try:
        return json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return None


def _broken_json(text: str | None) -> str | None:
    """Where a text that begins as JSON ceases to be JSON, or None for another text, and for sound JSON."""
    if text is None or text.lstrip()[:1] not in ("[", "{"):
        return None
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return f"line {error.lineno}, column {error.colno}: {error.msg}"
    except (ValueError, RecursionError) as error:
        return str(error)
    return None


def _object(line: RawLine) -> dict[str, Any] | None:
    try:
        return parse_object(decode(line))
    except LineRefused:
        return None


def _text(data: bytes) -> str | None:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
