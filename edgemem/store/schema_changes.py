"""What the schemas after the first one changed, each with the reason."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

INDEXES_BY_USER: Final = """
-- An owner stands in the log once, at its last change: the log stays as small as what it tells of, and
-- whoever read it up to some number still finds all that changed since.
CREATE TABLE change_2 (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL,
  owner TEXT NOT NULL,
  owner_id INTEGER NOT NULL
) STRICT;
INSERT INTO change_2(seq, user_id, owner, owner_id)
  SELECT max(seq), user_id, owner, owner_id FROM change GROUP BY user_id, owner, owner_id;
DROP TABLE change;
ALTER TABLE change_2 RENAME TO change;
CREATE INDEX change_by_scope ON change(user_id, owner, seq);
CREATE UNIQUE INDEX change_once ON change(user_id, owner, owner_id);

-- The graph part of a vector index, one for each user: nobody's search walks through another's rows.
-- Derived, checksummed, replaced as a whole. `upto` is the last change it knows of; `nodes` counts its
-- vectors; `lease_by` is building until `lease_until` (seconds since 1970), others need not.
DROP TABLE snapshot_chunk;
DROP TABLE snapshot;
-- With the owner in it: else the vectors of one memory were looked for among all of the user's.
DROP INDEX vector_by_scope;
CREATE INDEX vector_by_scope ON vector(user_id, owner, owner_id, model_id);
CREATE TABLE snapshot (
  user_id INTEGER NOT NULL REFERENCES user(id),
  owner TEXT NOT NULL,
  model_id INTEGER NOT NULL REFERENCES embedding_model(id),
  upto INTEGER NOT NULL,
  nodes INTEGER NOT NULL,
  bytes INTEGER NOT NULL, crc INTEGER NOT NULL,
  library TEXT NOT NULL, settings TEXT NOT NULL CHECK (json_valid(settings)),
  lease_by TEXT, lease_until INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (user_id, owner, model_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE snapshot_chunk (
  user_id INTEGER NOT NULL, owner TEXT NOT NULL, model_id INTEGER NOT NULL, n INTEGER NOT NULL,
  data BLOB NOT NULL,
  PRIMARY KEY (user_id, owner, model_id, n)
) STRICT;
"""
"""What schema 2 changed."""

STANDING: Final = """
-- What goes into every context block, found without a look at all the other memories.
CREATE INDEX memory_standing ON memory(user_id, pinned, importance, updated_at)
  WHERE status = 'live' AND (pinned = 1 OR kind = 'rule');
-- The last sessions, and of those the ones that have a summary.
CREATE INDEX session_by_last ON session(user_id, last_at);
CREATE INDEX summary_by_session ON summary(user_id, session_id);
"""
"""What schema 3 added."""

GRAVES: Final = """
-- What was erased, without its words, so that a merge or a restored backup does not bring it back. `digest` is
-- SHA-256 of `salt` and the row's name, with the row's seal behind it; `user_id` 0: a person. `undo`: what was learned from a turn went with it.
CREATE TABLE erased (
  user_id INTEGER NOT NULL,
  kind TEXT NOT NULL,
  salt BLOB NOT NULL,
  digest BLOB NOT NULL,
  at TEXT NOT NULL,
  undo INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (user_id, kind, salt, digest)
) STRICT, WITHOUT ROWID;
"""
"""What schema 4 added."""

CONCLUSIONS: Final = """
-- What was concluded, and what was concluded from a memory or turn that changes.
CREATE INDEX insight_by_user ON insight(user_id, status);
CREATE INDEX evidence_by_memory ON evidence(memory_id) WHERE memory_id IS NOT NULL;
CREATE INDEX evidence_by_turn ON evidence(turn_id) WHERE turn_id IS NOT NULL;
"""
"""What schema 5 added."""

SEALED_FROM: Final = 10
"""The schema from which on all of ``SEALED_ROWS`` carry a seal, and a memory's own covers whose it is."""

_FIRST_SEALS: Final = 7

_LATER_SEALS: Final[Mapping[str, int]] = {"session": 9, "history": 10, "trace": 10, "job": 10}

SEALED_ROWS: Final[Mapping[str, tuple[tuple[str, ...], int]]] = {
    "user": (("id", "name", "created_at"), 1),
    "session": (("id", "user_id", "uid", "title", "started_at", "last_at", "private"), 1),
    "task": (("id", "user_id", "name", "status", "started_at", "ended_at", "expires_at"), 1),
    "state": (("user_id", "task_id", "field", "value", "version", "updated_at"), 3),
    "profile": (("user_id", "field", "avoid", "value", "confidence", "readers", "memory_id", "updated_at"), 3),
    "summary": (("id", "user_id", "uid", "session_id", "first_turn", "last_turn", "status", "created_at"), 1),
    "summary_sentence": (("summary_id", "n", "content"), 2),
    "summary_source": (("summary_id", "n", "turn_id"), 3),
    "entity": (("id", "user_id", "uid", "name", "kind", "status", "created_at"), 1),
    "alias": (("user_id", "folded", "entity_id", "name"), 3),
    "relation": (("id", "user_id", "uid", "subject_id", "predicate", "object_id", "confidence", "status", "valid_from",
                  "valid_to", "memory_id", "turn_id", "recorded_at"), 1),
    "insight": (("id", "user_id", "uid", "content", "confidence", "status", "created_at", "checked_at"), 1),
    "evidence": (("insight_id", "n", "memory_id", "turn_id"), 2),
    "review": (("id", "user_id", "uid", "topic", "subject_uid", "proposal", "status", "created_at", "settled_at"), 1),
    "history": (("seq", "user_id", "hash", "digest", "uid", "memory_uid", "decision", "action", "author", "undoes", "at"), 1),
    "trace": (("id", "user_id", "uid", "kind", "turn_id", "steps", "at"), 1),
    "job": (("id", "user_id", "uid", "kind", "payload", "created_at"), 1),
}  # fmt: skip
"""The columns that the seal of a row covers, the first so many of which are its key. A memory and a turn have seals of
their own. What a change says may be erased, so its seal covers the digest of that; of a job it leaves out how far it is."""


def sealed_since(table: str) -> int:
    """The schema from which on the rows of a table carry a seal."""
    return _LATER_SEALS.get(table, _FIRST_SEALS)


def _seals(*tables: str) -> str:
    return "\n".join(
        f"ALTER TABLE {table} ADD COLUMN seal BLOB;\n"
        f"UPDATE {table} SET seal = edgemem_seal('{table}', {', '.join(SEALED_ROWS[table][0])});"
        for table in tables
    )


SEALS: Final = _seals(*(table for table in SEALED_ROWS if sealed_since(table) == _FIRST_SEALS))
"""What schema 7 added."""

SESSION_SEALS: Final = _seals("session")
"""What schema 9 added."""

OWNER_SEALS: Final = f"ALTER TABLE history ADD COLUMN seal BLOB;\n{_seals('trace', 'job')}"
"""What schema 10 added. Which changes get a seal is looked at one by one."""
