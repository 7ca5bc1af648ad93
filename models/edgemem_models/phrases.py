"""Words and short phrases of a clause as hashed numbers for the learned gate.

An embedding says what a clause is about; which words it is said with ("how about", "from now on", 打算) is
blurred in it. Here each run of one to three words falls into one of ``WIDTH`` columns by its checksum, with a
sign, so that runs which meet in a column cancel out on average (Weinberger et al. 2009, "feature hashing").
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from typing import Final

import numpy as np
import numpy.typing as npt

from edgemem_models.features import folded

WIDTH: Final = 2048

_UNIT = re.compile(r"[a-z']+|\d+|[\u4e00-\u9fff]|[^\s\w]")
_MESSAGE_UNITS: Final = 120
_ASKED_UNITS: Final = 25
_AROUND: Final = 0.5
"""Weight of what stands around the clause, beside its own words."""


def phrase_features(clause: str, message: str, asked: str | None) -> npt.NDArray[np.float64]:
    """A row of ``WIDTH`` numbers of length 1 for a clause in its message, after the assistant's question."""
    row = np.zeros(WIDTH)
    for name, weight in _phrases(clause, message, asked):
        checksum = zlib.crc32(name.encode("utf-8", "replace"))
        row[checksum % WIDTH] += weight if checksum >> 31 else -weight
    length = float(np.sqrt((row**2).sum()))
    return row / length if length else row


def _phrases(clause: str, message: str, asked: str | None) -> Iterator[tuple[str, float]]:
    own = ["^", *_units(clause), "$"]
    yield from ((f"c {run}", 1.0) for size in (1, 2, 3) for run in _runs(own, size))
    yield from ((f"m {run}", _AROUND) for run in _runs(_units(message)[:_MESSAGE_UNITS], 2))
    yield from ((f"a {run}", _AROUND) for run in _runs(_units(asked or "")[-_ASKED_UNITS:], 2))


def _units(text: str) -> list[str]:
    """Words, Han characters and signs; every number is the same number."""
    return ["0" if unit.isdigit() else unit for unit in _UNIT.findall(folded(text))]


def _runs(units: list[str], size: int) -> Iterator[str]:
    return (" ".join(units[i : i + size]) for i in range(len(units) - size + 1))
