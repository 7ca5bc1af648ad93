"""A memory into the file: imports of exports and of other tools' files, record by record."""

from __future__ import annotations

import itertools
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from edgemem.errors import EdgememError, InvalidInput
from edgemem.interop import formats, own
from edgemem.interop.found import Found, Note, Place
from edgemem.interop.lines import RawLine
from edgemem.records import Turn
from edgemem.store import carry_sealed, history, jobs, memories, schema, states, turns
from edgemem.store.buried import Buried, GuardedArrivals
from edgemem.store.carry_in import Refused
from edgemem.store.engine import Engine, Tx
from edgemem.store.graves import Grave
from edgemem.text import check_path, check_text
from edgemem.times import to_db
from edgemem.write import capture, manual
from edgemem.write.learner import PRIORITY

BATCH = 500
"""Records of an import that are written in one transaction: what others may have to wait for."""

Progress = Callable[[int], None]
"""Called now and then with the number of records seen."""


@dataclass(frozen=True, slots=True)
class Item:
    """What became of one record of an import.

    ``what`` is turn, memory, or another table's name. ``outcome``: added, known (there already),
    duplicate (its words are there as another memory), updated, differs (there with other content,
    which stays), erased (it was erased here, and does not come back) or left (cannot be taken). ``reason``
    says why, where that is not plain.
    """

    where: str
    what: str
    outcome: str
    content: str = ""
    reason: str = ""


@dataclass(slots=True)
class ImportReport:
    """What an import did, or would do (``dry_run``), record by record."""

    format: str
    dry_run: bool
    items: list[Item] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)

    @property
    def counts(self) -> dict[str, dict[str, int]]:
        """How many of what had which outcome."""
        found: dict[str, Counter[str]] = {}
        for item in self.items:
            found.setdefault(item.what, Counter())[item.outcome] += 1
        return {what: dict(outcomes) for what, outcomes in found.items()}

    @property
    def left(self) -> list[Item]:
        """What was not taken."""
        return [item for item in self.items if item.outcome in ("left", "differs")]

    @property
    def taken(self) -> bool:
        """Whether anything of it is here now."""
        return any(item.outcome not in ("left", "erased") for item in self.items)

    @property
    def erased(self) -> list[Item]:
        """What was not taken because it was erased here."""
        return [item for item in self.items if item.outcome == "erased"]


@dataclass(frozen=True, slots=True)
class Reading:
    """A file that ``read`` made out, ready to be taken."""

    found: Found | list[RawLine]


def read(
    source: Path, *, form: str | None = None, zone: str | None = None, me: str | None = None,
    passphrase: str | None = None,
) -> Reading:  # fmt: skip
    """Make out a file or folder in any of ``formats.FORMATS``, before anything is written.

    Raises ``InvalidInput`` for what cannot be read or told, ``PassphraseNeeded`` or ``WrongPassphrase``.
    """
    check_text(me or "", "The name")
    found = formats.read(check_path(source), form=form, zone=zone, me=me, passphrase=passphrase)
    if not isinstance(found, Found):
        _head(own.read_own(found))
    return Reading(found)


def _head(found: Iterator[tuple[int, dict[str, Any]] | Place]) -> dict[str, Any]:
    """The head of an edgemem export. Raises ``InvalidInput`` for what is none, and for one of a newer edgemem."""
    head = next(found, None)
    if not isinstance(head, tuple) or not own.is_own(head[1]):
        raise InvalidInput("This is no edgemem export: its first line is not the head.", "Export it again.")
    own.check_head(head[1], schema.VERSION)
    return head[1]


class _UndoneOnPurpose(Exception):
    """Ends a transaction of a dry run."""


@dataclass(frozen=True, slots=True)
class Intake:
    """Takes records into the memory of one user of one open file."""

    engine: Engine
    user: int
    now: Callable[[], datetime]
    max_turn_bytes: int

    def import_from(
        self, reading: Reading, *, extract: bool, dry_run: bool, revive: bool, progress: Progress | None
    ) -> ImportReport:
        """Take what was read."""
        found, told = reading.found, progress or (lambda _: None)
        if isinstance(found, Found):
            return self.take_found(found, dry_run=dry_run, extract=extract, revive=revive, progress=told)
        return self.take_own(found, dry_run=dry_run, revive=revive, progress=told)

    def take_own(self, lines: Iterable[RawLine], *, dry_run: bool, revive: bool, progress: Progress) -> ImportReport:
        """Take an edgemem export. Raises ``InvalidInput`` for one of a newer edgemem."""
        found = own.read_own(lines)
        report = ImportReport("edgemem", dry_run)
        if _head(found).get("part"):
            report.notices.append("The export is a selection; the rest of that memory is not in it.")
        self.take_records(found, report, progress, revive=revive)
        return report

    def take_records(
        self, found: Iterable[tuple[int, dict[str, Any]] | Place], report: ImportReport, progress: Progress, *, revive: bool
    ) -> None:  # fmt: skip
        """Take numbered records, each after those it rests on; of what was erased here only if ``revive``."""
        arrivals: list[GuardedArrivals] = []

        def take(tx: Tx, one: tuple[int, dict[str, Any]] | Place) -> Item:
            arrivals[:] = arrivals or [GuardedArrivals(tx, self.user, revive=revive)]
            return _arrived(
                arrivals[0], one, lambda record: carry_sealed.closed(tx, self.user, self.engine.key, record)
            )

        self._in_batches(found, take, report, progress)
        if arrivals and not report.dry_run:
            with self.engine.write():
                arrivals[0].finish()

    def take_found(
        self, found: Found, *, dry_run: bool, extract: bool, revive: bool, progress: Progress
    ) -> ImportReport:
        """Take conversations into the log (their memories wait in the queue with ``extract``), and memories as they are."""
        report = ImportReport(found.format, dry_run, notices=list(found.notices))
        report.items += [Item(place.where, "record", "left", reason=place.message) for place in found.left]
        known: dict[str, str] = {}
        buried: list[Buried] = []
        with self.engine.read() as tx:
            known |= memories.imported(tx, self.user, found.format)

        def take(tx: Tx, one: Turn | Note) -> Item:
            buried[:] = buried or [Buried(tx, self.user)]
            gone, grave = _buried(buried[0], one, found.format, self.now())
            if gone is not None and not revive and (grave is not None or not self._is_here(tx, one, known)):
                return gone
            if isinstance(one, Note):
                item = self._note(tx, one, found.format, known)
            else:
                item = self._turn(tx, one, found.titles, extract=extract)
            if grave is not None and item.outcome != "left":
                buried[0].open(grave)
            return item

        self._in_batches([*found.turns, *found.notes], take, report, progress)
        return report

    def _is_here(self, tx: Tx, one: Turn | Note, known: dict[str, str]) -> bool:
        """Whether a record came back after the person was erased, because somebody asked for it."""
        if isinstance(one, Note):
            return one.id in known
        return turns.find(tx, self.user, one.session or "", one.id or "") is not None

    def _in_batches(
        self, ones: Iterable[Any], take: Callable[[Tx, Any], Item], report: ImportReport, progress: Progress
    ) -> None:
        """Take one after the other. A dry run does the same and takes it back."""
        waiting = iter(ones)
        # What later records rest on must still be there, so a dry run is one transaction.
        size = None if report.dry_run else BATCH
        more = True
        while more:
            try:
                with self.engine.write() as tx:
                    before = len(report.items)
                    for one in itertools.islice(waiting, size):
                        report.items.append(take(tx, one))
                    more = len(report.items) > before and size is not None
                    if report.dry_run:
                        raise _UndoneOnPurpose
            except _UndoneOnPurpose:
                return
            progress(len(report.items))

    def _turn(self, tx: Tx, turn: Turn, titles: dict[str, str], *, extract: bool) -> Item:
        where = f"{turn.session or 'today'}/{turn.id}"
        text = " ".join(turn.content.split())[:200]
        now = self.now()
        try:
            (fresh,) = capture.checked([turn], now=now, max_bytes=self.max_turn_bytes)
            ((logged, new),) = turns.append(tx, self.user, [fresh], extracted=0 if extract else 2)
        except EdgememError as error:
            return Item(where, "turn", "left", text, f"{error} {error.hint}".strip())
        if not new:
            return Item(where, "turn", "known", text)
        if turn.session in titles:
            turns.name_session(tx, self.user, turn.session, titles[turn.session])
        if extract and turn.role == "user":
            jobs.add(tx, self.user, "extract", {"turn": logged.key}, to_db(now), PRIORITY)
        return Item(where, "turn", "added", text)

    def _note(self, tx: Tx, note: Note, source: str, known: dict[str, str]) -> Item:
        try:
            content = manual.checked_content(note.content)
            if note.id in known:
                return self._again(tx, note, content, known[note.id], source)
            uid, new = self._add(tx, note, content, source)
        except EdgememError as error:
            return Item(note.where, "memory", "left", note.content[:200], f"{error} {error.hint}".strip())
        known[note.id] = uid
        return Item(
            note.where, "memory", "added" if new else "duplicate", content, "" if new else f"it is memory {uid}"
        )

    def _add(self, tx: Tx, note: Note, content: str, source: str) -> tuple[str, bool]:
        now, reason = to_db(self.now()), f"imported from {source}"
        data = {"import": {"from": source, "id": note.id, "where": note.where, **note.more}}
        versions = [manual.checked_content(text) for text in (*note.earlier, content)]
        fields: dict[str, Any] = {"data": states.as_json(data), "about": note.about}
        if note.since is not None:
            fields["valid_from"] = to_db(note.since)
        if note.expires is not None:
            fields["expires_at"] = to_db(note.expires)
        uid, new = manual.add(tx, self.user, versions[0], note.kind or "fact", now, reason=reason, **fields)
        if not new:
            return uid, False
        for text in versions[1:]:
            manual.edit(tx, self.user, uid, now, reason=reason, content=text)
        if note.ended is not None:
            manual.edit(tx, self.user, uid, now, reason=reason, status="superseded", valid_to=to_db(note.ended))
        return uid, True

    def _again(self, tx: Tx, note: Note, content: str, uid: str, source: str) -> Item:
        """A memory that came before: brought up to date if nobody has touched it here since."""
        here = memories.record(memories.row(tx, self.user, uid))
        said = f"imported from {source}"
        changes = history.of_memory(tx, self.user, uid)
        if content in (here.content, *(str(c.after["content"]) for c in changes if c.after)):
            return Item(note.where, "memory", "known", content)
        if here.status != "live" or any(c.reason != said for c in changes):
            return Item(
                note.where, "memory", "differs", content, f"memory {uid} was changed here: {here.content[:200]}"
            )
        manual.edit(tx, self.user, uid, to_db(self.now()), reason=said, content=content)
        return Item(note.where, "memory", "updated", content)


def _buried(buried: Buried, one: Turn | Note, source: str, now: datetime) -> tuple[Item | None, Grave | None]:
    """What a report says of a record of another tool that was erased here, and its own grave if it has one."""
    if not buried:
        return None, None
    if isinstance(one, Note):
        grave = buried.row("import", source, one.id)
        at = grave.at if grave is not None else buried.before("" if one.since is None else to_db(one.since))
        return (Item(one.where, "memory", "erased", one.content[:200], _since(at)) if at else None), grave
    try:
        (turn,) = capture.checked([one], now=now, max_bytes=sys.maxsize)
    except EdgememError:
        return None, None  # what is wrong with it is said where it is taken
    # Without a time of its own it counts as said now, and yet is no younger than its grave.
    when = "" if one.at is None else turn.said_at
    grave = buried.row("turn", turn.session, turn.uid, at=when)
    at = grave.at if grave is not None else buried.before(when)
    where, text = f"{turn.session}/{turn.uid}", " ".join(turn.content.split())[:200]
    return (Item(where, "turn", "erased", text, _since(at)) if at else None), grave


def _since(at: str) -> str:
    return f"erased here on {at[:10]}"


def _arrived(
    arrivals: GuardedArrivals,
    one: tuple[int, dict[str, Any]] | Place,
    closed: Callable[[dict[str, Any]], dict[str, Any]],
) -> Item:
    if isinstance(one, Place):
        return Item(one.where, "record", "left", reason=one.message)
    line, record = one
    what = str(record.get("type"))
    where, text = f"line {line}", str(record.get("content") or record.get("uid") or "")[:200]
    if record.pop("masked", False) and what != "turn":
        return Item(where, what, "left", text, "it is masked; export it with its sensitive values to keep it whole")
    try:
        outcome, at = arrivals.take(closed(record))
    except Refused as refused:
        return Item(where, what, "left", text, str(refused))
    if outcome == "erased":
        return Item(where, what, outcome, text, _since(at))
    return Item(where, what, outcome, text, "what is here stays as it is" if outcome == "differs" else "")
