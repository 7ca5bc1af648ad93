"""The chat so far. Stays at the bottom while an answer grows, unless the reader has scrolled up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Button, Static

from edgemem.records import LoggedTurn
from edgemem_tui.text import minute
from edgemem_tui.widgets.bubbles import AnswerBubble, UserBubble

MOST = 50
"""Messages drawn at once; earlier ones are drawn when asked for, so that long chats stay quick."""


class Transcript(VerticalScroll, can_focus=False):
    """Bubbles, oldest first."""

    BINDINGS: ClassVar[list[BindingType]] = []

    @dataclass
    class Earlier(Message):
        """The turns before a position are wanted."""

        before: int

    def __init__(self) -> None:
        super().__init__(id="transcript")
        self._first = 0
        """Position of the first turn shown: so many are not."""

    def on_mount(self) -> None:
        """Hold on to the bottom."""
        self.anchor()

    async def begin(self, welcome: str) -> None:
        """Show a new, empty chat with a word of welcome."""
        await self._sweep()
        await self.mount(Static(welcome, classes="welcome", markup=False))
        self.anchor()

    async def load(self, turns: Sequence[LoggedTurn], at: str | None = None) -> None:
        """Show the last turns of a chat that was kept; ``at`` is the message to bring into sight."""
        await self._sweep()
        self._first = turns[0].position if turns else 0
        bubbles = [bubble(turn) for turn in turns]
        await self.mount_all([*self._earlier_button(), *bubbles])
        found = next((b for b, turn in zip(bubbles, turns, strict=True) if turn.id == at), None)
        if found is None:
            self.anchor()
        else:
            self.release_anchor()
            found.add_class("-found")
            self.scroll_to_widget(found, animate=False, top=True)

    async def earlier(self, turns: Sequence[LoggedTurn]) -> None:
        """Show the turns before the first one shown."""
        for button in self.query("#earlier"):
            await button.remove()
        self._first = turns[0].position if turns else 0
        await self.mount_all([*self._earlier_button(), *map(bubble, turns)], before=0)

    async def _sweep(self) -> None:
        self._first = 0
        for answer in self.query(AnswerBubble):
            await answer.let_go()
        await self.remove_children()

    async def add(self, item: Widget) -> None:
        """Put a bubble at the end, letting go of the oldest when there are too many."""
        await self.mount(item)
        spare = list(self.query(".bubble"))[: -MOST * 4]
        if spare:
            await self.remove_children(spare)

    def _earlier_button(self) -> list[Widget]:
        left = self._first
        return [Button(f"▲ {left:,} earlier messages — show {min(left, MOST)}", id="earlier")] if left else []

    @on(Button.Pressed, "#earlier")
    def show_earlier(self, event: Button.Pressed) -> None:
        """The messages before the first one shown are wanted."""
        event.stop()
        event.button.disabled = True
        self.post_message(self.Earlier(self._first))


def bubble(turn: LoggedTurn) -> Widget:
    """A logged turn as a bubble."""
    if turn.role == "user":
        return UserBubble(turn.content, when=minute(turn.at))
    name = turn.speaker or {"assistant": "Assistant"}.get(turn.role, turn.role)
    return AnswerBubble(turn.content, label=f"{name} · {minute(turn.at)}")
