"""Rows straight from the bytes of a database file, without its schema or its trees: for a file SQLite cannot read.

Follows the file format as SQLite documents it (https://www.sqlite.org/fileformat2.html, sections 1.3,
1.6 and 2). Only cells that a page still names are read; what was deleted is not named, and is overwritten.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

Value = int | float | str | bytes | None

MAGIC = b"SQLite format 3\x00"
_TABLE_LEAF, _INDEX_LEAF, _INDEX_INNER = 0x0D, 0x0A, 0x02
_INTEGER_BYTES = (0, 1, 2, 3, 4, 6, 8)
_USUAL_PAGE = 4096


class _Broken(Exception):
    """Bytes that are no cell."""


@dataclass(frozen=True, slots=True)
class Record:
    """One row as it is stored: ``rowid`` is None in a table that has none. Text that is no UTF-8 holds surrogates."""

    page: int
    rowid: int | None
    values: tuple[Value, ...]


def records(data: bytes) -> Iterator[Record]:
    """All rows of all tables and indexes that can be decoded, page by page."""
    size = page_size(data)
    pages = _Pages(data, size, data[20] if data[:16] == MAGIC and data[20] < 64 else 0)
    for number in range(1, len(data) // size + 1):
        yield from pages.records(number)


def page_size(data: bytes) -> int:
    """Bytes of a page: what the header says, or what edgemem's files have if the header is damaged."""
    stated = int.from_bytes(data[16:18], "big")
    stated = 65536 if stated == 1 else stated
    sane = stated >= 512 and stated & (stated - 1) == 0 and data[:16] == MAGIC
    return stated if sane else _USUAL_PAGE


class _Pages:
    def __init__(self, data: bytes, size: int, reserved: int) -> None:
        self._data = data
        self._size = size
        self._usable = size - reserved

    def _page(self, number: int) -> bytes:
        return self._data[(number - 1) * self._size : number * self._size]

    def records(self, number: int) -> Iterator[Record]:
        page = self._page(number)
        start = 100 if number == 1 else 0
        kind = page[start]
        if kind not in (_TABLE_LEAF, _INDEX_LEAF, _INDEX_INNER):
            return
        first = start + (12 if kind == _INDEX_INNER else 8)
        cells = int.from_bytes(page[start + 3 : start + 5], "big")
        for n in range(min(cells, self._usable // 4)):
            offset = int.from_bytes(page[first + 2 * n : first + 2 * n + 2], "big")
            try:
                yield self._cell(number, page, kind, offset)
            except (_Broken, IndexError, struct.error):
                continue

    def _cell(self, number: int, page: bytes, kind: int, offset: int) -> Record:
        if kind == _INDEX_INNER:
            offset += 4
        length, offset = varint(page, offset)
        rowid = None
        if kind == _TABLE_LEAF:
            rowid, offset = varint(page, offset)
            rowid -= (1 << 64) if rowid >= 1 << 63 else 0
        return Record(number, rowid, decoded(self._payload(page, kind, length, offset)))

    def _payload(self, page: bytes, kind: int, length: int, offset: int) -> bytes:
        usable = self._usable
        most = usable - 35 if kind == _TABLE_LEAF else (usable - 12) * 64 // 255 - 23
        least = (usable - 12) * 32 // 255 - 23
        if length > len(self._data):
            raise _Broken
        local = length if length <= most else least + (length - least) % (usable - 4)
        local = least if local > most and length > most else local
        found = page[offset : offset + local]
        if local == length:
            return found
        return self._overflow(found, int.from_bytes(page[offset + local : offset + local + 4], "big"), length)

    def _overflow(self, found: bytes, following: int, length: int) -> bytes:
        parts, got = [found], len(found)
        while got < length:
            page = self._page(following)
            if following < 1 or len(page) < self._size:
                raise _Broken
            parts.append(page[4 : min(self._usable, 4 + length - got)])
            got += len(parts[-1])
            following = int.from_bytes(page[:4], "big")
        return b"".join(parts)


def varint(data: bytes, offset: int) -> tuple[int, int]:
    """A number of 1 to 9 bytes, and where the next thing begins."""
    value = 0
    for n in range(9):
        byte = data[offset + n]
        if n == 8:
            return value << 8 | byte, offset + 9
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, offset + n + 1
    raise _Broken


def decoded(payload: bytes) -> tuple[Value, ...]:
    """The values of one record."""
    header, offset = varint(payload, 0)
    types, values, place = [], [], header
    while offset < header:
        kind, offset = varint(payload, offset)
        types.append(kind)
    for kind in types:
        value, place = _value(payload, kind, place)
        values.append(value)
    if not types or place != len(payload):
        raise _Broken
    return tuple(values)


def _value(payload: bytes, kind: int, place: int) -> tuple[Value, int]:
    if kind in (0, 8, 9):
        return {0: None, 8: 0, 9: 1}[kind], place
    if kind == 7:
        return struct.unpack_from(">d", payload, place)[0], place + 8
    if kind in (10, 11):
        raise _Broken
    length = _INTEGER_BYTES[kind] if kind < 7 else (kind - 12) // 2
    raw = payload[place : place + length]
    if len(raw) < length:
        raise _Broken
    if kind < 7:
        return int.from_bytes(raw, "big", signed=True), place + length
    return raw.decode("utf-8", "surrogateescape") if kind % 2 else raw, place + length
