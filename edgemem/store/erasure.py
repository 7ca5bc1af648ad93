"""What an erasure takes with it, found before anything is changed.

An erasure begins at memories, turns or a search, and reaches everything that was drawn from them. Turns go
as a whole. A memory drawn from a turn that goes is either undone (the turn itself was the aim) or keeps
its sentence and loses the words it came from (another memory, or a search, was the aim).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from edgemem.store.engine import Row, Tx
from edgemem.store.history import payload_of
from edgemem.store.memories import Snapshot, joined_into, snapshot
from edgemem.text import comparable, search_words

Keys = set[int]


@dataclass(slots=True)
class Plan:
    """What goes, as keys of rows. ``detached`` memories keep their sentence without its source; ``restored``
    ones go back to what they were before the erased turn; ``revived`` ones were replaced by what goes.
    """

    memories: Keys = field(default_factory=set)
    turns: Keys = field(default_factory=set)
    sessions: Keys = field(default_factory=set)
    detached: Keys = field(default_factory=set)
    restored: dict[int, Snapshot] = field(default_factory=dict)
    revived: Keys = field(default_factory=set)
    changes: Keys = field(default_factory=set)
    summaries: Keys = field(default_factory=set)
    sentences: set[tuple[int, int]] = field(default_factory=set)
    insights: Keys = field(default_factory=set)
    entities: Keys = field(default_factory=set)
    tasks: Keys = field(default_factory=set)
    fields: set[tuple[int, str]] = field(default_factory=set)
    profile: set[tuple[str, int]] = field(default_factory=set)
    undo: bool = False
    """Whether what was learned from the turns goes with them, instead of staying without its source."""
    mentions: Callable[[str], bool] = lambda _: False
    """Whether a text of the machinery (a trace, a job, a proposal) holds words that go."""

    @property
    def touched(self) -> Keys:
        """Memories that are not what they were: what was built on them goes."""
        return self.memories | set(self.restored)


def of_memory(tx: Tx, user: int, key: int) -> Plan:
    """One memory and those that were joined into it, with every turn that told them."""
    plan = Plan(memories={key} | joined_into(tx, user, {key}))
    plan.turns = _turns_behind(tx, user, plan.memories)
    return _completed(tx, user, plan, undo=False)


def of_aged(tx: Tx, user: int, keys: Iterable[int]) -> Plan:
    """Memories that were out of use long enough, with what was drawn from them. What was said stays in the log."""
    plan = Plan(memories=set(keys))
    _derived(tx, user, plan)
    return plan


def of_turns(tx: Tx, user: int, keys: Iterable[int]) -> Plan:
    """Turns, with what was learned from them: as if they had never been said."""
    return _completed(tx, user, Plan(turns=set(keys)), undo=True)


def of_session(tx: Tx, user: int, key: int) -> Plan:
    """A session, with what was learned from it."""
    rows = tx.execute("SELECT id FROM turn WHERE user_id = ? AND session_id = ?", (user, key))
    return _completed(tx, user, Plan(turns={r[0] for r in rows}, sessions={key}), undo=True)


def of_rows(tx: Tx, user: int, plan: Plan, *, undo: bool) -> Plan:
    """The rows that a plan names so far, with what was drawn from them."""
    return _completed(tx, user, plan, undo=undo)


def of_user(tx: Tx, user: int) -> Plan:
    """Everything of one user."""

    def keys(table: str, key: str = "id") -> Keys:
        return {r[0] for r in tx.execute(f"SELECT {key} FROM {table} WHERE user_id = ?", (user,))}

    def pairs(query: str) -> set[Any]:
        return {(r[0], r[1]) for r in tx.execute(query, (user,))}

    return Plan(
        memories=keys("memory"), turns=keys("turn"), sessions=keys("session"), changes=keys("history", "seq"),
        summaries=keys("summary"), insights=keys("insight"), entities=keys("entity"), tasks=keys("task"),
        sentences=pairs("SELECT s.id, t.n FROM summary s JOIN summary_sentence t ON t.summary_id = s.id WHERE s.user_id = ?"),
        fields=pairs("SELECT task_id, field FROM state WHERE user_id = ?"),
        profile=pairs("SELECT field, avoid FROM profile WHERE user_id = ?"),
    )  # fmt: skip


def of_search(tx: Tx, user: int, query: str) -> Plan:
    """Everything that has all words of the query in it, and the turns behind the memories among it."""
    fits = matcher(query)
    plan = Plan(
        memories=_fitting(tx, user, fits, "memory", "content, value, data, subject, attribute"),
        turns=_fitting(tx, user, fits, "turn", "content, speaker"),
        insights=_fitting(tx, user, fits, "insight", "content"),
        entities=_fitting(tx, user, fits, "entity", "name"),
        changes=_fitting(tx, user, fits, "history", "payload", key="seq"),
        mentions=fits,
    )
    plan.turns |= _turns_behind(tx, user, plan.memories)
    for r in tx.execute(
        "SELECT s.id, t.n, t.content FROM summary s JOIN summary_sentence t ON t.summary_id = s.id WHERE s.user_id = ?",
        (user,),
    ):
        if fits(r[2]):
            plan.sentences.add((r[0], r[1]))
    for r in tx.execute("SELECT entity_id, name FROM alias WHERE user_id = ?", (user,)):
        if fits(r[1]):
            plan.entities.add(r[0])
    _kept_by_name(tx, user, plan)
    return _completed(tx, user, plan, undo=False)


def _kept_by_name(tx: Tx, user: int, plan: Plan) -> None:
    plan.tasks = _fitting(tx, user, plan.mentions, "task", "name")
    for r in tx.execute("SELECT task_id, field, value FROM state WHERE user_id = ?", (user,)):
        if plan.mentions(f"{r[1]} {r[2]}"):
            plan.fields.add((r[0], r[1]))
    for r in tx.execute("SELECT field, avoid, value FROM profile WHERE user_id = ?", (user,)):
        if plan.mentions(f"{r[0]} {r[2]}"):
            plan.profile.add((r[0], r[1]))


def matcher(query: str) -> Callable[[str], bool]:
    """Whether a text has all words of a query: beginnings of words, or runs of unspaced script, in any case."""
    wanted = [
        re.compile(re.escape(word) if unspaced else rf"(?<![^\W_]){re.escape(word)}")
        for word, unspaced in search_words(query)
    ]

    def fits(text: str) -> bool:
        told = comparable(text)
        return bool(wanted) and all(pattern.search(told) for pattern in wanted)

    return fits


def _fitting(tx: Tx, user: int, fits: Callable[[str], bool], table: str, columns: str, key: str = "id") -> Keys:
    rows = tx.execute(f"SELECT {key}, {columns} FROM {table} WHERE user_id = ?", (user,))
    return {r[0] for r in rows if fits(" ".join(str(r[n]) for n in range(1, len(r)) if r[n] is not None))}


def _turns_behind(tx: Tx, user: int, keys: Keys) -> Keys:
    """The turns that told these memories: now, in an earlier version, or as a repetition that was dropped."""
    turns: Keys = set()
    for key in keys:
        row = tx.execute("SELECT uid, source_turn FROM memory WHERE user_id = ? AND id = ?", (user, key)).fetchone()
        turns |= {row["source_turn"]} - {None}
        for before, after in _states(tx, user, row["uid"]):
            turns |= {s["source_turn"] for s in (before, after) if s and s.get("source_turn")}
        told = "SELECT turn_id FROM trace WHERE user_id = ? AND turn_id IS NOT NULL AND instr(steps, ?) > 0"
        turns |= {r[0] for r in tx.execute(told, (user, row["uid"]))}
    return _of(tx, user, "turn", turns)


def _of(tx: Tx, user: int, table: str, keys: Iterable[int]) -> Keys:
    """Those of the keys that are rows of this user."""
    query = f"SELECT id FROM {table} WHERE user_id = ? AND id IN (SELECT value FROM json_each(?))"
    return {r[0] for r in tx.execute(query, (user, json.dumps(sorted(keys))))}


def _states(tx: Tx, user: int, uid: str) -> Iterator[tuple[Snapshot | None, Snapshot | None]]:
    """A memory's changes, oldest first, as the fields before and after; erased ones are passed by."""
    rows = tx.execute("SELECT payload FROM history WHERE user_id = ? AND memory_uid = ? ORDER BY seq", (user, uid))
    for row in rows.fetchall():
        if row[0] is not None:
            payload = payload_of(row[0])
            yield payload["before"], payload["after"]


def _completed(tx: Tx, user: int, plan: Plan, *, undo: bool) -> Plan:
    plan.undo = undo
    _memories_of_turns(tx, user, plan, undo=undo)
    _unjoined(tx, user, plan)
    _changes(tx, user, plan)
    _derived(tx, user, plan)
    asked, parts = plan.mentions, _parts(tx, plan)
    plan.mentions = lambda text: asked(text) or any(part in text for part in parts)
    return plan


SHORTEST_PART = 6
"""Characters below which a text is too common to tell by it that it was repeated."""


def _parts(tx: Tx, plan: Plan) -> list[str]:
    """The texts and ids that go, as they would stand inside JSON."""
    found: set[str] = set()
    for key in plan.touched:
        row = tx.execute("SELECT uid, content, source_quote FROM memory WHERE id = ?", (key,)).fetchone()
        found |= {row["uid"], row["content"], row["source_quote"] or ""}
    for seq in plan.changes:
        payload = json.loads(tx.execute("SELECT payload FROM history WHERE seq = ?", (seq,)).fetchone()[0])
        found |= {s["content"] for s in (payload["before"], payload["after"]) if s}
    for key in plan.turns:
        row = tx.execute("SELECT uid, content FROM turn WHERE id = ?", (key,)).fetchone()
        found |= {row["uid"], row["content"]}
    whole = [json.dumps(text, ensure_ascii=False)[1:-1] for text in found]
    return [text for text in whole if len(text) >= SHORTEST_PART]


def _memories_of_turns(tx: Tx, user: int, plan: Plan, *, undo: bool) -> None:
    rows = tx.execute("SELECT * FROM memory WHERE user_id = ? AND source_turn IS NOT NULL", (user,)).fetchall()
    for row in (r for r in rows if r["source_turn"] in plan.turns and r["id"] not in plan.memories):
        if not undo:
            plan.detached.add(row["id"])
            continue
        earlier = _earlier(tx, user, row, plan.turns)
        if earlier is None:
            plan.memories.add(row["id"])
        else:
            plan.restored[row["id"]] = earlier
    if undo:
        plan.revived = _replaced_by(tx, user, plan.memories) - plan.memories - set(plan.restored)


def _earlier(tx: Tx, user: int, row: Row, gone: Keys) -> Snapshot | None:
    """The last version of a memory that rests on none of the turns, in the state the memory is in now."""
    now = snapshot(row)
    for before, _ in reversed(list(_states(tx, user, row["uid"]))):
        if before is not None and before["source_turn"] not in gone:
            kept = {name: now[name] for name in ("status", "superseded_by", "valid_to", "pinned", "version")}
            return before | kept
    return None


def _replaced_by(tx: Tx, user: int, keys: Keys) -> Keys:
    query = (
        "SELECT o.id FROM memory o JOIN memory n ON n.uid = o.superseded_by AND n.user_id = o.user_id"
        " WHERE o.user_id = ? AND o.status = 'superseded' AND n.id IN (SELECT value FROM json_each(?))"
    )
    return {r[0] for r in tx.execute(query, (user, json.dumps(sorted(keys))))}


def _unjoined(tx: Tx, user: int, plan: Plan) -> None:
    """What was joined with an erased memory: the one that stood for it says again what it said before."""
    plan.revived |= joined_into(tx, user, plan.memories) - plan.memories - set(plan.restored)
    query = (
        "SELECT k.* FROM memory o JOIN memory k ON k.uid = o.superseded_by AND k.user_id = o.user_id WHERE o.user_id = ?"
        " AND json_extract(o.data, '$.joined') IS NOT NULL AND o.id IN (SELECT value FROM json_each(?))"
    )
    for row in tx.execute(query, (user, json.dumps(sorted(plan.memories)))).fetchall():
        if row["id"] in plan.memories or row["id"] in plan.restored:
            continue
        before = _before_join(tx, user, row)
        if before is not None and before["content"] != row["content"]:
            plan.restored[row["id"]] = snapshot(row) | {"content": before["content"]}


def _before_join(tx: Tx, user: int, keeper: Row) -> Snapshot | None:
    """What a memory was before the first other one was joined into it."""
    row = tx.execute(
        "SELECT payload FROM history WHERE user_id = ? AND memory_uid = ? AND action = 'join' AND payload IS NOT NULL"
        " ORDER BY seq LIMIT 1",
        (user, keeper["uid"]),
    ).fetchone()
    before: Snapshot | None = None if row is None else payload_of(row["payload"])["before"]
    return before


def _changes(tx: Tx, user: int, plan: Plan) -> None:
    """Changes whose content goes: those of erased memories, and those that hold words of an erased turn.

    What was once joined with an erased memory, or split from one, loses its earlier changes: they hold its words.
    """
    gone = json.dumps(sorted(plan.memories))
    turns = json.dumps(sorted(plan.turns))
    query = (
        "SELECT h.seq FROM history h WHERE h.user_id = ?1 AND h.payload IS NOT NULL AND ("
        " h.memory_uid IN (SELECT uid FROM memory WHERE user_id = ?1 AND id IN (SELECT value FROM json_each(?2)))"
        " OR json_extract(h.payload, '$.before.source_turn') IN (SELECT value FROM json_each(?3))"
        " OR json_extract(h.payload, '$.after.source_turn') IN (SELECT value FROM json_each(?3))"
        " OR h.memory_uid IN (SELECT b.memory_uid FROM history a JOIN history b ON b.user_id = ?1 AND b.decision = a.decision"
        " JOIN memory m ON m.uid = a.memory_uid WHERE a.user_id = ?1 AND a.action IN ('join','split')"
        " AND m.user_id = ?1 AND m.id IN (SELECT value FROM json_each(?2))))"
    )
    plan.changes |= {r[0] for r in tx.execute(query, (user, gone, turns))}


def _derived(tx: Tx, user: int, plan: Plan) -> None:
    memories, turns = json.dumps(sorted(plan.touched)), json.dumps(sorted(plan.turns))
    plan.insights |= {
        r[0]
        for r in tx.execute(
            "SELECT i.id FROM insight i JOIN evidence e ON e.insight_id = i.id WHERE i.user_id = ?1"
            " AND (e.memory_id IN (SELECT value FROM json_each(?2)) OR e.turn_id IN (SELECT value FROM json_each(?3)))",
            (user, memories, turns),
        )
    }
    plan.sentences |= {
        (r[0], r[1])
        for r in tx.execute(
            "SELECT s.id, o.n FROM summary s JOIN summary_source o ON o.summary_id = s.id WHERE s.user_id = ?1"
            " AND o.turn_id IN (SELECT value FROM json_each(?2))",
            (user, turns),
        )
    }
    plan.summaries = _empty_summaries(tx, user, plan)
    plan.profile |= {
        (r[0], r[1])
        for r in tx.execute(
            "SELECT field, avoid FROM profile WHERE user_id = ?1 AND memory_id IN (SELECT value FROM json_each(?2))",
            (user, memories),
        )
    }


def _empty_summaries(tx: Tx, user: int, plan: Plan) -> Keys:
    """Summaries of sessions that go, and those of which no sentence would be left."""
    rows = tx.execute("SELECT id, session_id FROM summary WHERE user_id = ?", (user,)).fetchall()
    empty = {r["id"] for r in rows if r["session_id"] in plan.sessions}
    for summary in {s for s, _ in plan.sentences} - empty:
        numbers = tx.execute("SELECT n FROM summary_sentence WHERE summary_id = ?", (summary,)).fetchall()
        if all((summary, r[0]) in plan.sentences for r in numbers):
            empty.add(summary)
    return empty
