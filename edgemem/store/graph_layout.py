"""The bytes of a usearch index after its vectors: what of them is stored, and what must be so before they are loaded.

usearch writes no checksum and trusts what it reads: a wrong number in the graph ends the process, or
reads memory that is not the index's. So every number it would follow is looked at first.

Layout of ``Index.save()`` (usearch 2.26; any other version is refused by the caller):

    u32 rows, u32 bytes a vector | rows vectors | the tail:
    64 bytes head | u64 size, M, M0, top level, entry | i16 level of each node |
    per node: i64 key, i16 level, u32 count + u32[M0] neighbours, and for each level above 0 u32 count + u32[M]
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Numbers = npt.NDArray[np.int64]

CONNECTIVITY = 16
"""Neighbours of a node on the levels above 0 (M); twice as many on level 0."""

FREE = -1
"""The key of a node that was removed."""

_HEAD = struct.Struct("<7s3HBBBBQQQB")
_GRAPH = struct.Struct("<5Q")
_START = 64 + _GRAPH.size


class Malformed(ValueError):
    """The bytes are no graph of this layout."""


def tail_of(saved: bytearray) -> bytes:
    """All of a saved index but its vectors."""
    rows, width = struct.unpack_from("<2I", saved)
    return bytes(memoryview(saved)[8 + rows * width :])


def whole(tail: bytes, rows: int, width: int) -> bytearray:
    """A buffer for ``Index.load`` with room for ``rows`` vectors of ``width`` bytes, all zero."""
    buffer = bytearray(8 + rows * width + len(tail))
    struct.pack_into("<2I", buffer, 0, rows, width)
    buffer[8 + rows * width :] = tail
    return buffer


def checked_keys(tail: bytes, head: bytes, dim: int) -> Numbers:
    """The key of each node, by slot, once the whole graph has been found sound. Raises ``Malformed``.

    ``head`` is the tail of an empty index of the same kind: version and types must be the same.
    """
    import numpy as np

    if len(tail) < _START:
        raise Malformed("it is cut")
    _need(_HEAD.unpack_from(tail)[:8] == _HEAD.unpack_from(head)[:8], "it is of another kind")
    *_, components, multi = _HEAD.unpack_from(tail)
    rows, m, m0, top, entry = _GRAPH.unpack_from(tail, 64)
    _need(components == dim and not multi and (m, m0) == (CONNECTIVITY, 2 * CONNECTIVITY), "it has other settings")
    _need(0 < rows <= len(tail) // 14 and entry < rows, "its size or entry is impossible")
    levels = np.frombuffer(tail, "<i2", rows, _START).astype(np.int64)
    _need(int(levels.min()) >= 0 and int(levels.max()) == top == int(levels[entry]), "its levels are impossible")
    sizes = 14 + 4 * m0 + levels * (4 + 4 * m)
    starts = _START + 2 * rows + np.cumsum(sizes) - sizes
    _need(int(starts[-1] + sizes[-1]) == len(tail), "its length is not what its levels ask for")
    data = np.frombuffer(tail, np.uint8)
    own = _fields(data, starts + 8, 2, "<i2")[:, 0]
    _need(bool((own == levels).all()), "its levels disagree")
    _check_links(data, starts + 10, m0, levels, 0)
    for level in range(1, top + 1):
        up = np.flatnonzero(levels >= level)
        _check_links(data, starts[up] + 14 + 4 * m0 + (level - 1) * (4 + 4 * m), m, levels, level)
    keys: Numbers = _fields(data, starts, 8, "<i8")[:, 0]
    used = np.sort(keys[keys != FREE])
    _need(int(used.min(initial=1)) > 0 and bool((used[1:] != used[:-1]).all()), "its keys are impossible")
    return keys


def _check_links(data: npt.NDArray[np.uint8], starts: Numbers, most: int, levels: Numbers, level: int) -> None:
    """Neighbour lists must be no longer than they may be, and name nodes that reach up to this level."""
    import numpy as np

    for at in range(0, len(starts), 1 << 16):
        lists = _fields(data, starts[at : at + (1 << 16)], 4 + 4 * most, "<u4")
        counts, links = lists[:, :1], lists[:, 1:]
        _need(int(counts.max(initial=0)) <= most, "a list of neighbours is too long")
        used = links[np.arange(most) < counts]
        _need(int(used.max(initial=0)) < len(levels), "it names a node that is not there")
        _need(bool((levels[used] >= level).all()), "it names a node on a level it does not reach")


def _fields(data: npt.NDArray[np.uint8], starts: Numbers, width: int, kind: str) -> npt.NDArray[Any]:
    import numpy as np

    # Slices of equal width at any place: a view that steps one byte a row, of which some rows are copied.
    windows = np.lib.stride_tricks.sliding_window_view(data, width)
    return np.ascontiguousarray(windows[starts]).view(kind)


def _need(true: bool, reason: str) -> None:
    if not true:
        raise Malformed(reason)
