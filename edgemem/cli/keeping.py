"""Commands that keep the file whole: check and repair, backup, restore, merge."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click

from edgemem.cli.common import App, common_options, emit_json, say
from edgemem.cli.tables import table, visible, when
from edgemem.cli.unlock import backup_passphrase
from edgemem.errors import InvalidInput, NotFound, StoreCorrupt, WrongPassphrase
from edgemem.records import Backup, Problem
from edgemem.text import counted


@click.command()
@click.option("--repair", is_flag=True, help="Put right what is wrong. The file as it was is kept beside it.")
@common_options
def check(app: App, repair: bool) -> None:
    """Look for damage: pages, row hashes, the history's chain, full text, vectors. Changes nothing unless told to.

    With --repair, everything that can still be read is carried into a fresh file: memories are put
    right from their history, turns from a backup, full text and vectors are made anew. Says what was
    wrong, what was done and what was lost. Close other programs that use the file first.

    Exit code 0 when all is well (again), 1 when something is wrong or was lost.

    \b
    edgemem check --file me.edgemem
    edgemem check --repair --json
    """
    _repair(app) if repair else _check(app)


def _check(app: App) -> None:
    try:
        found = app.file(read_only=True).check()
    except StoreCorrupt as error:
        found = [Problem("integrity", str(error), "Repair it: edgemem check --repair")]
    if app.as_json:
        emit_json({"ok": not found, "problems": _problems_json(found)})
    elif found:
        _print_problems(found)
    else:
        click.echo("All is well.")
    if found:
        sys.exit(1)


def _problems_json(found: Sequence[Problem]) -> list[dict[str, str]]:
    return [{"area": p.area, "message": p.message, "hint": p.hint} for p in found]


def _print_problems(found: Sequence[Problem]) -> None:
    for p in found:
        click.echo(f"{p.area}: {visible(p.message)}{f' ({p.hint})' if p.hint else ''}")


def _repair(app: App) -> None:
    from edgemem import memory

    done = memory.repair(app.path, passphrase=app.passphrases.for_files(app.place()))
    ok = not done.left and not done.lost
    if app.as_json:
        emit_json({"ok": ok, "path": done.path, "kept": done.kept, "found": _problems_json(done.found),
                   "done": done.done, "lost": done.lost, "left": _problems_json(done.left)})  # fmt: skip
    elif done.kept is None and not done.found:
        click.echo("All is well.")
    else:
        _print_problems(done.found)
        for line in (*(f"done: {d}" for d in done.done), *(f"lost: {text}" for text in done.lost)):
            click.echo(visible(line))
        if done.left:
            click.echo("Still wrong:")
            _print_problems(done.left)
        if done.kept is not None:
            say(f"The file as it was is kept: {done.kept}")
    if not ok:
        sys.exit(1)


@click.command()
@click.argument("dest", required=False, type=click.Path(path_type=Path))
@click.option("--list", "listing", is_flag=True, help="Show the backups in the folder beside the file.")
@common_options
def backup(app: App, dest: Path | None, listing: bool) -> None:
    """Write a checked copy of the file, also while programs use it, to DEST (a new file, or a folder).

    Without DEST it goes into the folder FILE-backups, where automatic ones lie too. Prints where it is.

    \b
    edgemem backup
    edgemem backup /media/stick/me.edgemem
    edgemem backup --list
    """
    if listing and dest is not None:
        raise InvalidInput("--list shows the folder beside the file.", "Leave DEST or --list out.")
    file = app.file_to_read()
    if listing:
        _list_backups(app, file.backups())
        return
    made = file.backup(dest)
    emit_json(_backup_json(made)) if app.as_json else click.echo(made.path)


def _backup_json(made: Backup) -> dict[str, object]:
    return {"path": made.path, "bytes": made.bytes, "at": made.at, "automatic": made.automatic}


def _list_backups(app: App, found: list[Backup]) -> None:
    if app.as_json:
        emit_json({"backups": [_backup_json(b) for b in found]})
    elif found:
        rows = [
            [when(b.at, seconds=True), "automatic" if b.automatic else "by hand", f"{b.bytes:,}", str(b.path)]
            for b in found
        ]
        click.echo(table(["made at", "how", "bytes", "path"], rows, wide="path"))
    else:
        say("There is no backup yet. Make one with: edgemem backup")


@click.command()
@click.argument("backup", type=click.Path(path_type=Path))
@click.option("--revive", is_flag=True, help="Bring back also what was erased after the backup was made.")
@common_options
def restore(app: App, backup: Path, revive: bool) -> None:
    """Put BACKUP in the place of the file: a path, or ``latest``.

    The backup is checked first. The file that was there is kept beside it. What was erased since stays erased.
    Close other programs that use it. The passphrase of a backup made under another one comes from
    EDGEMEM_BACKUP_PASSPHRASE, or the keyboard.

    \b
    edgemem restore latest
    edgemem restore /media/stick/me.edgemem
    """
    from edgemem import memory
    from edgemem.store.backup import listed

    place = app.path or memory.default_path()
    if str(backup) == "latest" and not backup.exists():
        found = listed(place)
        if not found:
            raise NotFound(f"There is no backup beside {place}.", "Name one: edgemem restore PATH")
        backup = found[0].path
    given = app.passphrases.for_files(place, backup)
    try:
        done = memory.restore(
            backup, place, passphrase=given, backup_passphrase=backup_passphrase(backup), revive=revive
        )
    except WrongPassphrase:
        older = backup_passphrase(backup, typed=True)
        if older is None:
            raise
        done = memory.restore(backup, place, passphrase=given, backup_passphrase=older, revive=revive)
    if app.as_json:
        emit_json({"restored": backup, "path": place, "kept": done.kept, "erased": done.erased, "unread": done.unread})
        return
    say(f"{place} is what {backup} was.")
    if done.erased:
        say(
            f"Erased since, which stays erased: {counted(done.erased, 'row')}; --revive brings back what the backup has of it."
        )
    if done.unread:
        say(f"What was erased since the backup is back: the file that was there could not be asked. {done.unread}")
    if done.kept is not None:
        say(f"What was there before is kept: {done.kept}")


@click.command()
@click.argument("other", type=click.Path(path_type=Path, dir_okay=False))
@common_options
def merge(app: App, other: Path) -> None:
    """Bring what OTHER knows into the file: another file of the same people, from another machine.

    Nothing of either side is lost, and what was erased on one side does not come back. Where both had changed
    the same thing, the later state stands, the other stays in the history, and both are printed. OTHER is
    only read; merge the other way round to bring both up to date. Memories of the two that contradict each
    other both stay, and wait for you in the review.

    \b
    edgemem merge /media/stick/desktop.edgemem
    edgemem merge desktop.edgemem --json
    """
    if app.is_new(make=True):
        _check_opens(app, other)
    file = app.file(make=True)
    done = file.merge(other)
    if app.as_json:
        emit_json({"added": done.added, "changed": done.changed, "erased": done.erased,
                   "kept_out": done.kept_out, "refused": done.refused, "contradictions": done.contradictions,
                   "disagreements": [asdict(d) for d in done.disagreements]})  # fmt: skip
    else:
        for d in done.disagreements:
            click.echo(visible(f"{d.user}: {d.what}: kept {d.kept!r}, the other said {d.other!r}"))
        came = ", ".join(f"{n} of {kind}" for kind, n in sorted(done.added.items()) if n) or "nothing"
        say(f"New: {came}. Changed: {done.changed}. Erased: {done.erased}.")
        if done.kept_out:
            say(f"{done.kept_out} that were erased here before stayed out.")
        if done.contradictions:
            say(f"{done.contradictions} contradict what is here; both stay until you decide: edgemem review list")
        for why in done.refused:
            say(visible(f"Left out: {why}"))
    if done.refused:
        sys.exit(1)


def _check_opens(app: App, other: Path) -> None:
    """What cannot be merged makes no file."""
    from edgemem.memory import open as open_file
    from edgemem.settings import Settings

    keys = app.passphrases.options(other)
    open_file(other, read_only=True, settings=Settings(background=False), **keys).close()
