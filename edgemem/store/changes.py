"""The change log: how caches and other processes learn that rows changed. Ids only, no content."""

from __future__ import annotations

from edgemem.store.engine import Tx


def note(tx: Tx, user: int, owner: str, owner_id: int) -> None:
    """Say that an owner's vectors or liveness changed, in the transaction that changes them."""
    # REPLACE: the earlier change of the same owner goes, this one takes the next number.
    tx.execute("INSERT OR REPLACE INTO change(user_id, owner, owner_id) VALUES (?,?,?)", (user, owner, owner_id))


def latest(tx: Tx, user: int, owner: str) -> int:
    """The last change of this scope; 0 when there was none."""
    row = tx.execute("SELECT max(seq) FROM change WHERE user_id = ? AND owner = ?", (user, owner)).fetchone()
    return int(row[0] or 0)


def since(tx: Tx, user: int, owner: str, seq: int) -> list[int]:
    """Owner ids changed after ``seq``, once each."""
    rows = tx.execute("SELECT owner_id FROM change WHERE user_id = ? AND owner = ? AND seq > ?", (user, owner, seq))
    return [row[0] for row in rows]
