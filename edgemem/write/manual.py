"""Changes made by hand: add, edit, pin, forget, undo. Each with history; each can be undone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from edgemem.errors import Conflict, InvalidInput, NotFound
from edgemem.ids import new_id
from edgemem.records import KINDS, Change
from edgemem.store import changing, history, memories
from edgemem.store.engine import Row, Tx
from edgemem.store.memories import Snapshot
from edgemem.text import check_text, fold, has_words
from edgemem.write.apply import blank, slot_fields
from edgemem.write.fields import told as fields_told

_SLOT = {"subject": None, "attribute": None, "value": None, "polarity": 1}
"""The fields of a memory that tells nothing in fields."""

_MOVING = frozenset({"version", "updated_at"})
"""Fields that every change moves on, an undo too."""

MAX_CONTENT = 10_000
"""Longest memory written by hand, in characters."""


def checked_content(content: str) -> str:
    """The text of a memory, trimmed. Raises ``InvalidInput``."""
    text = content.strip()
    if not has_words(text):
        raise InvalidInput("A memory needs words.", 'For example: edgemem add "I am allergic to peanuts"')
    if len(text) > MAX_CONTENT:
        raise InvalidInput(
            f"A memory is at most {MAX_CONTENT:,} characters.", "Put long texts into the log with learn."
        )
    return check_text(text, "The text")


def checked_query(query: str) -> str:
    """A question as it is. Raises ``InvalidInput`` for what no model and no file can take."""
    return check_text(query, "The question")


def checked_kind(kind: str) -> str:
    """A kind that there is. Raises ``InvalidInput``."""
    if kind not in KINDS:
        raise InvalidInput(f"There is no kind {kind!r}.", f"Kinds are: {', '.join(KINDS)}.")
    return kind


def slot(subject: str | None, attribute: str | None, value: str | None) -> dict[str, str]:
    """The fields of a subject, an attribute and its value, as they are looked up. Raises ``InvalidInput``."""
    if attribute is None and value is not None:
        raise InvalidInput("A value needs to know what it is the value of.", "Name the attribute too.")
    if subject is None and attribute is None:
        return {}
    words = {"subject": subject or "user", "attribute": attribute and fold(attribute), "value": value}
    for name, text in words.items():
        check_text(text or "", f"The {name}")
    return {name: " ".join(text.split()) for name, text in words.items() if text}


def add(
    tx: Tx, user: int, content: str, kind: str, now: str, *, reason: str = "added by hand", **fields: Any
) -> tuple[str, bool]:
    """Store a sentence as it is; returns its id, and whether it is new (the same words are stored once)."""
    checked_kind(kind)
    given = {name: value for name, value in fields.items() if value is not None}
    if not 0 <= given.get("importance", 0.5) <= 1:
        raise InvalidInput("Importance is a number from 0 to 1.", "For example: --importance 0.8")
    same = memories.live_with_hash(tx, user, content)
    if same is not None:
        memories.note_use(tx, user, [same["id"]], now)
        return same["uid"], False
    if not given.keys() & _SLOT.keys():
        given |= _told(content)
    uid, snapshot = new_id(), blank(content, kind, now, **({"valid_from": now} | given))
    memories.insert(tx, user, uid, snapshot)
    history.append(
        tx, user, memory=uid, action="add", author="user", reason=reason, decision=new_id(), now=now, before=None,
        after=snapshot,
    )  # fmt: skip
    return uid, True


def _told(content: str) -> Snapshot:
    """What a sentence tells in fields for sure: "moved to Linux" names no home."""
    slot = fields_told(content)
    return {} if slot is None or slot.weak else slot_fields(slot)


def edit(
    tx: Tx, user: int, uid: str, now: str, *, expect: int | None = None, reason: str = "changed by hand", **fields: Any
) -> str:
    """Change fields of a memory; returns the change's id. ``expect`` is the version the caller saw."""
    row = _row(tx, user, uid)
    if expect is not None and row["version"] != expect:
        raise Conflict(f"Memory {uid} is at version {row['version']}, not {expect}.", "Read it again and decide anew.")
    if "content" in fields and row["sensitivity"] != "normal":
        raise Conflict(
            "What this memory stands for is sealed; its words are only a label.",
            "Add the new one, then erase this one.",
        )
    if "content" in fields:
        same = memories.live_with_hash(tx, user, fields["content"])
        if same is not None and same["uid"] != uid:
            raise Conflict(f"Memory {same['uid']} already says that.", "Forget one of the two instead.")
        fields = _retold(row, fields["content"]) | fields
    action = {1: "pin", 0: "unpin"}.get(fields.get("pinned", -1), "edit") if set(fields) == {"pinned"} else "edit"
    return changing.change(tx, user, row, action, reason, now, **fields)


def _retold(row: Row, content: str) -> dict[str, Any]:
    """What other words tell in fields, unless somebody gave the fields by hand."""
    own = {name: row[name] for name in _SLOT}
    by_rule = own in (_SLOT, _told(row["content"]))
    return {**_SLOT, **_told(content)} if by_rule else {}


def confirm(tx: Tx, user: int, uid: str, now: str) -> str:
    """Put a doubtful memory to use; returns the change's id."""
    row = _row(tx, user, uid)
    if row["status"] != "review":
        raise Conflict(f"Memory {uid} is {row['status']}, not doubtful.", "Only a doubtful memory can be confirmed.")
    room_for(tx, user, uid, "live", row["content"])
    return changing.change(tx, user, row, "edit", "confirmed by hand", now, status="live", confidence=1.0)


def forget(tx: Tx, user: int, uid: str, now: str, reason: str, *, author: str = "user") -> str:
    """Take a memory out of use; returns the change's id. Undo brings it back until it is erased."""
    row = _row(tx, user, uid)
    if row["status"] == "forgotten":
        raise Conflict(
            f"Memory {uid} is forgotten already.", f"Bring it back with: edgemem undo {_last(tx, user, uid)}"
        )
    return changing.change(
        tx, user, row, "forget", reason, now, author=author, status="forgotten", valid_to=row["valid_to"] or now
    )


def _last(tx: Tx, user: int, uid: str) -> str:
    return history.of_memory(tx, user, uid)[-1].id


def undo(tx: Tx, user: int, change_id: str, now: str, *, author: str = "user") -> list[str]:
    """Take back a change and those decided with it; returns the ids of the changes that did so.

    A part of at least 6 characters of the change's id is enough. Raises ``NotFound`` when none
    or several fit, or ``Conflict`` when a later change of the same memory stands in the way.
    """
    change = history.get(tx, user, change_id)
    if change is None:
        found = history.find_part(tx, user, change_id) if len(change_id) >= 6 else []
        if len(found) != 1:
            why = f"Several changes fit {change_id!r}." if found else f"There is no change {change_id}."
            raise NotFound(why, "List them with: edgemem history. Of an id at least 6 characters are needed.")
        change = found[0]
    decision = new_id()
    return [_undo_one(tx, user, c, decision, now, author) for c in history.of_decision(tx, user, change.group)]


def _undo_one(tx: Tx, user: int, change: Change, decision: str, now: str, author: str) -> str:
    earlier = history.undone_by(tx, user, change.id)
    if earlier is not None:
        raise Conflict(f"Change {change.id} was undone already.", f"Redo it with: edgemem undo {earlier}")
    if change.after is None:
        raise Conflict(f"Change {change.id} was erased.", "What was erased cannot come back.")
    row = _row(tx, user, change.memory)
    if not _is_as_left(memories.snapshot(row), change.after):
        later = history.of_memory(tx, user, change.memory)[-1]
        raise Conflict(
            f"Memory {change.memory} has changed again since.", f"Undo the later change first: edgemem undo {later.id}"
        )
    # A memory that did not exist before is put out of use, not deleted: this undo can be undone too.
    before = dict(change.before) if change.before is not None else {"status": "forgotten", "valid_to": now}
    before.pop("version", None)
    room_for(tx, user, change.memory, before.get("status", ""), before.get("content", row["content"]))
    return changing.change(
        tx,
        user,
        row,
        "undo",
        f"undid {change.action}",
        now,
        author=author,
        decision=decision,
        undoes=change.id,
        **before,
    )


def _is_as_left(now: Snapshot, after: Mapping[str, Any]) -> bool:
    """Whether a memory is what a change made of it, perhaps after later changes that were undone."""
    return {k: v for k, v in now.items() if k not in _MOVING} == {k: v for k, v in after.items() if k not in _MOVING}


def room_for(tx: Tx, user: int, uid: str, status: str, content: str) -> None:
    """Raise ``Conflict`` where a memory would become live that says what another live one says."""
    same = memories.live_with_hash(tx, user, content) if status == "live" else None
    if same is not None and same["uid"] != uid and same["sensitivity"] != "normal":
        raise Conflict(
            f"Memory {same['uid']} has the label {content!r} too, and may stand for another secret.",
            f"See both with edgemem show --reveal ID; erase the one that is out of date, such as: edgemem erase {same['uid']}",
        )
    if same is not None and same["uid"] != uid:
        raise Conflict(f"Memory {same['uid']} says the same by now.", f"Forget it first: edgemem forget {same['uid']}")


def _row(tx: Tx, user: int, uid: str) -> Row:
    row = memories.row(tx, user, uid)
    if row is None:
        raise NotFound(f"There is no memory {uid}.", "List them with: edgemem list")
    return memories.checked(row)
