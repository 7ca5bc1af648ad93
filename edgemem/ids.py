"""Ids that users see: UUIDv7 (RFC 9562), sortable by time, made without any machine identity."""

from __future__ import annotations

import secrets
import time
import uuid


def new_id() -> str:
    """A fresh UUIDv7: 48 bits of Unix milliseconds, then 74 random bits."""
    milliseconds = time.time_ns() // 1_000_000
    value = (milliseconds & ((1 << 48) - 1)) << 80
    value |= 0x7 << 76
    value |= secrets.randbits(12) << 64
    value |= 0b10 << 62
    value |= secrets.randbits(62)
    return str(uuid.UUID(int=value))
