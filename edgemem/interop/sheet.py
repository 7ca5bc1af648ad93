"""Memories as CSV (RFC 4180), one a row, for spreadsheets."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from edgemem.records import Memory

COLUMNS = (
    "id", "content", "kind", "namespace", "about", "subject", "attribute", "value", "importance", "confidence",
    "created_at", "updated_at", "valid_from", "valid_to", "expires_at", "pinned", "sensitivity", "status", "version",
)  # fmt: skip
SOURCE = ("session", "turn", "quote", "said_at")

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def sheet(memories: Iterable[Memory]) -> str:
    """The whole table, with a heading row. A cell that a spreadsheet would run gets an apostrophe in front."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow([*COLUMNS, *SOURCE])
    for m in memories:
        source = (m.source.session, m.source.turn, m.source.quote, m.source.at)
        writer.writerow([_cell(value) for value in (*(getattr(m, name) for name in COLUMNS), *source)])
    return out.getvalue()


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        return value.isoformat()
    text = str(value)
    return f"'{text}" if text.startswith(_FORMULA) and isinstance(value, str) else text
