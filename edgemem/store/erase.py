"""Carry out an erasure: the rows of a plan go, what points to them is mended, in the caller's transaction.

SQLite and FTS5 overwrite what is deleted here (``secure_delete``); ``Engine.scrub`` then empties the
write-ahead log. The history keeps its entries without their content, so its chain stays whole.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from edgemem.ids import new_id
from edgemem.store import changes, fulltext, graves, history, memories, turn_seals, turns
from edgemem.store.engine import Tx
from edgemem.store.erasure import Keys, Plan, of_aged
from edgemem.store.memories import Snapshot

ERASED_STEPS = '[{"step":"erased"}]'
"""What is left of a trace that held erased words."""

LATER_TURNS = 4
"""Turns after an erased one whose traces go too: a model that had it before its eyes may have repeated it."""

REASON = "erased for good"


def apply(tx: Tx, user: int, plan: Plan, now: str, *, bury: bool = True) -> None:
    """Erase what the plan names. Rows of other users are out of reach: every statement names the user.

    ``bury`` notes, without words, what went; false where the caller has the graves.
    """
    if bury:
        graves.bury(tx, user, plan, now)
    decision = new_id()
    _graph(tx, user, plan)
    _insights(tx, user, plan.insights)
    _summaries(tx, user, plan)
    _profile_and_state(tx, user, plan)
    _machinery(tx, user, plan)
    _history(tx, user, plan)
    for key in plan.detached:
        _rewrite(tx, user, key, {"source_turn": None, "source_quote": None, "source_start": None, "trace": None},
                 decision, now)  # fmt: skip
    for key, earlier in plan.restored.items():
        _restore(tx, user, plan, key, earlier, decision, now)
    for key in sorted(plan.memories):
        _memory(tx, user, key, decision, now)
    for key in plan.revived:
        _revive(tx, user, key, decision, now)
    _turns(tx, user, plan)
    _sessions(tx, user, plan)
    fulltext.purge(tx)


def delete(tx: Tx, user: int, keys: Iterable[int], now: str) -> None:
    """Delete memories that were out of use for long. Not an erasure: what was said, and who repeats it, stays."""
    plan, decision = of_aged(tx, user, keys), new_id()
    _graph(tx, user, plan)
    _insights(tx, user, plan.insights)
    _profile_and_state(tx, user, plan)
    for key in sorted(plan.memories):
        _memory(tx, user, key, decision, now, action="delete", author="rule", reason="out of use for long")


def _in(tx: Tx, sql: str, user: int, keys: Iterable[Any]) -> Any:
    """Run a statement whose ``?1`` is the user and whose ``?2`` is a JSON list of keys."""
    return tx.execute(sql, (user, json.dumps(sorted(keys))))


def _graph(tx: Tx, user: int, plan: Plan) -> None:
    gone = (
        "(memory_id IN (SELECT value FROM json_each(?2)) OR (turn_id IN (SELECT value FROM json_each(?3))"
        " AND (memory_id IS NULL OR memory_id NOT IN (SELECT value FROM json_each(?4))))"
        " OR subject_id IN (SELECT value FROM json_each(?5)) OR object_id IN (SELECT value FROM json_each(?5)))"
    )
    lists = [json.dumps(sorted(k)) for k in (plan.touched, plan.turns, plan.detached, plan.entities)]
    ends = tx.execute(
        f"SELECT subject_id, object_id FROM relation WHERE user_id = ?1 AND {gone}", (user, *lists)
    ).fetchall()
    tx.execute(f"DELETE FROM relation WHERE user_id = ?1 AND {gone}", (user, *lists))
    _in(tx, "UPDATE relation SET turn_id = NULL WHERE user_id = ?1 AND turn_id IN (SELECT value FROM json_each(?2))",
        user, plan.turns)  # fmt: skip
    # Those of the plan have no relations left either.
    for entity in {e for pair in ends for e in pair} | plan.entities:
        drop_lone(tx, user, entity)


def drop_lone(tx: Tx, user: int, entity: int) -> None:
    """Remove an entity that nothing is told of any more."""
    query = "SELECT 1 FROM relation WHERE user_id = ?1 AND (subject_id = ?2 OR object_id = ?2) LIMIT 1"
    if tx.execute(query, (user, entity)).fetchone() is None:
        tx.execute("DELETE FROM alias WHERE user_id = ? AND entity_id = ?", (user, entity))
        tx.execute("DELETE FROM entity WHERE user_id = ? AND id = ?", (user, entity))


def _insights(tx: Tx, user: int, keys: Keys) -> None:
    """An insight was drawn from all of its evidence together, so it falls with any of it."""
    _in(tx, "DELETE FROM evidence WHERE insight_id IN (SELECT id FROM insight WHERE user_id = ?1"
        " AND id IN (SELECT value FROM json_each(?2)))", user, keys)  # fmt: skip
    _in(tx, "DELETE FROM insight WHERE user_id = ?1 AND id IN (SELECT value FROM json_each(?2))", user, keys)
    _vectors(tx, user, "insight", keys)


def _vectors(tx: Tx, user: int, owner: str, keys: Keys) -> None:
    for key in keys:
        tx.execute("DELETE FROM vector WHERE user_id = ? AND owner = ? AND owner_id = ?", (user, owner, key))
        changes.note(tx, user, owner, key)


def _summaries(tx: Tx, user: int, plan: Plan) -> None:
    for summary, n in plan.sentences:
        tx.execute("DELETE FROM summary_source WHERE summary_id = ? AND n = ?", (summary, n))
        tx.execute("DELETE FROM summary_sentence WHERE summary_id = ? AND n = ?", (summary, n))
    for summary in plan.summaries:
        tx.execute("DELETE FROM summary_source WHERE summary_id = ?", (summary,))
        tx.execute("DELETE FROM summary_sentence WHERE summary_id = ?", (summary,))
        tx.execute("DELETE FROM summary WHERE user_id = ? AND id = ?", (user, summary))
    # The vector of a summary stands for all of its sentences.
    _vectors(tx, user, "summary", {s for s, _ in plan.sentences} | plan.summaries)
    _span(tx, user, plan)


def _span(tx: Tx, user: int, plan: Plan) -> None:
    """A summary that began or ended at an erased turn begins or ends at the next one that stays."""
    ends = _in(tx, "SELECT id, session_id, first_turn, last_turn FROM summary WHERE user_id = ?1 AND"
               " (first_turn IN (SELECT value FROM json_each(?2)) OR last_turn IN (SELECT value FROM json_each(?2)))",
               user, plan.turns).fetchall()  # fmt: skip
    for row in ends:
        kept = [r[0] for r in tx.execute(
            "SELECT t.id FROM turn t, turn f, turn l WHERE t.session_id = ? AND f.id = ? AND l.id = ?"
            " AND t.position BETWEEN f.position AND l.position ORDER BY t.position",
            (row["session_id"], row["first_turn"], row["last_turn"]),
        ) if r[0] not in plan.turns]  # fmt: skip
        if kept:
            tx.execute("UPDATE summary SET first_turn = ?, last_turn = ? WHERE id = ?", (kept[0], kept[-1], row["id"]))
        else:
            _summaries(tx, user, Plan(summaries={row["id"]}))


def _profile_and_state(tx: Tx, user: int, plan: Plan) -> None:
    for name, avoid in plan.profile:
        tx.execute("DELETE FROM profile WHERE user_id = ? AND field = ? AND avoid = ?", (user, name, avoid))
    for task, name in plan.fields:
        tx.execute("DELETE FROM state WHERE user_id = ? AND task_id = ? AND field = ?", (user, task, name))
    for task in plan.tasks:
        tx.execute("DELETE FROM state WHERE user_id = ? AND task_id = ?", (user, task))
        tx.execute("DELETE FROM task WHERE user_id = ? AND id = ?", (user, task))


def _machinery(tx: Tx, user: int, plan: Plan) -> None:
    """Traces, jobs and proposals that belong to what goes, or repeat it."""
    _in(tx, "DELETE FROM trace WHERE user_id = ?1 AND turn_id IN (SELECT value FROM json_each(?2))", user, plan.turns)
    for key in _repeating(tx, user, plan):
        tx.execute("UPDATE trace SET steps = ? WHERE user_id = ? AND id = ?", (ERASED_STEPS, user, key))
    for row in tx.execute("SELECT id, payload, error FROM job WHERE user_id = ?", (user,)).fetchall():
        if json.loads(row["payload"]).get("turn") in plan.turns or plan.mentions(f"{row['payload']} {row['error']}"):
            tx.execute("DELETE FROM job WHERE user_id = ? AND id = ?", (user, row["id"]))
    for row in tx.execute("SELECT id, subject_uid, proposal FROM review WHERE user_id = ?", (user,)).fetchall():
        if plan.mentions(f"{row['subject_uid']} {row['proposal']}"):
            tx.execute("DELETE FROM review WHERE user_id = ? AND id = ?", (user, row["id"]))


def _repeating(tx: Tx, user: int, plan: Plan) -> Iterator[int]:
    after = (
        "SELECT l.id FROM turn e JOIN turn l ON l.session_id = e.session_id AND l.position > e.position"
        " AND l.position <= e.position + ?3 WHERE e.user_id = ?1 AND e.id IN (SELECT value FROM json_each(?2))"
    )
    near = {r[0] for r in tx.execute(after, (user, json.dumps(sorted(plan.turns)), LATER_TURNS))}
    for row in tx.execute("SELECT id, turn_id, steps FROM trace WHERE user_id = ?", (user,)).fetchall():
        if row["turn_id"] in near or plan.mentions(row["steps"]):
            yield row["id"]


def _history(tx: Tx, user: int, plan: Plan) -> None:
    _in(tx, "UPDATE history SET salt = NULL, payload = NULL WHERE user_id = ?1"
        " AND seq IN (SELECT value FROM json_each(?2))", user, plan.changes)  # fmt: skip


def _rewrite(tx: Tx, user: int, key: int, fields: Snapshot, decision: str, now: str) -> None:
    """Give a kept memory other fields, and the history its new state (the old one holds what goes)."""
    row = memories.row_by_key(tx, user, key)
    after = memories.snapshot(row) | fields
    before = dict(after)
    after |= {"version": row["version"] + 1, "updated_at": now}
    memories.update(tx, user, row["uid"], after)
    history.append(tx, user, memory=row["uid"], action="erase", author="user", reason=REASON, decision=decision, now=now,
                   before=before, after=after)  # fmt: skip


def _restore(tx: Tx, user: int, plan: Plan, key: int, earlier: Snapshot, decision: str, now: str) -> None:
    row = memories.row_by_key(tx, user, key)
    same = memories.live_with_hash(tx, user, earlier["content"]) if earlier["status"] == "live" else None
    if same is not None and same["id"] != key and same["id"] not in plan.memories:
        _memory(tx, user, key, decision, now)
    else:
        _rewrite(tx, user, row["id"], earlier, decision, now)


def _revive(tx: Tx, user: int, key: int, decision: str, now: str) -> None:
    """What the erased statement replaced is current again, unless another memory says the same by now."""
    row = memories.row_by_key(tx, user, key)
    if memories.live_with_hash(tx, user, row["content"]) is None:
        data = json.loads(row["data"])
        data.pop("joined", None)
        fields = {"status": "live", "superseded_by": None, "valid_to": None,
                  "data": json.dumps(data, ensure_ascii=False) if data else "{}"}  # fmt: skip
        _rewrite(tx, user, key, fields, decision, now)


def _memory(
    tx: Tx, user: int, key: int, decision: str, now: str, *, action: str = "erase", author: str = "user",
    reason: str = REASON,
) -> None:  # fmt: skip
    # Of altered words the true ones would be left in the full-text index.
    row = memories.checked(memories.row_by_key(tx, user, key))
    if row["status"] == "live":
        fulltext.remove_memory(tx, user, key, row["content"])
    _vectors(tx, user, "memory", {key})
    tx.execute(
        "UPDATE history SET salt = NULL, payload = NULL WHERE user_id = ? AND memory_uid = ?", (user, row["uid"])
    )
    tx.execute("DELETE FROM memory WHERE user_id = ? AND id = ?", (user, key))
    # What another copy of the file needs to know, so that it goes there too.
    history.append(tx, user, memory=row["uid"], action=action, author=author, reason=reason, decision=decision, now=now,
                   before=None, after=None)  # fmt: skip


def _turns(tx: Tx, user: int, plan: Plan) -> None:
    rows = _in(
        tx, "SELECT * FROM turn WHERE user_id = ?1 AND id IN (SELECT value FROM json_each(?2))", user, plan.turns
    ).fetchall()
    for row in rows:
        turns.checked(row)
    gone = {(r["session_id"], r["position"]) for r in rows}
    beside = {(s, p + step) for s, p in gone for step in (-1, 1)} - gone
    for session, position in gone | beside:
        fulltext.remove_turn(tx, user, session, position)
    _vectors(tx, user, "turn", plan.turns)
    _in(tx, "DELETE FROM turn WHERE user_id = ?1 AND id IN (SELECT value FROM json_each(?2))", user, plan.turns)
    # What stands next to an erased turn was indexed with its words.
    for session, position in beside:
        fulltext.index_turn(tx, user, session, position)
    for session in {s for s, _ in gone}:
        tx.execute("UPDATE session SET title = '' WHERE user_id = ? AND id = ?", (user, session))
    plan.sessions |= {s for s, _ in gone if _is_empty(tx, s)}


def _is_empty(tx: Tx, session: int) -> bool:
    query = "SELECT 1 FROM turn WHERE session_id = ?1 UNION ALL SELECT 1 FROM summary WHERE session_id = ?1 LIMIT 1"
    return tx.execute(query, (session,)).fetchone() is None


def _sessions(tx: Tx, user: int, plan: Plan) -> None:
    for session in plan.sessions:
        tx.execute("DELETE FROM session WHERE user_id = ? AND id = ?", (user, session))
    for row in tx.execute("SELECT id, title FROM session WHERE user_id = ? AND title <> ''", (user,)).fetchall():
        if plan.mentions(row["title"]):
            tx.execute("UPDATE session SET title = '' WHERE user_id = ? AND id = ?", (user, row["id"]))


_OF_A_USER = (
    "DELETE FROM evidence WHERE insight_id IN (SELECT id FROM insight WHERE user_id = ?)",
    "DELETE FROM summary_source WHERE summary_id IN (SELECT id FROM summary WHERE user_id = ?)",
    "DELETE FROM summary_sentence WHERE summary_id IN (SELECT id FROM summary WHERE user_id = ?)",
    *(
        f"DELETE FROM {table} WHERE user_id = ?"
        for table in (
            "vector", "change", "snapshot_chunk", "snapshot", "insight", "summary", "review", "relation", "alias", "entity", "profile", "state", "task",
            "job", "trace", "history", "memory", "turn", "session", "erased",
        )
    ),
)  # fmt: skip
"""In an order in which nothing is left that points to what goes."""


def whole_user(tx: Tx, user: int, now: str, *, bury: bool = True) -> None:
    """Everything of one user, down to the name, whatever was altered on the disk. The key is never given to anybody else.

    ``bury`` as in ``apply``.
    """
    for row in tx.execute("SELECT name FROM user WHERE id = ?", (user,)).fetchall() if bury else ():
        graves.bury_user(tx, row[0], now)
    known = tx.execute("SELECT * FROM memory WHERE user_id = ?", (user,)).fetchall()
    said = tx.execute("SELECT * FROM turn WHERE user_id = ?", (user,)).fetchall()
    whole = all(map(memories.is_sealed, known)) and all(map(turn_seals.is_whole, said))
    if whole:
        for row in known:
            if row["status"] == "live":
                fulltext.remove_memory(tx, user, row["id"], row["content"])
        for row in said:
            fulltext.remove_turn(tx, user, row["session_id"], row["position"])
    for statement in _OF_A_USER:
        tx.execute(statement, (user,))
    if not whole:
        # What altered rows were indexed with can no longer be told, so all that is left is indexed anew.
        fulltext.rebuild(tx)
    fulltext.purge(tx)
    tx.execute(
        "INSERT INTO meta(key, value) VALUES ('last_erased_user', CAST(?1 AS TEXT)) ON CONFLICT(key) DO UPDATE"
        " SET value = CAST(max(CAST(value AS INTEGER), ?1) AS TEXT)",
        (user,),
    )
    tx.execute("DELETE FROM user WHERE id = ?", (user,))
