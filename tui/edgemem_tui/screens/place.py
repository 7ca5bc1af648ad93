"""What all full screens but the chat have in common: the bar, a line on what is shown, the keys, how to leave."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import Footer, Input, Static

from edgemem_tui.desk import Desk
from edgemem_tui.messages import News
from edgemem_tui.text import plain
from edgemem_tui.widgets.rows import Rows
from edgemem_tui.widgets.topbar import TopBar


class PlaceScreen(Screen[None]):
    """A numbered place. It stays as it was left, and is read again when one comes back to it."""

    place: ClassVar[str]
    AUTO_FOCUS = "Rows"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Chat", key_display="Esc", id="place.leave"),
        Binding("r", "reload", "Read again", show=False, id="place.reload"),
    ]

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self.desk = desk

    def compose(self) -> ComposeResult:
        """Bar, content, a line on what is shown, keys."""
        yield TopBar(self.place)
        yield from self.body()
        yield Static("reading…", id="shown", markup=False)
        yield Footer(show_command_palette=False)

    @abstractmethod
    def body(self) -> ComposeResult:
        """What is between the bar and the line at the bottom."""

    @abstractmethod
    def reload(self) -> None:
        """Read what is shown, in the background."""

    def on_screen_resume(self) -> None:
        """One has come here, or back from a dialog."""
        self.query_one(TopBar).show(self.desk.news)
        self.reload()

    def takes(self, event: events.Key) -> bool:
        """Take a letter that reached the list before the search had the focus as search text: none is lost, none is a key."""
        field = self.focused
        if not isinstance(field, Input) or not event.is_printable or not event.character:
            return False
        field.insert_text_at_cursor(event.character)
        return True

    def on_news(self, news: News) -> None:
        """The file changed, by this program or another."""
        self.query_one(TopBar).show(news)
        if news.changes or news.moved:
            self.reload()

    def closing(self) -> None:
        """The app is about to end: stop what would keep it waiting."""

    def soon(self, seconds: float, then: Callable[[], object]) -> Timer:
        """Call ``then`` after some seconds, unless the screen closes before: its parts go first."""
        return self.set_timer(seconds, lambda: then() if self.display else None)

    def tell(self, text: str) -> None:
        """The line at the bottom."""
        self.query_one("#shown", Static).update(plain(text))

    def teach(self, text: str) -> None:
        """Say why there is nothing, in the place of the list; an empty text shows the list."""
        empty = self.query_one("#empty", Static)
        empty.update(text)
        empty.display = bool(text)
        rows = self.query_one(Rows)
        if text and rows.has_focus:
            self.set_focus(None)  # else the next field would take the focus, and the keys with it
        rows.display = not text
        self.set_class(bool(text), "-empty")
        if not text and self.focused is None:
            rows.focus()

    def action_reload(self) -> None:
        """Read again."""
        self.reload()

    def action_leave(self) -> None:
        """From a text field back to the list, from the list to the chat."""
        rows = self.query(Rows)
        if isinstance(self.focused, Input) and rows and rows.first().display:
            rows.first().focus()
        elif isinstance(self.focused, Input) and self.focused.value:
            self.focused.value = ""
        else:
            self.app.call_later(self.app.run_action, "go('chat')")
