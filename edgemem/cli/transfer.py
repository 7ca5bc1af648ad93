"""Commands that carry a memory out of the file and into it."""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from edgemem.cli.common import App, common_options, emit_json, say
from edgemem.cli.tables import visible
from edgemem.errors import InvalidInput
from edgemem.text import counted

if TYPE_CHECKING:
    from edgemem.intake import ImportReport, Item, Reading
    from edgemem.view import Memory

SHOWN = 20
"""Records of an import that are named one by one on a terminal; --json has all."""


@click.command("export")
@click.argument("target", metavar="FILE|FOLDER|-", type=click.Path(path_type=Path, allow_dash=True))
@click.option("--format", "form", help="jsonl, markdown, csv, graphml or dot. Default: by the name.")
@click.option("--kind", "kinds", multiple=True, help="Only this kind (may be repeated).")
@click.option("--namespace", help="Only this namespace.")
@click.option("--status", help="live, superseded, forgotten, expired, review, any. Default: any in jsonl, else live.")
@click.option("--since", metavar="TIME", help="Only what changed since then, like 2026-05-01T00:00:00+02:00.")
@click.option("--sensitive", is_flag=True, help="Write values marked sensitive too.")
@click.option("--encrypt", is_flag=True, help="Encrypt the file with a passphrase (jsonl, csv, graphml, dot).")
@click.option("--export-fd", type=click.IntRange(min=0), metavar="N", help="Read that passphrase from descriptor N.")
@click.option("--force", is_flag=True, help="Write over what is there.")
@common_options
def export(
    app: App, target: Path, form: str | None, kinds: tuple[str, ...], namespace: str | None, status: str | None,
    since: str | None, sensitive: bool, encrypt: bool, export_fd: int | None, force: bool,
) -> None:  # fmt: skip
    """Write a user's memory to a file or folder; - is standard output.

    jsonl holds everything: memories, history, log, task state; importing it gives the same memory again.
    markdown is a folder of notes, one a subject. csv is one memory a row. graphml and dot are the graph, for
    Gephi, networkx or Graphviz. Without filters jsonl is the whole; with them it is the chosen memories with
    what they rest on. The passphrase of --encrypt comes from EDGEMEM_EXPORT_PASSPHRASE, --export-fd, or the
    keyboard; `edgemem import` asks for it in the same way.

    \b
    edgemem export me.jsonl
    edgemem export notes/ --kind preference --kind rule
    edgemem export memories.csv --since 2026-05-01T00:00:00Z
    edgemem export me.jsonl --sensitive --encrypt
    edgemem export graph.dot --force
    edgemem export - | jq -c 'select(.type == "memory")'
    """
    from edgemem.cli.unlock import export_passphrase
    from edgemem.interop.forms import form_of
    from edgemem.times import parse

    when: datetime | None = parse(since) if since else None
    place: Path | TextIO = sys.stdout if str(target) == "-" else target
    secret = export_passphrase(export_fd, confirm=True) if encrypt else None
    done = app.reading().export_to(
        place, form=form, kinds=kinds, namespace=namespace, status=status, since=when, sensitive=sensitive,
        overwrite=force, passphrase=secret,
    )  # fmt: skip
    if app.as_json and place is not sys.stdout:
        emit_json({"records": done.records, "masked": done.masked, "path": str(target)})
    said = f"{counted(done.records, 'record')} written" + ("" if place is sys.stdout else f" to {target}")
    framed = (form or form_of(place)) == "jsonl" and not secret
    say(f"{said}, between a first and a last line about the export." if framed else f"{said}.")
    if done.masked:
        say(f"Sensitive values are masked in {done.masked} of them; --sensitive writes them.")


@click.command("import")
@click.argument("source", metavar="FILE|FOLDER", type=click.Path(path_type=Path, exists=False))
@click.option("--format", "form", help="Default: told by the content.")
@click.option("--dry-run", is_flag=True, help="Only say what would happen.")
@click.option("--zone", help="Zone of times that carry none: +08:00, UTC, Asia/Shanghai.")
@click.option("--me", help="Your name in a plain log.")
@click.option("--log-only", is_flag=True, help="Conversations: keep the words, take no memories from them.")
@click.option("--revive", is_flag=True, help="Take what was erased from this memory, too.")
@click.option(
    "--export-fd", type=click.IntRange(min=0), metavar="N", help="Read the passphrase of the export from descriptor N."
)
@common_options
def import_(
    app: App, source: Path, form: str | None, dry_run: bool, zone: str | None, me: str | None, log_only: bool,
    revive: bool, export_fd: int | None,
) -> None:  # fmt: skip
    """Take a memory or conversations from another tool, or from `edgemem export`.

    Conversations go into the log; their memories are taken by the next worker (the app, or `edgemem jobs
    run`). Memories are added as they are. What is there already is not added again, so the same file
    can be imported twice. Each record that cannot be taken is named (exit code 1); the rest is taken.
    What was erased from this memory stays erased, and is named; --revive brings it back.

    Formats: edgemem (its jsonl), chatgpt and claude (conversations.json, or the whole zip), mem0 (JSON, or
    its history.db), letta (.af), graphiti (Zep too), langmem (LangGraph store items), mcp-memory,
    markdown (a folder, such as an Obsidian vault), plain (chat logs), turns, locomo, memorybank.

    \b
    edgemem import chatgpt-export.zip --dry-run
    edgemem import ~/vault
    edgemem import chat.txt --me Ida --zone Europe/Berlin
    """
    if not source.exists():
        raise InvalidInput(f"There is no file {source}.", "Name a file or a folder.")
    from edgemem.cli.progress import Counting
    from edgemem.cli.unlock import export_passphrase
    from edgemem.intake import read
    from edgemem.interop.sealed_file import is_sealed_file

    secret = export_passphrase(export_fd, confirm=False) if is_sealed_file(source) else None
    # Before the file is opened, which makes it: what cannot be read leaves nothing behind.
    reading = read(source, form=form, zone=zone, me=me, passphrase=secret)
    with Counting("records") as counting:
        take = partial(_take, reading=reading, extract=not log_only, revive=revive, progress=counting.update)
        memory, report = None, None if app.place().exists() else _tried(app, take, secret)
        if report is None or (report.taken and not dry_run):
            memory = app.file(background=False, make=True).user(app.user_name)
            report = take(memory, dry_run=dry_run)
    report.dry_run = dry_run
    emit_json(report_json(report)) if app.as_json else print_report(report)
    if memory is None and not dry_run:
        say("Nothing was taken, so no file was made.")
    elif memory is not None and not dry_run and not app.as_json:
        _say_waiting(memory)
    if report.left:
        sys.exit(1)


def _take(
    memory: Memory, *, reading: Reading, extract: bool, revive: bool, progress: Callable[[int], None], dry_run: bool
) -> ImportReport:
    return memory.import_from(reading, extract=extract, dry_run=dry_run, revive=revive, progress=progress)


def _say_waiting(memory: Memory) -> None:
    """Say what an import left to the background."""
    waiting = memory.jobs(limit=0)
    unread = sum(job.kind == "extract" for job in waiting)
    if unread:
        say(f"To be read for memories: {counted(unread, 'message')}. At once: edgemem jobs run")
    elif waiting:
        say(f"In the background: {counted(len(waiting), 'job')}. At once: edgemem jobs run")


def _tried(app: App, take: Callable[..., ImportReport], secret: str | None) -> ImportReport:
    """What a file that is not there would take, told by one that goes at once.

    A file that was made and takes nothing could not be taken away again: another program may have opened it by then.
    """
    from edgemem.memory import open as open_file
    from edgemem.settings import Settings

    quiet = Settings(background=False)
    # What was encrypted is so there as well.
    with tempfile.TemporaryDirectory() as folder, open_file(
        Path(folder) / "dry.edgemem", settings=quiet, passphrase=secret
    ) as file:  # fmt: skip
        return take(file.user(app.user_name), dry_run=True)


def report_json(report: ImportReport) -> dict[str, Any]:
    """The JSON of an import."""
    return {
        "format": report.format, "dry_run": report.dry_run, "counts": report.counts, "notices": report.notices,
        "items": [
            {"where": i.where, "what": i.what, "outcome": i.outcome, "content": i.content, "reason": i.reason}
            for i in report.items
        ],
    }  # fmt: skip


def print_report(report: ImportReport) -> None:
    """Say what became of the records of an import."""
    for notice in report.notices:
        say(visible(notice))
    would = "Would be " if report.dry_run else ""
    for what, outcomes in report.counts.items():
        click.echo(f"{what}: {would.lower()}{', '.join(f'{n} {outcome}' for outcome, n in sorted(outcomes.items()))}")
    if report.dry_run:
        _name([item for item in report.items if item.outcome in ("added", "updated")], "would be taken")
    _name(report.left, "not taken")
    _name(report.erased, "not brought back")
    if report.erased:
        say("What was erased stays erased; --revive brings it back.")


def _name(items: list[Item], title: str) -> None:
    for item in items[:SHOWN]:
        words = " ".join(item.content.split())[:80]
        reason = f" ({item.reason})" if item.reason else ""
        say(visible(f"  {title}: {item.where}: {item.what} {words}{reason}"))
    rest = Counter(item.what for item in items[SHOWN:])
    if rest:
        say(f"  {title}: {', '.join(f'{n} more of {what}' for what, n in rest.items())}; --json names all")
