"""Earlier chats: pick one to go on with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.widgets import DataTable, Footer, Static

from edgemem.records import Session
from edgemem.view import Memory
from edgemem_tui.desk import Desk
from edgemem_tui.text import minute, one_line

MOST = 200
"""Chats listed; older ones stay in the file."""

_PEEK = 300
"""Chats with more messages than this are not read for their first words."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A chat in the list."""

    id: str
    title: str
    last: str
    turns: int


class SessionsScreen(Screen[Listed | None]):
    """Gives back the chat picked, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "leave", "Back", key_display="Esc", id="sessions.back"),
    ]

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._listed: dict[str, Listed] = {}

    def compose(self) -> ComposeResult:
        """The list."""
        yield Static("Earlier chats · Enter goes on with one", id="title", markup=False)
        yield DataTable[Text](cursor_type="row", zebra_stripes=True)
        yield Static("reading…", id="empty", markup=False)
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Read the list."""
        table = self.query_one(DataTable)
        table.add_column("last message", width=16)
        table.add_column("messages", width=8)
        table.add_column("begins with", width=max(20, self.app.size.width - 34))
        table.focus()
        self._desk.run(lambda: listed(self._desk.memory), self._show)

    def _show(self, found: Sequence[Listed]) -> None:
        if not self.is_attached:
            return
        table = self.query_one(DataTable)
        for one in found:
            self._listed[one.id] = one
            table.add_row(Text(one.last), Text(f"{one.turns:,}", justify="right"), Text(one.title), key=one.id)
        empty = self.query_one("#empty", Static)
        empty.update("No chats yet. What you say in the chat is kept and appears here; Escape goes back.")
        empty.display = not found
        table.display = bool(found)

    def on_data_table_row_selected(self, event: DataTable.RowSelected) -> None:
        """Enter or a click on a chat."""
        self.dismiss(self._listed.get(event.row_key.value or ""))

    def action_leave(self) -> None:
        """Back to the chat that was open."""
        self.dismiss(None)


def listed(memory: Memory) -> list[Listed]:
    """The latest chats with their first words."""
    return [Listed(s.id, _title(memory, s), minute(s.last_at), s.turns) for s in memory.sessions(limit=MOST)]


def _title(memory: Memory, session: Session) -> str:
    if session.title or session.turns > _PEEK:
        return one_line(session.title or session.id, 120)
    said = [turn.content for turn in memory.turns(session.id) if turn.role == "user"]
    return one_line(said[0] if said else session.id, 120)
