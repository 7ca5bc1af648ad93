"""Commands that ask the memory: recall, a block of background, whether a message needs either."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from edgemem.adapters.plain import hit_json
from edgemem.cli.common import DAY, App, common_options, emit_json, piped, say, zoned
from edgemem.cli.tables import cut, day, one_line, table, visible
from edgemem.recall.question import ARMS, RANKINGS, STANDING
from edgemem.text import counted

if TYPE_CHECKING:
    from edgemem.records import Hit, Recall, Source

_KINDS = click.option("--kind", "kinds", multiple=True, help="Only this kind (may be repeated).")
_AS_OF = click.option(
    "--as-of", type=DAY, help="What was true at this time, like 2025-06-01 (its beginning, your clock)."
)
_RANKING = click.option(
    "--ranking", type=click.Choice(RANKINGS), help="Order by how likely a hit answers (the default), or by a preset."
)
_AFTER = click.option("--after", multiple=True, metavar="TEXT", help="What the user said before it (oldest first).")
_NAMESPACE = click.option("--namespace", help="Only this namespace.")


@click.command()
@click.argument("query", metavar="QUERY|-", callback=piped)
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
    return day(source.at) if source.at else "by hand"


@click.command()
@click.argument("query", metavar="QUERY|-", callback=piped)
@click.option("--budget", type=click.IntRange(min=1), metavar="TOKENS", help="Largest size. Default: 2000.")
@click.option("--task", help="The running task whose state goes in. Default: the open one that was touched last.")
@click.option("--relevant", is_flag=True, help="Only what is relevant, without what stands whatever is asked.")
@_AS_OF
@_RANKING
@click.option("--reader", help="The assistant that will read it: profile fields meant for others are left out.")
@click.option("--routed", is_flag=True, help="Search only if the message needs memory, as a chat does.")
@_AFTER
@common_options
def context(
    app: App, query: str, budget: int | None, task: str | None, relevant: bool, as_of: datetime | None,
    ranking: str | None, reader: str | None, routed: bool, after: Sequence[str],
) -> None:  # fmt: skip
    """A block of background for a prompt, counted in tokens of the chat model.

    Beside what is relevant it holds, in at most a quarter of the size, what stands whatever is asked: pinned
    memories, what to avoid, rules, the running task's state, the profile.

    \b
    edgemem context "plan dinner" --budget 500
    cat question.txt | edgemem context -
    """
    wanted = () if relevant else STANDING
    block = app.reading().context(
        query, budget=budget, task=task, reader=reader, standing=wanted, as_of=zoned(as_of), ranking=ranking,
        routed=routed, after=after,
    )  # fmt: skip
    for line in block.recall.degraded:
        say(line)
    if app.as_json:
        emit_json({"text": block.text, "tokens": block.tokens, "ids": list(block.ids), "standing": block.standing,
                   "left_out": block.left_out, "abstained": block.recall.abstained, "skipped": block.recall.skipped})  # fmt: skip
        return
    if block.text:
        click.echo(visible(block.text))
        say(f"{counted(block.tokens, 'token')}, {counted(len(block.ids), 'entry')}")
    if block.left_out:
        say(f"Of what should always be there, {counted(block.left_out, 'entry')} did not fit. Give more with --budget.")
    if block.recall.skipped:
        say(f"Not searched: it needs no memory. {block.recall.skipped}")
    elif not block.recall.hits:
        say(f"Nothing relevant is remembered. {block.recall.doubt}".strip())
    elif len(block.ids) == block.standing:
        say(
            f"Relevant: {counted(len(block.recall.hits), 'entry')}, but none fits into the budget. Give more with --budget."
        )


@click.command()
@click.argument("message", metavar="MESSAGE|-", callback=piped)
@_AFTER
@common_options
def needs(app: App, message: str, after: Sequence[str]) -> None:
    """Does MESSAGE need the memory at all? A chat searches only for what does.

    \b
    edgemem needs "thanks a lot"
    edgemem needs "and her husband?" --after "Where does my sister live?"
    """
    found = app.reading().needs(message, after=after)
    if app.as_json:
        emit_json({"needed": found.needed, "chance": found.chance, "why": found.why})
        return
    click.echo("needed" if found.needed else "not needed")
    say(f"{found.why} (chance {found.chance:.2f})")
