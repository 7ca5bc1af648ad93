"""Where a message is written: Enter sends, Ctrl+J begins a new line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import TextArea

from edgemem_tui.commands import matching

_HINT: Final = "Enter sends · Ctrl+J new line · / commands"
_MORE: Final = " · Ctrl+B memories"


class Composer(TextArea):
    """A text area that grows with its text, up to a third of the screen."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+j,alt+enter,shift+enter", "newline", "New line", show=False, id="composer.newline"),
        Binding("pageup", "scroll_chat(-1)", "Scroll up", show=False, id="composer.pageup"),
        Binding("pagedown", "scroll_chat(1)", "Scroll down", show=False, id="composer.pagedown"),
    ]

    @dataclass
    class Sent(Message):
        """The person wants this said."""

        text: str

    @dataclass
    class Scrolled(Message):
        """The person wants to see the chat further up (-1) or down (1)."""

        pages: int

    def __init__(self) -> None:
        super().__init__(id="composer", soft_wrap=True, show_line_numbers=False, highlight_cursor_line=False)
        self.border_subtitle = _HINT

    def on_resize(self) -> None:
        """Where there is room, say how the memories are shown."""
        self.border_subtitle = _HINT + (_MORE if self.size.width >= len(_HINT + _MORE) + 6 else "")

    async def _on_key(self, event: events.Key) -> None:
        if event.key == "enter":
            event.stop()
            event.prevent_default()
            self._send()
        elif event.key == "tab" and self._complete():
            event.stop()
            event.prevent_default()
        else:
            await super()._on_key(event)

    def _send(self) -> None:
        if self.text.strip():
            self.post_message(self.Sent(self.text))

    def _complete(self) -> bool:
        found = matching(self.text)
        if not found or self.text.rstrip() == f"/{found[0].name}":
            return False
        self.take(f"/{found[0].name}{' ' if found[0].argument else ''}")
        return True

    def action_newline(self) -> None:
        """Begin a new line at the cursor."""
        self.insert("\n")

    def action_scroll_chat(self, pages: int) -> None:
        """Scroll the chat while the hands stay on the message."""
        self.post_message(self.Scrolled(pages))

    def take(self, text: str) -> None:
        """Put a text in, with the cursor at its end."""
        self.text = text
        self.move_cursor(self.document.end)
