"""Forgetting with a reason: what has expired goes first, then the least valuable above the user's budget.

A memory that goes is put out of use with its history, and each of these changes can be undone until its
grace is over: then it is deleted, as are the fields of tasks that ended long ago.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from edgemem.browse import MemoryFilter
from edgemem.records import Memory, Task
from edgemem.reports import Dropped, Tidied
from edgemem.settings import Settings
from edgemem.store import changing, erase, listing, memories, tasks
from edgemem.store.engine import Tx
from edgemem.text import counted
from edgemem.times import to_db
from edgemem.upkeep.value import value


def tidy(tx: Tx, user: int, settings: Settings, now: datetime, *, preview: bool) -> Tidied:
    """Expire, then hold the budget; ``preview`` only says what would go."""
    count, ending = _looked_over(tx, user)
    expired = [m for m in ending if m.expires_at is not None and m.expires_at <= now and not m.pinned]
    over: list[tuple[Memory, float]] = []
    if count - len(expired) > settings.memory_budget:  # else what each is worth does not matter, and none is read
        gone = {m.id for m in expired}
        rest = [m for m in memories.listed(tx, user, limit=0) if m.id not in gone]
        over = _least_valuable(rest, settings.memory_budget, now)
    plan: list[tuple[Memory, str, float | None]] = [(m, f"expired on {m.expires_at:%Y-%m-%d}", None) for m in expired]
    plan += [(m, f"over the budget of {counted(settings.memory_budget, 'memory')}", worth) for m, worth in over]
    dropped = [_drop(tx, user, m, reason, worth, now, preview) for m, reason, worth in plan]
    dropped += _tasks(tx, user, settings, now, preview)
    dropped += _aged(tx, user, settings, now, preview)
    return Tidied(tuple(dropped), count - len(plan), settings.memory_budget, preview)


def _looked_over(tx: Tx, user: int) -> tuple[int, Sequence[Memory]]:
    """How many memories are in use, and those of them that end some day."""
    ending = listing.page(tx, user, MemoryFilter(expiring=True), 0, 0).memories
    return listing.page(tx, user, MemoryFilter(), 1, 0).total, ending


def _least_valuable(live: list[Memory], budget: int, now: datetime) -> list[tuple[Memory, float]]:
    """What must go so that ``budget`` memories stay, worst first. Pinned ones stay even above it."""
    spare = sorted(((value(m, now), m.updated_at, m.id, m) for m in live if not m.pinned), key=lambda v: v[:3])
    return [(m, worth) for worth, _, _, m in spare[: max(0, len(live) - budget)]]


def _drop(tx: Tx, user: int, memory: Memory, reason: str, worth: float | None, now: datetime, preview: bool) -> Dropped:
    change = None if preview else _expire(tx, user, memory, reason, to_db(now))
    return Dropped("memory", memory.id, memory.content, reason, worth, change)


def _expire(tx: Tx, user: int, memory: Memory, reason: str, now: str) -> str:
    row = memories.row(tx, user, memory.id)
    ends = row["valid_to"] or now
    return changing.change(tx, user, row, "expire", reason, now, author="rule", status="expired", valid_to=ends)


def _aged(tx: Tx, user: int, settings: Settings, now: datetime, preview: bool) -> list[Dropped]:
    """Delete what was out of use for the whole of its grace; the messages behind it stay in the log."""
    gone = memories.expired_before(tx, user, to_db(now - timedelta(days=settings.grace_days)))
    if gone and not preview:
        erase.delete(tx, user, [m.key for m in gone], to_db(now))
    reason = f"deleted: out of use for {counted(settings.grace_days, 'day')}"
    return [Dropped("memory", m.id, m.content, reason) for m in gone]


def _tasks(tx: Tx, user: int, settings: Settings, now: datetime, preview: bool) -> Iterator[Dropped]:
    for task in tasks.due(tx, user, to_db(now)):
        if not preview:
            _retire(tx, user, task, settings, now)
        days = settings.task_days
        reason = (
            f"archived: ended over {counted(days, 'day')} ago"
            if task.status == "done"
            else f"deleted: archived for {counted(days, 'day')}"
        )
        yield Dropped("task", task.name, task.name, reason)


def _retire(tx: Tx, user: int, task: Task, settings: Settings, now: datetime) -> None:
    if task.status == "done":
        tasks.archive(tx, user, task.name, to_db(now + timedelta(days=settings.task_days)))
    else:
        tasks.delete(tx, user, task.name)
