"""The chat so far. Stays at the bottom while an answer grows, unless the reader has scrolled up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.binding import BindingType
from textual.containers import VerticalScroll
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

    def __init__(self) -> None:
        super().__init__(id="transcript")
        self._earlier: list[LoggedTurn] = []

    def on_mount(self) -> None:
        """Hold on to the bottom."""
        self.anchor()

    async def begin(self, welcome: str) -> None:
        """Show a new, empty chat with a word of welcome."""
        await self._sweep()
        await self.mount(Static(welcome, classes="welcome", markup=False))
        self.anchor()

    async def load(self, turns: Sequence[LoggedTurn]) -> None:
        """Show a chat that was kept; of a long one the end."""
        await self._sweep()
        self._earlier = list(turns[:-MOST])
        await self.mount_all([*self._earlier_button(), *map(bubble, turns[-MOST:])])
        self.anchor()

    async def _sweep(self) -> None:
        self._earlier = []
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
        left = len(self._earlier)
        return [Button(f"▲ {left} earlier messages — show {min(left, MOST)}", id="earlier")] if left else []

    @on(Button.Pressed, "#earlier")
    async def show_earlier(self, event: Button.Pressed) -> None:
        """Draw the messages before the first one shown."""
        event.stop()
        batch, self._earlier = self._earlier[-MOST:], self._earlier[:-MOST]
        await event.button.remove()
        await self.mount_all([*self._earlier_button(), *map(bubble, batch)], before=0)


def bubble(turn: LoggedTurn) -> Widget:
    """A logged turn as a bubble."""
    if turn.role == "user":
        return UserBubble(turn.content, when=minute(turn.at))
    name = turn.speaker or {"assistant": "Assistant"}.get(turn.role, turn.role)
    return AnswerBubble(turn.content, label=f"{name} · {minute(turn.at)}")
