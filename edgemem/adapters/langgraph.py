"""LangGraph's long-term store (``BaseStore``) in an edgemem file. Needs the extra ``langgraph``.

Each item is a memory: found by meaning and by words, with its history, and taken out of use when it
is deleted. Its searchable words are the ``content``, ``text`` or ``memory`` of the value, else the value
as JSON; they may be 10,000 characters long. The store sees its own items only, and one user's.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Mapping
from typing import Any

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
)

from edgemem import records
from edgemem.errors import InvalidInput
from edgemem.view import Memory

PREFIX = "langgraph"
"""First part of the edgemem namespace of all items."""

Namespace = tuple[str, ...]

_TEXTS = ("content", "text", "memory")
_COMPARE = {
    "$eq": lambda here, wanted: here == wanted,
    "$ne": lambda here, wanted: here != wanted,
    "$gt": lambda here, wanted: here > wanted,
    "$gte": lambda here, wanted: here >= wanted,
    "$lt": lambda here, wanted: here < wanted,
    "$lte": lambda here, wanted: here <= wanted,
}


class EdgememStore(BaseStore):
    """A LangGraph store over one user's memory: ``builder.compile(store=EdgememStore(file.user("me")))``."""

    supports_ttl = False

    def __init__(self, memory: Memory) -> None:
        self.memory = memory

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Do the operations in order. Raises ``InvalidInput`` for one that cannot be done."""
        return [self._do(op) for op in ops]

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """The same in a thread, so that the event loop goes on."""
        return await asyncio.to_thread(self.batch, list(ops))

    def _do(self, op: Op) -> Result:
        if isinstance(op, GetOp):
            found = self._find(op.namespace, op.key)
            return None if found is None else _item(found)
        if isinstance(op, PutOp):
            self._put(op)
            return None
        if isinstance(op, SearchOp):
            return self._search(op)
        if isinstance(op, ListNamespacesOp):
            return self._namespaces(op)
        raise InvalidInput(
            f"LangGraph's {type(op).__name__} is not known here.", "Upgrade: pip install -U edgemem-store"
        )

    def _items(self, space: Namespace | None = None) -> list[records.Memory]:
        """The memories that are items, of one namespace or of all."""
        found = self.memory.list(limit=0, namespace=None if space is None else _space(space))
        return [m for m in found if PREFIX in m.data]

    def _find(self, space: Namespace, key: str) -> records.Memory | None:
        return next((m for m in self._items(space) if m.data[PREFIX]["key"] == key), None)

    def _put(self, op: PutOp) -> None:
        known = self._find(op.namespace, op.key)
        if op.value is None:
            if known is not None:
                self.memory.forget(known.id, reason="deleted through LangGraph")
            return
        kept = {PREFIX: {"key": op.key, "space": list(op.namespace), "value": op.value, "index": op.index is not False}}
        words = self._words(op, known)
        if known is not None:
            self.memory.edit(known.id, words, data=kept)
        else:
            self.memory.add(words, namespace=_space(op.namespace), data=kept)

    def _words(self, op: PutOp, known: records.Memory | None) -> str:
        """The words of an item. Where another memory says exactly the same, the key tells them apart."""
        words = _text(op.value or {})
        same = self.memory.saying(words)
        if same is None or (known is not None and same.id == known.id):
            return words
        return f"{words} [{'/'.join((*op.namespace, op.key))}]"

    def _search(self, op: SearchOp) -> list[SearchItem]:
        items = {
            m.id: m
            for m in self._items()
            if tuple(m.data[PREFIX]["space"])[: len(op.namespace_prefix)] == op.namespace_prefix
        }
        items = {uid: m for uid, m in items.items() if _passes(m.data[PREFIX]["value"], op.filter or {})}
        if op.query:
            ranked = self._ranked(op.query, items, op.offset + op.limit)
        else:
            ranked = [(m, None) for m in sorted(items.values(), key=lambda m: (m.updated_at, m.id), reverse=True)]
        return [_searched(m, score) for m, score in ranked[op.offset : op.offset + op.limit]]

    def _ranked(
        self, query: str, items: Mapping[str, records.Memory], limit: int
    ) -> list[tuple[records.Memory, float | None]]:
        """The items that have to do with a query, best first. Each namespace is searched by itself, so none is crowded out."""
        scores: dict[str, float] = {}
        for space in {m.namespace for m in items.values()}:
            wanted = sum(m.namespace == space for m in items.values())
            found = self.memory.recall(query, limit=min(limit, wanted), namespace=space, arms=("vector", "text"))
            # What is held back beside a surer hit counts too: that hit may be an item which is not to be found.
            likely = [*found, *(h for h in found.near_misses if h.score >= self.memory.file.settings.least_likely)]
            scores |= {h.id: h.score for h in likely if h.id in items and items[h.id].data[PREFIX]["index"]}
        return [(items[uid], score) for uid, score in sorted(scores.items(), key=lambda pair: -pair[1])]

    def _namespaces(self, op: ListNamespacesOp) -> list[Namespace]:
        spaces = {tuple(m.data[PREFIX]["space"]) for m in self._items()}
        spaces = {s for s in spaces if all(_matches(s, c) for c in op.match_conditions or ())}
        cut = sorted({s[: op.max_depth] for s in spaces})
        return cut[op.offset : op.offset + op.limit]


def _space(space: Namespace) -> str:
    """The edgemem namespace of a LangGraph one; a slash inside a part stays apart from those between them."""
    return "/".join((PREFIX, *(part.replace("%", "%25").replace("/", "%2F") for part in space)))


def _text(value: Mapping[str, Any]) -> str:
    for key in _TEXTS:
        inner = value.get(key)
        if isinstance(inner, Mapping):
            return _text(inner)
        if isinstance(inner, str) and inner.strip():
            return inner
    return json.dumps(value, ensure_ascii=False, default=str)


def _item(m: records.Memory) -> Item:
    kept = m.data[PREFIX]
    return Item(
        value=kept["value"],
        key=kept["key"],
        namespace=tuple(kept["space"]),
        created_at=m.created_at,
        updated_at=m.updated_at,
    )


def _searched(m: records.Memory, score: float | None) -> SearchItem:
    kept = m.data[PREFIX]
    return SearchItem(tuple(kept["space"]), kept["key"], kept["value"], m.created_at, m.updated_at, score)


def _passes(value: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    return all(_holds(value.get(key), condition) for key, condition in wanted.items())


def _holds(here: Any, condition: Any) -> bool:
    if not (isinstance(condition, Mapping) and condition and all(str(name).startswith("$") for name in condition)):
        return bool(here == condition)
    for name, wanted in condition.items():
        if name not in _COMPARE:
            raise InvalidInput(f"The filter {name!r} is not known.", f"Filters are: {', '.join(_COMPARE)}.")
        try:
            if not _COMPARE[name](here, wanted):
                return False
        except TypeError:  # a missing value is neither larger nor smaller
            return False
    return True


def _matches(space: Namespace, condition: MatchCondition) -> bool:
    path = tuple(condition.path)
    if len(path) > len(space):
        return False
    part = space[: len(path)] if condition.match_type == "prefix" else space[len(space) - len(path) :]
    return all(wanted in ("*", own) for own, wanted in zip(part, path, strict=True))
