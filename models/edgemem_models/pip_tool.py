"""Running pip as a downloader: finding one that works, and following it line by line."""

from __future__ import annotations

import contextlib
import importlib.util
import queue
import re
import shutil
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from edgemem_models.fetch import SourceFailed

_PROGRESS: Final = re.compile(r"Progress (\d+) of (\d+)")
_VERSION: Final = re.compile(r"pip (\d+)\.(\d+)")
_RAW_SINCE: Final = (24, 1)
_POLL: Final = 0.2
_NO_PIP: Final = "no pip was found; install it with: python -m ensurepip"


@dataclass(frozen=True, slots=True)
class Pip:
    """A pip that can be started: its command, and whether it prints progress for programs (pip 24.1 and later)."""

    command: tuple[str, ...]
    raw_progress: bool

    def download(
        self, requirements: Sequence[str], folder: Path, options: Sequence[str], at: Callable[[int, int], None]
    ) -> None:
        """Download wheels, one after the other, into ``folder``; pip puts them there when it has all.

        ``at(done, total)`` is called often with the bytes of the current one, with zeros if nothing is known.

        Only wheels are taken: pip would run a source package's own code to read its metadata.
        """
        command = [
            *self.command, "download", "--no-deps", "--only-binary", ":all:", "--no-cache-dir", "--no-input",
            "--disable-pip-version-check", "--timeout", "20", "--retries", "2",
            "--progress-bar", "raw" if self.raw_progress else "off", "--dest", str(folder), *options, *requirements,
        ]  # fmt: skip
        tail: deque[str] = deque(maxlen=60)
        with _running(command) as process:
            for line in _lines(process):
                match = _PROGRESS.match(line or "")
                at(*(int(number) for number in match.groups()) if match else (0, 0))
                if line and not match:
                    tail.append(line)
        if process.returncode != 0:
            raise SourceFailed(f"pip could not fetch {', '.join(requirements)}: {_error_in(tail)}")


def find_pip() -> Pip:
    """This Python's pip, else the one bundled with Python, else one on the path, else uv's. Raises ``SourceFailed``."""
    for command in _commands():
        version = _version(command)
        if version is not None:
            return Pip(command, version >= _RAW_SINCE)
    raise SourceFailed(_NO_PIP)


def _commands() -> Iterator[tuple[str, ...]]:
    if importlib.util.find_spec("pip") is not None:
        yield (sys.executable, "-m", "pip")
    bundled = _bundled_wheel()
    if bundled is not None:
        yield (sys.executable, str(bundled / "pip"))
    for name in ("pip3", "pip"):
        if found := shutil.which(name):
            yield (found,)
    if found := shutil.which("uv"):
        yield (found, "tool", "run", "pip")


def _bundled_wheel() -> Path | None:
    """The pip wheel inside ``ensurepip``; Python can start it without installing it. Absent on some Linux systems."""
    spec = importlib.util.find_spec("ensurepip")
    if spec is None or spec.origin is None:
        return None
    return max((Path(spec.origin).parent / "_bundled").glob("pip-*.whl"), default=None)


def _version(command: tuple[str, ...]) -> tuple[int, int] | None:
    try:
        done = subprocess.run([*command, "--version"], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = _VERSION.match(done.stdout) if done.returncode == 0 else None
    return (int(match.group(1)), int(match.group(2))) if match else None


@contextlib.contextmanager
def _running(command: list[str]) -> Iterator[subprocess.Popen[str]]:
    """Start a command, and make sure it has ended when the block ends, however it ends."""
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
    )
    try:
        yield process
        process.wait()
    finally:
        if process.poll() is None:
            process.terminate()
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        if process.stdout is not None:
            process.stdout.close()


def _lines(process: subprocess.Popen[str]) -> Iterator[str | None]:
    """The lines of the output as they come; None now and then while there are none, so that the caller can stop."""
    lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
    threading.Thread(target=_read_into, args=(process.stdout, lines), daemon=True).start()
    while True:
        try:
            line = lines.get(timeout=_POLL)
        except queue.Empty:
            yield None
            continue
        if line is None:
            return
        yield line


def _read_into(stream: IO[str] | None, lines: queue.SimpleQueue[str | None]) -> None:
    # The stream is closed under the reader when the caller gives up; that is no error.
    with contextlib.suppress(ValueError, OSError):
        for line in stream or ():
            lines.put(line.strip())
    lines.put(None)


def _error_in(tail: deque[str]) -> str:
    """The line that says what went wrong: pip's last ERROR, but not its advice."""
    errors = [line.removeprefix("ERROR:").strip() for line in tail if line.startswith("ERROR:")]
    if errors:
        return errors[-1]
    return tail[-1] if tail else "it printed nothing"
