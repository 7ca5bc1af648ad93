"""One flipped bit is put right with certainty: the seal over a row says which of all the bits it was."""

from __future__ import annotations

import itertools
import struct
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, Final

MOST: Final = 4096
"""Bytes of text in a row up to which each bit is tried: the work grows with their square (about a second at most)."""

Values = Mapping[str, Any]


BUDGET: Final = 1 << 31
"""Bytes that all tries of one repair may seal: those of about fifteen rows of ``MOST``, or of some thousand short ones."""

_LEAST: Final = 500
"""Bytes as which a try counts that has none: the columns' names, the call."""


class Tries:
    """The tries of one repair: each bit, and ``numbers`` in place of each whole number. Rows that would cost more than is left are not tried, and counted."""

    def __init__(self, budget: int = BUDGET, numbers: Collection[int] = ()) -> None:
        self._left = budget
        self._numbers = numbers
        self.passed_by = 0
        """Rows of which no bit was tried, since too many before them had been."""

    def put_right(self, values: Values, seal: object, digest: Callable[[Values], bytes]) -> dict[str, Any] | None:
        """The values as they were before one bit, or one number, of them changed, or a bit of the seal.

        None when more did, or it was not tried.

        ``digest`` makes the seal that values have; text may hold lone surrogates for bytes that are none.
        """
        if not isinstance(seal, bytes):
            return None
        if _differ_in_one(_sealed(digest, values), seal):
            return dict(values)
        size = sum(len(_bytes(value)) for value in values.values() if isinstance(value, str | bytes))
        whole = [name for name, value in values.items() if isinstance(value, int)]
        if size > MOST or not self._pay((8 * size + len(whole) * len(self._numbers)) * (size + _LEAST)):
            return None
        others = ((name, other) for name, value in values.items() for other in _flipped(value))
        numbers = ((name, other) for name in whole for other in self._numbers)
        tried = ({**values, name: other} for name, other in itertools.chain(others, numbers))
        return next((found for found in tried if _sealed(digest, found) == seal), None)

    def _pay(self, cost: int) -> bool:
        if cost > self._left:
            self.passed_by += 1
            return False
        self._left -= cost
        return True


def what_changed(values: Values, right: Values) -> str:
    """What ``put_right`` found, for a report."""
    pairs = ((values[name], right[name]) for name in values if values[name] != right[name])
    many = any(isinstance(a, int) and isinstance(b, int) and (a ^ b).bit_count() > 1 for a, b in pairs)
    return "one number had changed" if many else "one bit had changed"


def _sealed(digest: Callable[[Values], bytes], values: Values) -> bytes:
    try:
        return digest(values)
    except UnicodeEncodeError:  # bytes elsewhere in the row that are no text
        return b""


def _differ_in_one(a: bytes, b: bytes) -> bool:
    return len(a) == len(b) and (int.from_bytes(a, "big") ^ int.from_bytes(b, "big")).bit_count() <= 1


def _flipped(value: object) -> Iterator[Any]:
    """All values of the same type that differ in one bit as they are stored."""
    if isinstance(value, str):
        raw = _bytes(value)
        for place in range(8 * len(raw)):
            other = bytearray(raw)
            other[place // 8] ^= 1 << place % 8
            try:
                yield other.decode("utf-8")
            except UnicodeDecodeError:
                continue
    elif isinstance(value, bytes):
        for place in range(8 * len(value)):
            other = bytearray(value)
            other[place // 8] ^= 1 << place % 8
            yield bytes(other)
    elif isinstance(value, int):
        for place in range(63):
            yield value ^ (1 << place)
    elif isinstance(value, float):
        (number,) = struct.unpack("<Q", struct.pack("<d", value))
        for place in range(64):
            yield struct.unpack("<d", struct.pack("<Q", number ^ (1 << place)))[0]


def _bytes(value: str | bytes) -> bytes:
    return value if isinstance(value, bytes) else value.encode("utf-8", "surrogateescape")
