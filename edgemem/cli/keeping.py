"""Commands that keep the file whole: check, backup, restore."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from edgemem.cli.common import App, common_options, emit_json, say
from edgemem.cli.tables import table
from edgemem.errors import InvalidInput, NotFound, StoreCorrupt
from edgemem.records import Backup, Problem


@click.command()
@common_options
def check(app: App) -> None:
    """Look for damage: pages, row hashes, the history's chain, full text, vectors. Changes nothing.

    Exit code 0 when all is well, 1 when something is wrong.
    """
    try:
        found = app.file(read_only=True).check()
    except StoreCorrupt as error:
        found = [Problem("integrity", str(error), "Restore a backup.")]
    if app.as_json:
        emit_json(
            {"ok": not found, "problems": [{"area": p.area, "message": p.message, "hint": p.hint} for p in found]}
        )
    elif found:
        for p in found:
            click.echo(f"{p.area}: {p.message}{f' ({p.hint})' if p.hint else ''}")
    else:
        click.echo("All is well.")
    if found:
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
            [b.at.isoformat(" ", "seconds"), "automatic" if b.automatic else "by hand", f"{b.bytes:,}", str(b.path)]
            for b in found
        ]
        click.echo(table(["made at", "how", "bytes", "path"], rows, wide="path"))
    else:
        say("There is no backup yet. Make one with: edgemem backup")


@click.command()
@click.argument("backup", type=click.Path(path_type=Path))
@common_options
def restore(app: App, backup: Path) -> None:
    """Put BACKUP in the place of the file: a path, or ``latest``.

    The backup is checked first. The file that was there is kept beside it. Close other programs that use it.

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
    aside = memory.restore(backup, place, passphrase=app.passphrases.for_files(backup, place))
    if app.as_json:
        emit_json({"restored": backup, "path": place, "kept": aside})
        return
    say(f"{place} is what {backup} was.")
    if aside is not None:
        say(f"What was there before is kept: {aside}")
