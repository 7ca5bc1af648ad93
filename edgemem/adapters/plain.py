"""Records as plain JSON values: what the command line prints and the adapters return."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any

from edgemem.records import Change, Hit, Memory, Source
from edgemem.write.secret.masking import MASK
from edgemem.write.secret.sealed import SEALED


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
        "source": source_json(hit.source), "note": hit.note,
    }  # fmt: skip


def memory_json(memory: Memory) -> dict[str, Any]:
    """One memory, all its fields; a sealed value is masked."""
    fields = asdict(memory) | {"source": source_json(memory.source), "data": _masked(memory.data)}
    fields.pop("key")
    return {name: _time(value) if isinstance(value, datetime) else value for name, value in fields.items()}


def change_json(change: Change) -> dict[str, Any]:
    """One change of the history; a sealed value is masked."""
    return {
        "id": change.id, "memory": change.memory, "action": change.action, "author": change.author,
        "reason": change.reason, "at": _time(change.at), "decision": change.group, "undoes": change.undoes,
        "before": _state(change.before), "after": _state(change.after),
    }  # fmt: skip


def _masked(data: Mapping[str, Any]) -> dict[str, Any]:
    return dict(data) | ({SEALED: MASK} if SEALED in data else {})


def _state(state: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """A memory's fields at some time; its data are JSON text there."""
    data = None if state is None else state.get("data")
    if state is None or not isinstance(data, str) or SEALED not in data:
        return None if state is None else dict(state)
    return dict(state) | {"data": json.dumps(_masked(json.loads(data)), ensure_ascii=False)}


def _time(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()
