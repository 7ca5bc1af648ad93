"""What reflection would change and does not: proposals for the user, found by code and the relation head.

A proposal names memories at the versions that were looked at. One that was answered is not made again
while they stay as they are, and one whose memories changed is taken back.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from edgemem.errors import Conflict, NotFound
from edgemem.ports import RelationJudge
from edgemem.records import JsonValue, LoggedTurn, Memory
from edgemem.reports import Proposal
from edgemem.store import changing, memories, reviews, turns
from edgemem.store.engine import Row, Tx
from edgemem.text import counted
from edgemem.times import from_db, local, to_db
from edgemem.upkeep import regroup
from edgemem.upkeep.value import HALFLIFE, idle_days

TOPICS = ("merge", "contradiction", "reassess", "stale")

SAME, CLOSE = 0.92, 0.75
"""Calibrated similarity (0..1) of two that may say the same, and of two whose "not" may contradict."""

SURE = 0.8
"""Probability of the relation head from which two say the same, or contradict each other."""

MOST_PAIRS = 4_000
"""Pairs of near memories that are held against each other in one round, the nearest first."""

LIKELY = 0.5
"""Probability from which one of several remarks speaks against a preference."""

STALE_HALFLIVES = 3.0
"""Half-lives of its kind (see ``upkeep.value``) without a use after which a task state or an event is stale."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What code can tell of two sentences: whether one denies something, and whether both hold the same numbers."""

    negated: Callable[[str], bool]
    same_numbers: Callable[[str, str], bool]


@dataclass(frozen=True, slots=True)
class Draft:
    """A proposal before it is written down."""

    topic: str
    memories: tuple[Memory, ...]
    reason: str
    turns: tuple[LoggedTurn, ...] = ()


def drafts(
    live: Sequence[Memory], near: Sequence[tuple[int, int, float]], judge: RelationJudge | None, rules: Rules, now: datetime,
    told: Mapping[int, Sequence[LoggedTurn]],
) -> list[Draft]:  # fmt: skip
    """All proposals that the memories give reason for."""
    known = {m.key: m for m in live}
    pairs = [(*_in_order(known[a], known[b]), s) for a, b, s in near if a in known and b in known]
    pairs = sorted(((o, n, s) for o, n, s in pairs if o.about == n.about), key=lambda p: -p[2])[:MOST_PAIRS]
    odds = judge.relate([(old.content, new.content) for old, new, _ in pairs]) if judge is not None and pairs else []
    merge: list[Draft] = []
    against: dict[int, list[tuple[Memory, float]]] = {}
    for n, (old, new, similarity) in enumerate(pairs):
        share = odds[n] if odds else {}
        if _say_the_same(old, new, similarity, share, rules):
            merge.append(_merge(old, new, told))
        elif (doubt := _disagreement(old, new, similarity, share, rules)) >= LIKELY:
            against.setdefault(old.key, []).append((new, doubt))
    for old, new in _same_slot(live):
        if all(new != known for known, _ in against.get(old.key, [])):
            against.setdefault(old.key, []).append((new, 1.0))
    conflicts = [d for key, later in against.items() for d in _against(known[key], later, told)]
    gone = {m.key for d in (*merge, *conflicts) for m in d.memories}
    return [*merge, *conflicts, *(d for d in _stale(live, now) if d.memories[0].key not in gone)]


def _in_order(one: Memory, other: Memory) -> tuple[Memory, Memory]:
    first, last = sorted((one, other), key=lambda m: (m.valid_from or m.created_at, m.key))
    return first, last


def _say_the_same(old: Memory, new: Memory, similarity: float, odds: Mapping[str, float], rules: Rules) -> bool:
    if old.kind != new.kind or old.kind == "event" or not rules.same_numbers(old.content, new.content):
        return False
    if rules.negated(old.content) != rules.negated(new.content):
        return False
    return odds["duplicate"] >= SURE if odds else similarity >= SAME


def _disagreement(old: Memory, new: Memory, similarity: float, odds: Mapping[str, float], rules: Rules) -> float:
    """How likely the newer one says that the older is no longer so, 0..1."""
    if old.kind == "event":
        return 0.0  # what happened once is not undone by what happened later
    if odds:
        return odds["conflict"]
    return float(similarity >= CLOSE and rules.negated(old.content) != rules.negated(new.content))


def _same_slot(live: Sequence[Memory]) -> Iterator[tuple[Memory, Memory]]:
    """Pairs that give one attribute of one subject two values."""
    slots: dict[tuple[str, str], list[Memory]] = {}
    for m in sorted(live, key=lambda m: (m.valid_from or m.created_at, m.key)):
        if m.subject and m.attribute and m.value is not None:
            slots.setdefault((m.subject, m.attribute), []).append(m)
    for group in slots.values():
        yield from ((old, new) for old, new in itertools.pairwise(group) if old.value != new.value)


def _merge(old: Memory, new: Memory, told: Mapping[int, Sequence[LoggedTurn]]) -> Draft:
    kept, gone = (old, new) if len(old.content) >= len(new.content) else (new, old)
    return Draft("merge", (kept, gone), "both say the same", _turns(told, (old, new)))


def _against(
    old: Memory, doubts: Sequence[tuple[Memory, float]], told: Mapping[int, Sequence[LoggedTurn]]
) -> Iterator[Draft]:
    """What stands against a memory: told on several days, a preference is to be reassessed; else the two disagree."""
    later = [m for m, _ in doubts]
    days = {local(t.at, t.zone).date() for m in later for t in told.get(m.key, ())}
    if old.kind in ("preference", "rule") and len(days) > 1:
        reason = f"what was told on {len(days)} days since speaks against it"
        yield Draft("reassess", (old, *later), reason, _turns(told, later))
        return
    for new in (m for m, doubt in doubts if doubt >= SURE):
        yield Draft("contradiction", (new, old), "the two disagree; the first is newer", _turns(told, (new, old)))


def _turns(told: Mapping[int, Sequence[LoggedTurn]], of: Iterable[Memory]) -> tuple[LoggedTurn, ...]:
    found = {t.key: t for m in of for t in told.get(m.key, ())}
    return tuple(sorted(found.values(), key=lambda t: (t.at, t.key)))


def _stale(live: Sequence[Memory], now: datetime) -> Iterator[Draft]:
    for m in live:
        idle = idle_days(m, now)
        if m.kind in ("state", "event") and not m.pinned and idle > STALE_HALFLIVES * HALFLIFE[m.kind]:
            yield Draft("stale", (m,), f"not used or changed for {counted(round(idle), 'day')}")


# Written down, answered


def propose(tx: Tx, user: int, found: Iterable[Draft], now: str) -> list[str]:
    """Write down what was not proposed before; returns the ids. What is out of date is taken back first."""
    for row in reviews.listed(tx, user, TOPICS):
        if not _current(tx, user, json.loads(row["proposal"])):
            reviews.drop(tx, user, row["uid"])
    known = {_identity(row["topic"], json.loads(row["proposal"])) for row in reviews.listed(tx, user, TOPICS, "any")}
    made = []
    for draft in found:
        body: dict[str, JsonValue] = {
            "reason": draft.reason, "memories": [m.id for m in draft.memories],
            "versions": [m.version for m in draft.memories], "turns": [[t.session, t.id] for t in draft.turns],
        }  # fmt: skip
        if _identity(draft.topic, body) not in known and _current(tx, user, body):
            made.append(reviews.add(tx, user, draft.topic, draft.memories[0].id, body, now))
    return made


def _identity(topic: str, body: Mapping[str, JsonValue]) -> tuple[str, frozenset[tuple[str, int]]]:
    return topic, frozenset(zip(body["memories"], body["versions"], strict=True))


def _current(tx: Tx, user: int, body: Mapping[str, JsonValue]) -> bool:
    rows = [memories.row(tx, user, uid) for uid in body["memories"]]
    seen = zip(rows, body["versions"], strict=True)
    return all(row is not None and row["status"] == "live" and row["version"] == version for row, version in seen)


def listed(tx: Tx, user: int, status: str) -> list[Proposal]:
    """Proposals, oldest first; ``status`` ``any`` means all."""
    return [_record(tx, user, row) for row in reviews.listed(tx, user, TOPICS, status)]


def find(tx: Tx, user: int, uid: str) -> Proposal:
    """One proposal by id, or by a part of it from its start or end. Raises ``NotFound``."""
    return _record(tx, user, _row(tx, user, uid))


def _row(tx: Tx, user: int, uid: str) -> Row:
    fits = [
        row
        for row in reviews.listed(tx, user, TOPICS, "any")
        if row["uid"] == uid or (len(uid) >= 6 and (row["uid"].startswith(uid) or row["uid"].endswith(uid)))
    ]
    if len(fits) != 1:
        raise NotFound(f"There is no proposal {uid!r}.", "List them with: edgemem review list")
    return fits[0]


def _record(tx: Tx, user: int, row: Row) -> Proposal:
    body = json.loads(row["proposal"])
    known = [memories.row(tx, user, uid) for uid in body["memories"]]
    said = [turns.find(tx, user, session, turn) for session, turn in body["turns"]]
    return Proposal(
        row["uid"], row["topic"], body["reason"], tuple(body["memories"]),
        tuple("" if r is None else r["content"] for r in known), tuple(t for t in said if t is not None),
        from_db(row["created_at"]), row["status"], body.get("change"),
    )  # fmt: skip


def accept(tx: Tx, user: int, uid: str, now: datetime) -> Proposal:
    """Do what is proposed, with one undo. Raises ``NotFound``, or ``Conflict`` when the memories changed since."""
    row = _open(tx, user, uid)
    body = json.loads(row["proposal"])
    if not _current(tx, user, body):
        raise Conflict("The memories have changed since this was proposed.", "Look anew: edgemem reflect")
    change = _do(tx, user, row["topic"], body["memories"], to_db(now))
    reviews.note(tx, user, row["uid"], body | {"change": change})
    reviews.settle(tx, user, row["uid"], "accepted", to_db(now))
    return find(tx, user, row["uid"])


def reject(tx: Tx, user: int, uid: str, now: datetime) -> Proposal:
    """Leave everything as it is; it is not proposed again. Raises ``NotFound`` or ``Conflict``."""
    row = _open(tx, user, uid)
    reviews.settle(tx, user, row["uid"], "rejected", to_db(now))
    return find(tx, user, row["uid"])


def _open(tx: Tx, user: int, uid: str) -> Row:
    row = _row(tx, user, uid)
    if row["status"] != "open":
        raise Conflict(
            f"The proposal {row['uid']} was {row['status']} already.", "List those that wait: edgemem review list"
        )
    return row


def _do(tx: Tx, user: int, topic: str, uids: Sequence[str], now: str) -> str:
    reason = f"accepted: {topic}"
    if topic == "merge":
        return regroup.join(tx, user, uids, None, now, reason=reason)
    goes = memories.row(tx, user, uids[1] if topic == "contradiction" else uids[0])
    if topic == "stale":
        return changing.change(
            tx, user, goes, "forget", reason, now, status="forgotten", valid_to=goes["valid_to"] or now
        )
    by = memories.row(tx, user, uids[0] if topic == "contradiction" else uids[-1])
    return changing.change(
        tx, user, goes, "supersede", reason, now, status="superseded", superseded_by=by["uid"],
        valid_to=by["valid_from"] or now,
    )  # fmt: skip
