"""Commands that hand a memory over to a PostgreSQL server, and take it back."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import click

from edgemem.cli.common import App, Group, common_options, emit_json, options_before, say
from edgemem.errors import InvalidInput
from edgemem.text import counted

_SERVER = click.argument("server", metavar="[CONNECTION]", default="", envvar="EDGEMEM_POSTGRES")
_ACCOUNT = click.option("--account", help="The name it has on the server. Default: the user's.")


@click.group(cls=Group)
@options_before
def postgres() -> None:
    """A whole memory in PostgreSQL with pgvector, and back (extra `postgres`)."""


@postgres.command()
@_SERVER
@_ACCOUNT
@click.option("--sensitive", is_flag=True, help="Hand over values marked sensitive too.")
@click.option("--replace", is_flag=True, help="Also where the account holds the memory of another file.")
@common_options
def push(app: App, server: str, account: str | None, sensitive: bool, replace: bool) -> None:
    """Write a user's whole memory to the server, in place of what the account had there.

    CONNECTION is a connection string of libpq; without one EDGEMEM_POSTGRES, then libpq's own variables (PGHOST,
    PGDATABASE, PGPASSFILE) count. Tables stand in the schema `edgemem`; docs/growing.md describes them.

    \b
    edgemem postgres push "host=db.local dbname=memory user=app"
    edgemem postgres push --account anna --user anna
    """
    hand_over = _adapter("hand_over")
    done = hand_over(app.reading(), server, account=account, sensitive=sensitive, replace=replace)
    if app.as_json:
        emit_json({"account": done.account, "rows": done.rows, "vectors": done.vectors, "masked": done.masked})
        return
    say(
        f"On the server as {done.account}: {counted(sum(done.rows.values()), 'row')}, {counted(done.vectors, 'vector')}."
    )
    if done.masked:
        say(f"Sensitive values are masked in {done.masked} of them; --sensitive hands them over.")


@postgres.command()
@_SERVER
@_ACCOUNT
@click.option("--revive", is_flag=True, help="Take what was erased from this memory, too.")
@common_options
def pull(app: App, server: str, account: str | None, revive: bool) -> None:
    """Bring an account of the server into a user's memory, each record once. Exit code 1 if any was left.

    \b
    edgemem postgres pull "host=db.local dbname=memory user=app" --file fresh.edgemem
    """
    from edgemem.cli.transfer import print_report, report_json

    take_back = _adapter("take_back")
    memory = app.file(background=False, make=True).user(app.user_name)
    report = take_back(memory, server, account=account, revive=revive)
    emit_json(report_json(report)) if app.as_json else print_report(report)
    if report.left:
        sys.exit(1)


def _adapter(name: str) -> Callable[..., Any]:
    try:
        from edgemem.adapters import postgres as adapter
    except ImportError as error:
        raise InvalidInput(
            f"This needs the package psycopg ({error}).", "Install it with: pip install 'edgemem-store[postgres]'"
        ) from error
    found: Callable[..., Any] = getattr(adapter, name)
    return found
