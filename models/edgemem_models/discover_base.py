"""What the scanners of model folders share: the machine they look at, what they find, and careful walking."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

MAX_DEPTH: Final = 8


@dataclass(frozen=True, slots=True)
class Machine:
    """Where to look: environment variables, home folder and platform as in ``sys.platform``."""

    env: Mapping[str, str]
    home: Path
    platform: str

    @classmethod
    def here(cls) -> Machine:
        """This machine and this user; the one place where discovery meets the process environment."""
        return cls(dict(os.environ), Path.home(), sys.platform)

    @property
    def is_windows(self) -> bool:
        """Whether Windows paths apply."""
        return self.platform == "win32"

    @property
    def is_mac(self) -> bool:
        """Whether macOS paths apply."""
        return self.platform == "darwin"

    def folder(self, name: str) -> Path | None:
        """The folder an environment variable names, with stray quotes, spaces and ``~`` dealt with; None if unset."""
        value = self.env.get(name, "").strip().strip("\"'").strip()
        if value.startswith("~"):
            return self.home / value[1:].lstrip("/\\")
        return Path(value) if value else None

    def cache(self) -> Path:
        """The XDG cache folder, which several tools use on every platform."""
        return self.folder("XDG_CACHE_HOME") or self.home / ".cache"

    def data(self) -> Path:
        """Where applications keep data: XDG on Linux, Application Support on macOS, roaming AppData on Windows."""
        if self.is_windows:
            return self.roaming()
        if self.is_mac:
            return self.home / "Library" / "Application Support"
        return self.folder("XDG_DATA_HOME") or self.home / ".local" / "share"

    def roaming(self) -> Path:
        """Windows' ``%APPDATA%``."""
        return self.folder("APPDATA") or self.home / "AppData" / "Roaming"

    def local(self) -> Path:
        """Windows' ``%LOCALAPPDATA%``."""
        return self.folder("LOCALAPPDATA") or self.home / "AppData" / "Local"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A file that may be a model: whose it is, and what that program calls it (empty: the file's own name)."""

    path: Path
    tool: str
    label: str = ""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A file that was seen and not taken, and why."""

    path: Path
    tool: str
    reason: str


@dataclass(slots=True)
class Log:
    """What a scan notes on its way: files left out, and folders it could not read."""

    left_out: list[LeftOut] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def leave(self, path: Path, tool: str, reason: str) -> None:
        """Note a file that is not taken."""
        self.left_out.append(LeftOut(path, tool, reason))

    def note(self, text: str) -> None:
        """Note something once."""
        if text not in self.notes:
            self.notes.append(text)


def is_folder(path: Path, tool: str, log: Log) -> bool:
    """Whether ``path`` is a folder that can be listed; one that may not be read is noted, a missing one is not."""
    try:
        with os.scandir(path):
            return True
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        log.note(f"{tool}: {path} cannot be read ({error.strerror or error}).")
        return False


def walk(folder: Path, tool: str, log: Log, depth: int = MAX_DEPTH) -> Iterator[Path]:
    """All files under ``folder``, sorted; symbolic links to folders are not followed, unreadable folders are noted."""
    if not is_folder(folder, tool, log):
        return
    with os.scandir(folder) as listing:
        entries = sorted(listing, key=lambda entry: entry.name)
    for entry in entries:
        path = Path(entry.path)
        try:
            if not entry.is_dir(follow_symlinks=False):
                yield path
            elif depth > 0:
                yield from walk(path, tool, log, depth - 1)
        except OSError as error:
            log.note(f"{tool}: {path} cannot be read ({error.strerror or error}).")


def gguf_files(folder: Path, tool: str, log: Log, depth: int = MAX_DEPTH) -> Iterator[Candidate]:
    """The ``*.gguf`` files under ``folder``, and its unfinished downloads so that they can be named as such."""
    for path in walk(folder, tool, log, depth):
        name = path.name.lower()
        if name.endswith(".gguf") or (".gguf" in name and is_unfinished(path.name)):
            yield Candidate(path, tool)


def is_unfinished(name: str) -> bool:
    """Whether a file name is one that Ollama, the hub, GPT4All, browsers or edgemem give to unfinished downloads."""
    low = name.lower()
    endings = (".incomplete", ".partial", ".part", ".crdownload", ".download", ".tmp", ".downloadinprogress")
    return "-partial" in low or low.startswith("incomplete-") or low.endswith(endings)


def read_json(path: Path, tool: str, log: Log) -> Any:
    """A JSON document, or None if there is none; one that cannot be read is noted."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        log.note(f"{tool}: {path} cannot be read ({error}).")
        return None


def read_lines(path: Path, tool: str, log: Log) -> list[str]:
    """The lines of a small text file, none if it is missing; one that cannot be read is noted."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").splitlines()
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        log.note(f"{tool}: {path} cannot be read ({error.strerror or error}).")
        return []
