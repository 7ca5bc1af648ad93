"""Commands that read the memory."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from edgemem.adapters.plain import change_json, memory_json
from edgemem.browse import ORDERS, MemoryFilter
from edgemem.cli.common import App, common_options, emit_json, say
from edgemem.cli.tables import day, short, table, visible, when
from edgemem.errors import NotFound
from edgemem.text import counted
from edgemem.times import local

if TYPE_CHECKING:
    from datetime import datetime

    from edgemem.browse import Cost
    from edgemem.records import Change, Memory

_NAMESPACE = click.option("--namespace", help="Only this namespace.")


@click.command("list")
@click.option("-n", "--limit", type=click.IntRange(min=0), default=50, show_default=True, help="0 for all.")
@click.option("--kind", help="Only this kind.")
@_NAMESPACE
@click.option("--status", default="live", show_default=True, help="live, superseded, forgotten, expired, review, any.")
@click.option("--pinned/--not-pinned", default=None, help="Only pinned ones, or only others.")
@click.option("--since", type=click.DateTime(), help="Only those changed since then, by the clock of this machine.")
@click.option("--until", type=click.DateTime(), help="Only those changed before then.")
@click.option(
    "--sure-below", type=click.FloatRange(0, 1), metavar="SHARE", help="Only those less sure than this, 0..1."
)
@click.option("--holding", default="", metavar="LETTERS", help="Only those with these letters in their words.")
@click.option("--expiring", is_flag=True, help="Only those with a date of expiry.")
@click.option("--order", type=click.Choice(ORDERS), default="changed", show_default=True)
@click.option("--reveal", is_flag=True, help="Show what sensitive memories stand for. Needs the passphrase.")
@common_options
def list_(app: App, limit: int, status: str, reveal: bool, **wanted: Any) -> None:
    """The memories, latest change first.

    \b
    edgemem list --kind preference
    edgemem list --status forgotten --json
    edgemem list --since 2026-05-01 --sure-below 0.8 --order confidence
    """
    memory = app.reading(whole=reveal)
    for name in ("since", "until"):
        wanted[name] = None if wanted[name] is None else wanted[name].astimezone()
    page = memory.browse(MemoryFilter(status=status, **wanted), limit=limit)
    found = list(page.memories)
    if reveal:
        found = [replace(m, content=memory.reveal(m.id)) if "sealed" in m.data else m for m in found]
    if app.as_json:
        emit_json({"memories": [memory_json(m) for m in found]})
        return
    narrowed = status not in ("live", "any") or any(v not in (None, False, "", "changed") for v in wanted.values())
    if not found and narrowed:
        say("No memory fits.")
        return
    if not found:
        say('No memories yet. Try: edgemem add "I am allergic to peanuts"')
        return
    rows = [_memory_row(m) for m in found]
    marked = "status" if any(row[4] for row in rows) else ""
    click.echo(table(["id", "kind", "sure", "updated", marked, "content"], rows, wide="content"))
    if len(found) < page.total:
        say(f"{len(found)} of {page.total}; -n 0 shows all.")


def _memory_row(m: Memory) -> list[str]:
    mark = ", ".join([*([m.status] if m.status != "live" else []), *(["pinned"] if m.pinned else [])])
    return [short(m.id), m.kind, f"{m.confidence:.2f}", day(m.updated_at), mark, m.content]


@click.command()
@click.argument("memory")
@click.option("--reveal", is_flag=True, help="Show what a sensitive memory stands for. Needs the passphrase.")
@common_options
def show(app: App, memory: str, reveal: bool) -> None:
    """One MEMORY with all its fields, the words it came from, and its history.

    \b
    edgemem show a04c7d1e52b9
    """
    view = app.reading(whole=reveal)
    found = view.get(memory)
    if reveal:
        found = replace(found, content=view.reveal(found.id))
    changes = view.history(found.id)
    if app.as_json:
        emit_json(memory_json(found) | {"history": [change_json(c) for c in changes]})
        return
    click.echo(visible(found.content))
    fields = memory_json(found)
    fields.pop("content")
    source = fields.pop("source")
    known = ((name, value) for name, value in fields.items() if value not in (None, {}, ""))
    click.echo(visible("\n".join(f"  {name}: {value}" for name, value in known)))
    if source["turn"]:
        click.echo(visible(f"  from {source['session']}/{source['turn']} at {source['at']}: “{source['quote']}”"))
    click.echo(_changes_table(changes))


@click.command()
@click.argument("memory", required=False)
@click.option("-n", "--limit", type=click.IntRange(min=0), default=50, show_default=True, help="0 for all.")
@common_options
def history(app: App, memory: str | None, limit: int) -> None:
    """Changes of one MEMORY, oldest first; or of all, newest first. Any can be undone.

    \b
    edgemem history
    edgemem history a04c7d1e52b9
    """
    changes = app.reading().history(memory, limit=limit)
    if app.as_json:
        emit_json({"changes": [change_json(c) for c in changes]})
    elif changes:
        click.echo(_changes_table(changes))
    else:
        say("Nothing has changed yet.")


def _changes_table(changes: Sequence[Change]) -> str:
    rows = [[short(c.id), when(c.at), c.action, c.author, _words(c)] for c in changes]
    return table(["change", "at", "action", "by", "words"], rows)


def _words(c: Change) -> str:
    fields = c.after or c.before or {}
    return str(fields.get("content", c.reason))


@click.command()
@click.option("-n", "--limit", type=click.IntRange(min=0), default=50, show_default=True)
@common_options
def sessions(app: App, limit: int) -> None:
    """The conversations in the log, latest first.

    \b
    edgemem sessions -n 10
    """
    found = app.reading().sessions(limit=limit)
    if app.as_json:
        emit_json(
            {
                "sessions": [
                    {"id": s.id, "title": s.title, "started_at": s.started_at, "last_at": s.last_at, "turns": s.turns}
                    for s in found
                ]
            }
        )
    elif found:
        click.echo(
            table(
                ["session", "last", "turns", "title"],
                [[s.id, when(s.last_at), str(s.turns), s.title] for s in found],
            )
        )
    else:
        say("The log is empty.")


@click.command()
@click.argument("session")
@click.argument("title")
@common_options
def rename(app: App, session: str, title: str) -> None:
    """Give a SESSION another TITLE; an empty one takes its title away.

    \b
    edgemem rename 2026-05-06 "Plans for the garden"
    """
    before = app.memory().rename(session, title)
    if app.as_json:
        emit_json({"session": session, "title": title, "before": before})
    say(f"It was called {before!r}." if before else "It had no title.")


@click.command()
@click.argument("at", type=click.DateTime())
@click.option("-n", "--limit", type=click.IntRange(min=0), default=50, show_default=True, help="0 for all.")
@common_options
def believed(app: App, at: datetime, limit: int) -> None:
    """What was in use AT a moment (by the clock of this machine), as it was then.

    \b
    edgemem believed 2026-05-01
    """
    found = app.reading().believed(at.astimezone(), limit=limit)
    if app.as_json:
        emit_json({"changes": [change_json(c) for c in found.changes], "total": found.total})
    elif found.changes:
        click.echo(_changes_table(found.changes))
        say(f"{len(found.changes)} of {found.total}.")
    else:
        say("Nothing was in use then.")


@click.command()
@common_options
def stats(app: App) -> None:
    """How much is remembered, of which kinds, how sure, how often it was of use, and what the models did for it.

    \b
    edgemem stats --json
    """
    found = app.reading().statistics()
    if app.as_json:
        days = {
            name: {day.isoformat(): n for day, n in getattr(found, name).items()} for name in ("stored_on", "said_on")
        }
        emit_json(
            {"kinds": found.kinds, "namespaces": found.namespaces, "statuses": found.statuses, "confidence": found.confidence,
             "uses": found.uses, "never_used": found.never_used, "file_bytes": found.file_bytes,
             "most_used": [{"id": m.id, "content": m.content, "uses": m.use_count} for m in found.most_used],
             "cost_on": {day.isoformat(): asdict(cost) for day, cost in found.cost_on.items()}, **days}
        )  # fmt: skip
        return
    for title, counts in (
        ("in use, by kind", found.kinds),
        ("by namespace", found.namespaces),
        ("by status", found.statuses),
    ):
        click.echo(f"{title}: " + (", ".join(f"{name} {n:,}" for name, n in counts.items()) or "none"))
    click.echo(f"messages: {sum(found.said_on.values()):,} on {counted(len(found.said_on), 'day')}")
    click.echo(f"recalled: {counted(found.uses, 'time')}; {counted(found.never_used, 'memory')} never")
    click.echo(f"cost: {_cost(found.cost_on.values())}")
    click.echo(f"file: {found.file_bytes:,} bytes")


def _cost(days: Collection[Cost]) -> str:
    """What the models did, in words: the latest 5,000 answers and readings."""
    read, written = sum(c.prompt_tokens for c in days), sum(c.tokens for c in days)
    answering, learning = sum(c.answering for c in days), sum(c.learning for c in days)
    return (
        f"{counted(sum(c.answers for c in days), 'answer')}, {read:,} tokens read, {written:,} written,"
        f" {answering:,.0f} s; {learning:,.0f} s of learning"
    )


@click.command()
@click.argument("session")
@common_options
def log(app: App, session: str) -> None:
    """The turns of one SESSION, as they were said.

    \b
    edgemem log 2026-05-06
    """
    found = app.reading().turns(session)
    if app.as_json:
        emit_json(
            {
                "turns": [
                    {"id": t.id, "role": t.role, "speaker": t.speaker, "content": t.content, "at": t.at} for t in found
                ]
            }
        )
        return
    if not found:
        raise NotFound(f"There is no session {session!r}.", "List them with: edgemem sessions")
    for t in found:
        click.echo(visible(f"[{local(t.at, t.zone).isoformat(' ', 'minutes')}] {t.speaker or t.role}: {t.content}"))
