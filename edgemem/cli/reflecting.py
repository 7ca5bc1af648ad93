"""Commands about reflection: insights with their evidence, and proposals that wait for an answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from edgemem.adapters.plain import memory_json
from edgemem.browse import MemoryFilter
from edgemem.cli.common import App, ListingGroup, common_options, emit_json, options_before, say
from edgemem.cli.tables import day, one_line, short, table, visible
from edgemem.text import counted

if TYPE_CHECKING:
    from edgemem.records import LoggedTurn, Memory, Relation
    from edgemem.reports import Insight, Proposal


@click.command()
@common_options
def reflect(app: App) -> None:
    """Draw insights from what was told on several days, and propose what could be put in order.

    Every insight rests on at least two messages of different days, which `edgemem insights show` prints. Nothing
    else is changed: what should be merged or dropped waits in `edgemem review`. It also runs by itself in the
    background when there is enough that is new.

    \b
    edgemem reflect
    """
    done = app.memory().reflect()
    for line in done.degraded:
        say(line)
    if app.as_json:
        emit_json({"insights": [_insight_json(i) for i in done.insights], "withdrawn": done.withdrawn,
                   "proposals": [_proposal_json(p) for p in done.proposals], "refused": done.refused,
                   "degraded": done.degraded})  # fmt: skip
        return
    _print_insights(done.insights)
    _print_proposals(done.proposals)
    say(
        f"{counted(len(done.insights), 'insight')}, {len(done.withdrawn)} withdrawn,"
        f" {counted(len(done.proposals), 'proposal')} (edgemem review list)."
    )


@click.group(cls=ListingGroup)
@options_before
def insights() -> None:
    """Insights: patterns drawn from many memories, each with its evidence. Alone it lists them."""


@insights.command("list")
@click.option(
    "--status", type=click.Choice(("live", "withdrawn", "rejected")), default="live", show_default=True,
    help="withdrawn: the evidence no longer carries it; rejected: dropped by you.",
)  # fmt: skip
@common_options
def insights_list(app: App, status: str) -> None:
    """All insights, surest first.

    \b
    edgemem insights list
    """
    found = app.reading().insights(status=status)
    if app.as_json:
        emit_json({"insights": [_insight_json(i) for i in found]})
    elif found:
        _print_insights(found)
    else:
        say("There are no insights. Draw some with: edgemem reflect")


@insights.command("show")
@click.argument("insight")
@common_options
def insights_show(app: App, insight: str) -> None:
    """One INSIGHT with the memories it rests on and the messages that told them.

    \b
    edgemem insights show a04c7d1e52b9
    """
    memory = app.reading()
    found = memory.insight(insight)
    if app.as_json:
        emit_json(_insight_json(found))
        return
    checked = "its evidence changed since" if found.checked_at is None else f"checked {day(found.checked_at)}"
    click.echo(visible(f"{found.content}  [{found.status}, {found.confidence:.2f}, {checked}]"))
    rows = [[uid, memory.get(uid).content] for uid in found.memories]
    click.echo(table(["memory", "says"], rows, wide="says"))
    said = [[day(t.at), one_line(t.session), one_line(t.id), t.content] for t in found.turns]
    click.echo(table(["said on", "session", "turn", "words"], said, wide="words"))


@insights.command("drop")
@click.argument("insight")
@common_options
def insights_drop(app: App, insight: str) -> None:
    """INSIGHT is wrong or unwanted: nothing uses it, and it is not drawn again.

    \b
    edgemem insights drop a04c7d1e52b9
    """
    dropped = app.memory().drop_insight(insight)
    emit_json(_insight_json(dropped)) if app.as_json else say(visible(f"Dropped: {dropped.content}"))


@click.group(cls=ListingGroup)
@options_before
def review() -> None:
    """What waits for you: duplicates, contradictions and stale notes that reflection found. Alone it lists them.

    Nothing of it is done without you.
    """


@review.command("list")
@click.option(
    "--status", type=click.Choice(("open", "accepted", "rejected", "any")), default="open", show_default=True,
    help="Which proposals.",
)  # fmt: skip
@common_options
def review_list(app: App, status: str) -> None:
    """All that waits for you: proposals, oldest first, then doubtful memories and secrets (masked), then doubtful relations.

    With another status than open: proposals alone.

    \b
    edgemem review list
    """
    memory = app.reading()
    found = memory.proposals(status=status)
    waits = status == "open"
    doubted = memory.browse(MemoryFilter(status="review"), limit=0).memories if waits else ()
    relations = memory.graph.reviews() if waits else ()
    if app.as_json:
        emit_json(
            {"proposals": [_proposal_json(p) for p in found], "memories": [memory_json(m) for m in doubted],
             "relations": [asdict(r) for r in relations]}
        )  # fmt: skip
        return
    _print_proposals(found)
    _print_doubted(doubted)
    _print_doubtful(relations)
    if not (found or doubted or relations):
        say("Nothing waits for you.")


@review.command("accept")
@click.argument("proposal")
@common_options
def review_accept(app: App, proposal: str) -> None:
    """Do what PROPOSAL says. Prints the change's id, for undo.

    merge: the first memory stands for both. contradiction: the older goes. reassess, stale: the first goes.

    \b
    edgemem review accept a04c7d1e52b9
    """
    done = app.memory().accept(proposal)
    emit_json(_proposal_json(done)) if app.as_json else click.echo(done.change)


@review.command("reject")
@click.argument("proposal")
@common_options
def review_reject(app: App, proposal: str) -> None:
    """Leave things as they are. PROPOSAL is not made again while its memories stay the same.

    \b
    edgemem review reject a04c7d1e52b9
    """
    done = app.memory().reject(proposal)
    emit_json(_proposal_json(done)) if app.as_json else say(f"Rejected: {done.topic}.")


def _print_insights(found: Sequence[Insight]) -> None:
    if found:
        rows = [[short(i.id), f"{i.confidence:.2f}", str(len(i.turns)), i.content] for i in found]
        click.echo(table(["insight", "sure", "turns", "says"], rows, wide="says"))


def _print_proposals(found: Sequence[Proposal]) -> None:
    if found:
        rows = [[short(p.id), p.topic, p.reason, " | ".join(p.contents)] for p in found]
        click.echo(table(["proposal", "what", "why", "memories"], rows, wide="memories"))


def _print_doubted(found: Sequence[Memory]) -> None:
    if found:
        rows = [
            [short(m.id), "secret" if m.sensitivity != "normal" else f"{m.confidence:.2f}", m.content] for m in found
        ]
        click.echo(table(["memory", "sure", "content"], rows))
        say("True, and to be used: edgemem confirm MEMORY. Not true, or not to be kept: edgemem forget MEMORY.")


def _print_doubtful(found: Sequence[Relation]) -> None:
    if found:
        rows = [[short(r.id), f"{r.confidence:.2f}", f"{r.subject} — {r.predicate} → {r.object}"] for r in found]
        click.echo(table(["relation", "sure", "content"], rows))
        say("True: edgemem graph accept RELATION. Not true: edgemem graph reject RELATION.")


def _insight_json(i: Insight) -> dict[str, Any]:
    return {"id": i.id, "content": i.content, "confidence": i.confidence, "status": i.status, "created_at": i.created_at,
            "checked_at": i.checked_at, "memories": i.memories, "turns": _turns_json(i.turns)}  # fmt: skip


def _proposal_json(p: Proposal) -> dict[str, Any]:
    memories = [{"id": uid, "content": content} for uid, content in zip(p.memories, p.contents, strict=True)]
    return {"id": p.id, "topic": p.topic, "reason": p.reason, "status": p.status, "change": p.change,
            "created_at": p.created_at, "memories": memories, "turns": _turns_json(p.turns)}  # fmt: skip


def _turns_json(told: Sequence[LoggedTurn]) -> list[dict[str, Any]]:
    return [{"session": t.session, "id": t.id, "at": t.at, "content": t.content} for t in told]
