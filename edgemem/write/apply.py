"""Decide and apply: one candidate becomes a row, a merge or a replacement, with its history."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

from edgemem.errors import Conflict
from edgemem.ids import new_id
from edgemem.records import Learned, LoggedTurn, Relation4, Source
from edgemem.store import history, memories
from edgemem.store.engine import Row, Tx
from edgemem.store.memories import Snapshot
from edgemem.times import to_db
from edgemem.write import attributes, halves
from edgemem.write.attributes import Slot
from edgemem.write.clauses import Corrected

NAMESPACES = {
    "fact": "knowledge", "preference": "preference", "rule": "preference", "state": "task", "event": "event", "skill": "skill",
}  # fmt: skip
"""Namespace a memory goes to when nobody names one."""

IMPORTANCE = {"rule": 0.9, "preference": 0.7, "fact": 0.6, "state": 0.5, "skill": 0.6, "event": 0.5}
"""Importance (0..1) by kind, until something measures it better."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A verified memory on its way into the store. ``corrects``: what it puts right, where another message said that."""

    content: str
    kind: str
    about: str
    confidence: float
    quote: str
    start: int
    slot: Slot | None = None
    corrects: Corrected | None = None


@dataclass(frozen=True, slots=True)
class Meeting:
    """The stored memory a candidate was compared with, at the version that was read, and the verdict.

    ``same_slot``: both tell the same attribute of the same subject. ``correction``: the candidate puts the memory right;
    ``righted`` is the memory with the right value, where it tells more than the candidate.
    """

    uid: str
    version: int
    relation: Relation4
    same_slot: bool = False
    correction: bool = False
    righted: str | None = None


def blank(content: str, kind: str, now: str, **fields: object) -> Snapshot:
    """All fields of a memory with their defaults, and those given."""
    base: Snapshot = dict.fromkeys(memories.FIELDS)
    base |= {
        "namespace": NAMESPACES.get(kind, "knowledge"), "kind": kind, "content": content, "about": "user", "data": "{}",
        "polarity": 1, "importance": IMPORTANCE.get(kind, 0.5), "confidence": 1.0, "created_at": now, "updated_at": now,
        "pinned": 0, "sensitivity": "normal", "status": "live", "version": 1,
    }  # fmt: skip
    return base | fields


def store(
    tx: Tx, user: int, turn: LoggedTurn, candidate: Candidate, meeting: Meeting | None, *, now: str, trace: str
) -> Learned:
    """Write one candidate. Raises ``Conflict`` when the memory it met has changed since it was read."""
    if meeting is not None and meeting.righted is not None:
        candidate = replace(candidate, content=meeting.righted, slot=attributes.of(meeting.righted))
    same = memories.live_with_hash(tx, user, candidate.content)
    if same is not None:
        return _duplicate(tx, user, turn, candidate, same, now)
    met = None if meeting is None else _as_read(tx, user, meeting)
    if meeting is None or met is None or meeting.relation == "distinct":
        return _added(tx, user, turn, candidate, now, trace)
    if meeting.relation == "duplicate":
        return _duplicate(tx, user, turn, candidate, met, now)
    if meeting.relation == "conflict":
        return _replaced(tx, user, turn, candidate, met, now, trace, correction=meeting.correction)
    if _said_later(met, turn):
        # The detail is from before what is stored: both stay, the newer words are not overwritten.
        return _added(tx, user, turn, candidate, now, trace)
    return _refined(tx, user, turn, candidate, met, now, trace)


def _as_read(tx: Tx, user: int, meeting: Meeting) -> Row:
    row = memories.row(tx, user, meeting.uid)
    if row is None or row["status"] != "live" or row["version"] != meeting.version:
        raise Conflict(f"Memory {meeting.uid} changed while it was compared.", "Compare again.")
    return memories.checked(row)


def _said_later(met: Row, turn: LoggedTurn) -> bool:
    """Whether the stored memory was said after the turn that is read now: turns may arrive late."""
    return bool(met["valid_from"]) and str(met["valid_from"]) > to_db(turn.at)


def _fields(turn: LoggedTurn, candidate: Candidate, now: str, trace: str) -> Snapshot:
    return blank(
        candidate.content, candidate.kind, now, about=candidate.about, confidence=candidate.confidence,
        **slot_fields(candidate.slot), valid_from=to_db(turn.at), source_turn=turn.key, source_quote=candidate.quote, source_start=candidate.start, trace=trace,
    )  # fmt: skip


def slot_fields(told: Slot | None) -> Snapshot:
    """What was told in fields, as a row holds it; nothing where nothing was."""
    if told is None:
        return {}
    return {"subject": told.subject, "attribute": told.attribute, "value": told.value, "polarity": told.polarity}


def _learned(
    turn: LoggedTurn, c: Candidate, uid: str, outcome: str, change: str | None, replaced: str | None = None
) -> Learned:
    source = Source(turn.session, turn.id, c.quote, c.start, turn.at, turn.zone)
    return Learned(uid, c.content, c.kind, c.about, c.confidence, outcome, source, replaced, change)


def _duplicate(tx: Tx, user: int, turn: LoggedTurn, candidate: Candidate, met: Row, now: str) -> Learned:
    memories.note_use(tx, user, [met["id"]], now)
    return _learned(turn, candidate, met["uid"], "duplicate", None)


def _added(tx: Tx, user: int, turn: LoggedTurn, candidate: Candidate, now: str, trace: str) -> Learned:
    uid, fields = new_id(), _fields(turn, candidate, now, trace)
    memories.insert(tx, user, uid, fields)
    change = history.append(
        tx, user, memory=uid, action="add", author="model", reason="learned from a turn", decision=new_id(), now=now,
        before=None, after=fields,
    )  # fmt: skip
    return _learned(turn, candidate, uid, "added", change)


def _refined(tx: Tx, user: int, turn: LoggedTurn, candidate: Candidate, met: Row, now: str, trace: str) -> Learned:
    before = memories.snapshot(met)
    fresh = _fields(turn, candidate, now, trace)
    after = fresh | {"created_at": before["created_at"], "valid_from": before["valid_from"], "pinned": before["pinned"],
                     "importance": max(before["importance"], fresh["importance"]), "namespace": before["namespace"],
                     "agent": before["agent"], "data": before["data"], "expires_at": before["expires_at"],
                     "sensitivity": before["sensitivity"], **({} if candidate.slot else _own_slot(before)),
                     "version": before["version"] + 1}  # fmt: skip
    memories.update(tx, user, met["uid"], after)
    change = history.append(
        tx, user, memory=met["uid"], action="refine", author="model", reason="a turn added detail", decision=new_id(), now=now,
        before=before, after=after,
    )  # fmt: skip
    return _learned(turn, candidate, met["uid"], "refined", change)


def _own_slot(memory: Snapshot) -> Snapshot:
    """What a memory tells in fields, for new words that tell nothing in fields."""
    return {name: memory[name] for name in ("subject", "attribute", "value", "polarity")}


def _replaced(
    tx: Tx, user: int, turn: LoggedTurn, candidate: Candidate, met: Row, now: str, trace: str, *, correction: bool
) -> Learned:
    """The newer statement stays current, whichever of the two arrives first. What else a joined old one told stays too."""
    uid, decision, old = new_id(), new_id(), memories.snapshot(met)
    fresh = _fields(turn, candidate, now, trace) | {"pinned": int(correction and met["pinned"])}
    if _said_later(met, turn):
        late = fresh | {"status": "superseded", "superseded_by": met["uid"], "valid_to": old["valid_from"]}
        memories.insert(tx, user, uid, late)
        change = history.append(
            tx, user, memory=uid, action="add", author="model", reason="an older statement that arrived late", decision=decision,
            now=now, before=None, after=late,
        )  # fmt: skip
        return _learned(turn, candidate, uid, "added", change)
    closed = old | {"status": "superseded", "superseded_by": uid, "valid_to": fresh["valid_from"], "updated_at": now,
                    "version": old["version"] + 1}  # fmt: skip
    memories.update(tx, user, met["uid"], closed)
    history.append(
        tx, user, memory=met["uid"], action="supersede", author="model", reason=json.dumps({"by": uid}), decision=decision,
        now=now, before=old, after=closed,
    )  # fmt: skip
    for rest in () if correction else halves.untouched(old["content"], candidate.content):
        _left(tx, user, old, rest, decision, now)
    memories.insert(tx, user, uid, fresh)
    change = history.append(
        tx, user, memory=uid, action="replace", author="model", reason="a newer statement", decision=decision, now=now,
        before=None, after=fresh,
    )  # fmt: skip
    return _learned(turn, candidate, uid, "replaced", change, met["uid"])


def _left(tx: Tx, user: int, old: Snapshot, rest: str, decision: str, now: str) -> None:
    """Keep the half of a replaced memory that nothing was said against, with the same source; one undo takes both back."""
    if memories.live_with_hash(tx, user, rest) is not None:
        return
    uid = new_id()
    kept = old | {
        "content": rest, "subject": None, "attribute": None, "value": None, "polarity": 1,
        **slot_fields(attributes.of(rest)), "updated_at": now, "version": 1,
    }  # fmt: skip
    memories.insert(tx, user, uid, kept)
    history.append(
        tx, user, memory=uid, action="add", author="model", reason="what a newer statement left of a joined one", decision=decision,
        now=now, before=None, after=kept,
    )  # fmt: skip
