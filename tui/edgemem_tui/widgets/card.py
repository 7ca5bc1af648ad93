"""One memory on a card: what it says, where it comes from, why it is here, and keys to correct it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from edgemem.records import Hit, Memory
from edgemem_tui.text import clipped, hit_line, memory_line, reasons

_SHOWN = 280

_OUT_OF_USE = {"forgotten": "forgotten · u takes it back", "review": "not used yet · F3: is it true?"}


class Card(Static, can_focus=True):
    """A memory, or a passage of an earlier chat. Shows ``hit`` scores when it was recalled."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "ask('details')", "Details", key_display="Enter", id="card.details"),
        Binding("f,delete", "ask('forget')", "Forget", key_display="f", id="card.forget"),
        Binding("u", "ask('undo')", "Undo", id="card.undo"),
        Binding("e", "ask('edit')", "Edit", id="card.edit"),
        Binding("p", "ask('pin')", "Pin", show=False, id="card.pin"),
        Binding("g", "ask('source')", "To its message", id="card.source"),
        Binding("c", "ask('copy')", "Copy", show=False, id="card.copy"),
        Binding("down,j", "step(1)", "Next", show=False, id="card.next"),
        Binding("up,k", "step(-1)", "Previous", show=False, id="card.previous"),
    ]

    @dataclass
    class Asked(Message):
        """A key was pressed on a card."""

        action: str
        card: Card

    def __init__(self, memory: Memory | None, hit: Hit | None = None, note: str = "") -> None:
        super().__init__(markup=False)
        self.memory = memory
        self.hit = hit
        self.note = note

    def on_mount(self) -> None:
        """Draw what it was made with."""
        self.show(self.memory, self.note)

    def show(self, memory: Memory | None, note: str = "") -> None:
        """Draw a newer state of the memory."""
        self.memory, self.note = memory, note
        gone = memory is not None and memory.status not in ("live", "review")
        self.set_class(gone, "-gone")
        words = memory.content if memory is not None else self.hit.content if self.hit is not None else ""
        lines = [Content.styled(clipped(words, _SHOWN), "strike" if gone else "")]
        lines += [Content.styled(line, "dim") for line in self._small_print() if line]
        self.update(Content("\n").join(lines))

    def _small_print(self) -> list[str]:
        first = memory_line(self.memory) if self.memory is not None else hit_line(self.hit) if self.hit else ""
        if self.memory is not None and self.memory.status != "live":
            first = _OUT_OF_USE.get(self.memory.status, self.memory.status)
            if self.memory.status == "review" and self.memory.sensitivity != "normal":
                first = "a secret, masked · F3: keep it?"
        why = f"score {self.hit.score:.2f} · {reasons(self.hit.parts)}" if self.hit is not None else ""
        return [self.note, first, why]

    def on_click(self, event: events.Click) -> None:
        """A second click on the same place opens the details."""
        if event.chain == 2:
            self.action_ask("details")

    def action_ask(self, action: str) -> None:
        """Tell the screen which key was pressed."""
        self.post_message(self.Asked(action, self))

    def action_step(self, by: int) -> None:
        """Go to the next or the previous card."""
        cards = list(self.screen.query(Card))
        place = cards.index(self) + by
        if 0 <= place < len(cards):
            cards[place].focus()
