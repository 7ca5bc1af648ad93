"""Where a memory comes from: from the memory to the turn, its words, and the steps that made it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from edgemem.errors import InvalidInput, NotFound
from edgemem.records import Change, JsonValue, LoggedTurn, Memory
from edgemem.store import traces, turns
from edgemem.text import fold
from edgemem.times import from_db
from edgemem.write.secret import masking

if TYPE_CHECKING:
    from edgemem.store.engine import Engine


@dataclass(frozen=True, slots=True)
class Run:
    """One reading of one turn: ``steps`` are what each step took, gave and decided, in order, with ``ms``, its milliseconds."""

    id: str
    at: datetime
    turn: LoggedTurn | None
    steps: Sequence[JsonValue]


@dataclass(frozen=True, slots=True)
class Why:
    """Why a memory is there.

    ``turn`` is None for what was added by hand, or when its turn was erased. ``run`` is the reading that made it,
    None where there was none, or the memory is sensitive; ``steps`` are those parts of it that speak of this memory. Secrets of the
    message are masked in all of them. ``changes``: its history.
    """

    memory: Memory
    turn: LoggedTurn | None
    run: Run | None
    steps: Sequence[JsonValue]
    changes: Sequence[Change]


class Provenance:
    """Part of a user's view: from a memory back to its words, and from a turn to what was made of it."""

    _engine: Engine
    _key: int

    @abstractmethod
    def get(self, memory: str) -> Memory:
        """One memory: the view's own call."""

    @abstractmethod
    def history(self, memory: str | None = None, *, limit: int = 0) -> Sequence[Change]:
        """Its changes: the view's own call."""

    def runs(self, turn: str, *, session: str | None = None) -> Sequence[Run]:
        """The readings of one turn, oldest first, its secrets masked; none if it was never read for memories.

        Raises ``NotFound``, and ``InvalidInput`` where several sessions have a turn of that name and none was given.
        """
        with self._engine.read() as tx:
            found = [t for t in turns.named(tx, self._key, turn) if session in (None, t.session)]
            if not found:
                raise NotFound(f"There is no turn {turn!r}.", "List them with: edgemem sessions, edgemem log SESSION")
            if len(found) > 1:
                raise InvalidInput(
                    f"{len(found)} sessions have a turn {turn!r}.",
                    f"Name the session: {', '.join(t.session for t in found[:5])}",
                )
            kept = traces.of_turn(tx, self._key, found[0].key)
        return [_run(uid, at, found[0], steps) for uid, at, steps in kept]

    def why(self, memory: str) -> Why:
        """Why a memory is there: its turn and exact words, the run that made it, its history. Raises ``NotFound``."""
        found = self.get(memory)
        source, turn = found.source, None
        run: Run | None = None
        with self._engine.read() as tx:
            if source.session is not None and source.turn is not None:
                turn = turns.find(tx, self._key, source.session, source.turn)
            kept = [] if turn is None else traces.of_turn(tx, self._key, turn.key)
        for uid, at, steps in kept:
            if uid == found.trace:
                run = _run(uid, at, turn, steps) if found.sensitivity == "normal" else None
        turn = None if turn is None else _masked(turn)
        part = [] if run is None else concerning(found, run.steps)
        return Why(found, turn, run, part, self.history(found.id))


def _masked(turn: LoggedTurn) -> LoggedTurn:
    """The turn without its secrets: the log has them, and whoever looks there finds them."""
    return replace(turn, content=masking.masked(turn.content))


def _run(uid: str, at: str, turn: LoggedTurn | None, steps: Sequence[JsonValue]) -> Run:
    words = [] if turn is None else masking.pieces(masking.secret_words(turn.content))
    return Run(uid, from_db(at), None if turn is None else _masked(turn), masking.masked_within(list(steps), words))


def concerning(memory: Memory, steps: Sequence[JsonValue]) -> list[JsonValue]:
    """The parts of a run's steps that speak of one memory, each step's own lists cut down to them."""
    return [step for step in (_part(memory, s) for s in steps if isinstance(s, dict)) if step is not None]


def _part(memory: Memory, step: dict[str, Any]) -> dict[str, Any] | None:
    name, quote = step.get("step"), memory.source.quote or ""
    if name == "gate":
        clauses = [c for c in step["clauses"] if _overlap(c["text"], quote)]
        return step | {"clauses": clauses} if clauses else None
    if "verified" in step:
        made = [v for v in step["verified"] if _overlap(v["quote"], quote)]
        return step | {"verified": made} if made else None
    if name == "compare":
        return step if memory.content in (step["new"], step["old"]) else None
    if name == "apply":
        items = [i for i in step["items"] if i["id"] == memory.id]
        return step | {"items": items} if items else None
    return None


def _overlap(one: str, other: str) -> bool:
    """Whether one text holds the other, or what both begin with is a clause."""
    a, b = fold(one).strip(), fold(other).strip()
    return bool(a and b) and (a in b or b in a)


def told(steps: Sequence[JsonValue]) -> Iterator[tuple[str, str, str, str]]:
    """Rows for people: step, milliseconds, what it took, what it made of it."""
    for step in steps:
        if isinstance(step, dict):
            ms = step.get("ms")
            for taken, made in _rows(step):
                yield str(step.get("step")), "" if ms is None else f"{ms:.0f}", taken, made
                ms = None


def _rows(step: dict[str, Any]) -> list[tuple[str, str]]:
    if step.get("step") == "split":
        return [(f"{len(step['clauses'])} clauses", " | ".join(step["clauses"]))]
    if "clauses" in step:
        return [(c["text"], f"keep {c['keep']:.2f}, {c['letter']}, by {c['by']}") for c in step["clauses"]]
    if "verified" in step:
        made = [
            (v["quote"], f"refused: {v['refused']}: {v['memory']}" if v["refused"] else v["memory"])
            for v in step["verified"]
        ]
        return made or [(str(step.get("passage", "")), "nothing usable")]
    if step.get("step") == "compare":
        odds = ", ".join(f"{k} {v:.2f}" for k, v in step["odds"].items())
        return [(f"{step['new']} / {step['old']}", f"{step['relation']} ({odds}), by {step['by']}")]
    if "items" in step:
        return [(i["content"], f"{i['outcome']}: {i['id']}") for i in step["items"]] or [("", "nothing stored")]
    return [("", ", ".join(f"{k}: {v}" for k, v in step.items() if k not in ("step", "ms")))]
