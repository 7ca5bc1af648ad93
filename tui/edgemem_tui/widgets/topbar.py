"""The bar at the top of every full screen: all places with their numbers, the one you are at marked."""

from __future__ import annotations

from textual import events
from textual.content import Content
from textual.widgets import Static

from edgemem_tui.messages import News
from edgemem_tui.places import PLACES, Place

ROOMY = 112
"""Columns from which the places have their long names."""


class TopBar(Static):
    """One line. A click on a place goes there."""

    def __init__(self, here: str) -> None:
        super().__init__("", id="topbar", markup=False)
        self._here = here
        self._counts: dict[str, int] = {}

    def on_mount(self) -> None:
        """Draw it."""
        self._draw()

    def on_resize(self) -> None:
        """Long names where there is room."""
        self._draw()

    def show(self, news: News) -> None:
        """Show how much waits for a yes or no, and how many jobs failed."""
        counts = {"review": news.reviews, "jobs": news.failed}
        if counts != self._counts:
            self._counts = counts
            self._draw()

    @property
    def _roomy(self) -> bool:
        return self.app.size.width >= ROOMY

    def _parts(self) -> list[tuple[str, str, str]]:
        return [(p.name, p.digit, self._label(p)) for p in PLACES]

    def _label(self, place: Place) -> str:
        waiting = self._counts.get(place.name, 0)
        title = f" {place.title}" if self._roomy else place.short
        return title + (f"({waiting})" if waiting else "")

    def _draw(self) -> None:
        parts = []
        for name, digit, label in self._parts():
            here = "bold $text-primary underline" if name == self._here else ""
            parts.append(Content.assemble((digit, f"bold $accent {'underline' if here else ''}"), (label, here)))
        self.update(Content(self._gap).join(parts))

    @property
    def _gap(self) -> str:
        return "  " if self._roomy else " "

    def on_click(self, event: events.Click) -> None:
        """Go where the click was."""
        at = event.x - 1  # the padding
        for name, digit, label in self._parts():
            width = len(digit) + len(label)
            if 0 <= at < width:
                self.app.call_later(self.app.run_action, f"go('{name}')")
                return
            at -= width + len(self._gap)
