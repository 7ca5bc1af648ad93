"""Commands that tell where a memory comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from edgemem.adapters.plain import change_json, memory_json
from edgemem.cli.common import App, common_options, emit_json, say
from edgemem.cli.tables import table, visible, when

if TYPE_CHECKING:
    from collections.abc import Sequence

    from edgemem.provenance import Run
    from edgemem.records import JsonValue, LoggedTurn, Source


@click.command()
@click.argument("memory")
@common_options
def why(app: App, memory: str) -> None:
    """Why a MEMORY is there: the turn, its exact words, each step that made it, and what changed since.

    \b
    edgemem why a04c7d1e52b9
    """
    found = app.reading().why(memory)
    if app.as_json:
        emit_json(
            {
                "memory": memory_json(found.memory), "turn": _turn_json(found.turn),
                "run": None if found.run is None else found.run.id, "steps": list(found.steps),
                "changes": [change_json(c) for c in found.changes],
            }
        )  # fmt: skip
        return
    source = found.memory.source
    click.echo(visible(found.memory.content))
    if found.turn is None:
        by = (
            "added by hand"
            if source.turn is None
            else f"the turn {source.session}/{source.turn} is no longer in the log"
        )
        click.echo(f"  {by}")
    else:
        at = when(found.turn.at)
        click.echo(
            visible(f"  {found.turn.role} in {source.session}/{source.turn} at {at}: {_marked(found.turn, source)}")
        )
    if found.steps:
        click.echo(_steps_table(found.steps))
    for change in found.changes:
        reason = f": {change.reason}" if change.reason else ""
        click.echo(visible(f"  {when(change.at)} {change.action} by {change.author}{reason}"))


def _marked(turn: LoggedTurn, source: Source) -> str:
    """The turn with the words of the memory in brackets."""
    start, quote = source.start, source.quote or ""
    if start is None or not quote:
        return turn.content
    if turn.content[start : start + len(quote)] != quote:  # what is masked before it has another length
        start = turn.content.find(quote)
    if start < 0:
        return turn.content
    return f"{turn.content[:start]}[{quote}]{turn.content[start + len(quote) :]}"


@click.command()
@click.argument("turn")
@click.option("--session", help="Its session, where several have a turn of that name.")
@common_options
def trace(app: App, turn: str, session: str | None) -> None:
    """What each step made of a TURN: input, output, probabilities and milliseconds.

    \b
    edgemem trace 17 --session 2026-05-06
    edgemem trace 17 --json
    """
    runs = app.reading().runs(turn, session=session)
    if app.as_json:
        emit_json({"turn": _turn_json(runs[0].turn) if runs else None, "runs": [_run_json(run) for run in runs]})
    elif not runs:
        say("It was not read for memories: not yet, or the user did not say it. See: edgemem jobs list")
    else:
        for run in runs:
            said = "" if run.turn is None else f" {run.turn.session}/{run.turn.id}: {run.turn.content}"
            click.echo(visible(f"{when(run.at, seconds=True)}{said}"))
            click.echo(_steps_table(run.steps))


def _run_json(run: Run) -> dict[str, Any]:
    return {"id": run.id, "at": run.at, "steps": list(run.steps)}


def _turn_json(turn: LoggedTurn | None) -> dict[str, Any] | None:
    if turn is None:
        return None
    return {"session": turn.session, "id": turn.id, "role": turn.role, "content": turn.content, "at": turn.at}


def _steps_table(steps: Sequence[JsonValue]) -> str:
    from edgemem.provenance import told

    return table(["step", "ms", "of", "made"], [list(row) for row in told(steps)], wide="made")
