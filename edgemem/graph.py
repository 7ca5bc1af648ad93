"""The graph of a user: who and what he told about, and how it hangs together."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple, Protocol, cast

from edgemem.errors import Conflict, InvalidInput, NotFound, StoreCorrupt
from edgemem.ports import Clock
from edgemem.records import Entity, Relation
from edgemem.reports import Walk
from edgemem.store import graph as rows
from edgemem.store import memories, reviews
from edgemem.store.engine import Engine, Tx
from edgemem.text import check_text
from edgemem.times import parse, to_db

REVIEW_BELOW = 0.7
"""Confidence (0..1) under which a relation waits for a person before anything uses it."""

MOST_EDGES = 500
"""Edges one walk looks at: a node of thousands of edges costs no more than this."""

MOST_HOPS = 6
"""Longest walk, in edges."""

LONGEST_NAME = 200
"""Characters of a name or a predicate."""

_MERGE = "entity_merge"


class _Step(NamedTuple):
    key: int
    path: tuple[Relation, ...]


class Link(Protocol):
    """A relation on its way into the graph."""

    @property
    def subject(self) -> str:
        """Name of the one end."""

    @property
    def predicate(self) -> str:
        """The relation."""

    @property
    def object(self) -> str:
        """Name of the other end."""

    @property
    def confidence(self) -> float:
        """How sure it is, 0..1."""

    @property
    def roles(self) -> tuple[tuple[str, str], ...]:
        """Names and the roles they go by, such as ("Mia", "the user's sister")."""


def is_role(name: str) -> bool:
    """Whether a name only says what somebody is to the user."""
    return rows.name_key(name).startswith(("the user's ", "用户的"))


class Graph:
    """One user's graph. Names are looked up without regard to case and width; an id names one entity for certain."""

    def __init__(self, engine: Engine, key: int, clock: Clock) -> None:
        self._engine = engine
        self._key = key
        self._clock = clock

    # Entities

    def add(self, name: str, *, kind: str = "thing", aliases: Sequence[str] = ()) -> Entity:
        """A new entity. Raises ``Conflict`` when one answers to the name already (use its id, or another name)."""
        words = [_checked(n) for n in (name, *aliases)]
        with self._engine.write() as tx:
            known = rows.named(tx, self._key, words[0])
            if known:
                raise Conflict(
                    f"{name!r} is known already.", "Give the other one a name of its own, such as its full name."
                )
            key = rows.add_entity(tx, self._key, words[0], _checked(kind), self._now())
            for alias in words[1:]:
                rows.add_alias(tx, self._key, key, alias)
            return rows.entities(tx, self._key, [key])[key]

    def entities(self, *, limit: int = 100) -> Sequence[Entity]:
        """Entities by name; ``limit`` 0 means all."""
        with self._engine.read() as tx:
            return rows.listed(tx, self._key, limit)

    def find(self, name: str) -> Sequence[Entity]:
        """All entities that answer to a name, or the one with this id."""
        with self._engine.read() as tx:
            found = rows.named(tx, self._key, name)
            return list(rows.entities(tx, self._key, found).values())

    def alias(self, entity: str, name: str) -> None:
        """Let an entity answer to one more name, such as a nickname. Raises ``NotFound`` or ``Conflict``."""
        with self._engine.write() as tx:
            rows.add_alias(tx, self._key, self._one(tx, entity), _checked(name))

    # Relations

    def relate(
        self, subject: str, predicate: str, object: str, *, confidence: float = 1.0, since: datetime | None = None,  # noqa: A002
        until: datetime | None = None, memory: str | None = None,
    ) -> Relation:  # fmt: skip
        """Say how two entities hang together; names not known yet become entities.

        Below ``REVIEW_BELOW`` the relation waits for a person. ``memory`` is the memory it rests on:
        the relation is closed when that goes out of use. Raises ``InvalidInput``, ``NotFound`` or ``Conflict``.
        """
        if not 0 <= confidence <= 1:
            raise InvalidInput("Confidence is a number from 0 to 1.")
        words = [_checked(w) for w in (subject, predicate, object)]
        span = [None if moment is None else to_db(parse(moment)) for moment in (since, until)]
        if span[0] and span[1] and span[1] < span[0]:
            raise InvalidInput("The relation ends before it begins.", "Exchange --since and --until.")
        with self._engine.write() as tx:
            ends = [self._one_or_new(tx, word) for word in (words[0], words[2])]
            if ends[0] == ends[1]:
                raise InvalidInput(f"{subject!r} and {object!r} are the same entity.")
            status = (
                "review" if confidence < REVIEW_BELOW else "closed" if span[1] and span[1] <= self._now() else "live"
            )
            uid = rows.insert(
                tx, self._key, ends[0], words[1], ends[1], confidence=confidence, status=status, now=self._now(),
                valid_from=span[0], valid_to=span[1], memory=self._memory(tx, memory),
            )  # fmt: skip
            return self._relation(tx, uid)

    def learn(self, memory: str, found: Sequence[Link], names: Sequence[tuple[str, str]] = ()) -> int:
        """Keep the relations that were found in a memory; returns how many. A name that several answer to is left out.

        ``names`` are pairs of which both name one entity: (Jonas, Bear). "The user's sister" and the name that follows
        it become names of one entity, unless that entity has another name already.
        """
        kept = 0
        for name, other in names:
            with self._engine.write() as tx:
                self._one_of(tx, name, other)
        for link in found:
            with self._engine.write() as tx:
                ends = [self._one_of(tx, name, dict(link.roles).get(name)) for name in (link.subject, link.object)]
                if None in ends or ends[0] == ends[1]:
                    continue
                rows.insert(
                    tx, self._key, cast("int", ends[0]), link.predicate, cast("int", ends[1]), confidence=link.confidence,
                    status="review" if link.confidence < REVIEW_BELOW else "live", now=self._now(),
                    memory=self._memory(tx, memory),
                )  # fmt: skip
                kept += 1
        return kept

    def _one_of(self, tx: Tx, name: str, role: str | None) -> int | None:
        """The entity of a name and perhaps a role; None when that is not certain."""
        found = rows.named(tx, self._key, name) or rows.first_named(tx, self._key, name)
        if not found and role is not None:
            known = rows.named(tx, self._key, role)
            found = known if not is_role(role) else [key for key in known if self._only_a_role(tx, key)]
        if len(found) > 1:
            return None
        key = found[0] if found else rows.add_entity(tx, self._key, name, "thing", self._now())
        for other in filter(None, (name, role)):
            if not rows.named(tx, self._key, other):
                rows.add_alias(tx, self._key, key, other)
        return key

    def _only_a_role(self, tx: Tx, key: int) -> bool:
        known = rows.entities(tx, self._key, [key])[key]
        return all(is_role(n) for n in (known.name, *known.aliases))

    def close(self, relation: str, *, at: datetime | None = None) -> Relation:
        """A relation no longer holds; it stays readable with ``as_of``. Raises ``NotFound`` or ``Conflict``."""
        end = self._now() if at is None else to_db(parse(at))
        return self._settle(relation, ("live",), "closed", end)

    def reviews(self) -> Sequence[Relation]:
        """Doubtful relations that wait for a person, oldest first."""
        with self._engine.read() as tx:
            return rows.in_review(tx, self._key)

    def accept(self, relation: str) -> Relation:
        """A doubtful relation is true."""
        return self._settle(relation, ("review",), "live", None)

    def reject(self, relation: str) -> Relation:
        """A doubtful relation is not true: nothing uses it, and it is not proposed again."""
        return self._settle(relation, ("review",), "rejected", None)

    # Walking

    def neighbours(self, entity: str, *, hops: int = 1, as_of: datetime | None = None) -> Walk:
        """What hangs together with an entity, nearest first, up to ``hops`` edges away.

        Looks at no more than ``MOST_EDGES`` edges, the surest first; ``cut`` says that there were more. Raises ``StoreCorrupt``
        where an edge leads to nothing.
        """
        moment = None if as_of is None else to_db(parse(as_of))
        with self._engine.read() as tx:
            start = self._one(tx, entity)
            depth, edges, cut = self._spread(tx, start, _checked_hops(hops), moment)
            known = rows.entities(tx, self._key, depth)
        if len(known) < len(depth):
            raise StoreCorrupt("A relation leads to an entity that is not there.", "Repair it: edgemem check --repair")
        order = sorted(depth, key=lambda key: (depth[key], known[key].name))
        return Walk(tuple(known[key] for key in order), tuple(edges), cut)

    def _spread(self, tx: Tx, start: int, hops: int, as_of: str | None) -> tuple[dict[int, int], list[Relation], bool]:
        depth = {start: 0}
        edges: dict[str, Relation] = {}
        front = [start]
        for hop in range(1, hops + 1):
            room = MOST_EDGES - len(edges)
            found = rows.edges(tx, self._key, front, as_of, MOST_EDGES + 1)
            fresh = [e for e in found if e.relation.id not in edges]
            front = []
            for edge in fresh[:room]:
                edges[edge.relation.id] = edge.relation
                for end in (edge.subject, edge.object):
                    if end not in depth:
                        depth[end] = hop
                        front.append(end)
            if len(fresh) > room or len(found) > MOST_EDGES:
                return depth, list(edges.values()), True
        return depth, list(edges.values()), False

    def path(self, start: str, end: str, *, hops: int = 4, as_of: datetime | None = None) -> tuple[Relation, ...]:
        """A shortest chain of relations from one entity to another; empty when there is none within ``hops``."""
        moment = None if as_of is None else to_db(parse(as_of))
        with self._engine.read() as tx:
            first, last = self._one(tx, start), self._one(tx, end)
            return self._chain(tx, first, last, _checked_hops(hops), moment)

    def _chain(self, tx: Tx, first: int, last: int, hops: int, as_of: str | None) -> tuple[Relation, ...]:
        waiting = deque([_Step(first, ())])
        seen = {first}
        looked = 0
        while waiting and looked < MOST_EDGES:
            step = waiting.popleft()
            if step.key == last:
                return step.path
            if len(step.path) == hops:
                continue
            for edge in rows.edges(tx, self._key, [step.key], as_of, MOST_EDGES):
                looked += 1
                other = edge.object if edge.subject == step.key else edge.subject
                if other == last:
                    return (*step.path, edge.relation)
                if other not in seen:
                    seen.add(other)
                    waiting.append(_Step(other, (*step.path, edge.relation)))
        return ()

    # Two that are one, one that is two

    def merge(self, keep: str, other: str) -> str:
        """Two entities are one: ``keep`` takes the names and relations of ``other``. Returns what ``unmerge`` takes."""
        with self._engine.write() as tx:
            kept, gone = self._one(tx, keep), self._one(tx, other)
            if kept == gone:
                raise InvalidInput(f"{keep!r} and {other!r} are the same entity already.")
            old = rows.entities(tx, self._key, [kept, gone])
            names = _only_of(old[gone], old[kept])
            moved = [
                e.relation.id for e in rows.of_entity(tx, self._key, gone) if {e.subject, e.object} != {kept, gone}
            ]
            rows.move(tx, self._key, gone, kept, moved)
            for name in names:
                rows.add_spelling(tx, self._key, kept, name)
            rows.set_entity_status(tx, self._key, gone, "merged")
            proposal = {"kept": kept, "gone": gone, "names": [*names], "relations": [*moved]}
            return reviews.add(tx, self._key, _MERGE, old[gone].id, proposal, self._now(), "accepted")

    def unmerge(self, merge: str) -> None:
        """Take a merge back: names and relations return to where they were. Raises ``NotFound`` or ``Conflict``."""
        with self._engine.write() as tx:
            found = reviews.get(tx, self._key, merge, _MERGE)
            if found is None:
                raise NotFound(f"There is no merge {merge}.")
            _, what, status = found
            if status != "accepted":
                raise Conflict(f"The merge {merge} was taken back already.")
            kept, gone = cast("int", what["kept"]), cast("int", what["gone"])
            rows.move(tx, self._key, kept, gone, cast("list[str]", what["relations"]))
            own = rows.name_key(rows.entities(tx, self._key, [kept])[kept].name)
            for name in cast("list[str]", what["names"]):
                if rows.name_key(name) != own:
                    rows.drop_spelling(tx, self._key, kept, name)
            rows.set_entity_status(tx, self._key, gone, "live")
            reviews.settle(tx, self._key, merge, "rejected", self._now())

    def split(self, entity: str, name: str, *, relations: Sequence[str] = ()) -> Entity:
        """One entity is two: ``name``, an alias of it, becomes an entity of its own with the relations given."""
        with self._engine.write() as tx:
            key = self._one(tx, entity)
            whole = rows.entities(tx, self._key, [key])[key]
            if rows.name_key(name) not in {rows.name_key(a) for a in whole.aliases}:
                raise NotFound(
                    f"{whole.name} has no second name {name!r}.", f"Its other names: {', '.join(whole.aliases)}"
                )
            owned = {e.relation.id for e in rows.of_entity(tx, self._key, key)}
            strange = [r for r in relations if r not in owned]
            if strange:
                raise NotFound(f"{whole.name} has no relation {strange[0]}.", "List them with: edgemem graph show")
            for spelled in _goes_with(name, whole):
                rows.drop_spelling(tx, self._key, key, spelled)
            fresh = rows.split_off(tx, self._key, name, whole.kind, self._now())
            rows.move(tx, self._key, key, fresh, relations)
            return rows.entities(tx, self._key, [fresh])[fresh]

    # What the others share

    def _now(self) -> str:
        return to_db(self._clock.now())

    def _one(self, tx: Tx, name: str) -> int:
        found = rows.named(tx, self._key, name)
        if not found:
            raise NotFound(f"Nothing is known of {name!r}.", "List what is: edgemem graph list")
        if len(found) > 1:
            ids = ", ".join(e.id for e in rows.entities(tx, self._key, found).values())
            raise Conflict(f"{len(found)} entities answer to {name!r}.", f"Name one by its id: {ids}")
        return found[0]

    def _one_or_new(self, tx: Tx, name: str) -> int:
        return (
            self._one(tx, name)
            if rows.named(tx, self._key, name)
            else rows.add_entity(tx, self._key, name, "thing", self._now())
        )

    def _memory(self, tx: Tx, uid: str | None) -> int | None:
        if uid is None:
            return None
        row = memories.row(tx, self._key, uid)
        if row is None:
            raise NotFound(f"There is no memory {uid!r}.", "List them with: edgemem list")
        return int(row["id"])

    def _relation(self, tx: Tx, uid: str) -> Relation:
        found = rows.relation(tx, self._key, uid)
        if found is None:
            raise NotFound(f"There is no relation {uid!r}.", "List them with: edgemem graph show ENTITY")
        return found

    def _settle(self, relation: str, allowed: tuple[str, ...], status: str, valid_to: str | None) -> Relation:
        with self._engine.write() as tx:
            before = self._relation(tx, relation)
            if before.status not in allowed:
                raise Conflict(
                    f"The relation {relation} is {before.status}.",
                    f"Only a {' or '.join(allowed)} one can become {status}.",
                )
            rows.set_status(tx, self._key, before.id, status, valid_to)
            return self._relation(tx, before.id)


def _only_of(one: Entity, other: Entity) -> list[str]:
    """The names of one entity, in both Chinese scripts, that the other does not answer to."""
    known = {rows.name_key(n) for n in (other.name, *other.aliases)}
    every = [spelled for n in (one.name, *one.aliases) for spelled in rows.spellings(n)]
    return [n for n in dict.fromkeys(every) if rows.name_key(n) not in known]


def _goes_with(name: str, whole: Entity) -> list[str]:
    """A name with its simplified spelling, unless another name of the entity is spelled so."""
    *_, plain = rows.spellings(name)
    given, derived = rows.name_key(name), rows.name_key(plain)
    others = [n for n in (whole.name, *whole.aliases) if rows.name_key(n) not in (given, derived)]
    held = {rows.name_key(s) for n in (whole.name, *others) for s in rows.spellings(n)}
    return [name] if derived in held else [name, plain]


def _checked(word: str) -> str:
    text = " ".join(check_text(word, "The name").split())
    if not text or len(text) > LONGEST_NAME:
        raise InvalidInput(
            f"A name has 1 to {LONGEST_NAME} characters.", 'For example: edgemem graph add "Mia" sister-of "Tom"'
        )
    return text


def _checked_hops(hops: int) -> int:
    if not 1 <= hops <= MOST_HOPS:
        raise InvalidInput(f"A walk has 1 to {MOST_HOPS} hops.")
    return hops
