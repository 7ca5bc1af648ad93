"""Writes docs/cli.md from the commands' own --help: ``python -m tests.docs_reference``. A test compares the two."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from edgemem.cli.main import cli

TARGET = Path(__file__).parent.parent / "docs" / "cli.md"
_HEAD = """# Commands

Written from `--help` by `make docs`; a test keeps it true. Data goes to standard output, narration to standard error.
Exit codes: 0 done, 1 failed (or not all of it could be done), 2 wrong usage, 3 another process holds the file (try
again), 4 a model is missing, 130 interrupted. With `--json` an error is JSON too, on standard output:
`{"error": {"kind", "message", "hint", "exit_code"}}`, unless the command had printed its answer already (a report with something left out, an
answer of a chat). The same in words stands on standard error either way.
"""


def commands(
    group: click.Command, path: tuple[str, ...] = ("edgemem",)
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """All commands, groups before their members."""
    yield path, group
    if isinstance(group, click.Group):
        context = click.Context(group, info_name=path[-1])
        for name in group.list_commands(context):
            member = group.get_command(context, name)
            assert member is not None
            yield from commands(member, (*path, name))


def render() -> str:
    """The whole page."""
    parts = [_HEAD]
    for path, command in commands(cli):
        context = click.Context(
            command,
            info_name=" ".join(path),
            terminal_width=100,
            max_content_width=100,
            help_option_names=["-h", "--help"],
        )
        parts.append(f"## {' '.join(path)}\n\n```\n{command.get_help(context).rstrip()}\n```\n")
    return "\n".join(parts)


if __name__ == "__main__":
    TARGET.write_text(render(), encoding="utf-8")
