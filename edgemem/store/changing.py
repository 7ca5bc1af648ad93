"""One change of one memory: the row and its history, in the caller's transaction."""

from __future__ import annotations

from typing import Any

from edgemem.ids import new_id
from edgemem.store import history, memories
from edgemem.store.engine import Row, Tx


def change(
    tx: Tx, user: int, row: Row, action: str, reason: str, now: str, *, author: str = "user", decision: str | None = None,
    undoes: str | None = None, **fields: Any,
) -> str:  # fmt: skip
    """Give a memory other fields; returns the change's id. ``decision`` groups changes that are undone together."""
    before = memories.snapshot(row)
    after = before | fields | {"updated_at": now, "version": before["version"] + 1}
    memories.update(tx, user, row["uid"], after)
    return history.append(
        tx, user, memory=row["uid"], action=action, author=author, reason=reason, decision=decision or new_id(), now=now,
        before=before, after=after, undoes=undoes,
    )  # fmt: skip
