"""What a running pull tells the one who watches it."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

from edgemem.errors import Aborted

Step = Literal["waiting", "downloading", "checking", "joining", "repacking"]

_WINDOW: Final = 10.0
_EVERY: Final = 0.1


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a pull stands: ``done`` of ``total`` bytes (None: unknown), ``speed`` in bytes/s, ``eta`` in seconds."""

    model: str
    source: str
    step: Step
    done: int
    total: int | None
    speed: float | None
    eta: float | None


OnProgress = Callable[[Progress], None]
OnNote = Callable[[str], None]


def ignore(_: object) -> None:
    """Watch nothing."""


class Meter:
    """Measures speed over the last seconds, thins out reports, and asks whether to stop.

    Every call of ``at`` polls ``stop`` and raises ``Aborted`` once it is true.
    """

    def __init__(
        self,
        model: str,
        on_progress: OnProgress = ignore,
        stop: Callable[[], bool] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.model = model
        self.source = ""
        self._on_progress = on_progress
        self._stop = stop
        self._clock = clock
        self._step: Step = "downloading"
        self._total: int | None = None
        self._seen: deque[tuple[float, int]] = deque()
        self._told = 0.0

    def begin(self, step: Step, total: int | None, done: int = 0) -> None:
        """Start a step; ``done`` bytes were there before and do not count for the speed."""
        self._step, self._total, self._told = step, total, float("-inf")
        self._seen.clear()
        self.at(done)

    def at(self, done: int) -> None:
        """Say how many bytes of the step are done."""
        if self._stop is not None and self._stop():
            raise Aborted("The pull was stopped; what was fetched is kept.", "Pull it again to go on.")
        now = self._clock()
        if now - self._told < _EVERY and done != self._total:
            return
        self._told = now
        self._seen.append((now, done))
        while len(self._seen) > 2 and now - self._seen[0][0] > _WINDOW:
            self._seen.popleft()
        speed = self._speed()
        left = None if self._total is None or not speed else max(0.0, (self._total - done) / speed)
        self._on_progress(Progress(self.model, self.source, self._step, done, self._total, speed, left))

    def _speed(self) -> float | None:
        (start, first), (end, last) = self._seen[0], self._seen[-1]
        return max(0, last - first) / (end - start) if end > start else None
