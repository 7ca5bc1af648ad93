"""Threads that own a llama.cpp context, and the order in which their work runs.

llama.cpp contexts are not thread-safe: each is used by the one thread of its ``Lane``.
Lanes that share a ``Gate`` share the processor: while chat work waits or runs anywhere,
background work is interrupted (within one token, in prompt evaluation too) and waits.
"""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import os
import queue
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any, Final, Generic, TypeVar

from edgemem.errors import Aborted, InvalidInput, ModelError
from edgemem.ports import Priority

T = TypeVar("T")

_CLOSED: Final = "The model was closed while it was working."
_ORDER: Final = {"chat": 0, "background": 1}


def check_priority(priority: str) -> None:
    """Raise ``InvalidInput`` for a priority that there is not."""
    if priority not in _ORDER:
        raise InvalidInput(f"There is no priority {priority!r}.", f"Priorities are: {', '.join(_ORDER)}.")


class AbortFlag:
    """A flag that llama.cpp polls between the nodes of a computation.

    The callback it polls is the C library's ``strlen`` on two bytes of ours: 0 or 1, without
    taking Python's lock a thousand times per token.
    """

    def __init__(self) -> None:
        self._bytes = ctypes.create_string_buffer(2)
        self.function = ctypes.cast(_strlen(), ctypes.c_void_p).value
        self.data = ctypes.cast(self._bytes, ctypes.c_void_p)

    def set(self) -> None:
        """Ask the running computation to end."""
        self._bytes[0] = b"\x01"

    def clear(self) -> None:
        """Let computations run."""
        self._bytes[0] = b"\x00"


def _strlen() -> Any:
    library = ctypes.CDLL("msvcrt") if os.name == "nt" else ctypes.CDLL(None)
    return library.strlen


class Gate:
    """Counts chat work among lanes and holds background work back while there is any."""

    def __init__(self) -> None:
        self.changed = threading.Condition(threading.RLock())
        self._chats = 0
        self._lanes: list[Lane] = []

    def join(self, lane: Lane) -> None:
        """Let ``lane`` take part."""
        with self.changed:
            self._lanes.append(lane)

    def leave(self, lane: Lane) -> None:
        """Forget ``lane``."""
        with self.changed, contextlib.suppress(ValueError):
            self._lanes.remove(lane)

    @property
    def busy(self) -> bool:
        """Whether chat work waits or runs."""
        return self._chats > 0

    def enter(self) -> None:
        """Chat work was queued: interrupt what runs in the background."""
        with self.changed:
            self._chats += 1
            for lane in self._lanes:
                lane.interrupt()
            self.changed.notify_all()

    def exit(self) -> None:
        """Chat work is done."""
        with self.changed:
            self._chats -= 1
            self.changed.notify_all()


class Job(Generic[T]):
    """One piece of work for a lane: ``work(job)`` runs on the lane's thread."""

    def __init__(self, lane: Lane, work: Callable[[Job[T]], T], priority: Priority) -> None:
        self.lane = lane
        self.work = work
        self.priority: Priority = priority
        self.future: Future[T] = Future()
        self.cancelled = False

    def cancel(self) -> None:
        """Ask it to stop; a running computation ends within a fraction of a second."""
        with self.lane.gate.changed:
            self.cancelled = True
            if self.lane.running is self:
                self.lane.flag.set()
            self.lane.gate.changed.notify_all()

    def drop(self) -> None:
        """As ``cancel``, without a lock: for use while garbage is collected, when any lock may be held.

        Should the flag hit the work that runs next, that notices its own not being asked for, and repeats one step.
        """
        self.cancelled = True
        if self.lane.running is self:
            self.lane.flag.set()

    def checkpoint(self) -> None:
        """Called before each computation: wait while chat work goes first. Raises ``Aborted`` if cancelled."""
        gate, lane = self.lane.gate, self.lane
        while True:
            while lane.run_chat_first(self):
                pass
            with gate.changed:
                if self.cancelled or lane.closing:
                    raise Aborted(_CLOSED if lane.closing else "The work was stopped.")
                if self.priority == "chat" or not gate.busy:
                    lane.flag.clear()
                    return
                if not lane.has_chat():
                    gate.changed.wait()

    def result(self) -> T:
        """Wait for the result; interrupting the wait (Ctrl+C) cancels the work."""
        try:
            return self.future.result()
        except BaseException:
            if not self.future.done():
                self.cancel()
            raise

    def run(self) -> None:
        """Do the work and deliver its result; on the lane's thread."""
        try:
            self.checkpoint()
            self.future.set_result(self.work(self))
        except BaseException as error:  # whatever it is, it belongs to the caller
            self.future.set_exception(error)
        finally:
            del self.work  # whoever keeps the job, or its error, keeps no model alive


class Lane:
    """One thread with a queue, chat work first, otherwise in order of arrival."""

    def __init__(self, gate: Gate, name: str, at_end: Callable[[], None]) -> None:
        self.gate = gate
        self.flag = AbortFlag()
        self.running: Job[Any] | None = None
        self.closing = False
        self._at_end = [at_end]
        self._queue: queue.PriorityQueue[tuple[int, int, Job[Any] | None]] = queue.PriorityQueue()
        self._numbers = itertools.count()
        self._pid = os.getpid()
        self._thread = threading.Thread(target=self._serve, name=f"edgemem-{name}", daemon=True)
        self._started = False
        gate.join(self)

    def submit(self, work: Callable[[Job[T]], T], priority: Priority) -> Job[T]:
        """Queue ``work``. Raises ``ModelError`` after ``close``."""
        job = Job(self, work, priority)
        with self.gate.changed:
            if self.closing:
                raise ModelError("The model is closed.", "Open it again before using it.")
            if not self._started:
                self._started = True
                self._thread.start()
            if priority == "chat":
                self.gate.enter()
            self._queue.put((_ORDER[priority], next(self._numbers), job))
        return job

    def has_chat(self) -> bool:
        """Whether chat work waits in this lane's own queue."""
        with self._queue.mutex:
            return bool(self._queue.queue) and self._queue.queue[0][0] == _ORDER["chat"]

    def run_chat_first(self, waiting: Job[Any]) -> bool:
        """Run one chat job of this lane inside a background job that waits for it; false if there is none."""
        if waiting.priority == "chat" or not self.has_chat():
            return False
        job = self._queue.get()[2]
        if job is not None:
            self._run(job)
        with self.gate.changed:
            self.running = waiting
        return True

    def interrupt(self) -> None:
        """End the running computation if it is background work; it is repeated later."""
        if self.running is not None and self.running.priority == "background":
            self.flag.set()

    def close(self) -> None:
        """Stop what runs, refuse what waits, end the thread. Idempotent; safe from any thread."""
        if os.getpid() != self._pid:
            return
        with self.gate.changed:
            first, self.closing = not self.closing, True
            self.flag.set()
            self.gate.changed.notify_all()
            if first:
                self._queue.put((2, next(self._numbers), None))
        if self._started and not self.is_current():
            self._thread.join()
        self.gate.leave(self)

    def is_current(self) -> bool:
        """Whether this is the lane's own thread, which cannot wait for its own end."""
        return self._thread is threading.current_thread()

    def afterwards(self, step: Callable[[], None]) -> None:
        """On the lane's own thread: do this when the lane has ended and what it owned is freed."""
        self._at_end.append(step)

    def _serve(self) -> None:
        while (job := self._queue.get()[2]) is not None:
            self._run(job)
            del job
        for step in self._at_end:
            step()

    def _run(self, job: Job[Any]) -> None:
        with self.gate.changed:
            self.running = job
        try:
            job.run()
        finally:
            with self.gate.changed:
                self.running = None
                if job.priority == "chat":
                    self.gate.exit()


def close_all(lanes: Sequence[Lane], free: Callable[[], None]) -> None:
    """End the lanes, then ``free`` what they shared.

    The last reference to a model may die on the thread of one of its lanes; that one ends later, and frees then.
    """
    own = [lane for lane in lanes if lane.is_current()]
    for lane in own:
        lane.afterwards(free)
    for lane in lanes:
        lane.close()
    if not own:
        free()
