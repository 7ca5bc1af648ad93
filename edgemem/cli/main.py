"""The ``edgemem`` command: groups the commands, turns errors into exit codes."""

from __future__ import annotations

import importlib
import io
import os
import sys

import click

from edgemem import __version__
from edgemem.cli.common import Group, emit_json, error_json, fail, full_screen, options_before, say
from edgemem.errors import EdgememError
from edgemem.text import check_path

_MODULES = {
    "writing": ("add", "learn", "observe", "edit", "pin", "confirm", "join", "split", "forget", "undo"),
    "asking": ("recall", "context", "needs"),
    "reading": ("list", "show", "history", "believed", "stats", "sessions", "rename", "log"),
    "provenance": ("why", "trace"),
    "erasing": ("erase",),
    "locking": ("encrypt", "decrypt", "passphrase"),
    "upkeep": ("state", "maintain", "summarize", "info", "index"),
    "jobs": ("jobs",),
    "profile": ("profile",),
    "reflecting": ("reflect", "insights", "review"),
    "graph": ("graph",),
    "keeping": ("check", "backup", "restore", "merge"),
    "transfer": ("export", "import"),
    "postgres": ("postgres",),
    "models": ("models",),
    "evaluate": ("eval",),
    "talking": ("chat", "tui"),
    "demo": ("demo",),
    "serving": ("mcp",),
    "describing": ("completion", "spec"),
}
"""The commands by the module of this package that holds them, in the order of the help."""

_COMMANDS = {command: module for module, commands in _MODULES.items() for command in commands}
"""Only a command's own module is imported."""

_NAMES = {"list": "list_", "eval": "evaluate", "import": "import_"}


class _Commands(Group):
    """Imports a command's module when the command is asked for: starting stays fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in _COMMANDS:
            return None
        module = importlib.import_module(f"edgemem.cli.{_COMMANDS[cmd_name]}")
        command: click.Command = getattr(module, _NAMES.get(cmd_name, cmd_name))
        return command


@click.group(
    cls=_Commands, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Examples stand under the --help of each command.",
)  # fmt: skip
@options_before
@click.version_option(__version__, prog_name="edgemem")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """An offline memory for assistants that lives in one file.

    Without a command, edgemem opens the terminal app. Options may stand before the command or after it.
    """
    if ctx.invoked_subcommand is not None:
        return
    if not full_screen():
        click.echo(ctx.get_help())
        return
    from edgemem.cli.talking import tui

    with tui.make_context("tui", [], parent=ctx) as inner:
        tui.invoke(inner)


def main() -> None:
    """Run the command line; never shows a stack trace for an error raised on purpose."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # An old terminal shows an escape for what it cannot show; that is no reason to stop.
            stream.reconfigure(errors="backslashreplace")
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="surrogateescape")  # what is no text is then refused like everywhere else
    try:
        for word in sys.argv[1:]:
            check_path(word)  # before anything asks the system for a file of that name
        cli.main(prog_name="edgemem", standalone_mode=False)
    except EdgememError as error:
        fail(error)
    except click.exceptions.Abort:
        say("Interrupted. What was finished is kept.")
        sys.exit(130)
    except click.ClickException as error:
        if "--json" in sys.argv:
            emit_json(error_json(error))
        error.show()
        sys.exit(error.exit_code)
    except BrokenPipeError:
        # The reader of our output has gone; Python must not complain about it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        say(f"Error: {error.strerror or error}.")
        sys.exit(1)
    sys.exit(0)
