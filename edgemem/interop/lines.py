"""Lines of JSON from bytes: decoding, parsing, and saying exactly where a line is broken."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from edgemem.errors import InvalidInput

_LONE_SURROGATE = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])"
    r"|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F][0-9a-fA-F]{2}"
)
_JSON_TYPES = {
    type(None): "null",
    bool: "a boolean",
    int: "a number",
    float: "a number",
    str: "a string",
    list: "an array",
    dict: "an object",
}
_BOM = b"\xef\xbb\xbf"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True)
class LineProblem:
    """One thing in a file that was not taken. ``line`` and ``column`` count from 1, the column in characters."""

    line: int
    column: int
    message: str

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}: {self.message}"


class LineRefused(ValueError):
    """Raised inside a reader for one line; becomes a ``LineProblem``. Never leaves the readers."""

    def __init__(self, message: str, column: int = 1) -> None:
        super().__init__(message)
        self.column = column


@dataclass(frozen=True, slots=True)
class RawLine:
    """One line as bytes, without its line end. ``number`` counts from 1; ``offset`` is its first byte in the file."""

    number: int
    offset: int
    data: bytes


def raw_lines(stream: Iterable[bytes]) -> Iterator[RawLine]:
    """Number the lines of a binary stream, drop a byte order mark, skip empty lines.

    Raises ``InvalidInput`` when the bytes are UTF-16.
    """
    offset = 0
    for number, data in enumerate(stream, 1):
        start, offset = offset, offset + len(data)
        if number == 1:
            if data.startswith(_UTF16):
                raise InvalidInput("The file is UTF-16, not UTF-8.", "Save it as UTF-8 and try again.")
            if data.startswith(_BOM):
                data, start = data[len(_BOM) :], start + len(_BOM)
        data = data.rstrip(b"\r\n")
        if data.strip():
            yield RawLine(number, start, data)


def decode(line: RawLine) -> str:
    """The line as text. Raises ``LineRefused`` naming the first byte that is not UTF-8."""
    try:
        return line.data.decode("utf-8")
    except UnicodeDecodeError as error:
        column = len(line.data[: error.start].decode("utf-8")) + 1
        byte = line.data[error.start]
        raise LineRefused(
            f"byte 0x{byte:02x} at offset {line.offset + error.start} of the file is not UTF-8", column
        ) from None


def parse_object(text: str) -> dict[str, Any]:
    """The JSON object written in ``text``. Raises ``LineRefused``."""
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise LineRefused(f"not valid JSON: {error.msg.removesuffix(' at')}", error.pos + 1) from None
    except RecursionError:
        raise LineRefused("not valid JSON: nested too deeply") from None
    except ValueError:
        raise LineRefused("not valid JSON: a number has thousands of digits") from None
    if not isinstance(value, dict):
        raise LineRefused(f"a JSON object is needed, this is {json_type(value)}")
    return value


def json_type(value: Any) -> str:
    """What JSON calls the type of ``value``, with its article."""
    return _JSON_TYPES.get(type(value), type(value).__name__)


def checked_text(value: str, name: str, raw: str = "") -> str:
    """``value`` if a database can hold it. Raises ``LineRefused`` for NUL and for lone surrogates.

    ``raw`` is the line it was written in; with it the column of the escape is found.
    """
    nul = value.find("\0")
    if nul >= 0:
        raise LineRefused(f"{name} holds a NUL character at position {nul}", _column(raw, re.compile(r"\\u0000")))
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        code = ord(value[error.start])
        raise LineRefused(
            f"{name} holds half a surrogate pair (U+{code:04X}) at position {error.start}, which UTF-8 cannot store",
            _column(raw, _LONE_SURROGATE),
        ) from None
    return value


def checked_texts(value: Any, name: str) -> None:
    """All texts of a JSON value, keys too, as ``checked_text`` does."""
    if isinstance(value, str):
        checked_text(value, name)
    elif isinstance(value, dict | list):
        for inner in (*value, *(value.values() if isinstance(value, dict) else ())):
            checked_texts(inner, name)


def _column(raw: str, pattern: re.Pattern[str]) -> int:
    found = pattern.search(raw)
    return found.start() + 1 if found else 1
