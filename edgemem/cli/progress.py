"""Progress on stderr: a bar on a terminal, a plain line now and then elsewhere."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import TYPE_CHECKING, Self

import click

from edgemem.cli.common import say
from edgemem.errors import EdgememError

if TYPE_CHECKING:
    from rich.progress import Progress

PLAIN_SECONDS = 10.0
"""Between two plain lines, where there is no terminal."""


def _can_rewrite() -> bool:
    """Whether a line on stderr can be written over."""
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


class Counting:
    """Counts on stderr, to a known end or none: in place on a terminal, a line now and then elsewhere."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._last = time.monotonic()
        self._shown = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._shown and _can_rewrite():
            click.echo("\r\033[K", nl=False, err=True)

    def update(self, done: int, total: int | None = None) -> None:
        """``done`` are finished, of ``total`` if that is known."""
        self.tell(f"{done:,} {self._what}" if total is None else f"{done:,} of {total:,} {self._what}")

    def tell(self, text: str) -> None:
        """Say how far it is in words of its own; what comes too soon after the last is left out."""
        terminal = _can_rewrite()
        if time.monotonic() - self._last < (0.2 if terminal else PLAIN_SECONDS):
            return
        self._last, self._shown = time.monotonic(), True
        click.echo(f"\r\033[K{text}", nl=False, err=True) if terminal else say(text)


@contextmanager
def ticking(tick: Callable[[], object]) -> Iterator[None]:
    """Call ``tick`` about once a second in a thread of its own, while the work in this one says nothing."""
    ended = threading.Event()

    def run() -> None:
        while not ended.wait(1):
            with suppress(EdgememError):  # the work itself will say what is wrong with the file
                tick()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


class TurnProgress:
    """Counts turns; prints what was learned above the bar."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._bar: Progress | None = None
        self._last = time.monotonic()

    def __enter__(self) -> Self:
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

            columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
            self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
            self._bar.add_task(f"Reading the turns of {self._label}", total=None)
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def update(self, done: int, total: int) -> None:
        """``done`` of ``total`` turns are read."""
        if self._bar is not None:
            self._bar.update(self._bar.task_ids[0], completed=done, total=total)
        elif time.monotonic() - self._last > PLAIN_SECONDS:
            self._last = time.monotonic()
            say(f"{self._label}: {done} of {total} turns")

    def line(self, text: str) -> None:
        """Print data on stdout without breaking the bar."""
        if self._bar is not None and sys.stdout.isatty():
            self._bar.console.print(text, markup=False, highlight=False)
        else:
            click.echo(text)
