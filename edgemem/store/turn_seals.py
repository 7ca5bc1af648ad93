"""Seals over turns: each is checked by its own row, so that it stays certain when its session's row is lost."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Final

COLUMNS: Final = ("user_id", "session_id", "uid", "position", "role", "speaker", "content", "said_at", "zone")
"""What the seal covers: all of a turn but its key and how far it has been read."""


def digest(turn: Mapping[str, Any] | Any) -> bytes:
    """SHA-256 over the ``COLUMNS`` of a row."""
    text = json.dumps([turn[column] for column in COLUMNS], ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8")).digest()


def is_whole(row: Any) -> bool:
    """Whether a turn is what was said."""
    try:
        return bool(digest(row) == row["hash"])
    except (UnicodeEncodeError, TypeError):  # text that is none, a column of another type
        return False


def was_whole(row: Any) -> bool:
    """Whether a turn, with the name of its ``session``, is as a file before schema 9 sealed it."""
    try:
        words = (row["session"], row["uid"], row["role"], row["speaker"] or "", row["content"], row["said_at"])
        return bool(hashlib.sha256("\x1f".join(words).encode("utf-8")).digest() == row["hash"])
    except (UnicodeEncodeError, TypeError):
        return False


def renew(tx: Any) -> None:
    """Seal the turns of an older file as they are sealed now; those that were altered there keep what they have."""
    query = "SELECT t.*, s.uid AS session FROM turn t JOIN session s ON s.id = t.session_id"
    for row in tx.execute(query).fetchall():
        if was_whole(row):
            tx.execute("UPDATE turn SET hash = ? WHERE id = ?", (digest(row), row["id"]))
