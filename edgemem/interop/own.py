"""edgemem's own export: a head, one record a line, and an end that shows that nothing is missing."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from edgemem.errors import InvalidInput
from edgemem.interop.found import Place
from edgemem.interop.lines import LineRefused, RawLine, decode, parse_object

HEAD = "edgemem"
END = "end"
FORMAT = 1
"""Version of the form of the lines; the head also carries the schema of the file they came from."""

_LINE_ENDS = {code: f"\\u{code:04x}" for code in (0x85, 0x2028, 0x2029)}
"""Line ends that JSON does not escape; many a reader of lines stops at them."""


def is_own(line: Mapping[str, Any]) -> bool:
    """Whether an object is the head of an edgemem export."""
    return line.get("type") == HEAD and "format" in line


def written(head: Mapping[str, Any], records: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """The lines of an export, without line ends."""
    yield _line({"type": HEAD, "format": FORMAT, **head})
    count = 0
    for count, record in enumerate(records, start=1):  # noqa: B007 - counted, and used after the loop
        yield _line(record)
    yield _line({"type": END, "records": count})


def _line(record: Mapping[str, Any]) -> str:
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).translate(_LINE_ENDS)


def check_head(head: Mapping[str, Any], schema: int) -> None:
    """Raises ``InvalidInput`` for an export of a newer edgemem than this one."""
    if not isinstance(head.get("schema"), int) or head["format"] != FORMAT or head["schema"] > schema:
        raise InvalidInput(
            f"The export is of a newer edgemem (format {head['format']}, schema {head.get('schema')}).",
            "Upgrade: pip install -U edgemem-store",
        )


def read_own(lines: Iterable[RawLine]) -> Iterator[tuple[int, dict[str, Any]] | Place]:
    """The records with their line numbers, and a ``Place`` for each line that is none; the head first.

    A file without its end says so as its last ``Place``.
    """
    count, ended = -1, False
    for line in lines:
        try:
            record = parse_object(decode(line))
        except LineRefused as refused:
            yield Place(f"line {line.number}", f"column {refused.column}: {refused}")
            continue
        finally:
            count += 1
        if record.get("type") != END:
            yield line.number, record
            continue
        ended = True
        if record.get("records") != count - 1:
            yield Place(
                f"line {line.number}", f"the export had {record.get('records')} records, this file has {count - 1}"
            )
    if not ended:
        yield Place("the end", "the file was cut: its last line is missing, and perhaps more")
