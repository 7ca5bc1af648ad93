"""A user's memory out of the file and into it: exports, and imports of exports and of other tools' files."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any, TextIO

from edgemem import records
from edgemem.errors import EdgememError, InvalidInput
from edgemem.interop import formats, own
from edgemem.interop.forms import FORMS, Exported, Selection, form_of, put
from edgemem.interop.found import Found, Note, Place
from edgemem.interop.graph_files import WRITERS, GraphOut, chosen_of_graph
from edgemem.interop.lines import RawLine
from edgemem.interop.mask import MASK, Masker
from edgemem.interop.pages import pages
from edgemem.interop.sheet import sheet
from edgemem.interop.writing_out import write_folder
from edgemem.records import Turn
from edgemem.store import carry_out, carry_sealed, history, jobs, memories, schema, seal, states, turns
from edgemem.store import graph as graph_rows
from edgemem.store.carry_in import Arrivals, Refused
from edgemem.store.engine import Engine, Tx
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
    which stays) or left (cannot be taken). ``reason`` says why, where that is not plain.
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


class _UndoneOnPurpose(Exception):
    """Ends a transaction of a dry run."""


@dataclass(frozen=True, slots=True)
class Carrier:
    """Moves the memory of one user of one open file."""

    engine: Engine
    user: int
    now: Callable[[], datetime]
    max_turn_bytes: int

    # Out

    def export_to(
        self, target: Path | TextIO, selection: Selection, *, form: str | None, overwrite: bool, user: str,
        passphrase: str | None = None,
    ) -> Exported:  # fmt: skip
        """Write the memory in a form of ``FORMS``; None goes by the target's name."""
        form = form or form_of(target)
        if selection.status is None:
            selection = replace(selection, status="any" if form == "jsonl" else "live")
        if form == "jsonl":
            head = {"user": user, "exported_at": to_db(self.now())}
            tally: list[Exported] = []
            lines = (f"{line}\n" for line in self.lines(selection, head, tally.append))
            put(target, lines, overwrite=overwrite, passphrase=passphrase)
            return tally[0]
        if form in WRITERS:
            drawn, masked = self.graph(selection)
            put(target, [WRITERS[form](drawn)], overwrite=overwrite, passphrase=passphrase)
            return Exported(len(drawn.relations), masked)
        found, masked = self.memories(selection)
        if form == "csv":
            put(target, [sheet(found)], overwrite=overwrite, passphrase=passphrase)
        elif form == "markdown":
            if not isinstance(target, Path) or target.suffix.lower() == ".md":
                raise InvalidInput("Markdown notes are several files.", "Name a folder for them.")
            if passphrase is not None:
                raise InvalidInput("Notes are for reading, and their names tell much.", "Encrypt jsonl or csv instead.")
            write_folder(target, pages(found, at=self.now()), overwrite=overwrite)
        else:
            raise InvalidInput(f"There is no form {form!r}.", f"Forms are: {', '.join(FORMS)}.")
        return Exported(len(found), masked)

    def chosen(self, tx: Tx, selection: Selection) -> list[records.Memory]:
        """The memories of a selection, oldest first."""
        everything = memories.listed(tx, self.user, limit=0, status="any")
        return sorted((m for m in everything if selection.takes(m)), key=lambda m: m.key)

    def masker(self, tx: Tx, *, sensitive: bool = False) -> Masker:
        """What hides the sensitive memories of this user, or nothing when they were asked for."""
        hidden = [] if sensitive else memories.guarded(tx, self.user)
        # A sealed memory says a label only, which anybody may see.
        bare = (m for m in hidden if carry_sealed.SEALED not in m.data)
        return Masker((m.id, (m.content, m.value, m.source.quote, *_texts(m.data))) for m in bare)

    def lines(self, selection: Selection, head: dict[str, Any], done: Callable[[Exported], None]) -> Iterator[str]:
        """The lines of a complete export, or of a selection with all it rests on; ``done`` gets the tally."""
        with self.engine.read() as tx:
            keys = None if selection.everything else [m.key for m in self.chosen(tx, selection)]
            masker = self.masker(tx, sensitive=selection.sensitive)
            count = itertools.count(-1)  # the head is no record
            part = {} if keys is None else {"part": True}
            seen = self.carried(tx, keys, masker, sensitive=selection.sensitive)
            for line in own.written({"schema": schema.VERSION, **head, **part}, seen):
                next(count)
                yield line
            done(Exported(next(count) - 1, masker.masked))

    def carried(self, tx: Tx, keys: list[int] | None, masker: Masker, *, sensitive: bool) -> Iterator[dict[str, Any]]:
        """The records of the memories with these keys, or of all there is: whole if ``sensitive``, else masked."""
        carried = carry_out.records(tx, self.user, keys)
        if sensitive:
            return (carry_sealed.opened(tx, self.engine.key, record) for record in carried)
        return masker.apply(carried, carry_sealed.hidden)

    def memories(self, selection: Selection) -> tuple[list[records.Memory], int]:
        """The memories of a selection, oldest first, masked, and how many were."""
        with self.engine.read() as tx:
            found = self.chosen(tx, selection)
            masker = self.masker(tx, sensitive=selection.sensitive)
            seen = [self._unsealed(tx, m) if selection.sensitive else _masked(m, masker) for m in found]
        if selection.sensitive:
            return seen, 0
        return seen, sum(a is not b for a, b in zip(found, seen, strict=True))

    def graph(self, selection: Selection) -> tuple[GraphOut, int]:
        """The graph, and how many relations were left out because they rest on, or name, what is sensitive.

        With a filter on memories only what rests on the chosen ones. ``status`` is live or any.
        """
        if selection.status not in ("live", "any"):
            raise InvalidInput(
                "Of the graph, what is live can be exported, or any.", "Say --status any, or leave it out."
            )
        memories_of = replace(selection, status="any")
        with self.engine.read() as tx:
            masker = self.masker(tx, sensitive=selection.sensitive)
            chosen = None if memories_of.everything else {m.id for m in self.chosen(tx, memories_of)}
            relations = graph_rows.every_relation(tx, self.user, live=selection.status == "live")
            entities = graph_rows.listed(tx, self.user, 0)
        return chosen_of_graph(entities, relations, chosen, masker.hides)

    def _unsealed(self, tx: Tx, memory: records.Memory) -> records.Memory:
        sealed = memory.data.get(carry_sealed.SEALED)
        return (
            memory if sealed is None else replace(memory, content=seal.reveal(tx, self.engine.key, sealed, memory.id))
        )

    # In

    def import_from(
        self, source: Path, *, form: str | None, zone: str | None, me: str | None, extract: bool, dry_run: bool,
        progress: Progress | None, passphrase: str | None = None,
    ) -> ImportReport:  # fmt: skip
        """Take a file or folder in any of ``formats.FORMATS``."""
        found = formats.read(source, form=form, zone=zone, me=me, passphrase=passphrase)
        told = progress or (lambda _: None)
        if isinstance(found, Found):
            return self.take_found(found, dry_run=dry_run, extract=extract, progress=told)
        return self.take_own(found, dry_run=dry_run, progress=told)

    def take_own(self, lines: Iterable[RawLine], *, dry_run: bool, progress: Progress) -> ImportReport:
        """Take an edgemem export. Raises ``InvalidInput`` for one of a newer edgemem."""
        found = own.read_own(lines)
        head = next(found, None)
        if not isinstance(head, tuple) or not own.is_own(head[1]):
            raise InvalidInput("This is no edgemem export: its first line is not the head.", "Export it again.")
        own.check_head(head[1], schema.VERSION)
        report = ImportReport("edgemem", dry_run)
        if head[1].get("part"):
            report.notices.append("The export is a selection; the rest of that memory is not in it.")
        self.take_records(found, report, progress)
        return report

    def take_records(
        self, found: Iterable[tuple[int, dict[str, Any]] | Place], report: ImportReport, progress: Progress
    ) -> None:
        """Take numbered records, each after those it rests on."""
        arrivals: list[Arrivals] = []

        def take(tx: Tx, one: tuple[int, dict[str, Any]] | Place) -> Item:
            arrivals[:] = arrivals or [Arrivals(tx, self.user)]
            return _arrived(
                arrivals[0], one, lambda record: carry_sealed.closed(tx, self.user, self.engine.key, record)
            )

        self._in_batches(found, take, report, progress)

    def take_found(self, found: Found, *, dry_run: bool, extract: bool, progress: Progress) -> ImportReport:
        """Take conversations into the log (their memories wait in the queue with ``extract``), and memories as they are."""
        report = ImportReport(found.format, dry_run, notices=list(found.notices))
        report.items += [Item(place.where, "record", "left", reason=place.message) for place in found.left]
        known: dict[str, str] = {}
        with self.engine.read() as tx:
            known |= memories.imported(tx, self.user, found.format)

        def take(tx: Tx, one: Turn | Note) -> Item:
            if isinstance(one, Note):
                return self._note(tx, one, found.format, known)
            return self._turn(tx, one, found.titles, extract=extract)

        self._in_batches([*found.turns, *found.notes], take, report, progress)
        return report

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


def _arrived(
    arrivals: Arrivals, one: tuple[int, dict[str, Any]] | Place, closed: Callable[[dict[str, Any]], dict[str, Any]]
) -> Item:
    if isinstance(one, Place):
        return Item(one.where, "record", "left", reason=one.message)
    line, record = one
    what = str(record.get("type"))
    where, text = f"line {line}", str(record.get("content") or record.get("uid") or "")[:200]
    if record.pop("masked", False) and what != "turn":
        return Item(where, what, "left", text, "it is masked; export it with its sensitive values to keep it whole")
    try:
        outcome = arrivals.take(closed(record))
    except Refused as refused:
        return Item(where, what, "left", text, str(refused))
    return Item(where, what, outcome, text, "what is here stays as it is" if outcome == "differs" else "")


def _texts(value: Any) -> Iterator[str]:
    """All texts in a JSON value, keys apart."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(item)


def _masked(memory: records.Memory, masker: Masker) -> records.Memory:
    if carry_sealed.SEALED in memory.data:
        return replace(memory, data={})
    if memory.sensitivity != "normal":
        hidden = replace(memory.source, quote=None, start=None)
        return replace(memory, content=MASK, value=None, subject=None, attribute=None, data={}, source=hidden)
    seen = masker.text(memory.content)
    quote = masker.text(memory.source.quote)
    if (seen, quote) == (memory.content, memory.source.quote):
        return memory
    return replace(memory, content=seen, source=replace(memory.source, quote=quote))
