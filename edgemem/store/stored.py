"""Reading back what the file holds in a form of its own."""

from __future__ import annotations

import json
from typing import Any

from edgemem.errors import StoreCorrupt

END = 12
"""Characters of the end of an id that lists print, and that name it."""


def names(column: str) -> str:
    """The condition that ``?2`` is an id, or the end of it that lists print."""
    return f"({column} = ?2 OR length(?2) >= {END} AND substr({column}, -length(?2)) = ?2)"


def from_json(text: str) -> Any:
    """The value that was stored as JSON. Raises ``StoreCorrupt`` for what was not."""
    try:
        return json.loads(text)
    except (ValueError, TypeError, RecursionError) as error:
        raise StoreCorrupt(
            "The file is damaged: a stored value is no JSON.", "Look at it with: edgemem check"
        ) from error
