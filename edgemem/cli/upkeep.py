"""Commands about the file itself: state of tasks, upkeep, summaries, facts about the file."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from edgemem.cli.common import App, ListingGroup, common_options, emit_json, json_or_text, options_before, say
from edgemem.cli.tables import one_line, table
from edgemem.errors import InvalidInput
from edgemem.text import counted

if TYPE_CHECKING:
    from edgemem.records import StateField, Task
    from edgemem.reports import Drift


@click.group(cls=ListingGroup)
@options_before
def state() -> None:
    """Working memory: typed fields of running tasks. Alone it lists them."""


@state.command("set")
@click.argument("task")
@click.argument("field")
@click.argument("value")
@click.option("--expect", type=click.IntRange(min=0), metavar="VERSION", help="Fail if another version is there.")
@common_options
def state_set(app: App, task: str, field: str, value: str, expect: int | None) -> None:
    """Set FIELD of TASK to VALUE (JSON, or plain text). Prints the new version.

    \b
    edgemem state set task:8812 status '"shipped"'
    edgemem state set task:8812 step 3 --expect 2
    """
    version = app.memory(make=True).set_state(task, field, json_or_text(value), expect=expect)
    emit_json({"version": version}) if app.as_json else click.echo(version)


@state.command("get")
@click.argument("task")
@click.argument("field", required=False)
@common_options
def state_get(app: App, task: str, field: str | None) -> None:
    """Print one FIELD of TASK, or all of them.

    \b
    edgemem state get task:8812 status
    """
    found = app.reading().state_fields(task, field)
    if not found:
        say(f"Nothing is set for {task}{'/' + field if field else ''}.")
        sys.exit(1)
    if field is not None and not app.as_json:
        click.echo(json.dumps(found[0].value, ensure_ascii=False))
        return
    _print_fields(app, found)


@state.command("list")
@common_options
def state_list(app: App) -> None:
    """All tasks and their fields.

    \b
    edgemem state list --json
    """
    memory = app.reading()
    _print_fields(app, memory.state_fields(), {t.name: t for t in memory.tasks()})


@state.command("step")
@click.argument("task")
@click.argument("name")
@click.option("--open", "is_open", is_flag=True, help="Mark it as not done.")
@common_options
def state_step(app: App, task: str, name: str, is_open: bool) -> None:
    """Mark step NAME of TASK as done. A new name becomes the last step.

    \b
    edgemem state step trip "book the train" --open
    edgemem state step trip "book the train"
    """
    running = app.memory(make=True).state[task]
    running.step(name, done=not is_open)
    steps = running.steps
    if app.as_json:
        emit_json({"task": task, "steps": [{"name": n, "done": d} for n, d in steps.items()]})
        return
    for step, done in steps.items():
        click.echo(f"[{'x' if done else ' '}] {step}")


@state.command("end")
@click.argument("task")
@common_options
def state_end(app: App, task: str) -> None:
    """TASK is over. Its fields are archived after 30 days, and deleted after 30 more.

    \b
    edgemem state end task:8812
    """
    ended = app.memory().end_task(task)
    if app.as_json:
        emit_json({"task": ended.name, "status": ended.status, "expires_at": ended.expires_at})
    else:
        say(f"{ended.name} is done. Its state is kept until {ended.expires_at:%Y-%m-%d}.")


@click.command()
@click.option("--preview", is_flag=True, help="Only say what would go.")
@common_options
def maintain(app: App, preview: bool) -> None:
    """Put out of use what has expired, and the least valuable memories above the budget; mend summaries that drifted.

    Pinned memories stay, and so does what is used. Each removal is named with its reason;
    `edgemem undo CHANGE` takes it back.

    \b
    edgemem maintain --preview
    """
    done = app.memory().maintain(preview=preview)
    if app.as_json:
        emit_json(asdict(done))
        return
    if done.dropped:
        rows = [
            [d.content, d.reason, "" if d.value is None else f"{d.value:.2f}", d.change or ""] for d in done.dropped
        ]
        click.echo(table(["what", "why", "worth", "change"], rows, wide="what"))
    say(
        f"{len(done.dropped)} {'would go' if preview else 'gone'}; {done.live} of at most {counted(done.budget, 'memory')} stay."
    )


@click.command()
@click.argument("session", required=False)
@click.option("--whole", is_flag=True, help="Fold the latest turns too.")
@click.option(
    "--check",
    is_flag=True,
    help="Without SESSION: hold all summaries against what was said. Exit code 1 when one drifted.",
)
@common_options
def summarize(app: App, session: str | None, whole: bool, check: bool) -> None:
    """Fold the oldest turns of SESSION, and print the summary of all that is folded.

    Every sentence stands word for word in the turn named beside it; --check looks whether it still does, and
    `edgemem maintain` folds anew what does not. A long chat is folded by itself.

    \b
    edgemem summarize mon-evening --whole
    edgemem summarize --check
    """
    if check is (session is not None):
        raise InvalidInput("It takes a SESSION or --check.", "List sessions with: edgemem sessions")
    if session is None:
        _print_drift(app, app.reading().check_summaries())
        return
    memory = app.memory()
    memory.summarize(session, whole=whole)
    found = memory.summaries(session)
    if app.as_json:
        emit_json(
            {"session": session, "sentences": [{"content": c, "turns": t} for y in found for c, t in y.sentences]}
        )
        return
    for content, turns in (sentence for summary in found for sentence in summary.sentences):
        click.echo(f"{one_line(content)}  [{', '.join(map(one_line, turns))}]")
    if found and not any(summary.sentences for summary in found):
        say("It is folded, and nothing in it is worth a sentence of a summary.")
    if not found:
        say("The conversation is short: nothing is folded. --whole folds it all the same.")


def _print_drift(app: App, found: Sequence[Drift]) -> None:
    if app.as_json:
        emit_json({"ok": not found, "drifted": [asdict(d) for d in found]})
    elif found:
        rows = [[d.session, d.sentence, d.reason] for d in found]
        click.echo(table(["session", "sentence", "why"], rows, wide="sentence"))
        say("Fold them anew with: edgemem maintain")
    else:
        say("All summaries say what was said.")
    if found:
        sys.exit(1)


def _print_fields(app: App, found: Sequence[StateField], tasks: Mapping[str, Task] | None = None) -> None:
    known = tasks or {}
    if app.as_json:
        fields = [
            {"task": f.task, "field": f.field, "value": f.value, "version": f.version, "updated_at": f.updated_at}
            | ({"task_status": known[f.task].status} if f.task in known else {})
            for f in found
        ]
        emit_json({"fields": fields})
    elif found:
        rows = [
            [_titled(f.task, known), f.field, str(f.version), json.dumps(f.value, ensure_ascii=False)] for f in found
        ]
        click.echo(table(["task", "field", "version", "value"], rows, wide="value"))
    else:
        say("No task has any state.")


def _titled(name: str, known: Mapping[str, Task]) -> str:
    """A task's name; one that ended says so."""
    ended = known[name].ended_at if name in known else None
    return name if ended is None else f"{name} (ended {ended:%Y-%m-%d})"


@click.command()
@common_options
def info(app: App) -> None:
    """Where the file is, how large, what is in it, and the versions at work.

    \b
    edgemem info --json
    """
    from edgemem import __version__

    file = app.file_to_read()
    facts = file.info() | {"edgemem": __version__}
    if app.as_json:
        emit_json(facts)
        return
    counts, indexes = facts.pop("counts"), facts.pop("indexes")
    for name, value in facts.items():
        click.echo(f"{name}: {', '.join(value) if isinstance(value, list) else value}")
    for name, value in counts.items():
        click.echo(f"  {name}: {value}")
    _print_indexes(indexes)


@click.command()
@click.option("--anew", is_flag=True, help="Leave what is stored aside and build from the rows.")
@common_options
def index(app: App, anew: bool) -> None:
    """Bring the vectors and the vector indexes of all users up to date now, instead of in the background.

    What was added before there was an embedding model gets its vectors. Searches are right without an index: until it
    is built, every vector is compared. Can be stopped and run again. Of use for a large file that no program keeps open
    for long.

    \b
    edgemem index
    """
    from edgemem.cli.progress import Counting

    file = app.file(background=False)
    missing = file.info()["without_vectors"]
    if missing and file.embedder_or_reason()[0] is not None:
        with Counting("texts given their vectors") as counting:
            missing = file.embed_missing(progress=counting.update)
    with Counting("vectors in the index") as counting:
        indexes = file.build_indexes(anew=anew, progress=counting.update)
    if missing:
        say(f"Without a vector: {counted(missing, 'text')}. {file.embedder_or_reason()[1]}".strip())
    emit_json({"indexes": indexes, "without_vectors": missing}) if app.as_json else _print_indexes(indexes)


def _print_indexes(indexes: list[dict[str, Any]]) -> None:
    if indexes:
        rows = [[i["user"], i["owner"], i["model"], str(i["vectors"]), str(i["indexed"]), i["state"]] for i in indexes]
        click.echo(table(["user", "vectors of", "model", "vectors", "indexed", "state"], rows, wide="state"))
