"""The background worker: a thread that takes jobs from the durable queue until it is stopped."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

_log = logging.getLogger(__name__)

IDLE_SECONDS = 2.0
"""How long to sleep when the queue is empty; a new job of this process wakes the worker at once."""


class Worker:
    """Calls ``step`` until it returns false, then waits. One a file and process."""

    def __init__(self, step: Callable[[], bool]) -> None:
        self._step = step
        self._wake = threading.Event()
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()

    def wake(self) -> None:
        """Start the thread if it is not running, and tell it that there is work."""
        with self._lock:
            if self._thread is None and not self._stopping.is_set():
                self._thread = threading.Thread(target=self._run, name="edgemem-worker", daemon=True)
                self._thread.start()
        self._wake.set()

    @property
    def stopping(self) -> bool:
        """Whether ``stop`` was called; a job polls it between steps."""
        return self._stopping.is_set()

    def stop(self, timeout: float = 30.0) -> bool:
        """Ask the thread to end after its current step; true when it has."""
        self._stopping.set()
        self._wake.set()
        thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join(timeout)
            return not thread.is_alive()
        return True

    def _run(self) -> None:
        while not self._stopping.is_set():
            self._wake.clear()
            try:
                busy = self._step()
            except Exception:
                if self._stopping.is_set():
                    return  # what it worked with was closed, as it should be
                # A job's own failure is parked with the job; this is the queue itself failing.
                _log.exception("the background worker could not take a job; trying again")
                busy = False
            if not busy:
                self._wake.wait(IDLE_SECONDS)
