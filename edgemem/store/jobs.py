"""The durable queue. Several processes share it; a lease keeps a job from being done twice."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Mapping
from datetime import datetime
from typing import Final

from edgemem.ids import new_id
from edgemem.processes import is_gone
from edgemem.records import Job, JsonValue
from edgemem.store import row_seals
from edgemem.store.engine import Row, Tx
from edgemem.store.stored import from_json, names
from edgemem.times import from_db

_STATUSES: Final = ("queued", "running", "done", "failed")

_MOST_ATTEMPTS: Final = 1000
"""More than anybody would let a job have."""


def add(tx: Tx, user: int, kind: str, payload: Mapping[str, JsonValue], now: str, priority: int = 100) -> str:
    """Queue a job; lower ``priority`` goes first. Returns its id."""
    uid = new_id()
    tx.execute(
        "INSERT INTO job(user_id, uid, kind, payload, priority, created_at, updated_at) VALUES (?,?,?,?,?,?,?)",
        (user, uid, kind, json.dumps(payload, ensure_ascii=False), priority, now, now),
    )
    return uid


def ensure(tx: Tx, user: int, kind: str, now: str, priority: int) -> None:
    """Queue a job of a kind that does all that waits at once, unless one waits already."""
    waits = "SELECT 1 FROM job WHERE user_id = ? AND kind = ? AND status = 'queued' LIMIT 1"
    if tx.execute(waits, (user, kind)).fetchone() is None:
        add(tx, user, kind, {}, now, priority)


def any_before(tx: Tx, priority: int) -> bool:
    """Whether a job waits that goes before this priority."""
    found = tx.execute("SELECT 1 FROM job WHERE status = 'queued' AND priority < ? LIMIT 1", (priority,))
    return found.fetchone() is not None


def take(tx: Tx, now: str, lease_until: str, attempts: int, *, before: int | None = None) -> tuple[int, Job] | None:
    """Lease the next job that waits, or whose worker vanished: the user's key and the job.

    One that was altered on the disk is passed by: it would be done for whoever it names now.
    ``before``: only those that go before this priority.
    """
    row = tx.execute(
        "SELECT id FROM job j WHERE attempts < ?2 AND (status = 'queued' OR (status = 'running' AND lease_until < ?1))"
        f" AND (?3 IS NULL OR priority < ?3) AND {row_seals.whole('job', 'j')} ORDER BY priority, id LIMIT 1",
        (now, attempts, before),
    ).fetchone()
    if row is None:
        return None
    tx.execute(
        "UPDATE job SET status = 'running', attempts = attempts + 1, lease_until = ?, lease_by = ?, updated_at = ?"
        " WHERE id = ?",
        (lease_until, _this_process(), now, row[0]),
    )
    taken = tx.execute("SELECT * FROM job WHERE id = ?", (row[0],)).fetchone()
    return int(taken["user_id"]), record(taken)


def lease(tx: Tx, user: int, uid: str, now: str, lease_until: str) -> bool:
    """Lease one waiting job by id; false when it is gone, done, or another worker has it."""
    changed = tx.execute(
        "UPDATE job SET status = 'running', attempts = attempts + 1, lease_until = ?, lease_by = ?, updated_at = ?"
        " WHERE user_id = ? AND uid = ? AND status = 'queued'",
        (lease_until, _this_process(), now, user, uid),
    )
    return bool(changed.rowcount)


def waiting_for(tx: Tx, user: int, kind: str, turn: int) -> str | None:
    """The job of this kind that still waits for a turn, if any."""
    row = tx.execute(
        "SELECT uid FROM job WHERE status = 'queued' AND user_id = ? AND kind = ? AND json_extract(payload, '$.turn') = ?",
        (user, kind, turn),
    ).fetchone()
    return None if row is None else str(row[0])


_PAUSED = "jobs_paused"


def pause(tx: Tx, *, paused: bool) -> None:
    """Let the queue of this file rest, or go on."""
    tx.execute("DELETE FROM meta WHERE key = ?", (_PAUSED,))
    if paused:
        tx.execute("INSERT INTO meta(key, value) VALUES (?, '1')", (_PAUSED,))


def is_paused(tx: Tx) -> bool:
    """Whether the queue rests."""
    return tx.execute("SELECT 1 FROM meta WHERE key = ?", (_PAUSED,)).fetchone() is not None


def _this_process() -> str:
    return f"{platform.node()}/{os.getpid()}"


def _is_dead(worker: str) -> bool:
    """Whether a worker of this machine is certainly gone. Of other machines only the lease tells."""
    host, _, pid = worker.rpartition("/")
    return host == platform.node() and pid.isdigit() and is_gone(int(pid))


def requeue_dead(tx: Tx, now: str) -> int:
    """Queue the jobs of workers that died, without waiting for their lease to end; the attempt counts. Returns how many."""
    rows = tx.execute("SELECT id, lease_by FROM job WHERE status = 'running' AND lease_by IS NOT NULL").fetchall()
    dead = [(now, row[0]) for row in rows if _is_dead(row[1])]
    if dead:
        tx.executemany("UPDATE job SET status = 'queued', lease_until = NULL, updated_at = ? WHERE id = ?", dead)
    return len(dead)


def park_vanished(tx: Tx, now: str, attempts: int) -> int:
    """Park jobs whose every worker vanished: retrying them for ever would help nobody. Returns how many."""
    message = "the worker ended before the job did, each time"
    return int(
        tx.execute(
            "UPDATE job SET status = 'failed', error = coalesce(error, ?), updated_at = ?"
            " WHERE attempts >= ? AND (status = 'queued' OR (status = 'running' AND lease_until < ?))",
            (message, now, attempts, now),
        ).rowcount
    )


def finish(tx: Tx, user: int, uid: str, now: str) -> None:
    """The job is done."""
    tx.execute(
        "UPDATE job SET status = 'done', error = NULL, lease_until = NULL, updated_at = ?"
        " WHERE user_id = ? AND uid = ? AND status <> 'done'",
        (now, user, uid),
    )


def give_back(tx: Tx, user: int, uid: str, why: str | None, now: str) -> None:
    """The worker stops before the job is done: not the job's fault, not an attempt."""
    tx.execute(
        "UPDATE job SET status = 'queued', attempts = attempts - 1, error = ?, lease_until = NULL, updated_at = ?"
        " WHERE user_id = ? AND uid = ? AND status = 'running'",
        (why, now, user, uid),
    )


def fail(tx: Tx, user: int, uid: str, error: str, now: str, attempts: int) -> None:
    """The job failed: it waits for another try, or is parked with its error when it has had them all."""
    tx.execute(
        "UPDATE job SET status = CASE WHEN attempts >= ? THEN 'failed' ELSE 'queued' END, error = ?, lease_until = NULL,"
        " updated_at = ? WHERE user_id = ? AND uid = ? AND status = 'running'",
        (attempts, error, now, user, uid),
    )


def retry(tx: Tx, user: int, uid: str, now: str) -> bool:
    """Queue a parked job again; false when there is none of that id."""
    changed = tx.execute(
        f"UPDATE job SET status = 'queued', attempts = 0, updated_at = ?3 WHERE user_id = ?1 AND {names('uid')} AND status = 'failed'",
        (user, uid, now),
    )
    return bool(changed.rowcount)


def cancel(tx: Tx, user: int, uid: str) -> Job | None:
    """Drop a job that is not done and return it; None when there is none of that id. One at work ends at its next step."""
    rows = tx.execute(
        f"SELECT * FROM job WHERE user_id = ?1 AND {names('uid')} AND status <> 'done'", (user, uid)
    ).fetchall()
    if len(rows) != 1:
        return None
    (row,) = rows
    tx.execute("DELETE FROM job WHERE user_id = ? AND id = ?", (user, row["id"]))
    return record(row)


def is_there(tx: Tx, user: int, uid: str) -> bool:
    """Whether the job is still to be done: false for one that was cancelled at work."""
    found = tx.execute("SELECT 1 FROM job WHERE user_id = ? AND uid = ? AND status <> 'done'", (user, uid))
    return found.fetchone() is not None


_AT = "at"
"""Where a job's payload tells how far it is: done, total, step."""


def at(tx: Tx, user: int, uid: str, done: int, total: int, step: str) -> None:
    """Note how far a job at work is. ``step`` names no word of the user's: it stays when a memory is erased."""
    told = json.dumps([done, total, step], ensure_ascii=False)
    tx.execute(
        f"UPDATE job SET payload = json_set(payload, '$.{_AT}', json(?)) WHERE user_id = ? AND uid = ? AND status = 'running'",
        (told, user, uid),
    )


def listed(tx: Tx, user: int, limit: int) -> list[Job]:
    """The user's jobs that are not done, newest first."""
    rows = tx.execute(
        "SELECT * FROM job WHERE user_id = ? AND status <> 'done' ORDER BY id DESC LIMIT ?", (user, limit or -1)
    )
    return [record(row) for row in rows]


def all_say(tx: Tx, why: str) -> bool:
    """Whether all waiting jobs carry this reason already."""
    query = "SELECT 1 FROM job WHERE status = 'queued' AND error IS NOT ? LIMIT 1"
    return tx.execute(query, (why,)).fetchone() is None


def say(tx: Tx, why: str, now: str) -> None:
    """Note on all waiting jobs what they wait for."""
    tx.execute("UPDATE job SET error = ?, updated_at = ? WHERE status = 'queued' AND error IS NOT ?", (why, now, why))


def astray(tx: Tx) -> list[tuple[int, str]]:
    """Key and id of the jobs of which status, attempts or lease are none that were ever written."""
    told = ("error", "lease_by", "lease_until", "updated_at")
    # As bytes: a text may hold some that are none.
    columns = ", ".join(f"CAST({column} AS BLOB)" for column in told)
    found = tx.execute(f"SELECT id, uid, status IN {_STATUSES!r}, attempts, {columns} FROM job").fetchall()
    return [(row[0], row[1]) for row in found if not (row[2] and 0 <= row[3] <= _MOST_ATTEMPTS and _are_told(*row[4:]))]


def _are_told(error: bytes | None, by: bytes | None, until: bytes | None, updated: bytes) -> bool:
    try:
        for text in (error, by):
            _ = None if text is None else text.decode("utf-8")
        for moment in (until, updated):
            _ = None if moment is None else datetime.fromisoformat(moment.decode("utf-8"))
    except ValueError:
        return False
    return True


def begin_again(tx: Tx, key: int) -> None:
    """A job that is not over waits as if nothing of it had been done."""
    tx.execute(
        "UPDATE job SET status = CASE WHEN status IN ('done','failed') THEN status ELSE 'queued' END, attempts = 0,"
        " error = NULL, lease_until = NULL, lease_by = NULL, updated_at = created_at WHERE id = ?",
        (key,),
    )


def any_open(tx: Tx) -> bool:
    """Whether any user's job waits or runs."""
    return tx.execute("SELECT 1 FROM job WHERE status IN ('queued','running') LIMIT 1").fetchone() is not None


def record(row: Row) -> Job:
    """A row as a record. Raises ``StoreCorrupt`` when it is not what was written."""
    row_seals.check(row_seals.is_whole("job", row), "jobs")
    payload = dict(from_json(row["payload"]))
    done, total, step = _far(payload.pop(_AT, None))
    return Job(
        row["uid"], row["kind"], row["status"], row["attempts"], row["error"], from_db(row["created_at"]), payload,
        done, total, step,
    )  # fmt: skip


def _far(told: object) -> tuple[int, int, str]:
    """How far a job is, as ``at`` wrote it; a file that came from elsewhere may hold anything."""
    match told:
        case [int(done), int(total), str(step)] if 0 <= done <= total:
            return done, total, step
    return 0, 0, ""
