"""Keys and commands on one page."""

from __future__ import annotations

from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Footer, Static

from edgemem_tui.commands import COMMANDS

_KEYS: Final = {
    "In the chat": {
        "Enter": "send",
        "Ctrl+J, Alt+Enter": "new line (Shift+Enter where the terminal knows it)",
        "Escape": "stop the answer; what is written stays",
        "Page Up, Page Down": "scroll the chat",
        "Tab": "to the memories beside the chat, and back",
    },
    "Everywhere": {
        "F1, ?": "this page (? where you are not typing)",
        "F2, Ctrl+B": "show or hide the memories beside the chat",
        "F3, Ctrl+O": "all memories",
        "F4, Ctrl+R": "earlier chats",
        "F5, Ctrl+N": "new chat",
        "F8, Ctrl+G": "the graph: who and what you told about",
        "Ctrl+P": "every action by name",
        "F10, Ctrl+Q": "close",
    },
    "On a memory": {
        "Enter": "where it comes from, and all it has been",
        "f": "forget it",
        "u": "take back your last change",
        "e": "change its words",
        "p": "pin it: it is never dropped",
        "c": "copy it",
    },
    "In the graph": {
        "Enter, Right": "open what hangs together with it",
        "w": "walk on from here",
        "b": "back to where you came from",
        "m": "the memory a relation rests on",
        "a, x": "a doubtful relation is true; is not true",
        "x": "close a relation that no longer holds",
    },
    "In the list of memories": {
        "/": "search by words and meaning, as you type",
        "k": "the next kind",
        "r": "read the list again",
        "Escape": "from the search to the list, from the list to the chat",
    },
}
"""Keys and what they do, by place."""


class HelpScreen(ModalScreen[None]):
    """The help page."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,f1", "dismiss", "Close", key_display="Esc", id="help.close"),
    ]

    def compose(self) -> ComposeResult:
        """One scrolling page."""
        with VerticalScroll(id="page") as page:
            page.border_title = "Help"
            yield Static(help_page())
        yield Footer(show_command_palette=False)


def help_page() -> Content:
    """Every key and command, a line each."""
    parts = {**_KEYS, "Commands": {command.usage: command.does for command in COMMANDS}}
    blocks = [_block(title, rows) for title, rows in parts.items()]
    return Content("\n\n").join(blocks)


def _block(title: str, rows: dict[str, str]) -> Content:
    lines = [Content.assemble((f"  {key:<22}", "bold"), what) for key, what in rows.items()]
    return Content("\n").join([Content.styled(title, "bold $primary"), *lines])
