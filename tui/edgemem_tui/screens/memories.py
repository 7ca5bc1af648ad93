"""Everything remembered: a list to search, narrow down, look into and correct, one by one or many at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Input, Static

from edgemem.browse import MemoryFilter
from edgemem.records import KINDS, Hit, Memory
from edgemem.text import counted
from edgemem_tui.desk import Desk
from edgemem_tui.find import Found, by_meaning, by_words, listed, searched, with_letters
from edgemem_tui.screens.acts import act
from edgemem_tui.screens.confirm import ConfirmScreen
from edgemem_tui.screens.edit import EditScreen
from edgemem_tui.screens.filters import FilterScreen, told
from edgemem_tui.screens.known import Known, known, page_of
from edgemem_tui.screens.place import PlaceScreen
from edgemem_tui.text import day, many, one_line, reasons
from edgemem_tui.widgets.rows import PAGE, Column, Row, Rows, Tone

TYPED = 0.04
"""Seconds of quiet before a search begins."""

DEBOUNCE = 0.15
"""Seconds of quiet before the page beside the list is read."""

_EMPTY = (
    "Nothing is remembered yet.\n\nTell the assistant about yourself in the chat (Escape goes there): what you like,"
    " what you plan, who is who.\nWhat it learns appears here within seconds, with the words it was taken from.\n"
    'By hand it goes with:  edgemem add "I am allergic to peanuts"'
)


class MemoriesScreen(PlaceScreen):
    """Memories, latest change first, or what a search finds, best first."""

    place = "memories"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "search", "Search", key_display="/", id="memories.search"),
        Binding("v", "filter", "Filter", id="memories.filter"),
        Binding("k", "next_kind", "Kind", show=False, id="memories.kind"),
        Binding("f,delete", "act('forget')", "Forget", key_display="f", id="memories.forget"),
        Binding("e", "act('edit')", "Edit", id="memories.edit"),
        Binding("p", "act('pin')", "Pin", id="memories.pin"),
        Binding("u", "act('undo')", "Undo", id="memories.undo"),
        Binding("g", "act('source')", "To its message", show=False, id="memories.source"),
        Binding("c", "act('copy')", "Copy", show=False, id="memories.copy"),
        Binding("m", "join", "Make one of those marked", show=False, id="memories.join"),
        Binding("s", "split", "Split in several", show=False, id="memories.split"),
        Binding("asterisk", "mark_all", "Mark all", show=False, id="memories.mark_all"),
    ]

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self.wanted = MemoryFilter()
        self._memories: dict[str, Memory] = {}
        self._hits: Mapping[str, Hit] = {}
        self._note = ""
        self._timer: Timer | None = None
        self._soon: Timer | None = None

    def body(self) -> ComposeResult:
        """Search, the list, and beside it the memory under the cursor."""
        yield Input(placeholder="Search by words and meaning ( / )", id="search", compact=True)
        with Horizontal(id="beside"):
            yield Rows(
                Column("memory"), Column("kind", 10), Column("sure", 4, right=True), Column("changed", 10),
                Column("uses", 5, right=True, roomy=True), marking=True,
            )  # fmt: skip
            with VerticalScroll(id="preview", can_focus=False):
                yield Static("", markup=False)
        yield Static("", id="empty", markup=False)

    def on_mount(self) -> None:
        """The list comes first."""
        self.query_one("#empty").display = False

    # Reading

    @property
    def query_text(self) -> str:
        """What is searched for."""
        return self.query_one("#search", Input).value.strip()

    def reload(self) -> None:
        """Read what is shown again, keeping the place."""
        show = partial(self._show, fresh=True)
        if self.query_text:
            work = partial(searched, self.desk.memory, self.query_text, self.wanted)
            self.desk.run(work, show, alone="memories: meaning")
        else:
            rows = self.query_one(Rows)
            first = rows.cursor - rows.cursor % PAGE
            self.desk.run(partial(listed, self.desk.memory, self.wanted, first), show, alone="memories")

    @on(Rows.Wanted)
    def more(self, event: Rows.Wanted) -> None:
        """A page has come into sight."""
        if not self.query_text:
            self.desk.run(partial(listed, self.desk.memory, self.wanted, event.first), partial(self._show, fresh=False))

    @on(Input.Changed, "#search")
    def typed(self) -> None:
        """Search a moment after the last key."""
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.soon(TYPED, self._anew)

    def _anew(self) -> None:
        """Another search or filter: from the top. Words are found at once, meaning when the embedding model answers."""
        rows = self.query_one(Rows)
        rows.cursor = 0
        rows.marked.clear()
        rows.scroll_home(animate=False)
        if self.query_text:
            work = partial(by_words, self.desk.memory, self.query_text, self.wanted)
            self.desk.run(work, self._worded, alone="memories")
        else:
            self.reload()

    def _worded(self, found: Found) -> None:
        if self._still(found):
            self._show(found, fresh=True)
            # Under a name of its own: while a model loads, one may type on and is answered.
            self.desk.run(partial(by_meaning, self.desk.memory, found), self._meant, alone="memories: meaning")

    def _meant(self, found: Found) -> None:
        rows = self.query_one(Rows) if self.is_attached else None
        at_best = rows is not None and rows.cursor == 0
        self._show(found, fresh=True)
        if rows is not None and at_best:
            rows.move_to(0)  # the best has changed: who has not moved stays with it
        if self._still(found):
            work = partial(with_letters, self.desk.memory, found)
            self.desk.run(work, partial(self._show, fresh=True), alone="memories: meaning")

    def _still(self, found: Found) -> bool:
        """Whether this is what is asked for; one may have typed on meanwhile."""
        return self.is_attached and found.query == self.query_text and found.wanted == self.wanted

    def _show(self, found: Found, *, fresh: bool) -> None:
        if not self._still(found):
            return
        if fresh:
            marked = self.query_one(Rows).marked  # also those out of sight
            self._memories = {key: m for key, m in self._memories.items() if key in marked}
        self._memories |= {m.id: m for m in found.memories}
        self._hits, self._note = found.hits, found.note
        rows = self.query_one(Rows)
        if found.first and not found.memories and fresh:
            rows.cursor = 0  # the end of the list has gone: begin at the top
            self.reload()
            return
        rows.put(found.first, [row_of(m) for m in found.memories], found.total, fresh=fresh)
        self._summarise()

    def _summarise(self) -> None:
        rows, query = self.query_one(Rows), self.query_text
        filtered = told(self.wanted)
        if rows.total:
            self.teach("")
        elif query:
            self.teach(
                f"No memory fits “{one_line(query, 60)}”."
                + (f" Only these were asked for: {filtered}; v changes that." if filtered else "")
            )
        else:
            self.teach(
                f"No memory of these: {filtered}. v changes the filter, k goes to the next kind."
                if filtered
                else _EMPTY
            )
        count = many(rows.total, "memory", "memories")
        marked = f"{len(rows.marked):,} marked: f, p" if rows.marked else ""
        found = f"{rows.total:,} found, best first" if query else count
        hit = self._hits.get(rows.current_key or "")
        why = f"score {hit.score:.2f} · {reasons(hit.parts)}" if hit is not None else ""
        self.tell(" · ".join(p for p in (found, filtered, marked, self._note, why) if p))

    # The memory under the cursor

    @on(Rows.Moved)
    def moved(self) -> None:
        """Say why it was found; read it a moment later, if there is room to show it."""
        self._summarise()
        if self._soon is not None:
            self._soon.stop()
        if self.query_one("#preview").display:
            self._soon = self.soon(DEBOUNCE, self._preview)

    def _preview(self) -> None:
        memory = self.current
        if memory is None:
            self.query_one("#preview Static", Static).update("")
        else:
            self.desk.run(partial(known, self.desk.memory, memory.source, memory), self._previewed, alone="preview")

    def _previewed(self, told: Known) -> None:
        if not self.is_attached:
            return
        current = self.current
        if told.memory is not None and current is not None and current.id == told.memory.id:
            self.query_one("#preview Static", Static).update(Content("\n").join(page_of(told, told.memory.source)))

    @property
    def current(self) -> Memory | None:
        """The memory under the cursor."""
        return self._memories.get(self.query_one(Rows).current_key or "")

    # Keys

    @on(Rows.Chosen)
    def opened(self, event: Rows.Chosen) -> None:
        """Enter or a second click on a memory."""
        act(self.desk, "details", self._memories.get(event.key))

    def on_input_submitted(self) -> None:
        """Enter in the search goes to what was found."""
        self.query_one(Rows).focus()

    def action_act(self, action: str) -> None:
        """A key on the memory under the cursor, or on those marked."""
        marked = self._marked()
        if marked and action in ("forget", "pin"):
            self._ask(action, marked)
            return
        memory = self.current
        if memory is not None or action == "undo":
            act(self.desk, action, memory)

    def _marked(self) -> list[Memory]:
        """The memories that are marked, in the order of the list; those out of sight come last."""
        rows = self.query_one(Rows)
        order = {row.key: n for n, row in enumerate(rows.loaded())}
        marked = [m for m in self._memories.values() if m.id in rows.marked]
        return sorted(marked, key=lambda m: order.get(m.id, len(order)))

    def _ask(self, action: str, marked: list[Memory]) -> None:
        pinned = not all(m.pinned for m in marked)
        verb = "Forget" if action == "forget" else "Pin" if pinned else "Unpin"

        def answered(yes: bool | None) -> None:
            if not yes:
                return
            self.query_one(Rows).marked.clear()
            if action == "forget":
                self.desk.forget_all([m for m in marked if m.status == "live"])
            else:
                self.desk.pin_all(marked, pinned=pinned)

        lines = [("◆ " if m.pinned else "") + m.content for m in marked]
        question = f"{verb} {'this' if len(marked) == 1 else 'these'} {counted(len(marked), 'memory')}?"
        self.app.push_screen(ConfirmScreen(question, lines, verb, "One u takes all of it back."), answered)

    def action_join(self) -> None:
        """Make one memory of those marked: the first in the list stays, with the words you give it."""
        rows = self.query_one(Rows)
        chosen = self._marked()
        if len(chosen) < 2:
            self.desk.say("Mark two or more with Space: m makes one of them.")
            return

        def answered(words: str | None) -> None:
            if words:
                rows.marked.clear()
                self.desk.join(chosen, words)

        said = "\n".join(m.content for m in chosen)
        self.app.push_screen(
            EditScreen(said, f"One memory for {len(chosen)}: how shall it read?", "u parts them"), answered
        )

    def action_split(self) -> None:
        """Make several memories of the one under the cursor, a line each."""
        memory = self.current
        if memory is None:
            return

        def answered(words: str | None) -> None:
            parts = [line.strip() for line in (words or "").splitlines() if line.strip()]
            if len(parts) > 1:
                self.desk.split(memory, parts)
            elif parts:
                self.desk.say("Write each part on a line of its own: Ctrl+J begins a line.")

        self.app.push_screen(
            EditScreen(memory.content, "Split: a line for each memory", "u joins them again"), answered
        )

    def action_mark_all(self) -> None:
        """Mark all that are here, or none."""
        rows = self.query_one(Rows)
        keys = {row.key for row in rows.loaded()}
        rows.marked = set() if rows.marked >= keys else keys
        rows.refresh()
        self._summarise()

    def action_search(self) -> None:
        """Go to the search."""
        self.set_focus(self.query_one("#search", Input))

    def action_filter(self) -> None:
        """Narrow the list down."""
        now = self.desk.file.clock.now()
        self.app.push_screen(FilterScreen(self.wanted, now), lambda wanted: self.narrow(wanted) if wanted else None)

    def narrow(self, wanted: MemoryFilter) -> None:
        """Show only these."""
        self.wanted = wanted
        self._anew()

    def action_next_kind(self) -> None:
        """Filter by the next kind; after the last come all."""
        ring: list[str | None] = [None, *KINDS]
        self.narrow(replace(self.wanted, kind=ring[(ring.index(self.wanted.kind) + 1) % len(ring)]))

    def action_leave(self) -> None:
        """From the search to the list, from marked memories to none, from the list to the chat."""
        search, rows = self.query_one("#search", Input), self.query_one(Rows)
        if search.has_focus and search.value:
            search.value = ""
        elif not search.has_focus and rows.marked:
            rows.marked.clear()
            rows.refresh()
            self._summarise()
        else:
            super().action_leave()


def row_of(memory: Memory) -> Row:
    """A memory as a line of the list."""
    words = ("◆ " if memory.pinned else "") + one_line(memory.content, 300)
    tone: Tone = (
        "strike"
        if memory.status in ("forgotten", "superseded", "expired")
        else "warning"
        if memory.status == "review"
        else ""
    )
    return Row(
        memory.id,
        (words, memory.kind, f"{memory.confidence:.0%}", day(memory.updated_at), f"{memory.use_count:,}"),
        tone,
    )
