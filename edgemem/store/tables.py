"""How each table of a person travels: what names a row, what it refers to, what is made anew on arrival.

Inside the file rows refer to each other by integers that mean nothing elsewhere. On the way out
each reference becomes the name of the row it leads to; ``KEYS`` says what that name is made of.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final


@dataclass(frozen=True, slots=True)
class Table:
    """``key`` names a row within its user, once references are put into words; ``refs`` maps a column to its table.

    ``json`` columns hold JSON; ``left`` are computed on arrival; ``owner`` is the column that leads
    to the row with the user, for tables without one; ``where`` limits what is carried.
    """

    key: tuple[str, ...]
    refs: Mapping[str, str] = field(default_factory=dict)
    json: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    owner: str | None = None
    where: str = "1"


TABLES: Final[Mapping[str, Table]] = {
    "session": Table(("uid",)),
    "turn": Table(("session_id", "uid"), {"session_id": "session"}, left=("hash",)),
    "trace": Table(("uid",), {"turn_id": "turn"}, json=("steps",)),
    "memory": Table(("uid",), {"source_turn": "turn"}, json=("data",), left=("content_hash", "row_hash")),
    "history": Table(("uid",)),
    "profile": Table(("field", "avoid"), {"memory_id": "memory"}, json=("value", "readers")),
    "task": Table(("name",)),
    "state": Table(("task_id", "field"), {"task_id": "task"}, json=("value",)),
    "summary": Table(("uid",), {"session_id": "session", "first_turn": "turn", "last_turn": "turn"}),
    "summary_sentence": Table(("summary_id", "n"), {"summary_id": "summary"}, owner="summary_id"),
    "summary_source": Table(
        ("summary_id", "n", "turn_id"), {"summary_id": "summary", "turn_id": "turn"}, owner="summary_id"
    ),
    "entity": Table(("uid",)),
    "alias": Table(("entity_id", "folded"), {"entity_id": "entity"}),
    "relation": Table(
        ("uid",), {"subject_id": "entity", "object_id": "entity", "memory_id": "memory", "turn_id": "turn"}
    ),
    "insight": Table(("uid",)),
    "evidence": Table(
        ("insight_id", "n"), {"insight_id": "insight", "memory_id": "memory", "turn_id": "turn"}, owner="insight_id"
    ),
    "review": Table(("uid",), json=("proposal",)),
    "job": Table(("uid",), json=("payload",), left=("lease_until", "lease_by"), where="status <> 'done'"),
}
"""In an order in which every row comes after those it refers to."""

STAYS: Final = frozenset(
    {
        "user",
        "meta",
        "embedding_model",
        "vector",
        "change",
        "snapshot",
        "snapshot_chunk",
        "memory_fts",
        "turn_fts",
        "erased",
    }
)
"""Tables that do not travel: the file's own, and what is computed from the rows."""

TIMES = frozenset({"started_at", "last_at", "said_at", "created_at", "updated_at", "last_used_at", "valid_from",
                    "valid_to", "expires_at", "at", "ended_at", "recorded_at", "checked_at", "settled_at"})  # fmt: skip
"""Columns that hold a time, in any table."""
