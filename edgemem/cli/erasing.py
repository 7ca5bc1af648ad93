"""The command that takes words away for good."""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

import click

from edgemem.cli.common import App, common_options, emit_json, say
from edgemem.cli.tables import cut, one_line, table
from edgemem.errors import InvalidInput, StoreBusy
from edgemem.text import counted

if TYPE_CHECKING:
    from edgemem.receipts import Copies, Erasure, Proof


@click.command()
@click.argument("memory", required=False)
@click.option("--search", metavar="WORDS", help="Everything that has all of these words.")
@click.option("--session", help="A conversation, with what was learned from it.")
@click.option("--all", "everything", is_flag=True, help="All of this user, down to the name.")
@click.option("--echoes", is_flag=True, help="Also the messages that say again what goes, such as the answer to it.")
@click.option("--yes", is_flag=True, help="Do it. Without this, only show what would go.")
@click.option("--verify", is_flag=True, help="Look through the bytes of the file afterwards.")
@click.option(
    "--backups", is_flag=True, help="Write over and remove the backups and what was put aside that still hold it."
)
@click.option("--find", metavar="WORDS", help="Erase nothing: look for these words in the bytes of the file.")
@click.option(
    "--wait", type=click.FloatRange(min=0), metavar="SECONDS", help="Longest wait for other programs. Default: 10."
)
@common_options
def erase(
    app: App, memory: str | None, search: str | None, session: str | None, everything: bool, echoes: bool, yes: bool,
    verify: bool, backups: bool, find: str | None, wait: float | None,
) -> None:  # fmt: skip
    """Erase a MEMORY, a search, a session or a user for good. Without --yes it only shows what would go.

    With a memory go the messages that told it, with a message what was drawn from it: history, summaries, insights,
    graph, profile, jobs, traces, full text, vectors. Messages that stay and say it again (an answer that repeats it) are
    named; --echoes takes them too. Deleted bytes are overwritten. There is no undo. Backups and other
    copies beside the file that still hold the words are named; --backups removes them. Copies elsewhere keep what they
    have. Exit code 1: bytes were found; 3: another program is reading, try --find.

    \b
    edgemem erase a04c7d1e52b9
    edgemem erase a04c7d1e52b9 --echoes --yes
    edgemem erase --search "peanut allergy" --yes --verify
    edgemem erase --all --user bob --yes
    """
    file = app.file(background=False)
    view = file.user(app.user_name)
    if find is not None:
        if memory or search or session or everything:
            raise InvalidInput("--find erases nothing and stands alone.", "Leave the others out.")
        _told(app, {}, view.look(find))
        return
    aim: dict[str, Any] = {"search": search, "session": session, "everything": everything, "echoes": echoes}
    if not yes:
        _preview(app, view.erase(memory, **aim, preview=True))
        return
    done = view.erase(memory, **aim, verify=verify, wait=wait)
    _receipt(app, done, _copies(app, file.copies_with_erased(), remove=backups))


def _copies(app: App, copies: Copies, *, remove: bool) -> dict[str, Any]:
    """Name the copies that still hold what was erased, or remove them; what to tell programs about it."""
    from edgemem.store.recrypt import wipe

    for path in copies.holding if remove else ():
        wipe(path)
    if not app.as_json:
        for path in copies.holding:
            say(f"Removed: {path}" if remove else f"Still holds what was erased: {path}")
        if copies.holding and not remove:
            say("Remove such copies with --backups.")
        for path in copies.closed:
            say(f"Could not be looked into (another passphrase, or damage): {path}")
    kept = [] if remove else list(copies.holding)
    return {"holding": kept, "removed": list(copies.holding) if remove else [], "closed": list(copies.closed)}


def _preview(app: App, plan: Erasure) -> None:
    if app.as_json:
        emit_json({"done": False, "items": [_item(i) for i in plan.items], "echoes": [_item(i) for i in plan.echoes]})
    elif plan.items:
        click.echo(table(["what", "effect", "id", "content"], [[i.what, i.effect, i.id, i.text] for i in plan.items]))
        _name_echoes(plan)
        say("Nothing was touched. Erase it for good with --yes.")
    else:
        say("There is nothing to erase.")


def _name_echoes(erasure: Erasure) -> None:
    for echo in erasure.echoes:
        say(f"Stays, and says it again: {echo.id}: {cut(one_line(echo.text), 80)}")
    if erasure.echoes:
        rest = "search for its words" if erasure.done else "add --echoes"
        say(f"To erase {counted(len(erasure.echoes), 'such message')} too, {rest}.")


def _item(item: Any) -> dict[str, str]:
    return {"what": item.what, "id": item.id, "effect": item.effect, "content": item.text}


def _receipt(app: App, done: Erasure, copies: dict[str, Any]) -> None:
    counts = Counter(f"{i.what} {i.effect}" for i in done.items)
    if not app.as_json:
        say(
            ", ".join(
                counted(n, name.partition(" ")[0]) + name[name.index(" ") :] for name, n in sorted(counts.items())
            )
            + "."
            if counts
            else "There was nothing to erase."
        )
        _name_echoes(done)
    answer = {"done": True, "scrubbed": done.scrubbed, "items": [_item(i) for i in done.items],
              "echoes": [_item(i) for i in done.echoes], "copies": copies}  # fmt: skip
    if done.proof is not None or app.as_json:
        _told(app, answer, done.proof)
    if not done.scrubbed:
        raise StoreBusy(
            "It is erased, but another program still reads an older state, which stands in the -wal file.",
            "Close that program, then look with: edgemem erase --find WORDS",
        )


def _told(app: App, answer: dict[str, Any], proof: Proof | None) -> None:
    if app.as_json:
        told = None if proof is None else {
            "words": proof.words, "bytes": proof.bytes, "found": dict(proof.found), "kept": list(proof.kept),
            "skipped": proof.skipped,
        }  # fmt: skip
        emit_json(answer | {"proof": told})
    elif proof is not None:
        _print_proof(proof)
    if proof is not None and proof.found:
        sys.exit(1)


def _print_proof(proof: Proof) -> None:
    click.echo(
        f"Looked through {proof.bytes:,} bytes for {counted(proof.words, 'word')} and parts of words: {len(proof.found)} found."
    )
    if proof.found:
        click.echo("Still there: " + ", ".join(sorted(proof.found)))
    if proof.kept:
        click.echo("Not looked for, since what stays says them too: " + ", ".join(f"“{word}”" for word in proof.kept))
    if proof.skipped:
        click.echo(f"Not looked for, since it would take too long: {proof.skipped} more.")
