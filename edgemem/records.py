"""Plain frozen data that travels between the rooms. No behaviour beyond small derived values.

Times are timezone-aware ``datetime`` objects in UTC; ``zone`` keeps the offset they were said in. Ids are UUIDv7 strings.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

Role = Literal["user", "assistant", "system", "tool"]
ROLES: tuple[Role, ...] = ("user", "assistant", "system", "tool")

Kind = Literal["fact", "preference", "rule", "state", "event", "skill"]
KINDS: tuple[Kind, ...] = ("fact", "preference", "rule", "state", "event", "skill")

Status = Literal["live", "superseded", "forgotten", "expired", "review"]
STATUSES: tuple[Status, ...] = ("live", "superseded", "forgotten", "expired", "review")

Outcome = Literal["added", "duplicate", "refined", "replaced"]

Relation4 = Literal["duplicate", "refine", "conflict", "distinct"]
RELATIONS: tuple[Relation4, ...] = ("duplicate", "refine", "conflict", "distinct")

JsonValue = Any
"""Anything ``json.dumps`` takes."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a conversation, as it was said.

    ``at`` is a datetime with zone, an ISO 8601 string with offset, or None for "now".
    ``id`` is the caller's own id, unique within the session; None lets edgemem number it.
    ``speaker`` names the person when the role alone does not.
    """

    role: str
    content: str
    at: datetime | str | None = None
    session: str | None = None
    id: str | None = None
    speaker: str | None = None


@dataclass(frozen=True, slots=True)
class LoggedTurn:
    """A turn as it lies in the raw log. ``key`` is the file's own integer, ``position`` counts from 0 in its session."""

    key: int
    id: str
    session: str
    position: int
    role: str
    content: str
    at: datetime
    zone: str
    speaker: str | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """Where a memory came from: the turn, and the exact words of it (``quote``).

    ``start`` is the offset of the quote in the turn's content, in code points; ``zone`` the offset of the
    clock it was said by. A memory stored by hand has no turn.
    """

    session: str | None = None
    turn: str | None = None
    quote: str | None = None
    start: int | None = None
    at: datetime | None = None
    zone: str | None = None


@dataclass(frozen=True, slots=True)
class Memory:
    """One memory: one self-contained sentence with its structured fields and its provenance."""

    id: str
    content: str
    kind: str
    namespace: str
    about: str
    created_at: datetime
    updated_at: datetime
    source: Source
    agent: str | None = None
    data: Mapping[str, JsonValue] = field(default_factory=dict)
    subject: str | None = None
    attribute: str | None = None
    value: str | None = None
    polarity: int = 1
    importance: float = 0.5
    confidence: float = 1.0
    last_used_at: datetime | None = None
    use_count: int = 0
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    expires_at: datetime | None = None
    pinned: bool = False
    sensitivity: str = "normal"
    status: str = "live"
    version: int = 1
    superseded_by: str | None = None
    trace: str | None = None
    key: int = 0


@dataclass(frozen=True, slots=True)
class Change:
    """One entry of the append-only history of a user.

    ``action``: add, edit, refine, replace, supersede, join, split, forget, pin, unpin, expire, delete, undo, use, erase.
    ``author``: model, rule or user. ``before``/``after``: the memory's fields, None when there was none. Changes of one decision
    share ``group`` and are undone together.
    """

    id: str
    seq: int
    memory: str
    action: str
    author: str
    reason: str
    at: datetime
    group: str
    before: Mapping[str, JsonValue] | None
    after: Mapping[str, JsonValue] | None
    undoes: str | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """One arm's share in a hit: ``rank`` from 1, ``value`` in the arm's own unit, ``share`` of the final score."""

    rank: int
    value: float
    share: float


@dataclass(frozen=True, slots=True)
class Hit:
    """One recalled item. ``score`` is 0..1; ``parts`` maps what counted for it to its share.

    ``kind``: of a memory; else turn, summary (a sentence of one), profile, avoid, state-field. ``note`` is a word of warning.
    """

    id: str
    content: str
    kind: str
    score: float
    parts: Mapping[str, Part]
    source: Source
    memory: Memory | None = None
    turn: LoggedTurn | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Recall:
    """The answer to a question put to the memory: hits, best first, and how it went.

    ``abstained`` is true when nothing relevant was found. ``near_misses`` were found but left out.
    ``degraded``: arms that could not run; ``doubt``: why the log is silent; ``rephrased``: how it was asked again; ``skipped``: why nothing was.
    """

    query: str
    hits: tuple[Hit, ...]
    abstained: bool
    ms: float
    near_misses: tuple[Hit, ...] = ()
    degraded: tuple[str, ...] = ()
    timings: Mapping[str, float] = field(default_factory=dict)
    doubt: str = ""
    rephrased: tuple[str, ...] = ()
    skipped: str = ""

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)


@dataclass(frozen=True, slots=True)
class Context:
    """A block of background for a prompt: its text, its size in tokens, and the ids of what is in it.

    ``entries``: its hits, best first, then ``standing`` more that are there whatever is asked; ``left_out`` did not fit.
    """

    text: str
    tokens: int
    ids: tuple[str, ...]
    recall: Recall
    entries: tuple[Hit, ...] = ()
    standing: int = 0
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Learned:
    """One memory that came out of learning, and what became of it."""

    id: str
    content: str
    kind: str
    about: str
    confidence: float
    outcome: str
    source: Source
    replaced: str | None = None
    change: str | None = None


@dataclass(frozen=True, slots=True)
class Rejected:
    """Something the model proposed, or a clause it skipped, that was not stored, and why."""

    content: str
    reason: str
    turn: str


@dataclass(frozen=True, slots=True)
class Failed:
    """A turn whose extraction did not finish. The turn itself is in the log; ``job`` can be retried."""

    turn: str
    error: str
    job: str


@dataclass(frozen=True, slots=True)
class Receipt:
    """What one call of ``learn`` did. ``turns`` are the ids captured; ``seconds`` is wall time.

    ``erased`` are the ids of turns, of this call or before, that were erased because the user asked for it.
    """

    turns: tuple[str, ...]
    memories: tuple[Learned, ...]
    rejected: tuple[Rejected, ...]
    failed: tuple[Failed, ...]
    seconds: float
    erased: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Session:
    """One conversation: ``id`` is the caller's name for it."""

    id: str
    title: str
    started_at: datetime
    last_at: datetime
    turns: int


@dataclass(frozen=True, slots=True)
class Job:
    """A piece of background work. ``status``: queued, running, done, failed (parked with ``error``).

    ``done`` of ``total`` pieces are finished (0: unknown), ``step`` is the one at work, ``about`` how its message begins.
    """

    id: str
    kind: str
    status: str
    attempts: int
    error: str | None
    created_at: datetime
    payload: Mapping[str, JsonValue]
    done: int = 0
    total: int = 0
    step: str = ""
    about: str = ""

    @property
    def progress(self) -> float:
        """How much of it is done, 0 to 1."""
        return min(1.0, self.done / self.total) if self.total else 0.0


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing ``check`` found: ``area`` is sqlite, integrity, history, rows, fulltext, vectors or orphans."""

    area: str
    message: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Repair:
    """What a repair found and did. ``kept`` is the file as it was before; None: nothing had to be done.

    ``done`` says what was put right, ``lost`` what could not be saved (its text as far as it can be
    read), ``left`` what is wrong still.
    """

    path: Path
    kept: Path | None
    found: tuple[Problem, ...]
    done: tuple[str, ...]
    lost: tuple[str, ...]
    left: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class Backup:
    """A checked copy of a file, made at ``at`` (UTC). ``automatic`` ones are replaced by newer ones in time."""

    path: Path
    bytes: int
    at: datetime
    automatic: bool


@dataclass(frozen=True, slots=True)
class ProfileField:
    """One field of the structured profile; ``avoid`` keeps a negative preference negative."""

    field: str
    value: JsonValue
    avoid: bool
    confidence: float
    readers: tuple[str, ...]
    memory: str | None
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class StateField:
    """One typed field of a running task; ``version`` is what compare-and-set compares."""

    task: str
    field: str
    value: JsonValue
    version: int
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class Task:
    """A task with its own working memory.

    ``status``: open, done (its fields stay until ``expires_at``) or archived (out of lists, soon deleted).
    """

    name: str
    status: str
    started_at: datetime
    ended_at: datetime | None = None
    expires_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Entity:
    """A person, place, organisation or thing the user told about."""

    id: str
    name: str
    kind: str
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Relation:
    """A typed edge between two entities, with confidence and validity in time.

    ``status``: live, closed (no longer true), review (waits for a person) or rejected.
    """

    id: str
    subject: str
    predicate: str
    object: str
    confidence: float
    status: str
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    memory: str | None = None
    subject_id: str = ""
    object_id: str = ""


@dataclass(frozen=True, slots=True)
class Summary:
    """A folded part of a session; each sentence names the turns it rests on."""

    id: str
    session: str
    sentences: tuple[tuple[str, tuple[str, ...]], ...]
    created_at: datetime
    status: str = "live"
