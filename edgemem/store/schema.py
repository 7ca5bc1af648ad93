"""The tables, each with the reason why it is there: those of schema 1. ``schema_changes`` has what came later.

Rows are the truth; ``vector`` holds the embeddings as rows too; ``*_fts`` and ``snapshot`` are
derived and can be rebuilt. Every table that belongs to a person carries ``user_id`` as part of a
key, so that no query can be written that joins across users by accident.

Kinds of memory of the mission and where they live: working memory in ``task`` and ``state``;
the session window and the raw log in ``session`` and ``turn``; rolling summaries in ``summary``;
long-term memories in ``memory``; the structured profile in ``profile``; the graph in ``entity``,
``alias`` and ``relation``; reflections in ``insight``; what waits for a person in ``review``.
"""

from __future__ import annotations

from typing import Final

APPLICATION_ID: Final = 0x65646D31
"""``edm1``: written to the file's header, tells an edgemem store from any other SQLite file."""

VERSION: Final = 10
"""``PRAGMA user_version`` of files this code writes."""

TOKENIZER: Final = "porter unicode61 remove_diacritics 2"
"""How the full-text tables of schema 1 cut and stem words."""

CORE: Final = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE user (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  created_at TEXT NOT NULL
) STRICT;

CREATE TABLE session (
  id INTEGER PRIMARY KEY,
  user_id INTEGER NOT NULL REFERENCES user(id),
  uid TEXT NOT NULL,
  title TEXT NOT NULL DEFAULT '',
  started_at TEXT NOT NULL,
  last_at TEXT NOT NULL,
  private INTEGER NOT NULL DEFAULT 0,
  UNIQUE (user_id, uid)
) STRICT;

-- The raw log: complete and exact. `extracted`: 0 waiting, 1 done, 2 not to be extracted.
CREATE TABLE turn (
  id INTEGER PRIMARY KEY,
  user_id INTEGER NOT NULL REFERENCES user(id),
  session_id INTEGER NOT NULL REFERENCES session(id),
  uid TEXT NOT NULL,
  position INTEGER NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('user','assistant','system','tool')),
  speaker TEXT,
  content TEXT NOT NULL,
  said_at TEXT NOT NULL,
  zone TEXT NOT NULL,
  hash BLOB NOT NULL,
  extracted INTEGER NOT NULL DEFAULT 0,
  UNIQUE (session_id, uid),
  UNIQUE (session_id, position)
) STRICT;
CREATE INDEX turn_by_user ON turn(user_id, said_at);
"""

MEMORIES: Final = """
-- One self-contained sentence each. The partial unique index is what stores a fact once even when
-- two processes write it at the same moment.
CREATE TABLE memory (
  id INTEGER PRIMARY KEY,
  user_id INTEGER NOT NULL REFERENCES user(id),
  uid TEXT NOT NULL UNIQUE,
  agent TEXT,
  namespace TEXT NOT NULL,
  kind TEXT NOT NULL,
  content TEXT NOT NULL,
  about TEXT NOT NULL DEFAULT 'user',
  data TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(data)),
  subject TEXT, attribute TEXT, value TEXT,
  polarity INTEGER NOT NULL DEFAULT 1,
  importance REAL NOT NULL DEFAULT 0.5 CHECK (importance BETWEEN 0 AND 1),
  confidence REAL NOT NULL DEFAULT 1 CHECK (confidence BETWEEN 0 AND 1),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  last_used_at TEXT,
  use_count INTEGER NOT NULL DEFAULT 0,
  valid_from TEXT, valid_to TEXT, expires_at TEXT,
  pinned INTEGER NOT NULL DEFAULT 0,
  sensitivity TEXT NOT NULL DEFAULT 'normal',
  status TEXT NOT NULL DEFAULT 'live'
    CHECK (status IN ('live','superseded','forgotten','expired','review')),
  version INTEGER NOT NULL DEFAULT 1,
  superseded_by TEXT,
  source_turn INTEGER REFERENCES turn(id),
  source_quote TEXT, source_start INTEGER,
  trace TEXT,
  content_hash BLOB NOT NULL,
  row_hash BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX memory_once ON memory(user_id, content_hash, namespace) WHERE status = 'live';
CREATE INDEX memory_by_user ON memory(user_id, status, updated_at);
CREATE INDEX memory_by_slot ON memory(user_id, subject, attribute) WHERE subject IS NOT NULL;
CREATE INDEX memory_by_turn ON memory(source_turn);

-- Append-only. `payload` holds reason, before and after; `digest` = SHA-256(salt + payload) and
-- `hash` chains digests, so that erasing a payload (with its salt) leaves the chain verifiable.
CREATE TABLE history (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES user(id),
  uid TEXT NOT NULL UNIQUE,
  memory_uid TEXT NOT NULL,
  decision TEXT NOT NULL,
  action TEXT NOT NULL,
  author TEXT NOT NULL CHECK (author IN ('model','rule','user')),
  at TEXT NOT NULL,
  undoes TEXT,
  salt BLOB, payload TEXT,
  digest BLOB NOT NULL,
  hash BLOB NOT NULL
) STRICT;
CREATE INDEX history_by_memory ON history(user_id, memory_uid, seq);
CREATE INDEX history_by_decision ON history(user_id, decision);
-- Holds `seq` as its row id: the tip of a user's chain is one step away.
CREATE INDEX history_by_user ON history(user_id);
CREATE INDEX history_undone ON history(user_id, undoes) WHERE undoes IS NOT NULL;

CREATE TABLE profile (
  user_id INTEGER NOT NULL REFERENCES user(id),
  field TEXT NOT NULL,
  value TEXT NOT NULL CHECK (json_valid(value)),
  avoid INTEGER NOT NULL DEFAULT 0,
  confidence REAL NOT NULL DEFAULT 1,
  readers TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(readers)),
  memory_id INTEGER REFERENCES memory(id),
  updated_at TEXT NOT NULL,
  PRIMARY KEY (user_id, field, avoid)
) STRICT, WITHOUT ROWID;

CREATE TABLE task (
  id INTEGER PRIMARY KEY,
  user_id INTEGER NOT NULL REFERENCES user(id),
  name TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'open' CHECK (status IN ('open','done','archived')),
  started_at TEXT NOT NULL, ended_at TEXT, expires_at TEXT,
  UNIQUE (user_id, name)
) STRICT;

CREATE TABLE state (
  user_id INTEGER NOT NULL REFERENCES user(id),
  task_id INTEGER NOT NULL REFERENCES task(id),
  field TEXT NOT NULL,
  value TEXT NOT NULL CHECK (json_valid(value)),
  version INTEGER NOT NULL DEFAULT 1,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (user_id, task_id, field)
) STRICT, WITHOUT ROWID;
"""

DERIVED_BY_MODEL: Final = """
CREATE TABLE summary (
  id INTEGER PRIMARY KEY,
  user_id INTEGER NOT NULL REFERENCES user(id),
  uid TEXT NOT NULL UNIQUE,
  session_id INTEGER NOT NULL REFERENCES session(id),
  first_turn INTEGER NOT NULL REFERENCES turn(id),
  last_turn INTEGER NOT NULL REFERENCES turn(id),
  status TEXT NOT NULL DEFAULT 'live',
  created_at TEXT NOT NULL
) STRICT;

-- One row a sentence, so that a sentence can be checked against, and erased with, its turns.
CREATE TABLE summary_sentence (
  summary_id INTEGER NOT NULL REFERENCES summary(id),
  n INTEGER NOT NULL,
  content TEXT NOT NULL,
  PRIMARY KEY (summary_id, n)
) STRICT, WITHOUT ROWID;
CREATE TABLE summary_source (
  summary_id INTEGER NOT NULL, n INTEGER NOT NULL,
  turn_id INTEGER NOT NULL REFERENCES turn(id),
  PRIMARY KEY (summary_id, n, turn_id),
  FOREIGN KEY (summary_id, n) REFERENCES summary_sentence(summary_id, n)
) STRICT, WITHOUT ROWID;

CREATE TABLE entity (
  id INTEGER PRIMARY KEY,
  user_id INTEGER NOT NULL REFERENCES user(id),
  uid TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  kind TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'live',
  created_at TEXT NOT NULL
) STRICT;
-- Several entities may answer to one name, so the key is the pair.
CREATE TABLE alias (
  user_id INTEGER NOT NULL REFERENCES user(id),
  folded TEXT NOT NULL,
  entity_id INTEGER NOT NULL REFERENCES entity(id),
  name TEXT NOT NULL,
  PRIMARY KEY (user_id, folded, entity_id)
) STRICT, WITHOUT ROWID;

-- Edges are closed (valid_to), not deleted; doubtful ones wait with status 'review'.
CREATE TABLE relation (
  id INTEGER PRIMARY KEY,
  user_id INTEGER NOT NULL REFERENCES user(id),
  uid TEXT NOT NULL UNIQUE,
  subject_id INTEGER NOT NULL REFERENCES entity(id),
  predicate TEXT NOT NULL,
  object_id INTEGER NOT NULL REFERENCES entity(id),
  confidence REAL NOT NULL CHECK (confidence BETWEEN 0 AND 1),
  status TEXT NOT NULL DEFAULT 'live' CHECK (status IN ('live','closed','review','rejected')),
  valid_from TEXT, valid_to TEXT,
  memory_id INTEGER REFERENCES memory(id),
  turn_id INTEGER REFERENCES turn(id),
  recorded_at TEXT NOT NULL
) STRICT;
CREATE INDEX relation_out ON relation(user_id, subject_id);
CREATE INDEX relation_in ON relation(user_id, object_id);

-- Kept apart from memories: an insight is a conclusion, and falls with its evidence.
CREATE TABLE insight (
  id INTEGER PRIMARY KEY,
  user_id INTEGER NOT NULL REFERENCES user(id),
  uid TEXT NOT NULL UNIQUE,
  content TEXT NOT NULL,
  confidence REAL NOT NULL CHECK (confidence BETWEEN 0 AND 1),
  status TEXT NOT NULL DEFAULT 'live',
  created_at TEXT NOT NULL, checked_at TEXT
) STRICT;
CREATE TABLE evidence (
  insight_id INTEGER NOT NULL REFERENCES insight(id),
  n INTEGER NOT NULL,
  memory_id INTEGER REFERENCES memory(id),
  turn_id INTEGER REFERENCES turn(id),
  CHECK ((memory_id IS NULL) <> (turn_id IS NULL)),
  PRIMARY KEY (insight_id, n)
) STRICT, WITHOUT ROWID;

CREATE TABLE review (
  id INTEGER PRIMARY KEY,
  user_id INTEGER NOT NULL REFERENCES user(id),
  uid TEXT NOT NULL UNIQUE,
  topic TEXT NOT NULL,
  subject_uid TEXT NOT NULL,
  proposal TEXT NOT NULL CHECK (json_valid(proposal)),
  status TEXT NOT NULL DEFAULT 'open' CHECK (status IN ('open','accepted','rejected')),
  created_at TEXT NOT NULL, settled_at TEXT
) STRICT;
"""

MACHINERY: Final = """
-- Embeddings carry their model; vectors of different models never mix. `fingerprint` is what the
-- embedder says of itself.
CREATE TABLE embedding_model (
  id INTEGER PRIMARY KEY,
  fingerprint TEXT NOT NULL UNIQUE,
  dim INTEGER NOT NULL CHECK (dim > 0)
) STRICT;

-- Little-endian float16, `dim` of them; `part` numbers the passages of a long text.
CREATE TABLE vector (
  id INTEGER PRIMARY KEY,
  user_id INTEGER NOT NULL REFERENCES user(id),
  model_id INTEGER NOT NULL REFERENCES embedding_model(id),
  owner TEXT NOT NULL CHECK (owner IN ('memory','turn','summary','insight')),
  owner_id INTEGER NOT NULL,
  part INTEGER NOT NULL DEFAULT 0,
  v BLOB NOT NULL,
  UNIQUE (owner, owner_id, model_id, part)
) STRICT;
CREATE INDEX vector_by_scope ON vector(user_id, owner, model_id);

-- Which owners' vectors or liveness changed, for caches and indexes in other processes.
CREATE TABLE change (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL,
  owner TEXT NOT NULL,
  owner_id INTEGER NOT NULL
) STRICT;
CREATE INDEX change_by_scope ON change(user_id, owner, seq);

-- The graph part of a vector index: derived, checksummed, replaced as a whole.
CREATE TABLE snapshot (
  owner TEXT NOT NULL,
  model_id INTEGER NOT NULL REFERENCES embedding_model(id),
  upto INTEGER NOT NULL,
  bytes INTEGER NOT NULL, crc INTEGER NOT NULL,
  library TEXT NOT NULL, settings TEXT NOT NULL CHECK (json_valid(settings)),
  PRIMARY KEY (owner, model_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE snapshot_chunk (
  owner TEXT NOT NULL, model_id INTEGER NOT NULL, n INTEGER NOT NULL, data BLOB NOT NULL,
  PRIMARY KEY (owner, model_id, n)
) STRICT;

CREATE TABLE job (
  id INTEGER PRIMARY KEY,
  user_id INTEGER NOT NULL REFERENCES user(id),
  uid TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  payload TEXT NOT NULL CHECK (json_valid(payload)),
  priority INTEGER NOT NULL DEFAULT 100,
  status TEXT NOT NULL DEFAULT 'queued' CHECK (status IN ('queued','running','done','failed')),
  attempts INTEGER NOT NULL DEFAULT 0,
  error TEXT,
  lease_until TEXT,
  lease_by TEXT,
  created_at TEXT NOT NULL, updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX job_waiting ON job(status, priority, id);
CREATE INDEX job_open ON job(user_id, id) WHERE status <> 'done';

CREATE TABLE trace (
  id INTEGER PRIMARY KEY,
  user_id INTEGER NOT NULL REFERENCES user(id),
  uid TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  turn_id INTEGER REFERENCES turn(id),
  steps TEXT NOT NULL CHECK (json_valid(steps)),
  at TEXT NOT NULL
) STRICT;

-- Contentless: the text stands in the rows. `scope` is one token naming the user, weight 0 in the
-- ranking, so that another user's rows are never even scored.
CREATE VIRTUAL TABLE memory_fts USING fts5(
  scope, body, content='', tokenize='porter unicode61 remove_diacritics 2');
CREATE VIRTUAL TABLE turn_fts USING fts5(
  scope, body, context, content='', tokenize='porter unicode61 remove_diacritics 2');
INSERT INTO memory_fts(memory_fts, rank) VALUES ('rank', 'bm25(0.0, 1.0)');
INSERT INTO turn_fts(turn_fts, rank) VALUES ('rank', 'bm25(0.0, 1.0, 0.35)');
"""

SCRIPTS: Final = (CORE, MEMORIES, DERIVED_BY_MODEL, MACHINERY)
