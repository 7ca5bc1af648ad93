"""Keys and commands on one page: those of the place one is at first. Made from the bindings, remapped keys and all."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping
from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.dom import DOMNode
from textual.screen import ModalScreen
from textual.widgets import Footer, Static

from edgemem_tui.commands import COMMANDS
from edgemem_tui.keys import told
from edgemem_tui.places import PLACES

_SENTENCES: Final = {
    "chat": "Enter sends, Ctrl+J begins a new line. Escape stops the answer; what is written stays. Tab goes to the memories beside the chat.",
    "memories": "Type / to search by words and meaning. Space marks memories, * all that are here; f and p are then for all marked.",
    "review": "What is listed here is not used until you say yes.",
    "graph": "Enter or Right opens what hangs together with a line, w looks from there.",
    "timeline": "The bar is the time since the first memory; the list is what was believed at the marked day.",
    "sessions": "Enter goes on with a chat. A search looks for what was said, by words and meaning.",
    "models": "Models in use are marked with a star, those that are not here yet are dim.",
    "jobs": "Jobs do themselves when their turn comes. A failed one waits until you try it again or let it be.",
    "statistics": "Counted whenever you come here.",
    "settings": "Enter changes the setting under the cursor; a star marks what is not as usual.",
}


_WIDEST: Final = 110
_AROUND: Final = 8
"""Columns of the page at most, and of its border, padding and scroll bar."""


class HelpScreen(ModalScreen[None]):
    """The help page, for the place it was asked from."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,f1", "dismiss", "Close", key_display="Esc", id="help.close"),
    ]

    def __init__(self, place: str, owners: Iterable[type[DOMNode]], keymap: Mapping[str, str]) -> None:
        super().__init__()
        self._place = place
        self._owners = owners
        self._keymap = keymap

    def compose(self) -> ComposeResult:
        """One scrolling page."""
        with VerticalScroll(id="page") as page:
            page.border_title = "Help"
            room = min(_WIDEST, self.app.size.width * 9 // 10) - _AROUND
            yield Static(help_page(self._place, self._owners, self._keymap, room))
        yield Footer(show_command_palette=False)


def help_page(place: str, owners: Iterable[type[DOMNode]], keymap: Mapping[str, str], width: int = 100) -> Content:
    """What the place is for, its keys, the keys that work everywhere, the commands of the chat; in so many columns."""
    here = next(p for p in PLACES if p.name == place)
    rows = [
        (told(keymap.get(b.id or "", b.key)), b.tooltip or b.description) for owner in owners for b in _bindings(owner)
    ]
    goto = [
        (f"{p.digit}, {told(keymap.get(f'go.{p.name}', p.keys))}", f"{p.title}: {p.does[0].lower()}{p.does[1:]}")
        for p in PLACES
    ]
    everywhere = [
        ("F1, ?", "this page (? where you are not typing)"), ("Ctrl+P", "every action by name"),
        ("Escape", "back, in the end to the chat"), (told(keymap.get("app.new", "ctrl+n,alt+n")), "new chat"),
        (told(keymap.get("app.panel", "ctrl+b,alt+p")), "show or hide the memories beside the chat"),
        (told(keymap.get("app.demo", "alt+d")), "an invented life to try it with, and back"),
        (told(keymap.get("app.quit", "ctrl+q,f12")), "close"),
    ]  # fmt: skip
    commands = [(command.usage, command.does) for command in COMMANDS]
    blocks = [
        Content.assemble((here.title, "bold $primary"), "\n", _SENTENCES[place]),
        _block("Keys here", rows, width), _block("Go to", goto, width), _block("Everywhere", everywhere, width),
        _block("Commands in the chat", commands, width),
    ]  # fmt: skip
    return Content("\n\n").join(blocks)


def _bindings(owner: type[DOMNode]) -> list[Binding]:
    """All but the moves in a list, which everybody knows."""
    found = [b for b in owner.BINDINGS if isinstance(b, Binding)]
    return [b for b in found if not (b.id or "").startswith("rows.") or b.id in ("rows.enter", "rows.mark")]


def _block(title: str, rows: list[tuple[str, str]], width: int) -> Content:
    """What does not fit into a line goes on under its own words, not under the keys."""
    wide = max(len(key) for key, _ in rows)
    indent = "\n" + " " * (wide + 4)
    room = max(20, width - wide - 4)
    lines = [
        Content.assemble((f"  {key:<{wide}}  ", "bold"), indent.join(textwrap.wrap(what, room))) for key, what in rows
    ]
    return Content("\n").join([Content.styled(title, "bold $primary"), *lines])
