"""Several memories that are one, one memory that is several: joined and split by hand, each with one undo.

Joining keeps the first memory and puts the others behind it; splitting keeps the memory for the first
part and gives each other part a memory of its own, with the same source. All changes of one call belong
together, so undoing any of them takes back the whole.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from edgemem.errors import Conflict, InvalidInput, NotFound
from edgemem.ids import new_id
from edgemem.reports import Split
from edgemem.store import changing, history, memories
from edgemem.store.engine import Row, Tx
from edgemem.text import content_hash

JOINED = "joined"
"""Key in a joined memory's data: the id of the memory that stands for it now."""


def join(
    tx: Tx, user: int, uids: Sequence[str], content: str | None, now: str, *, reason: str = "joined by hand",
    author: str = "user",
) -> str:  # fmt: skip
    """Make the first memory stand for all; returns the change's id.

    It says ``content``, or what it said before. Pinned stays what any of them was, important what the most
    important was, and it lasts as long as the longest. Raises ``InvalidInput``, ``NotFound`` or ``Conflict``.
    """
    if len(set(uids)) < 2:
        raise InvalidInput("Joining takes two memories or more.", "For example: edgemem join a04c7d1e52b9 5be1902fd3c6")
    rows = [_live(tx, user, uid) for uid in dict.fromkeys(uids)]
    kept, others = rows[0], rows[1:]
    decision = new_id()
    for row in others:
        data = json.loads(row["data"]) | {JOINED: kept["uid"]}
        fields = {"status": "superseded", "superseded_by": kept["uid"], "valid_to": row["valid_to"] or now,
                  "data": json.dumps(data, ensure_ascii=False)}  # fmt: skip
        changing.change(tx, user, row, "join", reason, now, author=author, decision=decision, **fields)
    words = kept["content"] if content is None else content
    _refuse_twice(tx, user, words, kept["uid"])
    memories.add_uses(tx, user, kept["id"], [row["id"] for row in others])
    return changing.change(
        tx, user, kept, "join", reason, now, author=author, decision=decision, content=words, **_shared(rows)
    )


def split(tx: Tx, user: int, uid: str, parts: Sequence[str], now: str) -> Split:
    """Make one memory several; the first part keeps its id. Raises ``InvalidInput``, ``NotFound`` or ``Conflict``."""
    if len({content_hash(part) for part in parts}) != len(parts) or len(parts) < 2:
        raise InvalidInput(
            "Splitting takes two different sentences or more.",
            'For example: edgemem split a04c7d1e52b9 "The user has a dog." "The user has a cat."',
        )
    row = _live(tx, user, uid)
    for part in parts:
        _refuse_twice(tx, user, part, row["uid"])
    decision, reason = new_id(), "split by hand"
    change = changing.change(tx, user, row, "split", reason, now, decision=decision, content=parts[0])
    return Split(change, (row["uid"], *(_part(tx, user, row, part, decision, now) for part in parts[1:])))


def _part(tx: Tx, user: int, row: Row, content: str, decision: str, now: str) -> str:
    uid = new_id()
    after = memories.snapshot(row) | {"content": content, "created_at": now, "updated_at": now, "version": 1}
    memories.insert(tx, user, uid, after)
    history.append(
        tx, user, memory=uid, action="split", author="user", reason="split by hand", decision=decision, now=now,
        before=None, after=after,
    )  # fmt: skip
    return uid


def _shared(rows: Sequence[Row]) -> dict[str, Any]:
    """What a joined memory takes from all that it stands for."""
    ends = [row["expires_at"] for row in rows]
    begins = [row["valid_from"] for row in rows if row["valid_from"] is not None]
    return {
        "pinned": max(row["pinned"] for row in rows),
        "importance": max(row["importance"] for row in rows),
        "confidence": max(row["confidence"] for row in rows),
        "valid_from": min(begins, default=None),
        "expires_at": None if None in ends else max(ends),
    }


def _live(tx: Tx, user: int, uid: str) -> Row:
    row = memories.row(tx, user, uid)
    if row is None:
        raise NotFound(f"There is no memory {uid}.", "List them with: edgemem list")
    if row["status"] != "live":
        raise Conflict(f"Memory {uid} is {row['status']}.", f"Bring it back first; see: edgemem history {uid}")
    if row["sensitivity"] != "normal":
        raise Conflict(
            "What this memory stands for is sealed; its words are only a label.", "Erase it, and add what it should be."
        )
    return row


def _refuse_twice(tx: Tx, user: int, content: str, own: str) -> None:
    same = memories.live_with_hash(tx, user, content)
    if same is not None and same["uid"] != own:
        raise Conflict(
            f"Memory {same['uid']} already says {content!r}.",
            f"Name it too, or forget it: edgemem forget {same['uid']}",
        )
