"""Commands that put something into the memory, or change it."""

from __future__ import annotations

import io
import sys
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from edgemem.cli.common import App, common_options, emit_json, from_stdin, piped, say, say_daily
from edgemem.cli.tables import visible
from edgemem.cli.unlock import typed_unseen
from edgemem.errors import InvalidInput, ModelError
from edgemem.text import counted

if TYPE_CHECKING:
    from edgemem.interop.readers import Reading
    from edgemem.records import Learned, Receipt, Turn
    from edgemem.records import Memory as MemoryRecord
    from edgemem.view import Memory

LONG = 1000
"""Turns from which writing them down takes long enough to say so."""


@click.command()
@click.argument("text", metavar="TEXT|-")
@click.option("--kind", default="fact", show_default=True, help="fact, preference, rule, state, event or skill.")
@click.option("--namespace", help="Where it belongs. Default: by kind.")
@click.option("--importance", type=float, help="0 to 1.")
@click.option("--expires", metavar="TIME", help="When it ends, like 2026-12-31T00:00:00+01:00.")
@click.option("--pin", is_flag=True, help="Never drop it.")
@click.option("--subject", help="Who or what it is about; the user if only --attribute is given.")
@click.option("--attribute", help='What of the subject it tells, like "shoe size".')
@click.option("--value", help="The value of the attribute.")
@click.option("--avoid", is_flag=True, help="The value is what is not wanted.")
@click.option("--sensitive", is_flag=True, help="Seal it; only the label is shown. TEXT - is read from standard input.")
@click.option("--label", help="What is shown of a sensitive TEXT. Default: it, with its secrets masked.")
@common_options
def add(
    app: App, text: str, kind: str, namespace: str | None, importance: float | None, expires: str | None, pin: bool,
    subject: str | None, attribute: str | None, value: str | None, avoid: bool, sensitive: bool, label: str | None,
) -> None:  # fmt: skip
    """Store one sentence as it is, without a model. Prints its id.

    A password, a key or the number of a card is only taken with --sensitive, which needs an encrypted file.

    \b
    edgemem add - --sensitive --label "door code"
    edgemem add "I am allergic to peanuts" --pin
    edgemem add "回答请用中文" --kind rule
    head -1 note.txt | edgemem add -
    """
    from edgemem.times import parse
    from edgemem.write.manual import checked_content

    when: datetime | None = parse(expires) if expires else None
    if sensitive:
        if importance is not None or expires or subject or attribute or value or avoid:
            raise InvalidInput(
                "Of the options only --kind, --namespace, --pin and --label go with --sensitive.",
                "Leave the others out.",
            )
        secret = _typed_or_piped() if text == "-" else text
        view = app.file(whole=True, make=True).user(app.user_name)
        uid = view.add_secret(secret, label=label, kind=kind, namespace=namespace, pinned=pin)
        emit_json({"id": uid}) if app.as_json else click.echo(uid)
        return
    text = from_stdin() if text == "-" else text
    checked_content(text)  # before a file is made
    memory = app.memory(make=True)
    uid = memory.add(
        text, kind=kind, namespace=namespace, importance=importance, expires=when, pinned=pin, subject=subject,
        attribute=attribute, value=value, avoid=avoid,
    )  # fmt: skip
    emit_json({"id": uid}) if app.as_json else click.echo(uid)
    _, why = memory.file.embedder_or_reason()
    if why:
        say_daily("no-embedder", f"It is found by its words only, until there is an embedding model. {why}")


def _typed_or_piped() -> str:
    """Not from the command line, where the shell's history would keep it."""
    return typed_unseen("Sensitive text") if sys.stdin.isatty() else from_stdin()


@click.command()
@click.argument("source", metavar="FILE|-", type=click.Path(path_type=Path, allow_dash=True))
@click.option("--zone", help="Zone of times that carry none: +08:00, UTC, Asia/Shanghai.")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Take only the first N turns.")
@common_options
def learn(app: App, source: Path, zone: str | None, limit: int | None) -> None:
    """Log a conversation and take its memories.

    FILE has one turn a line: {"role": "user", "content": "…"}, and if you like "at", "session", "id",
    "speaker". LoCoMo and MemoryBank files are known too. Broken lines are named and left out (exit
    code 1), the rest is taken. Stop it when you like: the turns are safe, and `edgemem jobs run`
    finishes them. A file given twice is learned once.

    \b
    edgemem learn chat.jsonl
    cat chat.jsonl | edgemem learn - --json
    """
    reading = _read(source, zone)
    problems = [str(p) for p in reading.problems]
    for line in (*reading.notices, *problems):
        say(f"{source}: {line}")
    told = [(user or app.user_name, turns) for user, turns in _conversations(reading, source, limit) if turns]
    if not told:
        raise InvalidInput(
            f"{source} has no turn that can be taken.", 'A line looks like {"role": "user", "content": "…"}.'
        )
    file = app.file(make=True)
    try:
        receipts = [_learn_one(app, file.user(user), turns) for user, turns in told]
    except ModelError:
        say("The turns are safe in the log. Once there is a model that works: edgemem jobs run")
        raise
    _print_receipts(app, receipts, problems)
    if problems or any(r.failed for r in receipts):
        sys.exit(1)


@click.command()
@click.argument("text", metavar="TEXT|-", callback=piped)
@click.option("--role", default="user", show_default=True, help="user, assistant, system or tool.")
@click.option("--session", help="The conversation it belongs to. Default: today's.")
@common_options
def observe(app: App, text: str, role: str, session: str | None) -> None:
    """Log one message; its memories are taken by the next worker (the app, or `edgemem jobs run`).

    \b
    edgemem observe "I moved to Porto last week"
    cat message.txt | edgemem observe - --session mail
    """
    from edgemem.records import Turn
    from edgemem.settings import Settings
    from edgemem.write.capture import checked

    turn = Turn(role, text, session=session)
    checked([turn], now=datetime.now().astimezone(), max_bytes=Settings().max_turn_bytes)  # before a file is made
    file = app.file(background=False, make=True)
    ids = file.user(app.user_name).observe([turn])
    emit_json({"turns": ids}) if app.as_json else click.echo(ids[0])


@click.command()
@click.argument("memory")
@click.argument("text", metavar="TEXT|-", callback=piped)
@common_options
def edit(app: App, memory: str, text: str) -> None:
    """Change the words of a MEMORY (an id, or a part of it). Prints the change's id.

    \b
    edgemem edit a04c7d1e52b9 "The user is allergic to peanuts and walnuts."
    """
    view = app.memory()
    _changed(app, view.edit(memory, text), view.get(memory))


@click.command()
@click.argument("memory")
@click.option("--off", is_flag=True, help="Let it be dropped again.")
@common_options
def pin(app: App, memory: str, off: bool) -> None:
    """Keep a MEMORY from ever being dropped. Prints the change's id.

    \b
    edgemem pin a04c7d1e52b9
    edgemem pin a04c7d1e52b9 --off
    """
    view = app.memory()
    _changed(app, view.pin(memory, pinned=not off), view.get(memory))


@click.command()
@click.argument("memory")
@click.argument("others", nargs=-1, required=True)
@click.option("--text", metavar="SENTENCE", help="What MEMORY says from now on. Default: what it said before.")
@common_options
def join(app: App, memory: str, others: tuple[str, ...], text: str | None) -> None:
    """Make MEMORY stand for OTHERS too: they say the same. Prints the change's id, for undo.

    \b
    edgemem join a04c7d1e52b9 5be1902fd3c6
    edgemem join a04c7d1e52b9 5be1902fd3c6 --text "The user is allergic to peanuts and walnuts."
    """
    view = app.memory()
    _changed(app, view.join(memory, *others, content=text))


@click.command()
@click.argument("memory")
@click.argument("parts", nargs=-1, required=True)
@common_options
def split(app: App, memory: str, parts: tuple[str, ...]) -> None:
    """Make several memories of MEMORY, one for each of PARTS; the first keeps its id. Prints the change's id, for undo.

    \b
    edgemem split a04c7d1e52b9 "The user has a dog." "The user has a cat."
    """
    done = app.memory().split(memory, parts)
    if app.as_json:
        emit_json({"change": done.change, "memories": done.memories})
    else:
        click.echo(done.change)


@click.command()
@click.argument("memory")
@common_options
def confirm(app: App, memory: str) -> None:
    """Use a doubtful MEMORY (edgemem review list): it is true. Prints the change's id.

    A secret that waits is kept sealed, for which the file needs a passphrase; edgemem forget puts it away.

    \b
    edgemem confirm a04c7d1e52b9
    """
    _changed(app, app.memory().confirm(memory))


@click.command()
@click.argument("memory")
@common_options
def forget(app: App, memory: str) -> None:
    """Take a MEMORY out of use. Prints the change's id, for undo.

    \b
    edgemem forget a04c7d1e52b9
    """
    _changed(app, app.memory().forget(memory))


@click.command()
@click.argument("change")
@common_options
def undo(app: App, change: str) -> None:
    """Take back a CHANGE and those decided with it (ids: edgemem history).

    \b
    edgemem undo a04c7d1e52b9
    """
    done = app.memory().undo(change)
    emit_json({"changes": done}) if app.as_json else click.echo("\n".join(done))


def _changed(app: App, change: str, memory: MemoryRecord | None = None) -> None:
    emit_json({"change": change}) if app.as_json else click.echo(change)
    if memory is not None and memory.status != "live":
        say(f"The memory is {memory.status}: it is not used, whatever it says. See: edgemem history {memory.id}")


def _read(source: Path, zone: str | None) -> Reading:
    from edgemem.interop.readers import read

    if str(source) == "-":
        return read(io.BytesIO(sys.stdin.buffer.read()), zone=zone)
    if not source.exists():
        raise InvalidInput(f"There is no file {source}.", "Name a file of conversations, or - for standard input.")
    return read(source, zone=zone)


def _conversations(reading: Reading, source: Path, limit: int | None) -> list[tuple[str | None, list[Turn]]]:
    """Turns by user. Those of a file get ids from their words, so that the same file twice is the same turns."""
    from edgemem.interop.turn_ids import identified

    stem = None if str(source) == "-" else source.stem
    found = []
    for conversation in reading.conversations:
        turns = conversation.turns[:limit]
        if stem is not None:
            turns = identified(turns, stem)
        found.append((conversation.user, turns))
    return found


def _learn_one(app: App, memory: Memory, turns: list[Turn]) -> Receipt:
    from edgemem.cli.progress import TurnProgress

    if len(turns) >= LONG:
        say(f"Writing {counted(len(turns), 'turn')} into the log.")
    with TurnProgress(memory.name) as progress:

        def show(learned: Learned) -> None:
            if not app.as_json:
                progress.line(describe(learned))

        return memory.learn(turns, progress=progress.update, on_learned=show)


def describe(learned: Learned) -> str:
    """One line a person can check: what, how sure, and the words it rests on."""
    mark = {"added": "+", "duplicate": "=", "refined": "~", "replaced": "»"}[learned.outcome]
    about = "" if learned.about == "user" else f", about {learned.about}"
    where = f"{learned.source.session}/{learned.source.turn}"
    text = f"{mark} {learned.content}  [{learned.kind}{about}, {learned.confidence:.2f}]\n    {where}: “{learned.source.quote}”"
    return visible(text)


def _print_receipts(app: App, receipts: list[Receipt], problems: list[str]) -> None:
    if app.as_json:
        emit_json(_receipts_json(receipts, problems))
        return
    for receipt in receipts:
        outcomes = [m.outcome for m in receipt.memories]
        counts = ", ".join(
            f"{outcomes.count(o)} {o}" for o in ("added", "refined", "replaced", "duplicate") if o in outcomes
        )
        say(f"{counted(len(receipt.turns), 'turn')} in {receipt.seconds:.1f} s: {counts or 'nothing to keep'}.")
        if receipt.erased:
            say(f"Erased again, as they ask: {counted(len(receipt.erased), 'turn')}.")
        for failure in receipt.failed:
            say(f"Turn {failure.turn} waits: {failure.error} (edgemem jobs)")


def _receipts_json(receipts: list[Receipt], problems: list[str]) -> dict[str, Any]:
    memories = [
        {"id": m.id, "content": m.content, "kind": m.kind, "about": m.about, "confidence": m.confidence,
         "outcome": m.outcome, "replaced": m.replaced, "change": m.change,
         "source": {"session": m.source.session, "turn": m.source.turn, "quote": m.source.quote, "start": m.source.start}}
        for r in receipts for m in r.memories
    ]  # fmt: skip
    return {
        "turns": [t for r in receipts for t in r.turns],
        "memories": memories,
        "rejected": [{"content": x.content, "reason": x.reason, "turn": x.turn} for r in receipts for x in r.rejected],
        "erased": [t for r in receipts for t in r.erased],
        "failed": [{"turn": x.turn, "error": x.error, "job": x.job} for r in receipts for x in r.failed],
        "problems": problems,
        "seconds": round(sum(r.seconds for r in receipts), 3),
    }
