"""A dialog to change some words: of a memory, of a relation, of a message."""

from __future__ import annotations

from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import Button, Static, TextArea


class Words(TextArea):
    """As in the chat: Enter is done, Ctrl+J begins a new line."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+j,alt+enter,shift+enter", "newline", "New line", show=False, id="words.newline"),
    ]

    class Finished(Message):
        """Enter was pressed."""

    async def _on_key(self, event: events.Key) -> None:
        if event.key == "enter":
            event.stop()
            event.prevent_default()
            self.post_message(self.Finished())
        else:
            await super()._on_key(event)

    def action_newline(self) -> None:
        """Begin a new line at the cursor."""
        self.insert("\n")


class EditScreen(ModalScreen[str | None]):
    """Gives back the new words, or None when nothing is to change."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "cancel", "Cancel", id="edit.cancel"),
    ]

    def __init__(
        self, words: str, title: str = "Change a memory", note: str = "the old words stay in its history"
    ) -> None:
        super().__init__()
        self._words = words
        self._title = title
        self._note = note

    def compose(self) -> ComposeResult:
        """The words and two buttons."""
        with Vertical(id="dialog") as dialog:
            dialog.border_title = self._title
            yield Words(self._words, soft_wrap=True, id="words")
            line = " · ".join(p for p in ("Enter saves · Ctrl+J new line · Escape leaves it as it is", self._note) if p)
            yield Static(line, classes="small", markup=False)
            with Horizontal(classes="buttons"):
                yield Button("Save", id="save", variant="primary")
                yield Button("Cancel", id="cancel")

    def on_mount(self) -> None:
        """The cursor at the end of the words."""
        words = self.query_one(Words)
        words.focus()
        words.move_cursor(words.document.end)

    @on(Button.Pressed, "#save")
    @on(Words.Finished)
    def save(self) -> None:
        """Give the new words back, if they are new."""
        words = self.query_one(Words).text.strip()
        self.dismiss(words if words and words != self._words else None)

    @on(Button.Pressed, "#cancel")
    def action_cancel(self) -> None:
        """Change nothing."""
        self.dismiss(None)
