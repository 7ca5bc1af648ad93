"""Everything remembered: a table to search, look into and correct."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import DataTable, Footer, Input, Select, Static

from edgemem.records import KINDS, Memory
from edgemem_tui.desk import Desk
from edgemem_tui.find import PAGE, Found, listed, searched
from edgemem_tui.messages import News
from edgemem_tui.screens.acts import act
from edgemem_tui.text import day, one_line

DEBOUNCE = 0.15
"""Seconds of quiet before a search begins."""

_NARROW = {"kind": 10, "sure": 4, "date": 10, "uses": 4}
_LETTERS = {"forget": "f", "undo": "u", "edit": "e", "pin": "p", "copy": "c"}
_EMPTY = (
    "Nothing is remembered yet.\n\nTell the assistant about yourself in the chat (Escape goes there): what you like,"
    " what you plan, who is who.\nWhat it learns appears here within seconds, with the words it was taken from.\n"
    'By hand it goes with:  edgemem add "I am allergic to peanuts"'
)


class MemoriesScreen(Screen[None]):
    """Memories, latest change first, or what a search finds, best first."""

    AUTO_FOCUS = "DataTable"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Back", key_display="Esc", id="memories.back"),
        Binding("enter", "act('details')", "Details", show=False, id="memories.details"),
        Binding("f,delete", "act('forget')", "Forget", key_display="f", id="memories.forget"),
        Binding("u", "act('undo')", "Undo", id="memories.undo"),
        Binding("e", "act('edit')", "Edit", id="memories.edit"),
        Binding("p", "act('pin')", "Pin", id="memories.pin"),
        Binding("c", "act('copy')", "Copy", id="memories.copy"),
        Binding("k", "next_kind", "Kind", id="memories.kind"),
        Binding("r", "refresh", "Refresh", show=False, id="memories.refresh"),
        Binding("slash", "search", "Search", key_display="/", id="memories.search"),
    ]

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._rows: dict[str, Memory] = {}
        self._more = False
        self._fetching = False
        self._timer: Timer | None = None

    def compose(self) -> ComposeResult:
        """Search and filter, the table, a line on what is shown."""
        with Horizontal(id="filters"):
            yield Input(placeholder="Search by words and meaning", id="search")
            yield Select([(kind, kind) for kind in KINDS], prompt="all kinds", id="kind")
        yield DataTable[Text](cursor_type="row", zebra_stripes=True)
        yield Static("", id="empty", markup=False)
        yield Static("reading…", id="shown", markup=False)
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Read the first page."""
        self.query_one("#empty").display = False
        self._columns()
        self.action_refresh()

    def on_resize(self) -> None:
        """The first column takes the room the others leave."""
        column = self.query_one(DataTable).columns
        if column:
            next(iter(column.values())).width = self._content_width()
            self.query_one(DataTable).refresh(layout=True)

    def _columns(self) -> None:
        table = self.query_one(DataTable)
        table.add_column("memory", key="memory", width=self._content_width())
        for name, width in _NARROW.items():
            table.add_column(name, key=name, width=width)

    def _content_width(self) -> int:
        # Two cells of padding a column, and the scroll bar.
        return max(20, self.app.size.width - sum(_NARROW.values()) - 2 * (len(_NARROW) + 1) - 2)

    # Reading

    @property
    def _query(self) -> str:
        return self.query_one(Input).value.strip()

    @property
    def _kind(self) -> str | None:
        value = self.query_one("#kind", Select).value
        return value if isinstance(value, str) else None

    def on_news(self, news: News) -> None:
        """The file changed: read again what is shown."""
        if news.changes:
            self.action_refresh()

    def action_refresh(self) -> None:
        """Read what is shown again, keeping the place."""
        memory, query, kind = self._desk.memory, self._query, self._kind
        work = (
            partial(searched, memory, query, kind)
            if query
            else partial(listed, memory, kind, 0, max(PAGE, len(self._rows)))
        )
        self._desk.run(work, self._show, alone="memories")

    @on(Input.Changed, "#search")
    def typed(self) -> None:
        """Search a moment after the last key."""
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(DEBOUNCE, self._fresh)

    @on(Select.Changed, "#kind")
    def filtered(self) -> None:
        """Another kind is wanted."""
        self._fresh()

    def _fresh(self) -> None:
        self._rows.clear()
        self.action_refresh()

    def _show(self, found: Found) -> None:
        if not self.is_attached or found.query != self._query or found.kind != self._kind:
            return
        table = self.query_one(DataTable)
        place, at = table.cursor_row, self._current()
        table.clear()
        self._rows = {}
        self._append(found)
        if at is not None and at.id in self._rows:
            place = list(self._rows).index(at.id)
        table.move_cursor(row=min(place, max(0, len(self._rows) - 1)), animate=False)

    def _append(self, found: Found) -> None:
        table = self.query_one(DataTable)
        for memory in found.memories:
            if memory.id not in self._rows:
                self._rows[memory.id] = memory
                table.add_row(*cells(memory), key=memory.id)
        self._more, self._fetching = found.more, False
        self._tell(found)

    def _tell(self, found: Found) -> None:
        nothing = not self._rows
        self.query_one(DataTable).display = not nothing
        empty = self.query_one("#empty", Static)
        empty.display = nothing
        empty.update(f"No memory fits “{one_line(found.query, 60)}”." if found.query else self._nothing())
        count = f"{len(self._rows):,}{'+' if self._more else ''} {'found, best first' if found.query else 'memory' if len(self._rows) == 1 else 'memories'}"
        self.query_one("#shown", Static).update(" · ".join(p for p in (count, found.note) if p))

    def _nothing(self) -> str:
        return f"No memory of the kind {self._kind}. k goes to the next kind." if self._kind else _EMPTY

    @on(DataTable.RowHighlighted)
    def near_the_end(self, event: DataTable.RowHighlighted) -> None:
        """Read the next page before the cursor gets to the end of this one."""
        if self._more and not self._fetching and event.cursor_row >= len(self._rows) - PAGE // 4:
            self._fetching = True
            work = partial(listed, self._desk.memory, self._kind, len(self._rows), PAGE)
            self._desk.run(work, self._next)

    def _next(self, found: Found) -> None:
        if self.is_attached and not self._query and found.kind == self._kind:
            self._append(found)
        self._fetching = False

    # Keys

    def _current(self) -> Memory | None:
        table = self.query_one(DataTable)
        ids = list(self._rows)
        return self._rows[ids[table.cursor_row]] if 0 <= table.cursor_row < len(ids) else None

    def on_data_table_row_selected(self, event: DataTable.RowSelected) -> None:
        """Enter or a click on a memory."""
        act(self._desk, "details", self._rows.get(event.row_key.value or ""))

    def on_input_submitted(self) -> None:
        """Enter in the search goes to what was found."""
        self.query_one(DataTable).focus()

    def action_act(self, action: str) -> None:
        """A key on the memory under the cursor."""
        if self._typing(_LETTERS.get(action, "")):
            return
        memory = self._current()
        if memory is not None or action == "undo":
            act(self._desk, action, memory)

    def action_search(self) -> None:
        """Go to the search."""
        self.set_focus(self.query_one(Input))

    def _typing(self, letter: str) -> bool:
        # Keys typed right after the slash may reach the table before the search has the focus: they are search text.
        search = self.query_one(Input)
        if self.focused is not search:
            return False
        search.insert_text_at_cursor(letter)
        return True

    def action_next_kind(self) -> None:
        """Filter by the next kind; after the last come all."""
        if self._typing("k"):
            return
        select = self.query_one("#kind", Select)
        ring: list[str | None] = [None, *KINDS]
        kind = ring[(ring.index(self._kind) + 1) % len(ring)]
        if kind is None:
            select.clear()
        else:
            select.value = kind

    def action_leave(self) -> None:
        """From the search to the table, from the table to the chat."""
        search = self.query_one(Input)
        if search.has_focus and search.value:
            search.value = ""
        elif search.has_focus and self._rows:
            self.query_one(DataTable).focus()
        else:
            self.dismiss()


def cells(memory: Memory) -> tuple[Text, ...]:
    """A row of the table. ``Text`` is shown as it is; a plain string would be read as markup."""
    words = ("◆ " if memory.pinned else "") + one_line(memory.content, 300)
    return (
        Text(words, no_wrap=True, overflow="ellipsis"),
        Text(memory.kind),
        Text(f"{memory.confidence:.0%}", justify="right"),
        Text(day(memory.updated_at)),
        Text(f"{memory.use_count:,}", justify="right"),
    )
