"""The part of a user's view that carries the memory out of the file and into it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from edgemem import filters
from edgemem.store.engine import Engine
from edgemem.write.learner import Learner

if TYPE_CHECKING:
    from edgemem.interop.mask import Masker
    from edgemem.memory import MemoryFile
    from edgemem.transfer import Carrier, Exported, ImportReport


class Portable:
    """Export and import of one user. What they need is imported when they are called."""

    file: MemoryFile
    name: str
    _key: int
    _engine: Engine
    _learner: Learner

    def export_to(
        self, target: Path | TextIO, *, form: str | None = None, kinds: Sequence[str] = (), namespace: str | None = None,
        status: str | None = None, since: datetime | None = None, sensitive: bool = False, overwrite: bool = False,
    ) -> Exported:  # fmt: skip
        """Write the memory as ``jsonl`` (complete), ``markdown`` (a folder of notes) or ``csv``; None goes by the name.

        ``status`` None is all for JSONL and live memories for the others. Values marked sensitive are
        masked unless ``sensitive``. Raises ``InvalidInput``.
        """
        from edgemem.transfer import Selection

        filters.checked_kinds(kinds)
        filters.check_status("any" if status is None else status)
        chosen = Selection(tuple(kinds), namespace, status, since, sensitive)
        return self._carrier().export_to(target, chosen, form=form, overwrite=overwrite, user=self.name)

    def import_from(
        self, source: Path, *, form: str | None = None, zone: str | None = None, me: str | None = None,
        extract: bool = True, dry_run: bool = False, progress: Callable[[int], None] | None = None,
    ) -> ImportReport:  # fmt: skip
        """Take a file or folder of edgemem or of another tool, each record once; ``dry_run`` only says what would happen.

        Conversations go into the log and, with ``extract``, into the queue; memories are added as they
        are. ``zone`` is for times that carry none, ``me`` the user's name in a plain log, ``progress``
        gets the number of records seen. Raises ``InvalidInput`` for a file that cannot be read or told.
        """
        report = self._carrier().import_from(
            source, form=form, zone=zone, me=me, extract=extract, dry_run=dry_run, progress=progress
        )
        embedder, _ = self.file.embedder_or_reason()
        if embedder is not None and not dry_run:
            self._learner.embed(embedder, "turn")
            self._learner.embed(embedder, "memory")
        return report

    def masker(self) -> Masker:
        """Takes the words of this user's sensitive memories out of what is shown to others: ``masker().text(value)``."""
        with self._engine.read() as tx:
            return self._carrier().masker(tx)

    def _carrier(self) -> Carrier:
        from edgemem.transfer import Carrier

        return Carrier(self._engine, self._key, self.file.clock.now, self.file.settings.max_turn_bytes)
