"""Commands that read the memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from edgemem.adapters.plain import change_json, hit_json, memory_json
from edgemem.browse import ORDERS, MemoryFilter
from edgemem.cli.common import DAY, App, common_options, emit_json, say, zoned
from edgemem.cli.tables import cut, one_line, table, visible
from edgemem.errors import NotFound
from edgemem.recall.question import ARMS, RANKINGS, STANDING
from edgemem.times import local

if TYPE_CHECKING:
    from datetime import datetime

    from edgemem.records import Change, Hit, Memory, Recall, Source

_KINDS = click.option("--kind", "kinds", multiple=True, help="Only this kind (may be repeated).")
_AS_OF = click.option(
    "--as-of", type=DAY, help="What was true at this time, like 2025-06-01 (its beginning, your clock)."
)
_RANKING = click.option(
    "--ranking", type=click.Choice(RANKINGS), help="Order by how likely a hit answers (the default), or by a preset."
)
_NAMESPACE = click.option("--namespace", help="Only this namespace.")


@click.command()
@click.argument("query")
@click.option("-k", "limit", type=click.IntRange(1, 10_000), default=8, show_default=True, help="How many at most.")
@_KINDS
@_NAMESPACE
@click.option("--arm", "arms", multiple=True, type=click.Choice(ARMS), help="Only this arm (may be repeated).")
@_AS_OF
@_RANKING
@click.option("--explain", is_flag=True, help="Show each arm's rank and value, and the near misses.")
@common_options
def recall(
    app: App, query: str, limit: int, kinds: Sequence[str], namespace: str | None, arms: Sequence[str],
    as_of: datetime | None, ranking: str | None, explain: bool,
) -> None:  # fmt: skip
    """What matters for QUERY: memories and passages of the log, best first.

    Prints nothing (and says so) when nothing is relevant.

    \b
    edgemem recall "what can't I eat?"
    edgemem recall "我住在哪里" --explain
    edgemem recall "where do I live?" --as-of 2025-06-01
    """
    found = app.reading().recall(
        query, limit=limit, kinds=kinds, namespace=namespace, arms=arms or ARMS,
        as_of=zoned(as_of), ranking=ranking,
    )  # fmt: skip
    for line in found.degraded:
        say(line)
    if app.as_json:
        emit_json(recall_json(found, explain=explain))
    elif found.hits:
        click.echo(_hits_table(found.hits))
    else:
        say(f"Nothing relevant is remembered. {found.doubt}".strip())
    if explain and not app.as_json:
        _explain(found)


def recall_json(found: Recall, *, explain: bool) -> dict[str, Any]:
    """The JSON of one recall."""
    result: dict[str, Any] = {
        "query": found.query, "hits": [hit_json(h) for h in found.hits], "abstained": found.abstained, "ms": found.ms,
        "degraded": list(found.degraded), "timings": dict(found.timings), "doubt": found.doubt, "rephrased": list(found.rephrased),
    }  # fmt: skip
    if explain:
        result["near_misses"] = [hit_json(h) for h in found.near_misses]
    return result


def _hits_table(hits: Sequence[Hit]) -> str:
    rows = [[f"{h.score:.3f}", h.kind, _day(h.source), h.content] for h in hits]
    return table(["score", "kind", "said on", "content"], rows)


def _explain(found: Recall) -> None:
    say(f"query vector {found.timings.get('embed_ms', 0):.1f} ms, search {found.timings.get('search_ms', 0):.1f} ms")
    for again in found.rephrased:
        say(f"asked again as: {again}")
    for n, hit in enumerate(found.hits, start=1):
        say(_reasons(f"{n}.", hit))
    if found.near_misses:
        say("Near misses, left out:")
        for hit in found.near_misses:
            say(_reasons("-", hit))


def _reasons(mark: str, hit: Hit) -> str:
    """A hit in one line, and below it what counts for it, the most important first, a few to a line."""
    lines = [cut(one_line(f"{mark} {hit.score:.3f} {hit.kind}: {hit.content}"), 80)]
    told = sorted(hit.parts.items(), key=lambda item: -abs(item[1].share))
    parts = [f"{name} {p.value:.2f} (#{p.rank}) {p.share:+.3f}" for name, p in told if abs(p.share) >= 0.0005]
    lines += [f"     {' · '.join(parts[at : at + 2])}" for at in range(0, len(parts), 2)]
    return "\n".join([*lines, *([f"     {cut(one_line(hit.note), 75)}"] if hit.note else [])])


def _day(source: Source) -> str:
    return source.at.date().isoformat() if source.at else "by hand"


@click.command()
@click.argument("query")
@click.option("--budget", type=click.IntRange(min=1), metavar="TOKENS", help="Largest size. Default: 2000.")
@click.option("--task", help="The running task whose state goes in. Default: the open one that was touched last.")
@click.option("--relevant", is_flag=True, help="Only what is relevant, without what stands whatever is asked.")
@_AS_OF
@_RANKING
@click.option("--reader", help="The assistant that will read it: profile fields meant for others are left out.")
@common_options
def context(
    app: App, query: str, budget: int | None, task: str | None, relevant: bool, as_of: datetime | None,
    ranking: str | None, reader: str | None,
) -> None:  # fmt: skip
    """A block of background for a prompt, counted in tokens of the chat model.

    Beside what is relevant it holds, in at most a quarter of the size, what stands whatever is asked: pinned
    memories, what to avoid, rules, the running task's state, the profile.

    \b
    edgemem context "plan dinner" --budget 500
    """
    wanted = () if relevant else STANDING
    block = app.reading().context(
        query, budget=budget, task=task, reader=reader, standing=wanted, as_of=zoned(as_of), ranking=ranking
    )  # fmt: skip
    for line in block.recall.degraded:
        say(line)
    if app.as_json:
        emit_json({"text": block.text, "tokens": block.tokens, "ids": list(block.ids), "standing": block.standing,
                   "left_out": block.left_out, "abstained": block.recall.abstained})  # fmt: skip
        return
    if block.text:
        click.echo(visible(block.text))
        say(f"{block.tokens} tokens, {len(block.ids)} entries")
    if block.left_out:
        say(f"{block.left_out} entries that should always be there did not fit. Give more with --budget.")
    if not block.recall.hits:
        say(f"Nothing relevant is remembered. {block.recall.doubt}".strip())
    elif len(block.ids) == block.standing:
        say(f"{len(block.recall.hits)} entries are relevant, but none fits into the budget. Give more with --budget.")


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
    click.echo(table(["id", "kind", "sure", "updated", "", "content"], [_memory_row(m) for m in found], wide="content"))
    if len(found) < page.total:
        say(f"{len(found)} of {page.total}; -n 0 shows all.")


def _memory_row(m: Memory) -> list[str]:
    mark = "pinned" if m.pinned else ""
    return [m.id[-12:], m.kind, f"{m.confidence:.2f}", m.updated_at.date().isoformat(), mark, m.content]


@click.command()
@click.argument("memory")
@click.option("--reveal", is_flag=True, help="Show what a sensitive memory stands for. Needs the passphrase.")
@common_options
def show(app: App, memory: str, reveal: bool) -> None:
    """One MEMORY with all its fields, the words it came from, and its history.

    \b
    edgemem show 0195c2
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
    edgemem history 0195c2
    """
    changes = app.reading().history(memory, limit=limit)
    if app.as_json:
        emit_json({"changes": [change_json(c) for c in changes]})
    elif changes:
        click.echo(_changes_table(changes))
    else:
        say("Nothing has changed yet.")


def _changes_table(changes: Sequence[Change]) -> str:
    rows = [[c.id, c.at.isoformat(timespec="seconds"), c.action, c.author, _words(c)] for c in changes]
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
                [[s.id, s.last_at.isoformat(timespec="minutes"), str(s.turns), s.title] for s in found],
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
    """How much is remembered, of which kinds, how sure, how often it was of use.

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
             "most_used": [{"id": m.id, "content": m.content, "uses": m.use_count} for m in found.most_used], **days}
        )  # fmt: skip
        return
    for title, counts in (
        ("in use, by kind", found.kinds),
        ("by namespace", found.namespaces),
        ("by status", found.statuses),
    ):
        click.echo(f"{title}: " + (", ".join(f"{name} {n:,}" for name, n in counts.items()) or "none"))
    click.echo(f"messages: {sum(found.said_on.values()):,} on {len(found.said_on):,} days")
    click.echo(f"recalled: {found.uses:,} times; {found.never_used:,} memories never")
    click.echo(f"file: {found.file_bytes:,} bytes")


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
        click.echo(visible(f"[{local(t.at, t.zone).isoformat(timespec='minutes')}] {t.speaker or t.role}: {t.content}"))
