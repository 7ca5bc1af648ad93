"""From an empty or older file to the schema of this version.

Numbered steps, kept in order by sqlite-utils, which records in the file which of them it has had.
All that are missing run in one transaction of ours that takes the write lock at once: sqlite-utils'
own begins by reading, and of several processes that open an old file together all but one would fail.
"""

from __future__ import annotations

import contextlib
from typing import Any

from edgemem.errors import NewerStore, NotAStore
from edgemem.ids import new_id
from edgemem.store import fulltext, graves, owner_seals, schema, schema_changes, turn_seals
from edgemem.store.engine import Engine
from edgemem.text import SEGMENTER_VERSION


def migrate(engine: Engine, *, now: str) -> bool:
    """Bring the file to this version's schema; whether there was none and it is a new file now.

    Raises ``NotAStore`` for somebody else's SQLite file, ``NewerStore`` for a file of a newer
    edgemem. A file that may only be read is upgraded in memory; it shows what was there when it was opened.
    """
    with engine.read() as tx:
        version = _identify(engine, tx)
        behind = version < schema.VERSION or _indexed_otherwise(engine, tx)
    if not engine.read_only:
        engine.use_wal()
    if behind and engine.read_only:
        engine.to_memory(lambda tx: _apply(engine, tx, now))
    elif behind:
        with engine.write() as tx:
            # Another process may have been faster while we waited for the lock: then nothing is left to do.
            version = _identify(engine, tx)
            _apply(engine, tx, now)
    engine.schema = schema.VERSION
    return version == 0


def _identify(engine: Engine, tx: Any) -> int:
    application = tx.execute("PRAGMA application_id").fetchone()[0]
    version = int(tx.execute("PRAGMA user_version").fetchone()[0])
    tables = tx.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if application != schema.APPLICATION_ID:
        if tables or application:
            raise NotAStore(f"{engine.path} is an SQLite file, but not edgemem's.", "Name another file with --file.")
        if engine.read_only:
            raise NotAStore(f"{engine.path} is empty.", "Open it once for writing to make it an edgemem file.")
        return 0
    if version > schema.VERSION:
        raise NewerStore(
            f"{engine.path} was written by a newer edgemem (schema {version}; this one knows {schema.VERSION}).",
            "Upgrade: pip install -U edgemem-store",
        )
    return version


def _indexed_otherwise(engine: Engine, tx: Any) -> bool:
    """Whether the full-text index was made by another ``segment`` than this version's, whatever the schema."""
    with contextlib.suppress(*engine.driver_errors, UnicodeDecodeError):  # damage, which the examination names
        row = tx.execute("SELECT value FROM meta WHERE key = 'segmenter'").fetchone()
        return row is None or row[0] != str(SEGMENTER_VERSION)
    return False


def _apply(engine: Engine, tx: Any, now: str) -> None:
    if tx.execute("PRAGMA user_version").fetchone()[0] < schema.VERSION:
        _take_steps(tx, now)
    if _indexed_otherwise(engine, tx):
        fulltext.rebuild(tx)
        fulltext.note_segmenter(tx)


def _take_steps(tx: Any, now: str) -> None:
    # Imported here: it costs more than opening a file that needs nothing.
    from sqlite_utils import Database
    from sqlite_utils.migrations import Migrations

    steps = Migrations("edgemem")
    for step in STEPS:
        steps(name=step.__name__)(lambda db, step=step: step(db.conn, now))
    steps.apply(Database(tx, execute_plugins=False))
    tx.execute(f"PRAGMA application_id={schema.APPLICATION_ID}")
    tx.execute(f"PRAGMA user_version={schema.VERSION}")


def m001_all_kinds_of_memory(tx: Any, now: str) -> None:
    """Schema 1."""
    for script in schema.SCRIPTS:
        for statement in statements(script):
            tx.execute(statement)
    for table in ("memory_fts", "turn_fts"):
        _delete_securely(tx, table)
    tx.executemany(
        "INSERT INTO meta(key, value) VALUES (?, ?)",
        [("file_id", new_id()), ("created_at", now), ("segmenter", str(SEGMENTER_VERSION))],
    )


def m002_indexes_by_user(tx: Any, now: str) -> None:  # noqa: ARG001 - every step is called alike
    """Schema 2: one vector index for each user, and a change log that does not grow without end."""
    for statement in statements(schema_changes.INDEXES_BY_USER):
        tx.execute(statement)


def m003_found_at_once(tx: Any, now: str) -> None:  # noqa: ARG001 - every step is called alike
    """Schema 3: pinned memories and rules, and the summaries of the last sessions, are found at once."""
    for statement in statements(schema_changes.STANDING):
        tx.execute(statement)


def m004_graves(tx: Any, now: str) -> None:  # noqa: ARG001 - every step is called alike
    """Schema 4: what was erased stays erased when files are merged or a backup is restored."""
    for statement in statements(schema_changes.GRAVES):
        tx.execute(statement)


def m005_conclusions(tx: Any, now: str) -> None:  # noqa: ARG001 - every step is called alike
    """Schema 5: insights are found by their user and by their evidence at once."""
    for statement in statements(schema_changes.CONCLUSIONS):
        tx.execute(statement)


def m006_long_turns_stand_alone(tx: Any, now: str) -> None:  # noqa: ARG001 - every step is called alike
    """Schema 6: very long turns are indexed without their neighbours' words."""
    if tx.execute("SELECT 1 FROM turn WHERE length(content) > ? LIMIT 1", (fulltext.LONG,)).fetchone():
        fulltext.rebuild(tx)


def m007_seals(tx: Any, now: str) -> None:  # noqa: ARG001 - every step is called alike
    """Schema 7: rows without a history carry a seal; what a change leaves as it usually is, it does not write down."""
    for statement in statements(schema_changes.SEALS):
        tx.execute(statement)


def m008_both_scripts(tx: Any, now: str) -> None:
    """Schema 8: traditional Chinese characters are indexed as simplified ones. Its index is made anew after all steps."""


def m009_turns_stand_alone(tx: Any, now: str) -> None:  # noqa: ARG001 - every step is called alike
    """Schema 9: a turn is checked by its own row, whatever becomes of its session's; a session carries a seal."""
    for statement in statements(schema_changes.SESSION_SEALS):
        tx.execute(statement)
    turn_seals.renew(tx)


def m010_whose_it_is(tx: Any, now: str) -> None:  # noqa: ARG001 - every step is called alike
    """Schema 10: the seals of memories and changes tell whose they are; traces, jobs and graves carry one too."""
    for statement in statements(schema_changes.OWNER_SEALS):
        tx.execute(statement)
    owner_seals.renew(tx)
    graves.renew(tx)


STEPS = (
    m001_all_kinds_of_memory, m002_indexes_by_user, m003_found_at_once, m004_graves, m005_conclusions,
    m006_long_turns_stand_alone, m007_seals, m008_both_scripts, m009_turns_stand_alone,
    m010_whose_it_is,
)  # fmt: skip
"""In order; a step that has been released is never changed."""


def mend_steps(tx: Any) -> int:
    """Give altered names in the list of steps their own again, else the next upgrade would take such a step twice. How many."""
    had = tx.execute(
        "SELECT rowid, name FROM _sqlite_migrations WHERE migration_set = 'edgemem' ORDER BY rowid"
    ).fetchall()
    names = [step.__name__ for step in STEPS]
    altered = [row[0] for row in had if row[1] not in names]
    missing = [name for name in names if name not in {row[1] for row in had}]
    for key, name in zip(altered, missing, strict=False):
        tx.execute("UPDATE _sqlite_migrations SET name = ? WHERE rowid = ?", (name, key))
    return len(altered)


def unknown_steps(tx: Any) -> list[str]:
    """Steps that a file has had and this version does not know: a newer one wrote it. A name that was altered is none of them."""
    had = tx.execute("SELECT name FROM _sqlite_migrations WHERE migration_set = 'edgemem'").fetchall()
    if len(had) <= len(STEPS):
        return []
    return [row[0] for row in had if row[0] not in {step.__name__ for step in STEPS}]


def _delete_securely(tx: Any, table: str) -> None:
    # Known from SQLite 3.42 on; older ones keep deleted terms until the index is optimised.
    version = tuple(int(n) for n in tx.execute("SELECT sqlite_version()").fetchone()[0].split("."))
    if version >= (3, 42, 0):
        tx.execute(f"INSERT INTO {table}({table}, rank) VALUES ('secure-delete', 1)")


def statements(script: str) -> list[str]:
    """Split a script of ours into statements. Ours has no semicolon inside text or comments' code."""
    lines = [line for line in script.splitlines() if not line.lstrip().startswith("--")]
    return [s.strip() for s in "\n".join(lines).split(";") if s.strip()]
