"""Automatic backups: made when the last one is old, without anybody asking; a failure is logged, never raised."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta

from edgemem.errors import EdgememError, StoreCorrupt
from edgemem.ports import Clock
from edgemem.records import Backup
from edgemem.settings import Settings
from edgemem.store import backup
from edgemem.store.engine import Engine
from edgemem.store.swap import Opener
from edgemem.times import from_db

_log = logging.getLogger(__name__)

AGAIN = timedelta(hours=1)
"""How long to wait after a backup that failed."""


class AutomaticBackups:
    """Keeps the newest few copies of one open file in the folder beside it."""

    def __init__(self, engine: Engine, opener: Opener, settings: Settings, clock: Clock) -> None:
        self._engine = engine
        self._opener = opener
        self._settings = settings
        self._clock = clock
        self._created: datetime | None = None
        self._not_before: datetime | None = None

    def make_if_due(self) -> Backup | None:
        """Make one if the last is old and the file has changed since; None when there was nothing to do."""
        now, path = self._clock.now(), self._engine.path
        if self._engine.read_only or not self._settings.backups or (self._not_before and now < self._not_before):
            return None
        try:
            if not backup.due(path, self._file_created(), now, self._settings.backup_days):
                return None
            target = backup.place_for(backup.folder_of(path), path, now, automatic=True)
            made = backup.make(self._engine, target, self._opener)
            backup.prune(path, self._settings.backups)
        except (EdgememError, OSError) as error:
            self._not_before = now + AGAIN
            _log.warning("No automatic backup of %s was made: %s", path, error)
            return None
        return Backup(target, made, now, automatic=True)

    def _file_created(self) -> datetime:
        if self._created is None:
            with self._engine.read() as tx:
                row = tx.execute("SELECT value FROM meta WHERE key = 'created_at'").fetchone()
            if row is None:
                raise StoreCorrupt("The file does not say when it was made.", "Repair it: edgemem check --repair")
            self._created = from_db(row[0])
        return self._created
