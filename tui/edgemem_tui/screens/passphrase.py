"""A dialog for a first passphrase, typed twice."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import ModalScreen
from textual.widgets import Button, Input, Static

_WARNING = (
    "Everything in the file and its backups made from now on can then only be read with this passphrase. Nobody can find it out"
    " if you forget it. The app closes the file, encrypts it, and opens it again."
)


class PassphraseScreen(ModalScreen[str | None]):
    """Gives back the passphrase, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "cancel", "Leave it", id="passphrase.cancel"),
    ]

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name

    def compose(self) -> ComposeResult:
        """Two fields and two buttons."""
        with Vertical(id="dialog") as dialog:
            dialog.border_title = f"Encrypt {self._name}"
            yield Static(_WARNING, markup=False)
            yield Input(password=True, placeholder="passphrase", id="first")
            yield Input(password=True, placeholder="the same again", id="second")
            yield Static("", id="mismatch", classes="small", markup=False)
            with Horizontal(classes="buttons"):
                yield Button("Encrypt", id="encrypt", variant="warning")
                yield Button("Leave it", id="cancel")

    @on(Input.Submitted, "#first")
    def on_to_second(self) -> None:
        """Enter goes to the second field."""
        self.query_one("#second").focus()

    @on(Input.Submitted, "#second")
    @on(Button.Pressed, "#encrypt")
    def finished(self) -> None:
        """Both must be the same."""
        first, second = (self.query_one(f"#{name}", Input).value for name in ("first", "second"))
        if first and first == second:
            self.dismiss(first)
        else:
            words = "They are not the same." if first else "A passphrase needs at least one character."
            self.query_one("#mismatch", Static).update(words)

    @on(Button.Pressed, "#cancel")
    def action_cancel(self) -> None:
        """Do nothing."""
        self.dismiss(None)
