"""Figures: how much is remembered, since when, of which kinds, how sure, how often it was of use."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.widgets import Static

from edgemem.browse import Statistics
from edgemem_tui.screens.place import PlaceScreen
from edgemem_tui.text import many, one_line


class StatisticsScreen(PlaceScreen):
    """Five plots, what is used most, and a line of totals."""

    place = "statistics"
    AUTO_FOCUS = "#plots"
    BINDINGS: ClassVar[list[BindingType]] = []

    def body(self) -> ComposeResult:
        """The plots side by side; in a small terminal one scrolls through them."""
        from edgemem_tui.widgets.plots import plots

        with VerticalScroll(id="plots"):
            yield from plots()
            yield Static("", id="most-used", markup=False)

    def reload(self) -> None:
        """Count."""
        self.desk.run(self.desk.memory.statistics, self._show, alone="statistics")

    def _show(self, found: Statistics) -> None:
        if not self.is_attached:
            return
        from edgemem_tui.widgets.plots import Plot

        for plot in self.query(Plot):
            plot.show(found)
        self.query_one("#most-used", Static).update(_most_used(found))
        live = sum(found.kinds.values())
        said, days = sum(found.said_on.values()), len(found.said_on)
        size = f"{found.file_bytes / 1e6:,.1f} MB"
        self.tell(
            f"{many(live, 'memory', 'memories')}, {found.never_used:,} never recalled, others {many(found.uses, 'time')} ·"
            f" {many(said, 'message')} on {many(days, 'day')} · {size}"
        )


def _most_used(found: Statistics) -> str:
    if not found.most_used:
        return "Used most\n\nNothing was recalled yet. Ask something in the chat."
    return "\n".join(["Used most", "", *(f"{m.use_count:>6,}  {one_line(m.content, 200)}" for m in found.most_used)])
