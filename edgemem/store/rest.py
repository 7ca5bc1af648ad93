"""Lay to rest: erase in one file what another knows to have been erased, with all that was drawn from it."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from edgemem.store import erase, erasure, users
from edgemem.store.engine import Tx
from edgemem.store.erasure import Plan
from edgemem.store.graves import ROWS, Grave, Graves, add, digest_of, rows


def remaining(tx: Tx, graves: Graves) -> int:
    """How many rows of a file are there that another knows to have been erased."""
    found = 0
    for name in users.names(tx):
        user = users.find(tx, name) or 0
        at = _erased_at(tx, user, name, graves.people)
        if at is not None:
            found += 1
        found += sum(len(keys) for keys in _matches(tx, user, graves.rows[name]).values())
        found += len(_memories(tx, user, graves.memories[name]))
        found += len(_changes(tx, user, graves.changes[name]))
    return found


def rest(tx: Tx, graves: Graves, now: str) -> int:
    """Erase in this file what another knows to have been erased, and keep its graves; returns how many rows and people it met."""
    met = remaining(tx, graves)
    for grave in graves.people:
        add(tx, 0, grave)
    for name in users.names(tx):
        user = users.find(tx, name) or 0
        at = _erased_at(tx, user, name, graves.people)
        if at is not None:
            _rest_user(tx, user, at, now)
        if users.find(tx, name) == user:
            _rest_rows(tx, user, name, graves, now)
    return met


def _rest_rows(tx: Tx, user: int, name: str, graves: Graves, now: str) -> None:
    for grave in graves.rows[name]:
        add(tx, user, grave)
    for undo in (True, False):
        found = _matches(tx, user, [g for g in graves.rows[name] if g.undo is undo])
        if any(found.values()):
            erase.apply(tx, user, erasure.of_rows(tx, user, Plan(**found), undo=undo), now, bury=False)
    for uid in sorted(_memories(tx, user, graves.memories[name])):
        row = tx.execute("SELECT id FROM memory WHERE user_id = ? AND uid = ?", (user, uid)).fetchone()
        if row is not None:  # one before it may have taken it along
            erase.apply(tx, user, erasure.of_memory(tx, user, row[0]), now, bury=False)
    for seq in _changes(tx, user, graves.changes[name]):
        tx.execute("UPDATE history SET salt = NULL, payload = NULL WHERE user_id = ? AND seq = ?", (user, seq))


def _matches(tx: Tx, user: int, graves: Iterable[Grave]) -> dict[str, Any]:
    """Rows whose grave is known and that are not younger than it, as the sets of a plan."""
    by_kind: dict[str, dict[bytes, dict[bytes, str]]] = defaultdict(lambda: defaultdict(dict))
    for grave in graves:
        by_kind[grave.kind][grave.salt][grave.digest] = grave.at
    found: dict[str, Any] = {}
    for kind, salts in by_kind.items():
        found[ROWS[kind][0]] = {
            key
            for key, name, at in rows(tx, user, kind)
            if any(at <= digests.get(digest_of(salt, *name), "") for salt, digests in salts.items())
        }
    return found


def _memories(tx: Tx, user: int, uids: set[str]) -> set[str]:
    query = "SELECT uid FROM memory WHERE user_id = ? AND uid IN (SELECT value FROM json_each(?))"
    return {row[0] for row in tx.execute(query, (user, json.dumps(sorted(uids))))} if uids else set()


def _changes(tx: Tx, user: int, uids: set[str]) -> list[int]:
    # Not the marks of erasures, which say nothing.
    query = (
        "SELECT seq FROM history WHERE user_id = ? AND payload IS NOT NULL AND uid IN (SELECT value FROM json_each(?))"
        " AND coalesce(json_extract(payload, '$.before'), json_extract(payload, '$.after')) IS NOT NULL"
    )
    return [row[0] for row in tx.execute(query, (user, json.dumps(sorted(uids))))] if uids else []


def _erased_at(tx: Tx, user: int, name: str, people: Iterable[Grave]) -> str | None:
    """When a person of this name was erased elsewhere, if that was after he came into this file and anything is left of him."""
    at = max((g.at for g in people if digest_of(g.salt, name) == g.digest), default="")
    made = tx.execute("SELECT created_at FROM user WHERE id = ?", (user,)).fetchone()[0]
    return at if made <= at and _older(tx, user, at) is not None else None


def _older(tx: Tx, user: int, at: str) -> Plan | None:
    """What a person had by then; None when there is nothing, and he has since begun anew."""
    found: dict[str, Any] = {
        keys: {key for key, _, when in rows(tx, user, kind) if when <= at}
        for kind, (keys, _) in ROWS.items()
        if keys != "memories"
    }
    by_then = tx.execute("SELECT id FROM memory WHERE user_id = ? AND created_at <= ?", (user, at)).fetchall()
    plan = Plan(memories={row[0] for row in by_then}, **found)
    return plan if plan.memories or any(found.values()) or not _younger(tx, user, at) else None


def _younger(tx: Tx, user: int, at: str) -> bool:
    """Whether a person has anything from after that moment."""
    query = "SELECT 1 FROM memory WHERE user_id = ? AND created_at > ? LIMIT 1"
    if tx.execute(query, (user, at)).fetchone() is not None:
        return True
    return any(when > at for kind in ROWS for _, _, when in rows(tx, user, kind))


def _rest_user(tx: Tx, user: int, at: str, now: str) -> None:
    if not _younger(tx, user, at):
        erase.whole_user(tx, user, now, bury=False)
        return
    plan = _older(tx, user, at)
    if plan is not None:
        erase.apply(tx, user, erasure.of_rows(tx, user, plan, undo=True), now, bury=False)
