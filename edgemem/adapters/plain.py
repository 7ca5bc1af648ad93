"""Records as plain JSON values: what the command line prints and the adapters return."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import Any

from edgemem.records import Change, Hit, Memory, Source


def source_json(source: Source) -> dict[str, Any]:
    """Where something came from."""
    return {
        "session": source.session, "turn": source.turn, "quote": source.quote, "start": source.start,
        "at": _time(source.at),
    }  # fmt: skip


def hit_json(hit: Hit) -> dict[str, Any]:
    """One recalled item."""
    parts = {arm: {"rank": p.rank, "value": p.value, "share": p.share} for arm, p in hit.parts.items()}
    return {
        "id": hit.id, "content": hit.content, "kind": hit.kind, "score": hit.score, "parts": parts,
        "source": source_json(hit.source),
    }  # fmt: skip


def memory_json(memory: Memory) -> dict[str, Any]:
    """One memory, all its fields."""
    fields = asdict(memory) | {"source": source_json(memory.source), "data": dict(memory.data)}
    fields.pop("key")
    return {name: _time(value) if isinstance(value, datetime) else value for name, value in fields.items()}


def change_json(change: Change) -> dict[str, Any]:
    """One change of the history."""
    return {
        "id": change.id, "memory": change.memory, "action": change.action, "author": change.author,
        "reason": change.reason, "at": _time(change.at), "decision": change.group, "undoes": change.undoes,
        "before": change.before, "after": change.after,
    }  # fmt: skip


def _time(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()
