"""Commands that encrypt a file, decrypt it, and change its passphrase."""

from __future__ import annotations

from pathlib import Path

import click

from edgemem.cli.common import App, common_options, emit_json, say
from edgemem.errors import StoreError


@click.command()
@click.option("--keyring", is_flag=True, help="Keep the key in the system's keyring, so that nobody has to type it.")
@click.option(
    "--backups", is_flag=True, help="Write over and remove the backups beside the file that are not encrypted."
)
@common_options
def encrypt(app: App, keyring: bool, backups: bool) -> None:
    """Encrypt the whole file with a passphrase. Close other programs that use it.

    Whoever loses the passphrase loses the file: nobody can help. The passphrase comes from EDGEMEM_PASSPHRASE,
    --passphrase-fd, or the keyboard.

    \b
    edgemem encrypt
    edgemem encrypt --passphrase-fd 3 3< passphrase.txt
    """
    from edgemem.locking import encrypt as encrypt_file

    place = _place(app)
    if backups and _is_encrypted(place):
        _wipe(_plain_backups(place))
        _done(app, place, encrypted=True)
        return
    passphrase = app.passphrases.chosen(place)
    encrypt_file(place, passphrase)
    if keyring:
        _keep(place, passphrase)
    plain = _plain_backups(place)
    if backups:
        _wipe(plain)
    elif plain:
        say(f"Not encrypted: {', '.join(map(str, plain))}. Remove such copies with: edgemem encrypt --backups")
    _done(app, place, encrypted=True)


def _is_encrypted(place: Path) -> bool:
    from edgemem.store.key import salt_of

    return salt_of(place) is not None


def _plain_backups(place: Path) -> list[Path]:
    """Copies beside the file that anybody can read: backups, and what a restore or a repair put aside."""
    from edgemem.store.backup import copies

    return [path for path in copies(place) if not _is_encrypted(path)]


def _wipe(plain: list[Path]) -> None:
    from edgemem.store.recrypt import wipe

    for path in plain:
        wipe(path)
    say(f"Removed: {', '.join(map(str, plain)) or 'nothing, no copy lay open'}.")


def _place(app: App) -> Path:
    place = app.place()
    if not place.is_file():
        raise StoreError(f"There is no file {place}.", "Name another file with --file.")
    return place


def _keep(place: Path, passphrase: str) -> None:
    from edgemem.cli.unlock import keep_key
    from edgemem.store.key import derive, salt_of

    salt = salt_of(place)
    if salt is None:
        raise StoreError(f"{place} is not encrypted.", "Encrypt it with: edgemem encrypt")
    keep_key(derive(passphrase, salt))


def _done(app: App, place: Path, *, encrypted: bool) -> None:
    if app.as_json:
        emit_json({"path": place, "encrypted": encrypted})
    else:
        say(f"{place} is {'encrypted' if encrypted else 'not encrypted any more'}.")


@click.command()
@common_options
def decrypt(app: App) -> None:
    """Take the encryption off the file. Refused while sensitive values are sealed in it.

    \b
    edgemem decrypt
    """
    from edgemem.cli.unlock import drop_key
    from edgemem.locking import decrypt as decrypt_file
    from edgemem.store.key import salt_of

    place = _place(app)
    salt = salt_of(place)
    decrypt_file(place, app.passphrases.asked(place) if salt else "")
    if salt:
        drop_key(salt)
    _done(app, place, encrypted=False)


@click.command()
@click.option("--keyring", is_flag=True, help="Change nothing; keep the key in the system's keyring.")
@click.option("--forget", is_flag=True, help="Change nothing; take the key out of the system's keyring.")
@click.option("--new-fd", type=click.IntRange(min=0), metavar="N", help="Read the new passphrase from descriptor N.")
@common_options
def passphrase(app: App, keyring: bool, forget: bool, new_fd: int | None) -> None:
    """Change the passphrase of an encrypted file, or where its key is kept.

    The new one comes from EDGEMEM_NEW_PASSPHRASE, --new-fd, or the keyboard. Backups made before keep the old one.

    \b
    edgemem passphrase
    edgemem passphrase --keyring
    """
    from edgemem.cli.unlock import drop_key, new_passphrase
    from edgemem.locking import change_passphrase
    from edgemem.store.key import salt_of

    place = _place(app)
    salt = salt_of(place)
    if salt is None:
        raise StoreError(f"{place} is not encrypted.", "Encrypt it with: edgemem encrypt")
    if forget:
        say("The key is out of the keyring." if drop_key(salt) else "The keyring has no key of this file.")
    elif keyring:
        _keep(place, app.passphrases.asked(place))
        say("The keyring has the key. Sensitive values still need the passphrase.")
    else:
        old = app.passphrases.asked(place)
        new = new_passphrase(place, new_fd)
        change_passphrase(place, old, new)
        if drop_key(salt):
            _keep(place, new)
        _changed(app, place)


def _changed(app: App, place: Path) -> None:
    from edgemem.store.backup import copies

    older = [path for path in copies(place) if _is_encrypted(path)]
    if app.as_json:
        emit_json({"path": place, "encrypted": True, "changed": True, "older_copies": older})
        return
    say(f"The passphrase of {place} is changed.")
    if older:
        say(f"Copies made before keep the passphrase they had: {', '.join(map(str, older))}")
