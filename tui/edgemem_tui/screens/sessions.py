"""Earlier chats: search them, go on with one, rename, export or erase one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.timer import Timer
from textual.widgets import Input, Static

from edgemem.receipts import Erasure
from edgemem.records import Hit, Session
from edgemem_tui.chats import LEAST, Listed, export, listed, searched
from edgemem_tui.desk import Desk
from edgemem_tui.messages import Picked
from edgemem_tui.screens.confirm import ConfirmScreen
from edgemem_tui.screens.edit import EditScreen
from edgemem_tui.screens.place import PlaceScreen
from edgemem_tui.text import many, minute, one_line, reasons
from edgemem_tui.widgets.rows import Column, Row, Rows

DEBOUNCE = 0.2
"""Seconds of quiet before a search begins."""

_EMPTY = "No chats yet.\n\nWhat you say in the chat is kept and appears here, to be searched and gone on with. Escape goes back."


class SessionsScreen(PlaceScreen):
    """The chats, latest first, or those that fit a search."""

    place = "sessions"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "search", "Search", key_display="/", id="sessions.search"),
        Binding("n", "new", "New chat", id="sessions.new"),
        Binding("t", "rename", "Title", id="sessions.rename"),
        Binding("o", "export", "Export", id="sessions.export"),
        Binding("d,delete", "erase", "Delete", key_display="d", id="sessions.delete"),
        Binding("u", "undo", "Undo", id="sessions.undo"),
    ]

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._listed: dict[str, Listed] = {}
        self._timer: Timer | None = None
        self._searched = self._note = ""

    def body(self) -> ComposeResult:
        """Search and list."""
        yield Input(placeholder="Search what was said, by words and meaning ( / )", id="search", compact=True)
        yield Rows(
            Column("last message", 16), Column("messages", 8, right=True), Column("title, or what it begins with")
        )
        yield Static("", id="empty", markup=False)

    def on_mount(self) -> None:
        """The list comes first."""
        self.query_one("#empty").display = False

    @property
    def query_text(self) -> str:
        """What is searched for."""
        return self.query_one("#search", Input).value.strip()

    def reload(self) -> None:
        """Read the list. A search finds words at once, and what means the same when the embedding model answers."""
        query, memory = self.query_text, self.desk.memory
        if query:
            self.desk.run(
                partial(searched, memory, query, meaning=False), partial(self._worded, query), alone="sessions"
            )
        else:
            self.desk.run(partial(listed, memory), partial(self._show, query), alone="sessions")

    def _worded(self, query: str, found: Sequence[Listed]) -> None:
        if not self.is_attached or query != self.query_text:
            return
        if query != self._searched:  # a list that is only read anew keeps what it shows until all is found again
            if found:
                self._show(query, found, note="by words so far")
            else:
                self.tell("nobody said these words; looking for what means the same…")
        # Under a name of its own: while a model loads, one may type on and is answered.
        self.desk.run(partial(searched, self.desk.memory, query), partial(self._show, query), alone="sessions: meaning")

    @on(Input.Changed, "#search")
    def typed(self) -> None:
        """Search a moment after the last key."""
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.soon(DEBOUNCE, self.reload)

    def on_input_submitted(self) -> None:
        """Enter in the search goes to what was found."""
        self.query_one(Rows).focus()

    def _show(self, query: str, found: Sequence[Listed], note: str = "") -> None:
        if not self.is_attached or query != self.query_text:
            return
        self._note = note
        going = self.desk.going
        kept = [one for one in found if one.session.id not in going]
        self._listed = {one.session.id: one for one in kept}
        rows = self.query_one(Rows)
        rows.put(0, [_row(one) for one in kept], len(kept), fresh=True)
        if query != self._searched:  # what is best stands first; only a list read anew keeps its place
            self._searched = query
            rows.move_to(0)
        self.teach("" if kept else f"In no chat was anything like “{one_line(query, 60)}” said." if query else _EMPTY)
        self._summarise()

    @on(Rows.Moved)
    def _summarise(self) -> None:
        count = many(len(self._listed), "chat")
        one = self.current
        why = _why(one.hit) if one is not None and one.hit is not None else ""
        parts = (count, self._note, "Enter goes on with one" if self._listed else "", why)
        self.tell(" · ".join(p for p in parts if p))

    @property
    def current(self) -> Listed | None:
        """The chat under the cursor."""
        return self._listed.get(self.query_one(Rows).current_key or "")

    @on(Rows.Chosen)
    def opened(self, event: Rows.Chosen) -> None:
        """Enter or a second click on a chat."""
        one = self._listed.get(event.key)
        if one is not None:
            self.app.post_message(Picked(one.session.id, one.turn))

    # Keys

    def action_search(self) -> None:
        """Go to the search."""
        self.set_focus(self.query_one("#search", Input))

    def action_new(self) -> None:
        """Begin a new chat."""
        self.app.call_later(self.app.run_action, "new_chat")

    def action_rename(self) -> None:
        """Give the chat another title."""
        one = self.current
        if one is None:
            return
        session = one.session

        def renamed(title: str | None) -> None:
            if title:
                self.desk.rename(session.id, title)

        self.app.push_screen(EditScreen(session.title, "Title of the chat", "u gives it the old one back"), renamed)

    def action_export(self) -> None:
        """Write the chat as Markdown into the folder the app was started in."""
        one = self.current
        if one is not None:
            work = partial(export, self.desk.memory, one.session, Path.cwd())
            self.desk.run(work, lambda path: self.desk.say(str(path), title="Written"))

    def action_erase(self) -> None:
        """Ask what would go with the chat, then erase it, with a moment to think better of it."""
        one = self.current
        if one is None:
            return
        session, memory = one.session, self.desk.memory
        self.desk.run(lambda: memory.erase(session=session.id, preview=True), partial(self._ask, session))

    def _ask(self, session: Session, plan: Erasure) -> None:
        def answered(yes: bool | None) -> None:
            if yes:
                self.desk.erase_session(session)
                self.reload()

        lines = [f"{item.what} {item.effect}: {one_line(item.text, 200)}" for item in plan.items if item.text]
        note = f"For good, with what was drawn from it, {self.desk.grace:g} seconds after you say yes; until then u keeps it."
        title = one_line(session.title or session.id, 40)
        self.app.push_screen(
            ConfirmScreen(f"Erase the chat “{title}” ({many(session.turns, 'message')})?", lines, "Erase", note),
            answered,
        )

    def action_undo(self) -> None:
        """Keep what was to be erased, or take back the last change made here."""
        self.desk.undo()
        self.reload()


def _why(hit: Hit) -> str:
    score = f"score {hit.score:.2f} · " if hit.score >= LEAST else ""
    return score + reasons(hit.parts)


def _row(one: Listed) -> Row:
    return Row(one.session.id, (minute(one.session.last_at), f"{one.session.turns:,}", one.words))
