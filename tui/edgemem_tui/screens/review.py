"""What is doubtful and waits for a yes or no: memories, relations, proposed removals. One key settles each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from edgemem_tui.desk import Desk
from edgemem_tui.doubts import Doubt, doubts, removals
from edgemem_tui.screens.acts import act
from edgemem_tui.screens.edit import EditScreen
from edgemem_tui.screens.known import Known, known, page_of
from edgemem_tui.screens.place import PlaceScreen
from edgemem_tui.text import one_line, plain
from edgemem_tui.widgets.rows import Column, Row, Rows

_EMPTY = (
    "Nothing waits for you.\n\nWhat the assistant is not sure of comes here instead of being used: relations it only guessed,"
    " memories marked as doubtful, secrets you told it, and what tidying up would put out of use.\nOne key then says yes (a) or no (x)."
)


class ReviewScreen(PlaceScreen):
    """The list of doubts, and beside it what the one under the cursor rests on."""

    place = "review"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a,y", "settle(True)", "Yes", key_display="a", id="review.yes"),
        Binding("x,n,delete", "settle(False)", "No", key_display="x", id="review.no"),
        Binding("e", "edit", "Edit and accept", id="review.edit"),
        Binding("u", "undo", "Undo", id="review.undo"),
    ]

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._doubts: dict[str, Doubt] = {}
        self._removals: list[Doubt] = []

    def body(self) -> ComposeResult:
        """The list and the page beside it."""
        with Horizontal(id="beside"):
            yield Rows(
                Column("what", 13), Column("is this so?"), Column("sure", 4, right=True), Column("why", 28, roomy=True)
            )
            with VerticalScroll(id="preview", can_focus=False):
                yield Static("", markup=False)
        yield Static("", id="empty", markup=False)

    def on_mount(self) -> None:
        """The list comes first."""
        self.query_one("#empty").display = False

    def on_screen_resume(self) -> None:
        """Proposals to tidy up are made when one comes here, not with every change."""
        super().on_screen_resume()
        self.desk.run(partial(removals, self.desk.memory), self._tidy, alone="removals")

    def _tidy(self, found: list[Doubt]) -> None:
        self._removals = found
        self.reload()

    def reload(self) -> None:
        """Read what waits."""
        self.desk.run(partial(doubts, self.desk.memory), self._show, alone="review")

    def _show(self, found: Sequence[Doubt]) -> None:
        if not self.is_attached:
            return
        found = [*found, *self._removals]
        self._doubts = {doubt.key: doubt for doubt in found}
        self.query_one(Rows).put(0, [_row(doubt) for doubt in found], len(found), fresh=True)
        self.teach("" if found else _EMPTY)
        self._summarise()

    def _summarise(self) -> None:
        doubt = self.current
        count = f"{len(self._doubts)} to decide" if self._doubts else "nothing to decide"
        self.tell(count if doubt is None else f"{count} · a {doubt.yes_means} · x {doubt.no_means}")

    @property
    def current(self) -> Doubt | None:
        """The doubt under the cursor."""
        return self._doubts.get(self.query_one(Rows).current_key or "")

    @on(Rows.Moved)
    def moved(self) -> None:
        """Show what it rests on."""
        self._summarise()
        doubt, page = self.current, self.query_one("#preview Static", Static)
        if doubt is None or not self.query_one("#preview").display:
            page.update("")
        elif doubt.memory is None:
            page.update(
                Content("\n").join([Content.styled(plain(doubt.words), "bold"), Content(""), Content(doubt.why)])
            )
        else:
            memory = doubt.memory
            self.desk.run(partial(known, self.desk.memory, memory.source, memory), self._previewed, alone="preview")

    def _previewed(self, told: Known) -> None:
        doubt = self.current
        wanted = doubt.memory if doubt is not None else None
        if self.is_attached and told.memory is not None and wanted is not None and wanted.id == told.memory.id:
            self.query_one("#preview Static", Static).update(
                Content("\n").join(page_of(told, told.memory.source, said_first=True))
            )

    @on(Rows.Chosen)
    def opened(self) -> None:
        """Enter: the memory it is about or rests on."""
        doubt = self.current
        if doubt is not None and doubt.memory is not None:
            act(self.desk, "details", doubt.memory)
        else:
            self.desk.say("It rests on no memory: it was said by hand.")

    def action_settle(self, yes: bool) -> None:
        """Say yes or no to the doubt under the cursor."""
        doubt = self.current
        if doubt is not None:
            self._do(doubt, doubt.yes if yes else doubt.no, doubt.yes_means if yes else doubt.no_means)

    def _do(self, doubt: Doubt, work: Callable[[], Sequence[str]], means: str) -> None:
        def settled(changes: Sequence[str]) -> None:
            self._removals = [one for one in self._removals if one.key != doubt.key]
            if changes:
                self.desk.changed(
                    tuple(changes),
                    f"{doubt.sort}: {one_line(doubt.words, 60)}",
                    means.capitalize(),
                    one_line(doubt.words, 120),
                )
            else:
                self.desk.say(one_line(doubt.words, 120), title=means.capitalize())
                self.desk.look()
            self.reload()

        self.desk.run(work, settled, alone=f"settle {doubt.key}")

    def action_edit(self) -> None:
        """Change its words and accept it so."""
        doubt = self.current
        if doubt is None:
            return
        if doubt.edit is None:
            self.desk.say(f"There is nothing to change in it. a: {doubt.yes_means}. x: {doubt.no_means}.")
            return
        edit = doubt.edit

        def edited(words: str | None) -> None:
            if words:
                self._do(doubt, partial(edit, words), "accepted as you put it")

        self.app.push_screen(EditScreen(doubt.editable, title=f"Put it right: {one_line(doubt.words, 60)}"), edited)

    def action_undo(self) -> None:
        """Take back the last change made here."""
        self.desk.undo()


def _row(doubt: Doubt) -> Row:
    sure = "" if doubt.sure is None else f"{doubt.sure:.0%}"
    return Row(doubt.key, (doubt.sort, one_line(doubt.words, 300), sure, one_line(doubt.why, 60)))
