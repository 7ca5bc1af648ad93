"""What was erased from a file does not come in again with an older export, unless it is asked to.

Graves know rows by salted digests of their names; an erased memory is known by its history without words. What
rests on something that was erased goes as it went here: with it, or without the words it came from.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from edgemem.ids import new_id
from edgemem.store import erase, erasure, graves, history, memories, users
from edgemem.store.carry_in import Arrival, Arrivals, blank
from edgemem.store.carry_out import Record, field_name
from edgemem.store.engine import Tx
from edgemem.store.erasure import Plan
from edgemem.store.graves import Grave
from edgemem.store.tables import TABLES

_NAMES: Final[Mapping[str, tuple[str, str]]] = {
    "turn": ("session", "uid"), "insight": ("uid", ""), "entity": ("uid", ""), "task": ("name", ""),
    "state": ("task", "field"), "profile": ("field", "avoid"),
}  # fmt: skip
"""Of each kind of record with a grave, the fields of its name, as ``graves.ROWS`` has them of rows."""

_TIMES: Final = ("said_at", "created_at", "last_at", "started_at", "updated_at", "recorded_at", "at")
"""Where the time of a record stands: the first of these that it has."""

_PARTS: Final = {"evidence": ("insight", "insight"), "summary_source": ("summary_sentence", "summary")}
"""What says of a conclusion what it was drawn from; the conclusion falls with any of it."""


class Erased(NamedTuple):
    """When something was erased here, and whether what was learned from it went too."""

    at: str
    undo: bool = True


class Buried:
    """What one user's file knows to have been erased."""

    def __init__(self, tx: Tx, user: int) -> None:
        self._tx = tx
        self._user = user
        known = graves.known(tx)
        name = users.name_of(tx, user)[0]
        self.memories = known.memories[name]
        self.person = max((g.at for g in known.people if graves.digest_of(g.salt, name) == g.digest), default="")
        self._rows: dict[str, dict[bytes, dict[bytes, Grave]]] = defaultdict(lambda: defaultdict(dict))
        for grave in known.rows[name]:
            self._rows[grave.kind][grave.salt][grave.digest] = grave

    def __bool__(self) -> bool:
        """Whether anything was ever erased."""
        return bool(self._rows or self.person or self.memories)

    def row(self, kind: str, *name: object, at: str = "") -> Grave | None:
        """The grave of a row of this name, if it has one; a row that is younger than its grave is another."""
        for salt, known in self._rows[kind].items():
            found = known.get(graves.digest_of(salt, *name))
            if found is not None and at <= found.at:
                return found
        return None

    def before(self, when: str) -> str:
        """When the whole person was erased, for a record of ``when`` that is no younger; else "".

        One that says no time may be as old as what was erased, and counts as such.
        """
        return self.person if when <= self.person else ""

    def open(self, grave: Grave) -> None:
        """Its row comes back: nothing is to take it away again."""
        self._rows[grave.kind][grave.salt].pop(grave.digest)
        graves.remove(self._tx, self._user, grave)

    def memory_at(self, uid: str) -> str:
        """When an erased memory was."""
        query = "SELECT max(at) FROM history WHERE user_id = ? AND memory_uid = ?"
        return str(self._tx.execute(query, (self._user, uid)).fetchone()[0])


class GuardedArrivals:
    """Arrivals of an import, without what was erased here. ``revive`` lets that come back, too."""

    def __init__(self, tx: Tx, user: int, *, revive: bool) -> None:
        self._tx = tx
        self._user = user
        self._arrivals = Arrivals(tx, user)
        self._buried = Buried(tx, user)
        self._revive = revive
        self._gone: dict[tuple[str, str], Erased] = {}
        self._thinned: set[str] = set()
        self._fresh: set[str] = set()
        self._lone: dict[str, bool] = {}
        self._summaries: dict[str, str] = {}

    def take(self, record: Record) -> tuple[Arrival, str]:
        """Write one record; what became of it, and if it was erased here, when. Raises ``Refused``, as ``Arrivals.take``."""
        kind = record.get("type")
        if not self._buried or not isinstance(kind, str) or kind not in TABLES:
            return self._arrivals.take(record), ""
        found = self._own_grave(kind, record)
        if found is not None and self._revive:
            return self._revived(kind, record, found)
        found = found or self._rests_on(kind, record)
        if found is None:
            arrival = self._arrivals.take(self._detached(kind, record))
            if kind == "entity" and arrival == "added":
                self._lone[str(record["uid"])] = False
            if kind == "session" and arrival == "added":
                self._fresh.add(str(record["uid"]))
            return arrival, ""
        self._gone[kind, _name(kind, record)] = found
        if kind == "turn":
            self._thinned.add(str(record.get("session")))
        if kind == "relation":
            self._lone |= {
                end: True for end in map(str, (record.get("subject"), record.get("object"))) if end in self._lone
            }
        return "erased", found.at

    def finish(self) -> None:
        """After the last record: what came in for messages and relations that did not."""
        for uid in (uid for uid, bereft in self._lone.items() if bereft):
            row = self._tx.execute("SELECT id FROM entity WHERE user_id = ? AND uid = ?", (self._user, uid)).fetchone()
            if row is not None:
                erase.drop_lone(self._tx, self._user, row[0])
        # What was here keeps the title that it has been given since.
        for uid in self._thinned & self._fresh:
            mine = "user_id = ?1 AND uid = ?2"
            # A title may say what the messages said.
            self._tx.execute(f"UPDATE session SET title = '' WHERE {mine}", (self._user, uid))
            self._tx.execute(
                f"DELETE FROM session WHERE {mine} AND NOT EXISTS (SELECT 1 FROM turn t WHERE t.session_id = session.id)"
                " AND NOT EXISTS (SELECT 1 FROM summary s WHERE s.session_id = session.id)",
                (self._user, uid),
            )

    def _own_grave(self, kind: str, record: Record) -> Erased | None:
        when = next((record[field] for field in _TIMES if isinstance(record.get(field), str)), "")
        if kind == "memory" and str(record.get("uid")) in self._buried.memories:
            return Erased(self._buried.memory_at(record["uid"]))
        found = self._grave(kind, record, when)
        if found is not None:
            return Erased(found.at, found.undo)
        return Erased(self._buried.person) if when and when <= self._buried.person else None

    def _grave(self, kind: str, record: Record, when: str) -> Grave | None:
        if kind == "summary":
            self._summaries[str(record.get("uid"))] = when
        if kind == "summary_sentence":
            summary = str(record.get("summary"))
            return self._buried.row("sentence", summary, record.get("n"), at=self._summaries.get(summary, ""))
        if kind not in _NAMES:
            return None
        name, part = _NAMES[kind]
        return self._buried.row(kind, record.get(name), record.get(part, ""), at=when)

    def _rests_on(self, kind: str, record: Record) -> Erased | None:
        """What of its grounds was erased here, so that a record goes with it."""
        grounds = {f: (t, _label(record.get(f))) for f, t in _refs(kind) if record.get(f) is not None}
        turn = next((f for f in ("source_turn", "turn") if f in grounds and grounds[f][0] == "turn"), None)
        if kind in ("memory", "relation") and turn is not None:
            told = self._gone.get(grounds.pop(turn))
            if told is not None and self._falls(kind, record, told):
                return told
        if kind in _PARTS:
            return self._part(kind, record, list(grounds.values()))
        others = [("memory", _label(record.get("memory_uid"))), ("memory", _label(record.get("subject_uid")))]
        if kind == "job" and isinstance(record.get("payload"), Mapping):
            others.append(("turn", _label(record["payload"].get("turn"))))
        return next((self._gone[g] for g in [*grounds.values(), *others] if g in self._gone), None)

    def _falls(self, kind: str, record: Record, told: Erased) -> bool:
        """Whether what was drawn from an erased turn goes with it. What is here already shows that it did not."""
        if kind == "relation":
            return record.get("memory") is None
        return told.undo and memories.row(self._tx, self._user, str(record.get("uid"))) is None

    def _part(self, kind: str, record: Record, grounds: list[tuple[str, str]]) -> Erased | None:
        """A piece of evidence that was erased takes the conclusion with it, and so all other pieces of that."""
        whole, parent = _PARTS[kind]
        name = record.get(parent) if whole == parent else [record.get(parent), record.get("n")]
        place = (whole, _label(name))
        found = self._gone.get(place) or next((self._gone[g] for g in grounds if g in self._gone), None)
        if found is None or place in self._gone:
            return found
        self._gone[place] = found
        row = self._tx.execute(
            f"SELECT id FROM {parent} WHERE user_id = ? AND uid = ?", (self._user, str(record.get(parent)))
        ).fetchone()
        if row is not None:
            plan = Plan(insights={row[0]}) if whole == "insight" else Plan(sentences={(row[0], record["n"])})
            plan = erasure.of_rows(self._tx, self._user, plan, undo=False)
            erase.apply(self._tx, self._user, plan, found.at, bury=False)
            self._arrivals.keys.pop(place, None)
        return found

    def _detached(self, kind: str, record: Record) -> Record:
        """The record without the erased words it came from."""
        if kind == "history":
            states = [s for s in (record.get("before"), record.get("after")) if isinstance(s, Mapping)]
            told = any(("turn", _label(s.get("source_turn"))) in self._gone for s in states)
            return blank(record) if told else record
        field = {"memory": "source_turn", "relation": "turn"}.get(kind)
        if field is None or ("turn", _label(record.get(field))) not in self._gone:
            return record
        bare = {"turn": None} if kind == "relation" else {
            "source_turn": None, "source_quote": None, "source_start": None, "trace": None,
        }  # fmt: skip
        return record | bare

    def _revived(self, kind: str, record: Record, found: Erased) -> tuple[Arrival, str]:
        arrival = self._arrivals.take(record)
        if kind == "memory":
            self._buried.memories.discard(record["uid"])
        if kind == "memory" and arrival == "added":
            row = memories.row(self._tx, self._user, record["uid"])
            history.append(
                self._tx, self._user, memory=record["uid"], action="add", author="user", decision=new_id(),
                reason="brought back by an import", now=row["updated_at"], before=None, after=memories.snapshot(row),
            )  # fmt: skip
        grave = self._grave(kind, record, "")
        if grave is not None:
            self._buried.open(grave)
        return arrival, found.at


def _refs(kind: str) -> list[tuple[str, str]]:
    table = TABLES[kind]
    return [(field_name(table, column), target) for column, target in table.refs.items()]


def _name(kind: str, record: Mapping[str, Any]) -> str:
    """A record's own name, as others refer to it."""
    table = TABLES[kind]
    parts = [record.get(field_name(table, column)) for column in table.key]
    return _label(parts[0] if len(parts) == 1 else parts)


def _label(label: Any) -> str:
    return json.dumps(label, ensure_ascii=False)
