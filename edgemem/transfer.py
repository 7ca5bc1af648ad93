"""A user's memory out of the file: exports in every form."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Final, TextIO

from edgemem import records
from edgemem.errors import InvalidInput
from edgemem.interop import own
from edgemem.interop.forms import FORMS, Exported, Selection, form_of, put
from edgemem.interop.graph_files import WRITERS, GraphOut, chosen_of_graph
from edgemem.interop.mask import MASK, Masker
from edgemem.interop.pages import pages
from edgemem.interop.sheet import sheet
from edgemem.interop.writing_out import write_folder
from edgemem.store import carry_out, carry_sealed, memories, schema, seal
from edgemem.store import graph as graph_rows
from edgemem.store.engine import Engine, Tx
from edgemem.times import to_db
from edgemem.write.secret import secrets

_HELD: Final = 1 << 26
"""Characters of an export that are held in memory while a stream takes them."""


@dataclass(frozen=True, slots=True)
class Carrier:
    """Carries the memory of one user of one open file out of it."""

    engine: Engine
    user: int
    now: Callable[[], datetime]

    def export_to(
        self, target: Path | TextIO, selection: Selection, *, form: str | None, overwrite: bool, user: str,
        passphrase: str | None = None,
    ) -> Exported:  # fmt: skip
        """Write the memory in a form of ``FORMS``; None goes by the target's name.

        Lines go to a file as they are read, so that a large memory needs no room twice; other threads of this process
        wait meanwhile. They do not wait for a stream, which may take them slowly, unless it is given more than ``_HELD``.
        """
        form = form or form_of(target)
        if selection.status is None:
            selection = replace(selection, status="any" if form == "jsonl" else "live")
        if form == "jsonl":
            head = {"user": user, "exported_at": to_db(self.now())}
            tally: list[Exported] = []
            held: list[str] | None = None
            with self.engine.read():
                if not isinstance(target, Path):
                    # What a stream got cannot be taken back: an altered row must be met before.
                    held = _held(self.lines(selection, head, tally.append))
                if held is None:
                    lines = (f"{line}\n" for line in self.lines(selection, head, tally.append))
                    put(target, lines, overwrite=overwrite, passphrase=passphrase)
            if held is not None:
                put(target, held, overwrite=overwrite, passphrase=passphrase)
            return tally[-1]
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
        told = (word for m in hidden for word in secrets.said_of(tx, self.user, m))  # their messages say it all
        return Masker(((m.id, (m.content, m.value, m.source.quote, *_texts(m.data))) for m in bare), told)

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


def _held(lines: Iterable[str]) -> list[str] | None:
    """All lines, each with its end; None when they are more than ``_HELD``. All are read in either case."""
    held, size = list[str](), 0
    for line in lines:
        size += len(line)
        if size <= _HELD:
            held.append(f"{line}\n")
    return held if size <= _HELD else None


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
