"""The part of a user's view that carries the memory out of the file and into it."""

from __future__ import annotations

import itertools
import os
from abc import abstractmethod
from collections.abc import Callable, Generator, Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from edgemem import filters
from edgemem.store import carry_out, carry_vectors
from edgemem.store.carry_vectors import CarriedVector
from edgemem.store.engine import Engine
from edgemem.text import check_path

if TYPE_CHECKING:
    from edgemem.intake import ImportReport, Intake, Reading
    from edgemem.interop.forms import Exported
    from edgemem.interop.mask import Masker
    from edgemem.memory import MemoryFile
    from edgemem.transfer import Carrier


class Portable:
    """Export and import of one user. What they need is imported when they are called."""

    file: MemoryFile
    name: str
    _key: int
    _engine: Engine

    @abstractmethod
    def _embed(self, *owners: str) -> None:
        """Give new texts their vectors: the view's own call."""

    def export_to(
        self, target: Path | TextIO, *, form: str | None = None, kinds: Sequence[str] = (), namespace: str | None = None,
        status: str | None = None, since: datetime | None = None, sensitive: bool = False, overwrite: bool = False,
        passphrase: str | None = None,
    ) -> Exported:  # fmt: skip
        """Write the memory as ``jsonl`` (complete), ``markdown`` (a folder of notes), ``csv``, or its graph as ``graphml`` or ``dot``.

        ``form`` None goes by the name. ``passphrase`` encrypts a file; ``import_from`` opens it with the same.

        ``status`` None is all for JSONL and what is live for the others. Values marked sensitive are
        masked unless ``sensitive``. Raises ``InvalidInput``.
        """
        from edgemem.interop.forms import Selection

        filters.checked_kinds(kinds)
        filters.check_name(namespace, "namespace")
        target = check_path(target) if isinstance(target, os.PathLike) else target
        filters.check_status("any" if status is None else status)
        chosen = Selection(tuple(kinds), namespace, status, since, sensitive)
        return self._carrier().export_to(
            target, chosen, form=form, overwrite=overwrite, user=self.name, passphrase=passphrase
        )

    def import_from(
        self, source: Path | Reading, *, form: str | None = None, zone: str | None = None, me: str | None = None,
        extract: bool = True, dry_run: bool = False, revive: bool = False,
        progress: Callable[[int], None] | None = None, passphrase: str | None = None,
    ) -> ImportReport:  # fmt: skip
        """Take a file or folder of edgemem or of another tool, each record once; ``dry_run`` only says what would happen.

        Conversations go into the log and, with ``extract``, into the queue; memories are added as they
        are. ``zone`` is for times that carry none, ``me`` the user's name in a plain log, ``progress``
        gets the number of records seen, ``passphrase`` opens an encrypted export. What was erased from this
        memory does not come back, unless ``revive``. Raises ``InvalidInput`` for a file that cannot be read or
        told, ``PassphraseNeeded`` or ``WrongPassphrase``; ``edgemem.intake.read`` finds that out beforehand.
        """
        from edgemem.intake import Reading, read

        if not isinstance(source, Reading):
            source = read(source, form=form, zone=zone, me=me, passphrase=passphrase)
        report = self._intake().import_from(source, extract=extract, dry_run=dry_run, revive=revive, progress=progress)
        if not dry_run:
            self._embed("turn", "memory")
        return report

    def layout(self) -> dict[str, list[tuple[str, str]]]:
        """The fields of ``records`` by table, each with its kind: text, integer, real, time, json, name or names (of a row)."""
        with self._engine.read() as tx:
            return carry_out.layout(tx)

    def records(self, *, sensitive: bool = False) -> Generator[dict[str, Any], None, None]:
        """All rows of this user as plain records, each after those it rests on: what ``jsonl`` holds, line by line.

        The file is read as it was when the first one was asked for. Sensitive values are masked unless ``sensitive``.
        """
        carrier = self._carrier()
        with self._engine.read() as tx:
            yield from carrier.carried(tx, None, carrier.masker(tx, sensitive=sensitive), sensitive=sensitive)

    def vectors(self) -> Generator[CarriedVector, None, None]:
        """All vectors of this user, by the names of what they belong to."""
        with self._engine.read() as tx:
            yield from carry_vectors.carried(tx, self._key)

    def take_records(self, records: Iterable[dict[str, Any]], *, schema: int, revive: bool = False) -> ImportReport:
        """Take what ``records`` gave in a file of this ``schema``, each once. Raises ``InvalidInput`` for a newer schema.

        What was erased from this memory does not come back, unless ``revive``.
        """
        from edgemem.intake import ImportReport
        from edgemem.interop import own
        from edgemem.store.schema import VERSION

        own.check_head({"format": own.FORMAT, "schema": schema}, VERSION)
        report = ImportReport("edgemem", dry_run=False)
        self._intake().take_records(enumerate(records, 1), report, lambda _: None, revive=revive)
        return report

    def take_vectors(self, vectors: Iterable[CarriedVector]) -> int:
        """Keep vectors of what is here and has none of that model yet; returns of how many."""
        groups = itertools.groupby(vectors, key=lambda v: (v.owner, v.name, v.model))
        with self._engine.write() as tx:
            return sum(carry_vectors.arrive(tx, self._key, list(parts)) for _, parts in groups)

    def masker(self) -> Masker:
        """Takes the words of this user's sensitive memories out of what is shown to others: ``masker().text(value)``."""
        with self._engine.read() as tx:
            return self._carrier().masker(tx)

    def _carrier(self) -> Carrier:
        from edgemem.transfer import Carrier

        return Carrier(self._engine, self._key, self.file.clock.now)

    def _intake(self) -> Intake:
        from edgemem.intake import Intake

        return Intake(self._engine, self._key, self.file.clock.now, self.file.settings.max_turn_bytes)
