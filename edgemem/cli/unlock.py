"""Where a passphrase comes from: a file descriptor, the environment, the system's keyring, the keyboard."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from edgemem.errors import InvalidInput, PassphraseNeeded, WrongPassphrase

ENV, ENV_NEW, ENV_BACKUP = "EDGEMEM_PASSPHRASE", "EDGEMEM_NEW_PASSPHRASE", "EDGEMEM_BACKUP_PASSPHRASE"
ENV_EXPORT = "EDGEMEM_EXPORT_PASSPHRASE"
SERVICE = "edgemem"

TRIES = 3
"""Times a passphrase may be typed before the command ends."""


@dataclass(slots=True)
class Passphrases:
    """The sources of one command. A descriptor is read once."""

    fd: int | None
    _read: str | None = None

    def given(self) -> str | None:
        """The passphrase that came without asking, or None."""
        if self.fd is None:
            return os.environ.get(ENV) or None
        if self._read is None:
            self._read = _from_fd(self.fd)
        return self._read

    def options(self, path: Path, *, whole: bool = False) -> dict[str, Any]:
        """What ``edgemem.open`` needs for this file. ``whole``: the page key of the keyring is not enough."""
        from edgemem.cli.common import say
        from edgemem.store.key import salt_of

        given = self.given()
        if not path.exists() or path.stat().st_size == 0:
            return {} if given is None else {"passphrase": given}
        salt = salt_of(path)
        if salt is None:
            if given is not None:
                say(f"{path} is not encrypted: the passphrase is not used.")
            return {}
        if given is not None:
            return {"passphrase": given}
        key = None if whole else kept_key(salt)
        return {"key": key} if key is not None else {"passphrase": self.asked(path)}

    def for_files(self, *paths: Path) -> str | None:
        """The passphrase if any of these files is encrypted, else None."""
        from edgemem.store.key import salt_of

        locked = next((path for path in paths if path.exists() and salt_of(path) is not None), None)
        return None if locked is None else self.asked(locked)

    def asked(self, path: Path) -> str:
        """The passphrase of a file: given, or typed in, which may go wrong twice."""
        return self.given() or _tried(path)

    def chosen(self, path: Path) -> str:
        """A first passphrase for a file: given, or typed in twice."""
        return self.given() or _typed(
            f"New passphrase of {path.name}", confirm=True, ways=f"{ENV} or with --passphrase-fd"
        )


def new_passphrase(path: Path, fd: int | None) -> str:
    """The passphrase to change to."""
    given = _from_fd(fd) if fd is not None else os.environ.get(ENV_NEW)
    return given or _typed(f"New passphrase of {path.name}", confirm=True, ways=f"{ENV_NEW} or with --new-fd")


def backup_passphrase(path: Path, *, typed: bool = False) -> str | None:
    """The passphrase of a backup that has another than its file: from the environment, or typed in where somebody can."""
    given = os.environ.get(ENV_BACKUP) or None
    if typed:
        return _typed(f"Passphrase of the backup {path.name}", confirm=False) if sys.stdin.isatty() else None
    return given


def export_passphrase(fd: int | None, *, confirm: bool) -> str:
    """The passphrase of an export: it need not be the file's own."""
    given = _from_fd(fd) if fd is not None else os.environ.get(ENV_EXPORT)
    return given or _typed("Passphrase of the export", confirm=confirm, ways=f"{ENV_EXPORT} or with --export-fd")


def _tried(path: Path) -> str:
    """What is typed until it opens the file; the last try is answered by whoever opens it."""
    from edgemem.cli.common import say
    from edgemem.store.key import derive, salt_of

    salt, prompt = salt_of(path), f"Passphrase of {path.name}"
    for _ in range(TRIES - 1):
        typed = _typed(prompt, confirm=False)
        try:
            if salt is not None:
                derive(typed, salt)
        except WrongPassphrase:
            say("That is not its passphrase. Try again; Ctrl+C gives up.")
        else:
            return typed
    return _typed(prompt, confirm=False)


def _typed(prompt: str, *, confirm: bool, ways: str = "") -> str:
    if not sys.stdin.isatty():
        usual = f"{ENV}, with --passphrase-fd, or keep the key in the system's keyring: edgemem passphrase --keyring"
        raise PassphraseNeeded("A passphrase is needed, and there is nobody to ask.", f"Give it in {ways or usual}")
    return typed_unseen(prompt, confirm=confirm)


def typed_unseen(prompt: str, *, confirm: bool = False) -> str:
    """What is typed at the terminal without being shown. Raises ``InvalidInput`` for bytes that are no text."""
    try:
        typed: str = click.prompt(prompt, hide_input=True, confirmation_prompt=confirm, err=True)
    except UnicodeDecodeError as error:
        raise InvalidInput("What was typed is not text in the terminal's encoding.", "Type it again.") from error
    return typed


def _from_fd(fd: int) -> str:
    try:
        with os.fdopen(fd, "rb", closefd=False) as stream:
            raw = stream.read()
    except OSError as error:
        raise InvalidInput(
            f"Nothing can be read from descriptor {fd}: {error.strerror}.", "Open it for reading."
        ) from error
    try:
        return raw.decode("utf-8").removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError as error:
        raise InvalidInput("The passphrase is not UTF-8 text.", "Encode it in UTF-8.") from error


def _ring() -> Any:
    """The system's keyring. Raises ``InvalidInput`` where there is none that keeps a secret."""
    try:
        import keyring
    except ImportError as error:
        raise InvalidInput(
            "The system's keyring needs a package.", "Install it: pip install 'edgemem-store[keyring]'"
        ) from error
    ring = keyring.get_keyring()
    name = f"{type(ring).__module__}.{type(ring).__name__}"
    if ring.priority < 1 or any(word in name.lower() for word in ("fail", "null", "plaintext")):
        raise InvalidInput(
            f"This system has no keyring that keeps a secret ({name}).", f"Use {ENV} or --passphrase-fd."
        )
    return ring


def keep_key(key: Any) -> None:
    """Keep a file's page key in the keyring: it opens the file, not the values sealed in it."""
    _ring().set_password(SERVICE, key.salt.hex(), key.pages.hex())


def kept_key(salt: bytes) -> Any:
    """The page key kept for a file, or None."""
    from edgemem.store.key import Key

    try:
        pages = _ring().get_password(SERVICE, salt.hex())
    except InvalidInput:
        return None
    return None if pages is None else Key(salt, bytes.fromhex(pages))


def drop_key(salt: bytes) -> bool:
    """Take a file's key out of the keyring; false when there was none."""
    if kept_key(salt) is None:
        return False
    _ring().delete_password(SERVICE, salt.hex())
    return True
