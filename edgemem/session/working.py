"""Working memory as an app sees it: tasks by name, their fields and their steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol, cast

from edgemem.errors import Conflict, NotFound
from edgemem.records import JsonValue, StateField, Task

STEPS = "steps"
"""The field that holds a task's steps: a list of ``{"name": …, "done": …}`` in order."""

_TRIES = 20


class Fields(Protocol):
    """What working memory needs of a user's view."""

    def state_fields(self, task: str | None = None, field: str | None = None) -> Sequence[StateField]:
        """Fields of one task or of all."""

    def set_state(self, task: str, field: str, value: JsonValue, *, expect: int | None = None) -> int:
        """Set a field; returns its version."""

    def tasks(self, *, archived: bool = False) -> Sequence[Task]:
        """Tasks, latest first."""

    def end_task(self, task: str) -> Task:
        """Mark a task as done."""


class State:
    """Tasks by name; each gives its fields by name."""

    def __init__(self, memory: Fields) -> None:
        self._memory = memory

    def __getitem__(self, task: str) -> TaskState:
        return TaskState(self._memory, task)

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(t.name for t in self._memory.tasks()))


class TaskState:
    """The fields of one task, read and set by name."""

    def __init__(self, memory: Fields, task: str) -> None:
        self._memory = memory
        self._task = task

    def __getitem__(self, field: str) -> JsonValue:
        found = self._memory.state_fields(self._task, field)
        if not found:
            raise KeyError(field)
        return found[0].value

    def __setitem__(self, field: str, value: JsonValue) -> None:
        self._memory.set_state(self._task, field, value)

    def __iter__(self) -> Iterator[str]:
        return (f.field for f in self._memory.state_fields(self._task))

    @property
    def steps(self) -> dict[str, bool]:
        """The task's steps in order, and whether each is done."""
        return self._steps()[0]

    def step(self, name: str, *, done: bool = True) -> None:
        """Mark a step as done or open; a new name becomes the last step.

        Two writers at once lose nothing: each reads again until its own write fits (``Conflict`` after 20 times).
        """
        for _ in range(_TRIES):
            steps, version = self._steps()
            steps[name] = done
            value: JsonValue = [{"name": n, "done": d} for n, d in steps.items()]
            try:
                self._memory.set_state(self._task, STEPS, value, expect=version)
            except Conflict:
                continue
            return
        raise Conflict(f"The steps of {self._task} keep changing.", "Try again.")

    def end(self) -> Task:
        """The task is over: its fields stay readable until it expires. Raises ``NotFound``."""
        return self._memory.end_task(self._task)

    def _steps(self) -> tuple[dict[str, bool], int]:
        found = self._memory.state_fields(self._task, STEPS)
        if not found:
            return {}, 0
        try:
            return {str(s["name"]): bool(s["done"]) for s in cast("list[dict[str, JsonValue]]", found[0].value)}, found[
                0
            ].version
        except (TypeError, KeyError) as error:
            raise NotFound(
                f"The field {STEPS!r} of {self._task} does not hold steps.", "Use another field for your own data."
            ) from error
