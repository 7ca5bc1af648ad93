"""Bring what another file of the same people knows into this one, change by change.

Ids are the same everywhere, so the history says who knew what. A memory that only one side changed
takes that side's state; where both did, an end (forgotten, superseded) wins over words, and otherwise the
later state does: both sides' changes stay in the history, and the disagreement is named. What was
erased on either side, a turn or a person too, is erased here and not taken in. Merging again changes nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from edgemem.ids import new_id
from edgemem.store import carry_out, graves, history, memories, rest, row_seals, users
from edgemem.store.carry_in import Arrivals, Refused, blank
from edgemem.store.carry_out import Record
from edgemem.store.engine import Engine, Row, Tx
from edgemem.store.memories import FIELDS, Snapshot

_FIRST = frozenset({"session", "turn", "trace"})
_ENDS = ("forgotten", "superseded")
"""States that win over words changed elsewhere, the stronger first."""

_TASK_ENDS = {"open": 0, "done": 1, "archived": 2}


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Both sides changed it. ``kept`` and ``other`` are the two contents (or values); both stay in the history."""

    user: str
    what: str
    kept: str
    other: str


@dataclass(slots=True)
class Merged:
    """What a merge did: rows that came in by kind, memories changed, rows erased here, and what both had changed.

    ``kept_out`` counts rows and people of the other file that were erased here before. ``came`` are the memories in use
    that are new here, by person; ``contradictions`` counts those of them that now wait in the review with one of here.
    """

    added: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    changed: int = 0
    erased: int = 0
    kept_out: int = 0
    disagreements: list[Disagreement] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    came: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    contradictions: int = 0

    @property
    def anything(self) -> bool:
        """Whether the merge changed the file."""
        return bool(sum(self.added.values()) or self.changed or self.erased)


def merge(ours: Engine, theirs: Engine, now: str) -> Merged:
    """Bring in all people of another file, in one transaction. What either knows to have been erased goes first.

    ``theirs`` is only read: what was erased here is taken out of a copy of it in memory.
    """
    with ours.write() as tx:
        here = graves.known(tx)
        with theirs.read() as other:
            there, kept_out = graves.known(other), rest.remaining(other, here)
        if kept_out:
            theirs.to_memory(lambda copy: rest.rest(copy, here, now))
        result = Merged(erased=rest.rest(tx, there, now), kept_out=kept_out)
        with theirs.read() as other:
            _bring_in(tx, other, now, result)
    return result


def _bring_in(tx: Tx, other: Tx, now: str, result: Merged) -> None:
    seen = users.Seen()
    for name in users.names(other):
        theirs = users.find(other, name)
        if theirs is not None:
            person = _Person(tx, name, users.find_or_add(tx, name, now, seen), now, result)
            person.merge(list(carry_out.records(other, theirs)), _uses(other, theirs))


def _uses(tx: Tx, user: int) -> dict[str, tuple[int, str | None]]:
    rows = tx.execute("SELECT uid, use_count, last_used_at FROM memory WHERE user_id = ?", (user,))
    return {r[0]: (r[1], r[2]) for r in rows}


class _Person:
    """One person of this file, and what the other file has of them."""

    def __init__(self, tx: Tx, name: str, user: int, now: str, result: Merged) -> None:
        self._tx = tx
        self._name = name
        self._user = user
        self._now = now
        self._result = result
        self._arrivals = Arrivals(tx, user, memories_first=False)

    def merge(self, records: Iterable[Record], uses: Mapping[str, tuple[int, str | None]]) -> None:
        """Sessions and turns, then memories with their history, then what rests on them."""
        memories_of: dict[str, Record] = {}
        changes_of: dict[str, list[Record]] = defaultdict(list)
        rest: list[Record] = []
        for record in records:
            if record["type"] in _FIRST:
                self._take(record)
            elif record["type"] == "memory":
                memories_of[record["uid"]] = record
            elif record["type"] == "history":
                changes_of[record["memory_uid"]].append(record)
            else:
                rest.append(record)
        for uid in dict.fromkeys([*changes_of, *memories_of]):
            self._memory(uid, memories_of.get(uid), changes_of[uid])
        for uid, use in uses.items():
            self._used(uid, *use)
        for record in rest:
            self._other(record)

    def _take(self, record: Record) -> str:
        try:
            arrival = self._arrivals.take(record)
        except Refused as why:
            self._result.refused.append(f"{self._name}: a {record['type']}: {why}")
            return "refused"
        if arrival == "added":
            self._result.added[record["type"]] += 1
        return arrival

    # Memories

    def _memory(self, uid: str, theirs: Record | None, their_changes: list[Record]) -> None:
        query = "SELECT uid FROM history WHERE user_id = ? AND memory_uid = ?"
        ours = {r[0] for r in self._tx.execute(query, (self._user, uid)).fetchall()}
        mine = memories.row(self._tx, self._user, uid)
        fresh = [c for c in their_changes if c["uid"] not in ours]
        if mine is None and (ours or theirs is None):
            self._stays_erased(fresh)
            return
        if theirs is None or (mine is not None and not fresh):
            return
        for change in fresh:
            self._take(change)
        wanted = self._fields(theirs)
        if wanted is None:
            return
        if mine is not None and ours - {c["uid"] for c in their_changes}:
            wanted = self._decided(uid, memories.snapshot(mine), wanted)
        self._settle(uid, mine, wanted)

    def _stays_erased(self, fresh: list[Record]) -> None:
        """Erased on one side, gone on both: its changes are known to have been, without what they said."""
        for change in fresh:
            self._take(blank(change))

    def _fields(self, record: Record) -> Snapshot | None:
        try:
            fields = self._arrivals.fields_of(record)
        except Refused as why:
            self._result.refused.append(f"{self._name}: memory {record['uid']}: {why}")
            return None
        return {name: fields[name] for name in FIELDS}

    def _decided(self, uid: str, mine: Snapshot, theirs: Snapshot) -> Snapshot:
        """Which of two states stands. The same on both sides, whichever merges first."""
        bare = ({k: v for k, v in s.items() if k not in {"version", "updated_at"}} for s in (mine, theirs))
        if next(bare) == next(bare):
            return max(mine, theirs, key=lambda s: (s["version"], s["updated_at"]))
        kept, other = sorted((mine, theirs), key=_weight, reverse=True)
        self._result.disagreements.append(Disagreement(self._name, f"memory {uid}", _told(kept), _told(other)))
        return kept | {"version": max(mine["version"], theirs["version"]) + 1, "updated_at": self._now}

    def _settle(self, uid: str, mine: Row | None, wanted: Snapshot) -> None:
        """Write the state, make room for it, and see that the history ends with it."""
        wanted = self._with_room(uid, wanted)
        before = None if mine is None else memories.snapshot(mine)
        if mine is None:
            memories.insert(self._tx, self._user, uid, wanted)
            self._result.added["memory"] += 1
            if wanted["status"] == "live":
                self._result.came[self._name].append(uid)
        elif before != wanted:
            memories.update(self._tx, self._user, uid, wanted)
            self._result.changed += 1
        last = history.of_memory(self._tx, self._user, uid)[-1:]
        if not last or last[0].after != wanted:
            self._note(uid, dict(last[0].after) if last and last[0].after else before, wanted)

    def _with_room(self, uid: str, wanted: Snapshot) -> Snapshot:
        """The same words said on both sides are one memory: the older id lives, the other is superseded by it."""
        same = memories.live_with_hash(self._tx, self._user, wanted["content"]) if wanted["status"] == "live" else None
        if same is None or same["uid"] == uid:
            return wanted
        if uid > same["uid"]:
            return self._superseded(wanted, same["uid"])
        before = memories.snapshot(same)
        after = self._superseded(before, uid)
        memories.update(self._tx, self._user, same["uid"], after)
        self._note(same["uid"], before, after)
        self._result.changed += 1
        return wanted

    def _superseded(self, state: Snapshot, by: str) -> Snapshot:
        return state | {"status": "superseded", "superseded_by": by, "valid_to": state["valid_to"] or self._now,
                        "version": state["version"] + 1, "updated_at": self._now}  # fmt: skip

    def _note(self, uid: str, before: Snapshot | None, after: Snapshot) -> None:
        history.append(
            self._tx, self._user, memory=uid, action="merge", author="rule", reason="merged from another file",
            decision=new_id(), now=self._now, before=before, after=after,
        )  # fmt: skip

    def _used(self, uid: str, count: int, last: str | None) -> None:
        self._tx.execute(
            "UPDATE memory SET use_count = max(use_count, ?1), last_used_at = nullif(max(coalesce(last_used_at, ''),"
            " coalesce(?2, '')), '') WHERE user_id = ?3 AND uid = ?4 AND (use_count < ?1 OR coalesce(last_used_at, '') < ?2)",
            (count, last, self._user, uid),
        )

    # What rests on them

    def _other(self, record: Record) -> None:
        known = self._row(record) if record["type"] in {"task", "state", "profile"} else None
        if known is None:
            self._take(record)
        elif record["type"] == "task":
            self._task(known, record)
        else:
            self._field(known, record)

    def _row(self, record: Record) -> Row | None:
        try:
            row = self._arrivals.row_of(record)
        except Refused:
            return None  # what it rests on is not here: taking it says so
        row_seals.check(row is None or row_seals.is_whole(record["type"], row), record["type"])
        return row

    def _task(self, known: Row, record: Record) -> None:
        if _TASK_ENDS[record["status"]] > _TASK_ENDS[known["status"]]:
            self._tx.execute(
                "UPDATE task SET status = ?, ended_at = ?, expires_at = ? WHERE user_id = ? AND id = ?",
                (record["status"], record["ended_at"], record["expires_at"], self._user, known["id"]),
            )
            self._result.changed += 1

    def _field(self, known: Row, record: Record) -> None:
        """A field of a task or of the profile: the later value stands."""
        fields = self._arrivals.fields_of(record)
        if known["value"] == fields["value"]:
            return
        theirs_later = (fields["updated_at"], fields["value"]) > (known["updated_at"], known["value"])
        kept, other = (fields["value"], known["value"]) if theirs_later else (known["value"], fields["value"])
        label = f"{record['type']} {record.get('task', '')} {record['field']}".replace("  ", " ")
        if theirs_later:
            self._write_field(record["type"], known, fields)
            self._result.changed += 1
        self._result.disagreements.append(Disagreement(self._name, label, kept, other))

    def _write_field(self, table: str, known: Row, fields: Mapping[str, Any]) -> None:
        columns = {c: v for c, v in fields.items() if c not in {"task_id", "field", "avoid"}}
        if table == "state":
            # Whoever read the version before must see that it is another one now.
            columns["version"] = max(known["version"] + 1, fields["version"])
        where = "task_id = ? AND field = ?" if table == "state" else "field = ? AND avoid = ?"
        key = (known["task_id"], known["field"]) if table == "state" else (known["field"], known["avoid"])
        marks = ", ".join(f"{c} = ?" for c in columns)
        self._tx.execute(
            f"UPDATE {table} SET {marks} WHERE user_id = ? AND {where}", (*columns.values(), self._user, *key)
        )


def _weight(state: Snapshot) -> tuple[int, str, str]:
    end = len(_ENDS) - _ENDS.index(state["status"]) if state["status"] in _ENDS else 0
    return end, state["updated_at"], state["content"]


def _told(state: Snapshot) -> str:
    return state["content"] if state["status"] == "live" else f"{state['content']} ({state['status']})"
