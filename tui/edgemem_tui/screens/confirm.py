"""A dialog that asks before something is done to many things, or for good; shows what it would be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Button, Static

from edgemem_tui.text import one_line

SHOWN = 50
"""Lines of the preview; more are counted."""


class ConfirmScreen(ModalScreen[bool]):
    """Gives back whether it is to be done."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer(True)", "Yes", id="confirm.yes"),
        Binding("n,escape", "answer(False)", "No", id="confirm.no"),
    ]

    def __init__(self, question: str, preview: Sequence[str], yes: str, note: str = "") -> None:
        super().__init__()
        self._question = question
        self._preview = preview
        self._yes = yes
        self._note = note

    def compose(self) -> ComposeResult:
        """The question, what it is about, two buttons."""
        with Vertical(id="dialog") as dialog:
            dialog.border_title = self._question
            with VerticalScroll(id="preview-lines"):
                yield Static(self._lines(), markup=False)
            if self._note:
                yield Static(self._note, classes="small", markup=False)
            with Horizontal(classes="buttons"):
                yield Button(f"{self._yes} (y)", id="yes", variant="warning")
                yield Button("Leave it (n)", id="no")

    def _lines(self) -> str:
        more = len(self._preview) - SHOWN
        lines = [f"· {one_line(line, 300)}" for line in self._preview[:SHOWN]]
        return "\n".join([*lines, f"and {more:,} more"] if more > 0 else lines)

    def on_mount(self) -> None:
        """Enter on the safe side."""
        self.query_one("#no").focus()

    @on(Button.Pressed)
    def pressed(self, event: Button.Pressed) -> None:
        """A button answers."""
        self.dismiss(event.button.id == "yes")

    def action_answer(self, answer: bool) -> None:
        """A key answers."""
        self.dismiss(answer)
