"""Load labelled sets. What is wrong with a set is told with its file, line and field."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, TypeVar

from edgemem.errors import InvalidInput
from edgemem.interop.lines import LineRefused, decode, json_type, parse_object, raw_lines
from edgemem.records import RELATIONS, ROLES, Turn

T = TypeVar("T")
Item = TypeVar("Item", "ExtractionItem", "PairItem")

_BETWEEN_TURNS = timedelta(minutes=1)
"""Sets say only when the last turn was said; the ones before it are taken to be this far apart."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """Something worth keeping: ``all`` is an AND of OR-lists of substrings, ``none`` makes a memory wrong."""

    all: tuple[tuple[str, ...], ...]
    none: tuple[str, ...]
    kind: tuple[str, ...]
    quote: str


@dataclass(frozen=True, slots=True)
class ExtractionItem:
    """A short dialogue with what must, may and must not be kept from it."""

    id: str
    tags: tuple[str, ...]
    turns: tuple[Turn, ...]
    expect: tuple[Expectation, ...]
    optional: tuple[Expectation, ...]
    forbid: tuple[tuple[str, ...], ...]

    @property
    def user_turns(self) -> int:
        """How many of the turns are the user's."""
        return sum(turn.role == "user" for turn in self.turns)


@dataclass(frozen=True, slots=True)
class PairItem:
    """A stored memory, a new one, and how the new one relates to it."""

    id: str
    old: str
    new: str
    relation: str


def load_extraction(paths: Iterable[Path]) -> list[ExtractionItem]:
    """Read extraction sets. Raises ``InvalidInput``."""
    return _load(paths, _extraction_item)


def load_pairs(paths: Iterable[Path]) -> list[PairItem]:
    """Read sets of pairs. Raises ``InvalidInput``."""
    return _load(paths, _pair_item)


def read_objects(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield each line's number and JSON object. Raises ``InvalidInput`` at the first line that is none."""
    try:
        with path.open("rb") as stream:
            for line in raw_lines(stream):
                try:
                    yield line.number, parse_object(decode(line))
                except LineRefused as refused:
                    raise InvalidInput(f"{path}, line {line.number}, column {refused.column}: {refused}.") from None
    except OSError as error:
        raise InvalidInput(f"Cannot read {path}: {error.strerror or error}.") from error


def made_of(paths: Iterable[Path], make: Callable[[dict[str, Any]], T], shape: str) -> list[T]:
    """What ``make`` makes of every line. Raises ``InvalidInput``, with the ``shape`` of a line, for one it can make nothing of."""
    found = []
    for path in paths:
        for number, record in read_objects(path):
            try:
                found.append(make(record))
            except (KeyError, TypeError, ValueError) as error:
                why = f"{error} is missing" if isinstance(error, KeyError) else str(error)
                raise InvalidInput(f"{path}, line {number}: {why}.", shape) from None
    return found


def shipped(name: str, load: Callable[[Sequence[Path]], list[T]]) -> list[T]:
    """A set that comes with edgemem."""
    with as_file(files("edgemem.evals") / name) as path:
        return load([path])


def _load(paths: Iterable[Path], item_of: Callable[[dict[str, Any]], Item]) -> list[Item]:
    items: dict[str, Item] = {}
    for path in paths:
        for number, record in read_objects(path):
            try:
                item = item_of(record)
                if item.id in items:
                    raise LineRefused(f"the id {item.id!r} is used twice")
            except LineRefused as refused:
                raise InvalidInput(
                    f"{path}, line {number}: {refused}.", "The file is not a set of this kind."
                ) from None
            items[item.id] = item
    if not items:
        raise InvalidInput("The set is empty.")
    return list(items.values())


def _extraction_item(record: dict[str, Any]) -> ExtractionItem:
    return ExtractionItem(
        id=text_field(record, "id"),
        tags=_strings(record.get("tags", []), "tags"),
        turns=_turns(record),
        expect=_expectations(record, "expect"),
        optional=_expectations(record, "optional"),
        forbid=_string_lists(record.get("forbid", []), "forbid"),
    )


def _pair_item(record: dict[str, Any]) -> PairItem:
    relation = text_field(record, "relation")
    if relation not in RELATIONS:
        raise LineRefused(f"`relation` is {relation!r}, not one of {', '.join(RELATIONS)}")
    return PairItem(text_field(record, "id"), text_field(record, "old"), text_field(record, "new"), relation)


def _turns(record: dict[str, Any]) -> tuple[Turn, ...]:
    listed = record.get("turns")
    if not isinstance(listed, list) or not listed:
        raise LineRefused("`turns` must be a list of turns")
    last = _moment(record)
    turns = []
    for index, one in enumerate(listed):
        if not isinstance(one, dict) or one.get("role") not in ROLES or not isinstance(one.get("content"), str):
            raise LineRefused(f"`turns[{index}]` needs `role` ({', '.join(ROLES)}) and `content`")
        at = last - _BETWEEN_TURNS * (len(listed) - 1 - index)
        turns.append(Turn(one["role"], one["content"], at, "dialogue", f"turn-{index}"))
    return tuple(turns)


def _moment(record: dict[str, Any]) -> datetime:
    at = text_field(record, "at")
    try:
        moment = datetime.fromisoformat(at)
    except ValueError:
        raise LineRefused(f"`at` is not an ISO 8601 time: {at!r}") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _expectations(record: dict[str, Any], name: str) -> tuple[Expectation, ...]:
    listed = record.get(name, [])
    if not isinstance(listed, list):
        raise LineRefused(f"`{name}` must be a list, this is {json_type(listed)}")
    return tuple(_expectation(one, f"{name}[{index}]") for index, one in enumerate(listed))


def _expectation(value: Any, where: str) -> Expectation:
    if not isinstance(value, dict):
        raise LineRefused(f"`{where}` must be an object, this is {json_type(value)}")
    quote = value.get("quote", "")
    return Expectation(
        all=_string_lists(value.get("all"), f"{where}.all"),
        none=_strings(value.get("none", []), f"{where}.none"),
        kind=_strings(value.get("kind", []), f"{where}.kind"),
        quote=quote if isinstance(quote, str) else "",
    )


def _string_lists(value: Any, where: str) -> tuple[tuple[str, ...], ...]:
    if not isinstance(value, list):
        raise LineRefused(f"`{where}` must be a list of lists of strings, this is {json_type(value)}")
    return tuple(_strings(one, f"{where}[{index}]") for index, one in enumerate(value))


def _strings(value: Any, where: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise LineRefused(f"`{where}` must be a list of strings")
    return tuple(value)


def text_field(record: dict[str, Any], name: str) -> str:
    """The string ``record[name]``. Raises ``LineRefused``."""
    value = record.get(name)
    if not isinstance(value, str):
        raise LineRefused(f"`{name}` must be a string, this is {json_type(value)}")
    return value


def fingerprint(values: Sequence[str]) -> str:
    """A short stable name for a list of strings."""
    import hashlib

    return hashlib.sha256(json.dumps(list(values)).encode()).hexdigest()[:16]
