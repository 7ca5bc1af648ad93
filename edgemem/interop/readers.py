"""Read a file of conversations into turns, whichever of the known formats it has."""

from __future__ import annotations

import io
import itertools
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, tzinfo
from pathlib import Path
from typing import IO, Any

from edgemem.errors import InvalidInput
from edgemem.interop.lines import LineProblem, LineRefused, RawLine, decode, parse_object, raw_lines
from edgemem.interop.locomo import read_locomo, samples
from edgemem.interop.memorybank import is_memorybank, people, read_memorybank, read_people
from edgemem.interop.turnlines import read_turn_lines
from edgemem.records import Turn
from edgemem.times import zone_named

__all__ = ["Conversation", "LineProblem", "Reading", "read"]

_LOOK = 100
"""Lines looked at to tell the format."""

_KNOWN = (
    'Known formats: one turn a line, {"role": "user", "content": "…", "at": "2026-03-14T21:05:00+08:00"}; '
    "LoCoMo (as published, or JSON with speakers and sessions); MemoryBank (as published, or JSON lines with person "
    "and turns)."
)


@dataclass(frozen=True, slots=True)
class Conversation:
    """The turns of one user in order; ``user`` is None where the file names no user of its own."""

    user: str | None
    turns: list[Turn]


@dataclass(slots=True)
class Reading:
    """What was in a file. ``format`` is turns, locomo or memorybank.

    ``problems`` are the lines (or parts of them) that were left out; ``notices`` say what was assumed.
    """

    format: str
    conversations: list[Conversation] = field(default_factory=list)
    problems: list[LineProblem] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)

    @property
    def turns(self) -> list[Turn]:
        """All turns of all users, in the file's order."""
        return [turn for conversation in self.conversations for turn in conversation.turns]

    @property
    def people(self) -> dict[str, list[Turn]]:
        """The turns of each user the file names."""
        return {c.user: c.turns for c in self.conversations if c.user is not None}


def read(source: Path | IO[bytes] | bytes, *, zone: str | tzinfo | None = None) -> Reading:
    """Read conversations from a path, an open binary stream or bytes.

    ``zone`` is for timestamps that carry none. Broken lines are reported in ``problems`` and the
    rest is taken. Raises ``InvalidInput`` if the file cannot be read or its format is not known.
    """
    where = zone_named(zone) if isinstance(zone, str) else zone
    if isinstance(source, bytes):
        return _read(io.BytesIO(source), where)
    if not isinstance(source, Path):
        return _read(source, where)
    try:
        with source.open("rb") as stream:
            return _read(stream, where)
    except OSError as error:
        raise InvalidInput(f"Cannot read {source}: {error.strerror or error}.") from error


def _read(stream: IO[bytes], zone: tzinfo | None) -> Reading:
    lines = raw_lines(stream)
    head = list(itertools.islice(lines, _LOOK))
    everything: Iterator[RawLine] = itertools.chain(head, lines)
    if head and not _complete(head[0]):
        # The first line is either broken or the start of a document written over many lines.
        rest = list(everything)
        found = _document(_whole(rest), zone)
        if found is not None:
            return found
        everything = iter(rest)
    return _by_lines(head, everything, zone)


def _document(document: Any, zone: tzinfo | None) -> Reading | None:
    """What one JSON value holds that is the whole file; None if it is neither LoCoMo nor a published MemoryBank."""
    talks = samples(document)
    if talks is not None:
        return _locomo(talks, zone)
    everybody = people(document)
    return None if everybody is None else _memorybank(read_people(everybody, zone or UTC), zone)


def _by_lines(head: list[RawLine], lines: Iterator[RawLine], zone: tzinfo | None) -> Reading:
    found = _document(_value(head[0]), zone) if len(head) == 1 else None
    if found is not None:
        return found
    objects = [found for found in map(_object, head) if found is not None]
    if any(map(is_memorybank, objects)):
        return _memorybank(read_memorybank(lines, zone or UTC), zone)
    like_turns = any("role" in found or "content" in found for found in objects)
    # A file of nothing but broken lines is still ours if they try to be objects: the problems then say why.
    all_broken = not objects and any(line.data.lstrip().startswith(b"{") for line in head)
    if head and not like_turns and not all_broken:
        raise InvalidInput("This is not a conversation edgemem can read.", _KNOWN)
    return _turn_lines(lines, zone)


def _turn_lines(lines: Iterable[RawLine], zone: tzinfo | None) -> Reading:
    reading = Reading("turns", [Conversation(None, [])])
    _sort_out(read_turn_lines(lines, zone), reading.conversations[0].turns, reading.problems)
    return reading


def _locomo(talks: list[tuple[str, dict[str, Any]]], zone: tzinfo | None) -> Reading:
    """The conversations; each of several is of a user of its own, called as the sample is."""
    reading = Reading("locomo", notices=_zone_notice("LoCoMo", zone))
    several = len(talks) > 1
    for name, document in talks:
        reading.conversations.append(Conversation(name if several else None, []))
        found = read_locomo(document, zone or UTC)
        named = (replace(o, message=f"{name}, {o.message}") if isinstance(o, LineProblem) else o for o in found)
        _sort_out(named if several else found, reading.conversations[-1].turns, reading.problems)
    return reading


def _memorybank(everybody: Iterable[tuple[str, list[Turn]] | LineProblem], zone: tzinfo | None) -> Reading:
    reading = Reading("memorybank", notices=_zone_notice("MemoryBank", zone))
    seen: set[str] = set()
    for found in everybody:
        if isinstance(found, LineProblem):
            reading.problems.append(found)
        elif found[0] in seen:
            reading.notices.append(f"{found[0]} has more than one line; they were joined.")
            reading.people[found[0]].extend(found[1])
        else:
            seen.add(found[0])
            reading.conversations.append(Conversation(*found))
    return reading


def _sort_out(found: Iterable[Turn | LineProblem], turns: list[Turn], problems: list[LineProblem]) -> None:
    for one in found:
        if isinstance(one, LineProblem):
            problems.append(one)
        else:
            turns.append(one)


def _zone_notice(name: str, zone: tzinfo | None) -> list[str]:
    return [] if zone else [f"Times in {name} files have no zone; they were taken as UTC (pass --zone to change it)."]


def _object(line: RawLine) -> dict[str, Any] | None:
    try:
        return parse_object(decode(line))
    except LineRefused:
        return None


def _value(line: RawLine) -> Any:
    """The JSON value that the line is by itself; None if it is none."""
    return _whole([line])


def _complete(line: RawLine) -> bool:
    """Whether the line is a JSON value by itself."""
    return _value(line) is not None or line.data.strip() == b"null"


def _whole(lines: Iterable[RawLine]) -> Any:
    try:
        return json.loads(b"\n".join(line.data for line in lines))
    except (ValueError, RecursionError):
        return None
