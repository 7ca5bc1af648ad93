"""What all commands share: the options, the output law (stdout data, stderr narration) and the error exit."""

from __future__ import annotations

import contextlib
import difflib
import functools
import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, ParamSpec, TypeVar

import click
from click.core import ParameterSource

from edgemem.cli.unlock import Passphrases
from edgemem.errors import EdgememError, InvalidInput, StoreError
from edgemem.text import check_path, check_texts

if TYPE_CHECKING:
    from edgemem.memory import Memory, MemoryFile

_NO_FILE = 'Name another with --file, or begin one: edgemem add "I am allergic to peanuts"'
_GIVEN = "edgemem.given"
"""Where the options that stand before the command wait for it, in click's ``Context.meta``."""

_ANSWERED = "edgemem.answered"
"""There too: whether the command has printed JSON already."""

_SENTENCE = 200
"""Most characters of what a list of commands says of each: more than any first sentence has."""

P = ParamSpec("P")
R = TypeVar("R")
C = TypeVar("C", bound=Callable[..., Any])


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
        from edgemem.folders import default_path

        return self.path or default_path()

    def file(
        self, *, read_only: bool = False, background: bool = True, whole: bool = False, make: bool = False
    ) -> MemoryFile:  # fmt: skip
        """Open the memory file; it is closed when the command ends. ``whole``: sealed values are wanted too.

        ``make``: a file that is not there is made, and said so. Else its name was mistyped: ``StoreError``.
        """
        from edgemem.memory import open as open_file
        from edgemem.settings import Settings

        self.is_new(make=make)
        keys = self.passphrases.options(self.place(), whole=whole)
        opened = open_file(self.path, read_only=read_only, settings=Settings(background=background), **keys)
        self.opened.append(opened)
        if opened.is_new:
            say(f"A new memory file: {self.place()}")
        return opened

    def is_new(self, *, make: bool) -> bool:
        """Whether the file is not there yet. Raises ``StoreError`` when it should be (not ``make``)."""
        place = self.place()
        if place.exists():
            return False
        if not make:
            raise StoreError(f"There is no memory file {place}.", _NO_FILE)
        return True

    def memory(self, *, make: bool = False) -> Memory:
        """The chosen user's view of the file, to change what is there; ``make`` as in ``file``."""
        return self.file(make=make).user(self.user_name)

    def reading(self, *, whole: bool = False) -> Memory:
        """The view for a command that only reads: it answers also where nothing can be written, and makes nothing."""
        file = self.file_to_read(whole=whole)
        view = file.user(self.user_name, make=False)
        if view.name not in file.users():
            say(f"Nobody called {self.user_name!r} is in this file. Name somebody with --user.")
        return view

    def file_to_read(self, *, whole: bool = False) -> MemoryFile:
        """The file for a command that only reads. Opened for writing where it can be, to note what was used."""
        from edgemem.store.place import can_write

        place = self.place()
        return self.file(read_only=place.exists() and not can_write(place), whole=whole)

    def close(self) -> None:
        """Close what was opened."""
        while self.opened:
            self.opened.pop().close()


def _shared(decorated: C, **settings: Any) -> C:
    for option in reversed(
        (
            click.option(
                "--file", "path", envvar="EDGEMEM_FILE", type=click.Path(path_type=Path, dir_okay=False),
                help="The memory file. Default: me.edgemem in your user data folder.", **settings,
            ),
            click.option(
                "--user", "user_name", envvar="EDGEMEM_USER", default="me", show_default=True, help="Whose memory.",
                **settings,
            ),
            click.option("--json", "as_json", is_flag=True, help="Print JSON.", **settings),
            click.option(
                "--passphrase-fd", type=click.IntRange(min=0), metavar="N",
                help="Read the passphrase of the file from descriptor N.", **settings,
            ),
        )
    ):  # fmt: skip
        decorated = option(decorated)
    return decorated


def options_before(group: C) -> C:
    """Let a group take the shared options too, for the command that follows: ``edgemem --file X list``."""

    def remembered(context: click.Context, option: click.Parameter, value: Any) -> None:
        name = str(option.name)
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            context.meta.setdefault(_GIVEN, {})[name] = value

    return _shared(group, callback=remembered, expose_value=False)


def _told(name: str, value: Any) -> Any:
    """An option's value: what stands after the command goes first, then what stands before it."""
    context = click.get_current_context()
    if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
        return value
    return context.meta.get(_GIVEN, {}).get(name, value)


def common_options(command: Callable[..., R]) -> Callable[..., R]:
    """Add ``--file``, ``--user`` and ``--json``; the command gets an ``App`` first."""

    @functools.wraps(command)
    def wrapper(path: Path | None, user_name: str, as_json: bool, passphrase_fd: int | None, **kwargs: Any) -> R:
        fd: int | None = _told("passphrase_fd", passphrase_fd)
        app = App(_told("path", path), _told("user_name", user_name), _told("as_json", as_json), Passphrases(fd))
        try:
            _check_words(app.path, app.user_name, *kwargs.values())
            return command(app, **kwargs)
        except EdgememError as error:
            if app.as_json and not click.get_current_context().meta.get(_ANSWERED):
                emit_json(error_json(error))
            raise
        finally:
            app.close()

    return _shared(wrapper)


def _check_words(*values: Any) -> None:
    """Raises ``InvalidInput`` for a text that no file can hold. What a system gives may not be all in UTF-8."""
    for value in values:
        if isinstance(value, str | tuple):
            check_texts(value, "The text")
        elif isinstance(value, Path):
            check_path(value)


class Group(click.Group):
    """A group that names the nearest commands when one was mistyped, and says of each in whole sentences what it does."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """As click's, but a first sentence goes on in the next line where click would cut it."""
        found = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        rows = [(name, command.get_short_help_str(_SENTENCE)) for name, command in found if command is not None]
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:  # fmt: skip
        """As click's, with a better error."""
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            near = difflib.get_close_matches(args[0], self.list_commands(ctx), n=3)
            why = f"Did you mean: {', '.join(near)}?" if near else f"All commands: {ctx.command_path} --help"
            ctx.fail(f"There is no command {args[0]!r}. {why}")
        return super().resolve_command(ctx, args)


class ListingGroup(Group):
    """A group that alone, without one of its commands, does what its ``list`` does."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(
            *args, **settings | {"invoke_without_command": True, "subcommand_metavar": "[COMMAND] [ARGS]..."}
        )

    def invoke(self, ctx: click.Context) -> Any:
        """As click's; alone it lists."""
        done = super().invoke(ctx)
        if ctx.invoked_subcommand is not None:
            return done
        listing = self.commands["list"]
        with listing.make_context("list", [], parent=ctx) as inner:
            return listing.invoke(inner)


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
    context = click.get_current_context(silent=True)
    if context is not None:
        context.meta[_ANSWERED] = True
    in_utf8 = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    click.echo(json.dumps(value, ensure_ascii=not in_utf8, indent=2, default=jsonable))


DAY = click.DateTime(formats=["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S%z"])
"""A day, or a moment with its offset."""


def zoned(day: datetime | None) -> datetime | None:
    """A day of ``DAY`` as the moment at which it began on this machine's clock."""
    return day if day is None or day.tzinfo is not None else day.astimezone()


def json_or_text(text: str) -> Any:
    """A value as it is typed: JSON where it is some, else the text. Raises ``InvalidInput``."""
    try:
        return json.loads(text)
    except RecursionError as error:
        raise InvalidInput("The value is nested too deeply.", "Use text, numbers, lists or mappings.") from error
    except ValueError:  # no JSON, or a number longer than Python reads
        return text


def from_stdin() -> str:
    """All of standard input, without its last line end."""
    return sys.stdin.read().rstrip("\r\n")


def piped(_context: click.Context, _argument: click.Parameter, value: str) -> str:
    """For a text argument: ``-`` is standard input, so that a text needs no quoting and may be long."""
    return from_stdin() if value == "-" else value


def full_screen() -> bool:
    """Whether there is a terminal that the app can draw on: a dumb one would show its control codes."""
    return sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def say(text: str = "") -> None:
    """Narrate on stderr."""
    click.echo(text, err=True)


def say_daily(kind: str, text: str) -> None:
    """Narrate what need not be said after each command: once a day for each ``kind``."""
    from edgemem.folders import cache_home

    told = cache_home(os.environ) / f"told-{kind}"
    today = f"{date.today()}"
    try:
        if told.read_text(encoding="utf-8") == today:
            return
    except (OSError, ValueError):
        pass  # not said yet
    say(text)
    with contextlib.suppress(OSError):  # a folder that cannot be written: it is said again
        told.parent.mkdir(parents=True, exist_ok=True)
        told.write_text(today, encoding="utf-8")


def error_json(error: EdgememError | click.ClickException) -> dict[str, Any]:
    """What ``--json`` prints where a command ends with an error and has printed nothing else."""
    hint = error.hint if isinstance(error, EdgememError) else ""
    message = str(error) if isinstance(error, EdgememError) else error.format_message()
    kind = type(error).__name__ if isinstance(error, EdgememError) else "InvalidInput"
    return {"error": {"kind": kind, "message": message, "hint": hint, "exit_code": error.exit_code}}


def fail(error: EdgememError) -> NoReturn:
    """Print an error with what to do next, and leave with its exit code."""
    say(f"Error: {error}")
    if error.hint:
        say(f"  {error.hint}")
    sys.exit(error.exit_code)
