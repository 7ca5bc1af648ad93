"""A list of any length: draws only what is seen, asks for pages as they come into sight.

Cells are measured in terminal columns, so that Chinese, Japanese and Korean text stands in line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from edgemem_tui.text import plain

PAGE = 100
"""Rows asked for at a time."""

ROOMY = 98
"""Terminal columns of a list that has room for all of its own: those of a terminal of 100 without a page beside it."""

KEPT = 40
"""Pages kept; the ones seen longest ago are let go of."""

Tone = Literal["", "dim", "strike", "warning", "good", "bad"]


@dataclass(frozen=True, slots=True)
class Column:
    """A column. ``width`` 0 takes what the others leave; ``roomy`` ones go when the list is narrower than ``ROOMY``."""

    title: str
    width: int = 0
    right: bool = False
    roomy: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """A line: ``key`` tells it from all others, ``tone`` is how it is drawn."""

    key: str
    cells: tuple[str, ...]
    tone: Tone = ""


class Rows(ScrollView, can_focus=True, inherit_bindings=False):
    """The list. Whoever owns it answers ``Wanted`` with ``put``."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "rows--head", "rows--cursor", "rows--blurred", "rows--odd", "rows--dim", "rows--warning", "rows--good", "rows--bad",
    }  # fmt: skip
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)", "Up", show=False, id="rows.up"),
        Binding("down", "move(1)", "Down", show=False, id="rows.down"),
        Binding("pageup", "page(-1)", "Page up", show=False, id="rows.pageup"),
        Binding("pagedown", "page(1)", "Page down", show=False, id="rows.pagedown"),
        Binding("home", "edge(0)", "First", show=False, id="rows.home"),
        Binding("end", "edge(1)", "Last", show=False, id="rows.end"),
        Binding("enter", "choose", "Open", show=False, id="rows.enter"),
        Binding("space", "mark", "Mark", show=False, id="rows.mark"),
    ]

    @dataclass
    class Wanted(Message):
        """Rows from ``first`` on have come into sight and are not here."""

        rows: Rows
        first: int

    @dataclass
    class Chosen(Message):
        """Enter or a second click on a row."""

        rows: Rows
        key: str

    @dataclass
    class Moved(Message):
        """The cursor stands on another row; None when there is none yet."""

        rows: Rows
        key: str | None

    def __init__(self, *columns: Column, marking: bool = False, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._columns = columns
        self._marking = marking
        self._pages: dict[int, Sequence[Row]] = {}
        self._asked: set[int] = set()
        self.total = 0
        self.cursor = 0
        self.marked: set[str] = set()
        """Keys of the rows that are marked for an action on many."""

    # What is shown

    def put(self, first: int, rows: Sequence[Row], total: int, *, fresh: bool = False) -> None:
        """Take in rows from ``first`` (a multiple of ``PAGE``) on. ``fresh``: all that was here is out of date."""
        kept = self.current
        if fresh:
            self._pages.clear()
            self._asked.clear()
        for start in range(0, max(1, len(rows)), PAGE):
            self._pages[first + start] = rows[start : start + PAGE]
            self._asked.discard(first + start)
        self._let_go(first)
        self.total = total
        self._keep_place(kept if fresh else None)
        self.virtual_size = Size(0, total + 1)
        self.refresh()
        self.post_message(self.Moved(self, self.current_key))

    def _let_go(self, latest: int) -> None:
        far = sorted(self._pages, key=lambda first: abs(first - latest))[KEPT:]
        for first in far:
            del self._pages[first]

    def _keep_place(self, kept: Row | None) -> None:
        self.cursor = max(0, min(self.cursor, self.total - 1))
        if kept is None or (self.current is not None and self.current.key == kept.key):
            return
        for first, rows in self._pages.items():
            for n, row in enumerate(rows):
                if row.key == kept.key:
                    self.cursor = first + n
                    return

    def row(self, index: int) -> Row | None:
        """A row, if it is here."""
        page = self._pages.get(index - index % PAGE, ())
        return page[index % PAGE] if 0 <= index % PAGE < len(page) else None

    @property
    def current(self) -> Row | None:
        """The row under the cursor."""
        return self.row(self.cursor) if self.total else None

    @property
    def current_key(self) -> str | None:
        """Its key."""
        row = self.current
        return None if row is None else row.key

    def loaded(self) -> list[Row]:
        """All rows that are here, in order."""
        return [row for first in sorted(self._pages) for row in self._pages[first]]

    # Drawing

    def _shown(self) -> list[tuple[int, Column, int]]:
        room = self.size.width - (2 if self._marking else 0) - 1
        columns = [(n, c) for n, c in enumerate(self._columns) if not c.roomy or self.size.width >= ROOMY]
        fixed = sum(c.width + 2 for _, c in columns if c.width)
        free = [c for _, c in columns if not c.width]
        rest = max(8, (room - fixed) // max(1, len(free)) - 2)
        return [(n, c, c.width or rest) for n, c in columns]

    def render_line(self, y: int) -> Strip:
        """The heading first, then the rows in sight."""
        if y == 0:
            line = self._line(tuple(c.title for c in self._columns), " ")
            return self._strip(line, self.get_component_rich_style("rows--head"))
        index = y - 1 + self.scroll_offset.y
        if index >= self.total:
            return self._strip("", self.rich_style)
        row = self.row(index)
        if row is None:
            self._want(index)
            return self._strip(self._line(("…",), " "), self.rich_style)
        mark = "●" if row.key in self.marked else " "
        return self._strip(self._line(row.cells, mark), self._style_of(index, row))

    def _style_of(self, index: int, row: Row) -> Style:
        name = "rows--odd" if index % 2 else ""
        style = self.get_component_rich_style(name) if name else self.rich_style
        if row.tone == "strike":
            style += Style(strike=True)
        if row.tone not in ("", "strike"):
            style += Style(color=self.get_component_rich_style(f"rows--{row.tone}").color)
        if index == self.cursor:
            style += self.get_component_rich_style("rows--cursor" if self.has_focus else "rows--blurred")
        return style

    def _line(self, cells: tuple[str, ...], mark: str) -> str:
        parts = [f"{mark} "] if self._marking else [" "]
        for n, column, width in self._shown():
            parts.append(fit(plain(cells[n]) if n < len(cells) else "", width, right=column.right) + "  ")
        return "".join(parts)

    def _strip(self, text: str, style: Style) -> Strip:
        width = self.size.width
        return Strip([Segment(set_cell_size(text, width), style)], width)

    def _want(self, index: int) -> None:
        first = index - index % PAGE
        if first not in self._asked:
            self._asked.add(first)
            self.post_message(self.Wanted(self, first))

    # Moving

    def move_to(self, index: int) -> None:
        """Put the cursor on a row and bring it into sight."""
        self.cursor = max(0, min(index, self.total - 1))
        height = max(1, self.size.height - 1)
        top = self.scroll_offset.y
        if self.cursor < top or self.cursor >= top + height:
            wanted = self.cursor if self.cursor < top else self.cursor - height + 1
            self.scroll_to(y=wanted, animate=False, immediate=True)
        self.refresh()
        if self.total and self.current is None:
            self._want(self.cursor)
        self.post_message(self.Moved(self, self.current_key))

    def action_move(self, by: int) -> None:
        """One row up or down."""
        self.move_to(self.cursor + by)

    def action_page(self, by: int) -> None:
        """One screen up or down."""
        self.move_to(self.cursor + by * max(1, self.size.height - 2))

    def action_edge(self, end: int) -> None:
        """To the first or the last row."""
        self.move_to((self.total - 1) * end)

    def action_choose(self) -> None:
        """Open the row under the cursor."""
        key = self.current_key
        if key is not None:
            self.post_message(self.Chosen(self, key))

    def action_mark(self) -> None:
        """Mark the row under the cursor, or unmark it, and go to the next."""
        key = self.current_key
        if self._marking and key is not None:
            self.marked ^= {key}
            self.move_to(self.cursor + 1)

    def on_click(self, event: events.Click) -> None:
        """A click goes to a row, the second one opens it."""
        index = event.y - 1 + self.scroll_offset.y
        if event.y < 1 or index >= self.total:
            return
        self.move_to(index)
        if event.chain == 2:
            self.action_choose()

    def on_focus(self) -> None:
        """The cursor is drawn stronger."""
        self.refresh(Region(0, 0, self.size.width, self.size.height))

    on_blur = on_focus


def fit(text: str, width: int, *, right: bool = False) -> str:
    """The text in exactly ``width`` terminal columns, with an ellipsis where it was cut."""
    size = cell_len(text)
    if size > width:
        return set_cell_size(set_cell_size(text, width - 1).rstrip() + "…", width)
    return " " * (width - size) + text if right else text + " " * (width - size)
