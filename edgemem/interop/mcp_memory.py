"""The memory file of MCP's reference memory server: lines of entities with observations, and relations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from edgemem.interop.fields import items, text
from edgemem.interop.found import Found, Note
from edgemem.interop.lines import LineRefused, RawLine, checked_text, decode, json_type, parse_object

NAME = "mcp-memory"


def fits(first: Mapping[str, Any]) -> bool:
    """Whether an object is a line of such a file."""
    return (first.get("type") == "entity" and "entityType" in first) or (
        first.get("type") == "relation" and "relationType" in first
    )


def read(lines: Iterable[RawLine]) -> Found:
    """Each observation is a memory about its entity, each relation a memory about its subject."""
    found = Found(NAME)
    for line in lines:
        where = f"line {line.number}"
        try:
            _line(parse_object(decode(line)), where, found)
        except LineRefused as refused:
            found.leave(where, str(refused))
    return found


def read_document(document: Mapping[str, Any]) -> Found:
    """The same as one JSON object, which is what the server's ``read_graph`` gives."""
    found = Found(NAME)
    for key, kind in (("entities", "entity"), ("relations", "relation")):
        for n, record in enumerate(items(document, key), start=1):
            where = f"{kind} {n}"
            try:
                if not isinstance(record, dict):
                    raise LineRefused(f"a JSON object is needed, this is {json_type(record)}")
                _line(record | {"type": kind}, where, found)
            except LineRefused as refused:
                found.leave(where, str(refused))
    return found


def _line(record: Mapping[str, Any], where: str, found: Found) -> None:
    if record.get("type") == "entity":
        _entity(record, where, found)
    elif record.get("type") == "relation":
        subject, predicate, other = text(record, "from"), text(record, "relationType"), text(record, "to")
        words = f"{subject} {predicate.replace('_', ' ')} {other}"
        more = {"relation": [subject, predicate, other]}
        found.notes.append(Note(words, f"{subject}\t{predicate}\t{other}", where, about=subject, more=more))
    else:
        raise LineRefused(f"unknown type {str(record.get('type'))[:40]!r}")


def _entity(record: Mapping[str, Any], where: str, found: Found) -> None:
    name, kind = text(record, "name"), text(record, "entityType")
    observations = items(record, "observations")
    if not observations:
        observations = [f"{name} is a {kind}"]
    for n, observation in enumerate(observations, start=1):
        try:
            found.notes.append(_observation(observation, name, kind, where))
        except LineRefused as refused:
            found.leave(f"{where}, observation {n}", str(refused))


def _observation(observation: Any, name: str, kind: str, where: str) -> Note:
    if not isinstance(observation, str) or not observation.strip():
        raise LineRefused(f"it must be text, this is {json_type(observation)}")
    plain = checked_text(observation, "it")
    words = plain if name.replace("_", " ").casefold() in plain.replace("_", " ").casefold() else f"{name}: {plain}"
    return Note(words, f"{name}\t{plain}", where, about=name, more={"entity": name, "type": kind})
