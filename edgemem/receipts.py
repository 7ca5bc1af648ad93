"""Receipts of erasures: what goes or went, what a look through the bytes gave; and of a backup put in place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Erased:
    """One thing that an erasure takes or changes.

    ``what`` is its table's name. ``effect``: erased; detached (it stays, without the words it came from); restored (it is
    again what it was before the erased words); revived (what replaced it went). ``text`` is empty once that is done.
    """

    what: str
    id: str
    effect: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Proof:
    """What a look through the bytes of the file gave, in another process.

    ``words`` were looked for in ``bytes`` bytes; ``found`` are those that are still there, with how often.
    ``kept`` were not looked for: other memories or messages hold them. ``skipped`` were too many to look for.
    """

    words: int
    bytes: int
    found: Mapping[str, int]
    kept: tuple[str, ...]
    skipped: int


@dataclass(frozen=True, slots=True)
class Erasure:
    """What an erasure takes (``done`` false: a preview, nothing was touched), or took.

    ``scrubbed`` is false when another program was reading an older state of the file: the words stand in the
    ``-wal`` file until that program is done. ``proof`` is there when it was asked for. ``echoes`` are turns that stay
    although they say again what goes, such as the assistant's answer that repeats it.
    """

    items: tuple[Erased, ...]
    done: bool = False
    scrubbed: bool = False
    proof: Proof | None = None
    echoes: tuple[Erased, ...] = ()

    def count(self, what: str, effect: str = "erased") -> int:
        """How many things of a kind met with an effect."""
        return sum(item.what == what and item.effect == effect for item in self.items)


@dataclass(frozen=True, slots=True)
class Copies:
    """Backups, and files that a restore or a repair put aside: ``holding`` still have words that were erased since.

    ``closed`` could not be looked into: another passphrase, or damage.
    """

    holding: tuple[Path, ...]
    closed: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class Restored:
    """What a restore did. ``kept`` is where the file that was there lies now, if there was one.

    ``erased`` counts what the backup held and had been erased since: it stays erased. ``unread`` says why the file
    that was there could not be asked what was erased; then what was erased since is back.
    """

    path: Path
    kept: Path | None
    erased: int = 0
    unread: str = ""
