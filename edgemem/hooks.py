"""Tells an app what changed, after it is on disk: memory added, replaced, changed, removed, needs review.

What other processes write is told too, with the next change made through this open file.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from edgemem.errors import InvalidInput, StoreError
from edgemem.records import Change
from edgemem.store import history, reviews
from edgemem.store.engine import Engine

_log = logging.getLogger(__name__)

KINDS = ("added", "replaced", "changed", "removed", "needs_review")
_BY_ACTION = {
    "add": "added",
    "replace": "replaced",
    "forget": "removed",
    "expire": "removed",
    "erase": "removed",
    "delete": "removed",
}
_ENDED = ("forgotten", "expired", "superseded")


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened to a memory.

    ``replaced`` is told of the new memory; ``change.group`` leads to the old one, which is not told of
    by itself. ``memory`` is its id (of a review: of what it is about). ``change`` is None for a review
    of something that is no memory; then ``review`` is the review's id.
    """

    kind: str
    user: str
    memory: str
    change: Change | None = None
    review: str | None = None


@dataclass(frozen=True, slots=True)
class _Listener:
    call: Callable[[Event], object]
    kinds: tuple[str, ...]
    user: str | None

    def wants(self, event: Event) -> bool:
        return (not self.kinds or event.kind in self.kinds) and self.user in (None, event.user)


class Hooks:
    """The listeners of one open file. Thread-safe; a listener may change memories itself."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._listeners: list[_Listener] = []
        self._told = (0, 0)
        self._lock = threading.RLock()

    def on(self, call: Callable[[Event], object], kinds: Sequence[str], user: str | None) -> Callable[[], None]:
        """Add a listener; returns the call that takes it away. Raises ``InvalidInput``."""
        for kind in kinds:
            if kind not in KINDS:
                raise InvalidInput(f"There is no event {kind!r}.", f"Events are: {', '.join(KINDS)}.")
        listener = _Listener(call, tuple(kinds), user)
        with self._lock:
            if not self._listeners:
                self._told = self._latest()
                self._engine.committed = self.tell
            self._listeners.append(listener)
        return lambda: self._off(listener)

    def _off(self, listener: _Listener) -> None:
        with self._lock:
            self._listeners = [known for known in self._listeners if known is not listener]
            if not self._listeners:
                self._engine.committed = None

    def _latest(self) -> tuple[int, int]:
        with self._engine.read() as tx:
            return history.last(tx), reviews.last(tx)

    def tell(self) -> None:
        """Tell the listeners what is new. Called after each commit."""
        with self._lock:
            try:
                events = list(self._news())
            except StoreError as error:
                _log.info("listeners are told with the next change: %s", error)
                return
            for event in events:
                self._tell(event)

    def _news(self) -> Iterator[Event]:
        with self._engine.read() as tx:
            changes, waiting = history.since(tx, self._told[0]), reviews.since(tx, self._told[1])
            self._told = (history.last(tx), reviews.last(tx))
        for user, change in changes:
            if change.action != "supersede":
                yield Event(_kind(change), user, change.memory, change)
        for user, uid, _, subject in waiting:
            yield Event("needs_review", user, subject, review=uid)

    def _tell(self, event: Event) -> None:
        for listener in list(self._listeners):
            if listener.wants(event):
                try:
                    listener.call(event)
                except Exception:
                    _log.exception("a listener failed on %s of memory %s", event.kind, event.memory)


def _kind(change: Change) -> str:
    before, after = change.before or {}, change.after or {}
    if after.get("status") == "review":
        return "needs_review"
    if change.action == "split" and change.before is None:
        return "added"
    if change.action in ("undo", "join") and before.get("status") != after.get("status"):
        return "removed" if after.get("status") in _ENDED else "added"
    return _BY_ACTION.get(change.action, "changed")
