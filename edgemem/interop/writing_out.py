"""Writes exports: whole or not at all, never over something that is there unless told to."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from edgemem.errors import InvalidInput
from edgemem.interop.sealed_file import closed


def write_file(target: Path, lines: Iterable[str], *, overwrite: bool, passphrase: str | None = None) -> None:
    """Write text to a file that only its owner may read, encrypted if there is a passphrase. Raises ``InvalidInput``."""
    if target.exists() and not overwrite:
        raise InvalidInput(f"{target} is there already.", "Name another file, or say --force.")
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.writelines(
                    (line.encode("utf-8") for line in lines) if passphrase is None else closed(lines, passphrase)
                )
            Path(name).replace(target)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise InvalidInput(f"{target} cannot be written: {error.strerror or error}.", "Name another place.") from error


def write_folder(target: Path, files: Mapping[str, str], *, overwrite: bool) -> None:
    """Write files into a folder, made if it is not there. Raises ``InvalidInput``."""
    if target.exists() and not target.is_dir():
        raise InvalidInput(f"{target} is no folder.", "Markdown notes need a folder.")
    there = [name for name in files if (target / name).exists()]
    if there and not overwrite:
        raise InvalidInput(f"{target / there[0]} is there already.", "Name another folder, or say --force.")
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInput(f"{target} cannot be made: {error.strerror or error}.", "Name another folder.") from error
    for name, text in files.items():
        write_file(target / name, [text], overwrite=overwrite)
