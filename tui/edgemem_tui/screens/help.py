"""Keys and commands on one page."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Footer, Markdown

from edgemem_tui.commands import COMMANDS

_TEXT = """\
## In the chat

| Key | Does |
|---|---|
| Enter | send |
| Ctrl+J, Alt+Enter | new line (Shift+Enter where the terminal knows it) |
| Escape | stop the answer; what is written stays |
| Page Up, Page Down | scroll the chat |
| Tab | to the memories beside the chat, and back |
| F2, Ctrl+B | show or hide them |
| F3, Ctrl+O | all memories |
| F4, Ctrl+R | earlier chats |
| F5, Ctrl+N | new chat |
| F1, ? | this page (? where you are not typing) |
| Ctrl+P, /help | every action by name |
| F10, Ctrl+Q | close |

## On a memory

| Key | Does |
|---|---|
| Enter | where it comes from, and all it has been |
| f | forget it |
| u | take back your last change |
| e | change its words |
| p | pin it: it is never dropped |
| c | copy it |

## In the list of memories

Type to search; `/` goes back to the search, `k` picks a kind, `r` reads the list again, Escape leaves.

## Commands

| Command | Does |
|---|---|
"""


class HelpScreen(ModalScreen[None]):
    """The help page."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,f1", "dismiss", "Close", key_display="Esc", id="help.close"),
    ]

    def compose(self) -> ComposeResult:
        """One scrolling page."""
        rows = "\n".join(f"| `{c.usage.replace('|', ' or ')}` | {c.does} |" for c in COMMANDS)
        with VerticalScroll(id="page") as page:
            page.border_title = "Help"
            yield Markdown(_TEXT + rows)
        yield Footer(show_command_palette=False)
