"""How a process waits for its turn to write, so that none of many waits for ever."""

from __future__ import annotations

import random
import time
from time import sleep
from typing import Any

LONGEST_PAUSE = 0.01
"""Seconds between two tries at first."""

SHORTEST = 4
"""Part of that to which the pause shrinks within ``MET``. Shorter ones make waiters that take the processor from whoever
holds the lock: seven of them kept an eighth for longer than their limit from a write of a third of a second."""

ONE_TRY = 0.05
"""Most seconds that count for one try. A process that wakes up later than that is on a machine with too much to do, where
whoever holds the lock gets no further either: eight writers ran into the limit together, though each write was short."""

AT_MOST = 10
"""How many times as long as it was asked to a process waits by the clock."""

MET = 1.0
"""Seconds for which a process that met others at the lock leaves them a gap before its next write."""


class Patience:
    """Takes the write lock of one connection; who has waited longer asks more often.

    SQLite's own wait asks ten times a second at the most, and less often the longer it has waited: among
    eight busy writers some ran into the time limit though each write was short. And a process that
    writes again at once would take the lock before anybody else wakes up, so where others were met
    lately it leaves a gap first.
    """

    def __init__(self, seconds: float, errors: tuple[type[Exception], ...]) -> None:
        self.seconds = seconds
        """How long to wait before the driver's error is raised; each try counts ``ONE_TRY`` at most."""
        self._errors = errors
        self._others_until = 0.0

    def begin(self, connection: Any) -> None:
        """Begin a transaction that writes. Raises the driver's error when others write for too long."""
        self.run(connection, "BEGIN IMMEDIATE")

    def run(self, connection: Any, statement: str) -> None:
        """Run a statement that needs the write lock. Raises the driver's error when others write for too long."""
        start = time.monotonic()
        if start < self._others_until:
            sleep(random.uniform(0.2, 1.2) * LONGEST_PAUSE)  # noqa: S311 - nothing secret
        connection.execute("PRAGMA busy_timeout=0")
        try:
            self._try(connection, statement, start)
        finally:
            connection.execute(f"PRAGMA busy_timeout={int(self.seconds * 1000)}")

    def _try(self, connection: Any, statement: str, start: float) -> None:
        waited, last = 0.0, start
        while True:
            try:
                connection.execute(statement)
                return
            except self._errors as error:
                now = time.monotonic()
                waited, last = waited + min(now - last, ONE_TRY), now
                too_long = waited >= self.seconds or now - start >= AT_MOST * self.seconds
                if "locked" not in str(error) or too_long:
                    raise
            self._others_until = now + MET
            share = 1 + (SHORTEST - 1) * min(waited / MET, 1)
            sleep(random.uniform(0.2, 1) * LONGEST_PAUSE / share)  # noqa: S311 - nothing secret
