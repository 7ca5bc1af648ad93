"""Tiny GGUF files for tests: a real header, one small tensor, a few bytes in all."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any


def _text(value: str) -> bytes:
    raw = value.encode()
    return struct.pack("<Q", len(raw)) + raw


def _pair(key: str, value: Any) -> bytes:
    if isinstance(value, str):
        return _text(key) + struct.pack("<I", 8) + _text(value)
    return _text(key) + struct.pack("<II", 4, value)


def gguf_bytes(architecture: str = "llama", *, payload: bytes = b"", **meta: Any) -> bytes:
    """The bytes of a GGUF file; ``payload`` fills its one tensor, ``meta`` keys get the architecture's prefix."""
    values = {"general.architecture": architecture, "general.file_type": 2}
    values |= {f"{architecture}.{key}": value for key, value in {"context_length": 2048, **meta}.items()}
    floats = max(8, -(-len(payload) // 4))
    body = payload.ljust(4 * floats, b"\0")
    head = b"GGUF" + struct.pack("<IQQ", 3, 1, len(values)) + b"".join(_pair(k, v) for k, v in values.items())
    head += _text("t") + struct.pack("<IQIQ", 1, floats, 0, 0)
    return head + bytes(-len(head) % 32) + body


def write_gguf(path: Path, architecture: str = "llama", **options: Any) -> Path:
    """Write such a file, with the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gguf_bytes(architecture, **options))
    return path
