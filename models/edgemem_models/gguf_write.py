"""A small GGUF writer (version 3, little endian) whose bytes depend on its arguments alone.

The layout is that of the GGUF specification (ggml, ``docs/gguf.md``): magic, version, counts, typed
key/value pairs, tensor infos, padding to 32 bytes, tensor data. Writing it here instead of through a
package keeps a repacked model byte-for-byte the same whatever is installed, so that its hash can be pinned.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import BinaryIO, Final

ALIGNMENT: Final = 32
F32: Final = 0
Q4_0: Final = 2

_UINT32, _INT32, _FLOAT32, _BOOL, _STRING, _ARRAY = 4, 5, 6, 7, 8, 9


@dataclass(frozen=True, slots=True)
class Tensor:
    """One tensor: ``shape`` fastest dimension first, as GGUF counts; ``data`` gives its raw bytes when asked."""

    name: str
    shape: tuple[int, ...]
    kind: int
    size: int
    data: Callable[[], bytes | memoryview]


@dataclass(slots=True)
class GgufWriter:
    """Collects metadata and tensors in order, then writes them in one pass."""

    architecture: str
    _pairs: list[bytes] = field(default_factory=list)
    _tensors: list[Tensor] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.text("general.architecture", self.architecture)

    def _pair(self, key: str, kind: int, value: bytes) -> None:
        self._pairs.append(_string(key.encode()) + struct.pack("<I", kind) + value)

    def text(self, key: str, value: str) -> None:
        """Add a string."""
        self._pair(key, _STRING, _string(value.encode()))

    def uint(self, key: str, value: int) -> None:
        """Add an unsigned 32-bit number."""
        self._pair(key, _UINT32, struct.pack("<I", value))

    def real(self, key: str, value: float) -> None:
        """Add a 32-bit floating point number."""
        self._pair(key, _FLOAT32, struct.pack("<f", value))

    def flag(self, key: str, value: bool) -> None:
        """Add a truth value."""
        self._pair(key, _BOOL, struct.pack("<?", value))

    def texts(self, key: str, values: Sequence[bytes]) -> None:
        """Add a list of strings given as UTF-8 bytes."""
        self._pair(key, _ARRAY, struct.pack("<IQ", _STRING, len(values)) + b"".join(map(_string, values)))

    def reals(self, key: str, values: Sequence[float]) -> None:
        """Add a list of 32-bit floating point numbers."""
        body = struct.pack(f"<{len(values)}f", *values)
        self._pair(key, _ARRAY, struct.pack("<IQ", _FLOAT32, len(values)) + body)

    def ints(self, key: str, values: Sequence[int]) -> None:
        """Add a list of signed 32-bit numbers."""
        body = struct.pack(f"<{len(values)}i", *values)
        self._pair(key, _ARRAY, struct.pack("<IQ", _INT32, len(values)) + body)

    def tensor(self, tensor: Tensor) -> None:
        """Add a tensor; its bytes are asked for when the file is written."""
        self._tensors.append(tensor)

    def write(self, file: BinaryIO) -> None:
        """Write the whole file; one tensor is in memory at a time."""
        file.write(b"GGUF" + struct.pack("<IQQ", 3, len(self._tensors), len(self._pairs)))
        file.writelines(self._pairs)
        offset = 0
        for tensor in self._tensors:
            file.write(_tensor_info(tensor, offset))
            offset += _padded(tensor.size)
        file.write(bytes(_padded(file.tell()) - file.tell()))
        for tensor in self._tensors:
            file.write(tensor.data())
            file.write(bytes(_padded(tensor.size) - tensor.size))


def _padded(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT


def _string(raw: bytes) -> bytes:
    return struct.pack("<Q", len(raw)) + raw


def _tensor_info(tensor: Tensor, offset: int) -> bytes:
    shape = struct.pack(f"<I{len(tensor.shape)}Q", len(tensor.shape), *tensor.shape)
    return _string(tensor.name.encode()) + shape + struct.pack("<IQ", tensor.kind, offset)
