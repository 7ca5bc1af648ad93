"""Takes sensitive values out of records that leave the file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

MASK = "•••"
"""What stands where a sensitive value was."""

_SECRET = ("content", "value", "source_quote", "attribute", "subject")
"""Fields of a memory that tell its value."""

SHORT = 4
"""Secrets of fewer characters are masked in their own memory only: they would be found everywhere."""


class Masker:
    """Masks the records of one export. ``masked`` counts those it changed."""

    def __init__(self, sensitive: Iterable[tuple[str, Iterable[str | None]]], told: Iterable[str] = ()) -> None:
        """``sensitive``: each sensitive memory's id, and the words that tell its value. ``told``: secrets in messages."""
        self._memories: set[str] = set()
        words = {word for word in told if len(word) >= SHORT}
        for uid, secrets in sensitive:
            self._memories.add(uid)
            words.update(s for s in secrets if s and len(s) >= SHORT)
        # The longest first: a part of a secret must not leave the rest of it standing.
        self._words = sorted(words, key=lambda w: (-len(w), w))
        self.masked = 0

    def apply(
        self, records: Iterable[dict[str, Any]], hidden: Callable[[dict[str, Any]], dict[str, Any]]
    ) -> Iterator[dict[str, Any]]:
        """The records, masked; each that was changed carries ``masked``. ``hidden`` takes sealed values out of one."""
        for record in records:
            bare = hidden(record)
            seen = bare if bare != record else self._seen(record)
            if seen != record:
                self.masked += 1
                seen = seen | {"masked": True}
            yield seen

    def _seen(self, record: dict[str, Any]) -> dict[str, Any]:
        if record["type"] == "memory" and record["sensitivity"] != "normal":
            return _state(record)
        if record["type"] == "history":
            record = record | {key: self._change(record, key) for key in ("before", "after") if record.get(key)}
        if record.get("memory") in self._memories and record["type"] == "profile":
            record = record | {"value": MASK}
        return {key: value if key in ("type", "uid") else self.text(value) for key, value in record.items()}

    def _change(self, record: dict[str, Any], key: str) -> dict[str, Any]:
        state: dict[str, Any] = record[key]
        hidden = record["memory_uid"] in self._memories or state.get("sensitivity", "normal") != "normal"
        return _state(state) if hidden else state

    def hides(self, memory: str | None, *words: str) -> bool:
        """Whether something that rests on a memory, or says these words, tells what is sensitive."""
        return memory in self._memories or any(self.text(word) != word for word in words)

    def text(self, value: Any) -> Any:
        """Any JSON value without the words of sensitive memories."""
        if not self._words:
            return value
        if isinstance(value, str):
            for word in self._words:
                value = value.replace(word, MASK)
            return value
        if isinstance(value, list):
            return [self.text(item) for item in value]
        if isinstance(value, dict):
            return {self.text(key): self.text(item) for key, item in value.items()}
        return value


def _state(state: dict[str, Any]) -> dict[str, Any]:
    hidden = {key: MASK for key in _SECRET if state.get(key)}
    data = state.get("data")
    empty: Any = "{}" if isinstance(data, str) else {}
    return state | hidden | ({"data": empty} if data not in (None, {}, "{}") else {})
