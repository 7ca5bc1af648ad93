"""The graph of entities and relations: look, tell, mend."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime

import click

from edgemem.cli.common import DAY, App, ListingGroup, common_options, emit_json, options_before, say, zoned
from edgemem.cli.tables import one_line, short, table
from edgemem.records import Entity, Relation
from edgemem.text import counted


@click.group(cls=ListingGroup)
@options_before
def graph() -> None:
    """Who and what you told about, and how it hangs together. Alone it lists the entities."""


@graph.command("list")
@click.option("-n", "--limit", default=100, show_default=True, type=click.IntRange(min=0), help="0 means all.")
@common_options
def list_(app: App, limit: int) -> None:
    """Entities by name.

    \b
    edgemem graph list
    """
    _print_entities(app, app.reading().graph.entities(limit=limit))


@graph.command()
@click.argument("entity")
@click.option("--hops", default=1, show_default=True, type=click.IntRange(1, 6), help="How many relations away.")
@click.option("--as-of", type=DAY, help="As it was on this day.")
@common_options
def show(app: App, entity: str, hops: int, as_of: datetime | None) -> None:
    """ENTITY (a name or an id) and what hangs together with it.

    \b
    edgemem graph show Mia --hops 2
    edgemem graph show Mia --as-of 2025-06-01
    """
    walk = app.reading().graph.neighbours(entity, hops=hops, as_of=zoned(as_of))
    if app.as_json:
        emit_json(asdict(walk))
        return
    for relation in walk.relations:
        click.echo(_line(relation))
    if not walk.relations:
        say(f"Nothing hangs together with {entity}.")
    if walk.cut:
        say("There is more than a walk looks at; the surest relations are shown.")


@graph.command()
@click.argument("start")
@click.argument("end")
@click.option("--hops", default=4, show_default=True, type=click.IntRange(1, 6), help="Longest chain.")
@common_options
def path(app: App, start: str, end: str, hops: int) -> None:
    """The shortest chain of relations from START to END. Exit code 1 when there is none.

    \b
    edgemem graph path Anna Porto
    """
    found = app.reading().graph.path(start, end, hops=hops)
    if app.as_json:
        emit_json({"path": [asdict(r) for r in found]})
    for relation in () if app.as_json else found:
        click.echo(_line(relation))
    if not found:
        say(f"No chain of {counted(hops, 'relation')} leads from {start} to {end}.")
        raise SystemExit(1)


@graph.command()
@click.argument("subject")
@click.argument("predicate")
@click.argument("object_", metavar="OBJECT")
@click.option(
    "--confidence", default=1.0, show_default=True, type=click.FloatRange(0, 1), help="Below 0.7 it waits for review."
)
@click.option("--since", type=DAY, help="Day from which it holds.")
@click.option("--until", type=DAY, help="Day until which it held.")
@click.option("--memory", metavar="ID", help="The memory it rests on.")
@common_options
def add(
    app: App, subject: str, predicate: str, object_: str, confidence: float, since: datetime | None, until: datetime | None,
    memory: str | None,
) -> None:  # fmt: skip
    """Say that SUBJECT is in the relation PREDICATE to OBJECT.

    \b
    edgemem graph add Mia "sister of" Tom
    edgemem graph add 王伟 任职于 华为 --since 2024-03-01
    """
    owner = app.memory(make=True)
    known = None if memory is None else owner.resolve(memory)
    made = owner.graph.relate(
        subject, predicate, object_, confidence=confidence, since=zoned(since), until=zoned(until), memory=known
    )
    _print_relation(app, made)


@graph.command()
@common_options
def build(app: App) -> None:
    """Look through new and changed memories for relations, with the language model.

    Can be stopped and run again. Doubtful relations wait: `edgemem graph review`.

    \b
    edgemem graph build
    """
    from edgemem.cli.progress import TurnProgress

    with TurnProgress("the graph") as progress:
        kept = app.memory().build_graph(progress=progress.update)
    emit_json({"relations": kept}) if app.as_json else say(f"{counted(kept, 'relation')} found.")


@graph.command()
@click.argument("entity")
@click.argument("name")
@common_options
def alias(app: App, entity: str, name: str) -> None:
    """Let ENTITY answer to NAME too: a nickname, a name in another script.

    \b
    edgemem graph alias "Dr. Okafor" "my dentist"
    """
    app.memory().graph.alias(entity, name)
    emit_json({"entity": entity, "alias": name}) if app.as_json else say(f"{entity} is also known as {name}.")


@graph.command()
@click.argument("relation")
@common_options
def close(app: App, relation: str) -> None:
    """A RELATION (by id) no longer holds. It stays readable with --as-of.

    \b
    edgemem graph close a04c7d1e52b9
    """
    _print_relation(app, app.memory().graph.close(relation))


@graph.command()
@common_options
def review(app: App) -> None:
    """Doubtful relations that wait for you: then `graph accept ID` or `graph reject ID`.

    \b
    edgemem graph review
    """
    found = app.reading().graph.reviews()
    if app.as_json:
        emit_json({"relations": [asdict(r) for r in found]})
        return
    for relation in found:
        click.echo(_line(relation))
    if not found:
        say("Nothing waits.")


@graph.command()
@click.argument("relation")
@common_options
def accept(app: App, relation: str) -> None:
    """A doubtful RELATION (its id, or the end of it) is true.

    \b
    edgemem graph accept a04c7d1e52b9
    """
    _print_relation(app, app.memory().graph.accept(relation))


@graph.command()
@click.argument("relation")
@common_options
def reject(app: App, relation: str) -> None:
    """A doubtful RELATION (its id, or the end of it) is not true.

    \b
    edgemem graph reject a04c7d1e52b9
    """
    _print_relation(app, app.memory().graph.reject(relation))


@graph.command()
@click.argument("keep")
@click.argument("other")
@common_options
def merge(app: App, keep: str, other: str) -> None:
    """KEEP and OTHER are one: KEEP takes the names and relations of OTHER. Prints what `unmerge` takes.

    \b
    edgemem graph merge Anna "Anna Ruiz"
    """
    done = app.memory().graph.merge(keep, other)
    emit_json({"merge": done}) if app.as_json else click.echo(done)


@graph.command()
@click.argument("merge_id", metavar="MERGE")
@common_options
def unmerge(app: App, merge_id: str) -> None:
    """Take a MERGE back.

    \b
    edgemem graph unmerge a04c7d1e52b9
    """
    app.memory().graph.unmerge(merge_id)
    emit_json({"unmerged": merge_id}) if app.as_json else say("They are two again.")


@graph.command()
@click.argument("entity")
@click.argument("name")
@click.option(
    "--relation", "relations", multiple=True, metavar="ID", help="A relation that goes with it; repeat as needed."
)
@common_options
def split(app: App, entity: str, name: str, relations: tuple[str, ...]) -> None:
    """ENTITY is two: its other NAME becomes an entity of its own.

    \b
    edgemem graph split Anna "Anna from work"
    """
    made = app.memory().graph.split(entity, name, relations=relations)
    emit_json(asdict(made)) if app.as_json else say(f"{one_line(made.name)} stands for itself: {made.id}")


def _print_entities(app: App, found: Sequence[Entity]) -> None:
    if app.as_json:
        emit_json({"entities": [asdict(e) for e in found]})
    elif found:
        click.echo(
            table(
                ["name", "kind", "also", "id"],
                [[e.name, e.kind, ", ".join(e.aliases), short(e.id)] for e in found],
                wide="also",
            )
        )
    else:
        say('No entity is known. For example: edgemem graph add Mia "sister of" Tom')


def _print_relation(app: App, relation: Relation) -> None:
    emit_json(asdict(relation)) if app.as_json else click.echo(_line(relation))


def _line(r: Relation) -> str:
    since = f" since {r.valid_from:%Y-%m-%d}" if r.valid_from else ""
    until = f" until {r.valid_to:%Y-%m-%d}" if r.valid_to else ""
    status = "" if r.status == "live" else f" {r.status}"
    return one_line(
        f"{r.subject} — {r.predicate} → {r.object}{since}{until}  [{r.confidence:.2f}{status}]  {short(r.id)}"
    )
