"""Everything about one memory: its fields, the message it was taken from, and all it has been."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.timer import Timer
from textual.widgets import Footer, Static

from edgemem.records import Change, Memory, Source
from edgemem_tui.desk import Desk
from edgemem_tui.messages import News
from edgemem_tui.screens.edit import EditScreen
from edgemem_tui.screens.known import Known, is_sealed, known, page_of
from edgemem_tui.text import one_line, plain

REVEALED = 10.0
"""Seconds for which a sealed value is shown."""


class DetailScreen(ModalScreen[None]):
    """One memory (or, without one, a passage of the log) in full."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "dismiss", "Close", key_display="Esc", id="detail.close"),
        Binding("f,delete", "forget", "Forget", key_display="f", id="detail.forget"),
        Binding("u", "undo", "Undo", id="detail.undo"),
        Binding("e", "edit", "Edit", id="detail.edit"),
        Binding("p", "pin", "Pin", id="detail.pin"),
        Binding("c", "copy", "Copy", id="detail.copy"),
        Binding("g", "source", "To the chat", id="detail.source"),
        Binding("s", "reveal", "Show the secret", id="detail.reveal"),
    ]

    def __init__(self, desk: Desk, source: Source, memory: Memory | None = None) -> None:
        super().__init__()
        self._desk = desk
        self._source = source
        self._memory = memory
        self.changes: Sequence[Change] = ()
        """What was changed, oldest first; empty until it is read."""
        self._hiding: Timer | None = None
        self._gone = False

    def compose(self) -> ComposeResult:
        """One scrolling page."""
        with VerticalScroll(id="page") as page:
            page.border_title = "Memory" if self._memory is not None else "Said earlier"
            yield Static("", id="secret", markup=False)
            yield Static("reading…", id="detail", markup=False)
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Read it. What is sealed stays so until a key asks for it."""
        self._hide()
        self._read()

    def on_news(self, news: News) -> None:
        """Read it again when something changed: what is erased, by whichever program, is in no list of changes."""
        if (news.changes or news.moved) and not self._gone:
            self._read()

    def _read(self) -> None:
        self._desk.run(partial(known, self._desk.memory, self._source, self._memory), self._show)

    def _show(self, told: Known) -> None:
        if not self.is_attached:
            return
        self._memory, self.changes, self._gone = told.memory, told.changes, told.gone
        if told.gone:
            self._hide()
            self._source = Source()  # nothing of it can be copied either
        page = Content("It was erased: nothing of it is in the file any more.")
        self.query_one("#detail", Static).update(page if told.gone else Content("\n").join(page_of(told, self._source)))
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002 - Textual's
        """Only what is sealed can be shown."""
        return action != "reveal" or (self._memory is not None and is_sealed(self._memory))

    def action_reveal(self) -> None:
        """Show what is sealed for a moment, or hide it again."""
        if self._hiding is not None:
            self._hide()
        elif self._memory is not None:
            self._desk.run(partial(self._desk.memory.reveal, self._memory.id), self._revealed, alone="reveal")

    def _revealed(self, secret: str) -> None:
        if not self.is_attached:
            return
        page = self.query_one("#secret", Static)
        page.update(
            Content.assemble((plain(secret), "bold reverse"), f"   hidden again in {REVEALED:g} seconds, or by s\n")
        )
        page.display = True
        self._hiding = self.set_timer(REVEALED, self._hide)

    def _hide(self) -> None:
        if self._hiding is not None:
            self._hiding.stop()
        self._hiding = None
        page = self.query_one("#secret", Static)
        page.update("")
        page.display = False

    def action_forget(self) -> None:
        """Take it out of use."""
        if self._memory is not None and self._memory.status == "live":
            self._desk.forget(self._memory)

    def action_undo(self) -> None:
        """Take back the last change of this memory, whoever made it."""
        if self.changes:
            last = self.changes[-1]
            self._desk.undo_change(
                last.id, f"{last.action}: {one_line(str((last.after or {}).get('content', '')), 60)}"
            )

    def action_edit(self) -> None:
        """Change its words."""
        if self._memory is not None:
            memory = self._memory
            self.app.push_screen(
                EditScreen(memory.content), lambda words: self._desk.edit(memory, words) if words else None
            )

    def action_pin(self) -> None:
        """Pin or unpin it."""
        if self._memory is not None:
            self._desk.pin(self._memory)

    def action_copy(self) -> None:
        """Copy its words."""
        text = self._memory.content if self._memory is not None else self._source.quote or ""
        self.app.copy_to_clipboard(text)

    def action_source(self) -> None:
        """Go to the message it was taken from, in its chat."""
        self._desk.to_source(self._memory.source if self._memory is not None else self._source)
