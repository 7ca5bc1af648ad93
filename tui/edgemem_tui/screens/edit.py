"""A dialog to change the words of a memory."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import ModalScreen
from textual.widgets import Button, Static, TextArea

from edgemem.records import Memory


class EditScreen(ModalScreen[str | None]):
    """Gives back the new words, or None when nothing is to change."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "cancel", "Cancel", id="edit.cancel"),
        Binding("ctrl+s,f8", "save", "Save", id="edit.save"),
    ]

    def __init__(self, memory: Memory) -> None:
        super().__init__()
        self._memory = memory

    def compose(self) -> ComposeResult:
        """The words and two buttons."""
        with Vertical(id="dialog") as dialog:
            dialog.border_title = "Change a memory"
            yield TextArea(self._memory.content, soft_wrap=True, id="words")
            yield Static(
                "F8 or Ctrl+S saves · Escape leaves it as it is · the old words stay in its history", classes="small"
            )
            with Horizontal(classes="buttons"):
                yield Button("Save", id="save", variant="primary")
                yield Button("Cancel", id="cancel")

    def on_mount(self) -> None:
        """The cursor at the end of the words."""
        words = self.query_one(TextArea)
        words.focus()
        words.move_cursor(words.document.end)

    @on(Button.Pressed, "#save")
    def action_save(self) -> None:
        """Give the new words back, if they are new."""
        words = self.query_one(TextArea).text.strip()
        self.dismiss(words if words and words != self._memory.content else None)

    @on(Button.Pressed, "#cancel")
    def action_cancel(self) -> None:
        """Change nothing."""
        self.dismiss(None)
