"""What all commands share: the options, the output law (stdout data, stderr narration) and the error exit."""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, ParamSpec, TypeVar

import click

from edgemem.cli.unlock import Passphrases
from edgemem.errors import EdgememError, InvalidInput

if TYPE_CHECKING:
    from edgemem.memory import Memory, MemoryFile

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(slots=True)
class App:
    """What the shared options said, and the file once it is open."""

    path: Path | None
    user_name: str
    as_json: bool
    passphrases: Passphrases = field(default_factory=lambda: Passphrases(None))
    opened: list[MemoryFile] = field(default_factory=list)

    def place(self) -> Path:
        """Where the file is, or would be."""
        from edgemem.memory import default_path

        return self.path or default_path()

    def file(self, *, read_only: bool = False, background: bool = True, whole: bool = False) -> MemoryFile:
        """Open the memory file; it is closed when the command ends. ``whole``: sealed values are wanted too."""
        from edgemem.memory import open as open_file
        from edgemem.settings import Settings

        keys = self.passphrases.options(self.place(), whole=whole)
        opened = open_file(self.path, read_only=read_only, settings=Settings(background=background), **keys)
        self.opened.append(opened)
        return opened

    def memory(self, *, read_only: bool = False) -> Memory:
        """The chosen user's view of the file."""
        return self.file(read_only=read_only).user(self.user_name)

    def reading(self, *, whole: bool = False) -> Memory:
        """The view for a command that only reads: it answers also where nothing can be written."""
        return self.file_to_read(whole=whole).user(self.user_name)

    def file_to_read(self, *, whole: bool = False) -> MemoryFile:
        """The file for a command that only reads. Opened for writing where it can be, to note what was used."""
        from edgemem.store.place import can_write

        place = self.place()
        return self.file(read_only=place.exists() and not can_write(place), whole=whole)

    def close(self) -> None:
        """Close what was opened."""
        while self.opened:
            self.opened.pop().close()


def common_options(command: Callable[..., R]) -> Callable[..., R]:
    """Add ``--file``, ``--user`` and ``--json``; the command gets an ``App`` first."""

    @click.option(
        "--file",
        "path",
        envvar="EDGEMEM_FILE",
        type=click.Path(path_type=Path, dir_okay=False),
        help="The memory file. Default: me.edgemem in your user data folder.",
    )
    @click.option("--user", "user_name", envvar="EDGEMEM_USER", default="me", show_default=True, help="Whose memory.")
    @click.option("--json", "as_json", is_flag=True, help="Print JSON.")
    @click.option(
        "--passphrase-fd",
        type=click.IntRange(min=0),
        metavar="N",
        help="Read the passphrase of the file from descriptor N.",
    )
    @functools.wraps(command)
    def wrapper(path: Path | None, user_name: str, as_json: bool, passphrase_fd: int | None, **kwargs: Any) -> R:
        app = App(path, user_name, as_json, Passphrases(passphrase_fd))
        try:
            return command(app, **kwargs)
        finally:
            app.close()

    return wrapper


def jsonable(value: Any) -> Any:
    """Turn what ``json`` does not know (times, paths, sets) into what it does."""
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, set | frozenset):
        return sorted(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")


def emit_json(value: Any) -> None:
    """Print one JSON document on stdout, in the text's own script where the stream can carry it."""
    in_utf8 = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    click.echo(json.dumps(value, ensure_ascii=not in_utf8, indent=2, default=jsonable))


def json_or_text(text: str) -> Any:
    """A value as it is typed: JSON where it is some, else the text. Raises ``InvalidInput``."""
    try:
        return json.loads(text)
    except RecursionError as error:
        raise InvalidInput("The value is nested too deeply.", "Use text, numbers, lists or mappings.") from error
    except ValueError:  # no JSON, or a number longer than Python reads
        return text


def say(text: str = "") -> None:
    """Narrate on stderr."""
    click.echo(text, err=True)


def fail(error: EdgememError) -> NoReturn:
    """Print an error with what to do next, and leave with its exit code."""
    say(f"Error: {error}")
    if error.hint:
        say(f"  {error.hint}")
    sys.exit(error.exit_code)
