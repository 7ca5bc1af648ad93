"""Showing a running pull: bars on a terminal, otherwise a plain line every few seconds; always on stderr."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from edgemem_models.progress import OnNote, OnProgress, Progress
from edgemem_models.pull import Pulled, pull
from edgemem_models.space import human

from edgemem.cli.common import say
from edgemem.errors import Aborted

_EVERY: Final = 5.0


def pull_all(names: list[str], home: Path) -> list[dict[str, Any]]:
    """Fetch models one after the other. Ctrl-C leaves what was fetched for the next time and raises ``Aborted``."""
    results = []
    for name in names:
        try:
            with _watching() as (on_progress, on_note):
                result = pull(name, home, on_progress=on_progress, on_note=on_note)
        except KeyboardInterrupt:
            raise Aborted(
                f"The pull of {name} was interrupted; what was fetched is kept.",
                "Run the same command again to go on where it stopped.",
            ) from None
        say(_outcome(result))
        results.append(_described(result))
    return results


def plain_line(at: Progress) -> str:
    """One line that says where a pull stands: bytes, percent, speed, time left."""
    if at.step == "waiting":
        return f"{at.model}: still waiting for the other edgemem"
    whole = f" of {human(at.total)} ({100 * at.done // at.total} %)" if at.total else ""
    speed = f", {human(at.speed)}/s" if at.speed else ""
    left = f", {duration(at.eta)} left" if at.eta else ""
    return f"{at.model}: {at.step} {human(at.done)}{whole}{speed}{left}"


def duration(seconds: float) -> str:
    """Seconds as ``m:ss`` or ``h:mm:ss``."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


@contextlib.contextmanager
def _watching() -> Iterator[tuple[OnProgress, OnNote]]:
    if sys.stderr.isatty():
        with _bars() as watchers:
            yield watchers
    else:
        yield plain_watcher(say, time.monotonic), say


def plain_watcher(write: Callable[[str], None], clock: Callable[[], float]) -> OnProgress:
    """A watcher that writes a line at the start of each step that takes long, and every few seconds."""
    last: dict[str, float] = {}

    def on_progress(at: Progress) -> None:
        now = clock()
        if now - last.setdefault(at.step, now) >= _EVERY:
            last[at.step] = now
            write(plain_line(at))

    return on_progress


@contextlib.contextmanager
def _bars() -> Iterator[tuple[OnProgress, OnNote]]:
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, TextColumn, TimeRemainingColumn, TransferSpeedColumn
    from rich.progress import Progress as Bars

    text = TextColumn("{task.description}")
    columns = (text, BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn())
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:
        tasks: dict[str, Any] = {}

        def on_progress(at: Progress) -> None:
            if at.step not in tasks:
                tasks[at.step] = bars.add_task(f"{at.model} {at.step}", total=at.total, completed=at.done)
            bars.update(tasks[at.step], total=at.total, completed=at.done)

        yield on_progress, lambda text: bars.console.print(text, markup=False, highlight=False)


def _outcome(result: Pulled) -> str:
    if result.already:
        return f"{result.model.name}: already here, SHA-256 checked ({result.path})"
    where = f"from {result.source} in {result.seconds:.1f} s"
    return f"{result.model.name}: {human(result.path.stat().st_size)} {where}, SHA-256 checked ({result.path})"


def _described(result: Pulled) -> dict[str, Any]:
    return {
        "name": result.model.name,
        "path": str(result.path),
        "sha256": result.sha256,
        "source": result.source,
        "seconds": round(result.seconds, 2),
        "already": result.already,
    }
