"""Figures: how much is remembered, since when, of which kinds, how sure, how often it was of use."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, timedelta
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Grid
from textual.widgets import Static
from textual_plotext import PlotextPlot

from edgemem.browse import Statistics
from edgemem_tui.screens.place import PlaceScreen
from edgemem_tui.text import many, one_line

DAYS = 60
"""Days drawn when there are more."""


class Plot(PlotextPlot):
    """A plot that is drawn anew whenever its figures or its size change."""

    def __init__(self, draw: Callable[[Any, Statistics], None], id: str) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._draw = draw

    def show(self, found: Statistics) -> None:
        """Draw these figures."""
        self.plt.clear_data()
        self.plt.clear_figure()
        self._draw(self.plt, found)
        self.refresh()


class StatisticsScreen(PlaceScreen):
    """Four plots and a line of totals."""

    place = "statistics"
    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = []

    def body(self) -> ComposeResult:
        """The plots in a square."""
        with Grid(id="plots"):
            yield Plot(_growth, "growth")
            yield Plot(_kinds, "kinds")
            yield Plot(_sure, "sure")
            yield Static("", id="most-used", markup=False)

    def reload(self) -> None:
        """Count."""
        self.desk.run(self.desk.memory.statistics, self._show, alone="statistics")

    def _show(self, found: Statistics) -> None:
        if not self.is_attached:
            return
        for plot in self.query(Plot):
            plot.show(found)
        self.query_one("#most-used", Static).update(_most_used(found))
        live = sum(found.kinds.values())
        said, days = sum(found.said_on.values()), len(found.said_on)
        size = f"{found.file_bytes / 1e6:,.1f} MB"
        self.tell(
            f"{many(live, 'memory', 'memories')} in use · {many(said, 'message')} on {many(days, 'day')} · recalled"
            f" {many(found.uses, 'time')}, {many(found.never_used, 'memory', 'memories')} never · {size}"
        )


def _growth(plt: Any, found: Statistics) -> None:
    days = _span(found)
    plt.title("Stored (bars) and said (line) by day")
    if not days:
        return
    places = list(range(len(days)))
    plt.bar(places, [found.stored_on.get(d, 0) for d in days], width=0.7)
    plt.plot(places, [found.said_on.get(d, 0) for d in days], marker="braille")
    ticks = [0, len(days) - 1] if len(days) > 1 else [0]
    plt.xticks(ticks, [days[t].isoformat() for t in ticks])


def _span(found: Statistics) -> Sequence[date]:
    known = sorted({*found.stored_on, *found.said_on})
    if not known:
        return ()
    first = max(known[0], known[-1] - timedelta(days=DAYS - 1))
    return [first + timedelta(days=n) for n in range((known[-1] - first).days + 1)]


def _kinds(plt: Any, found: Statistics) -> None:
    plt.title("In use, by kind")
    if found.kinds:
        plt.bar(list(found.kinds), list(found.kinds.values()), orientation="horizontal", width=0.4)


def _sure(plt: Any, found: Statistics) -> None:
    plt.title("In use, by confidence (in tenths)")
    plt.bar([f".{n}" for n in range(10)], list(found.confidence), width=0.6)


def _most_used(found: Statistics) -> str:
    if not found.most_used:
        return "Used most\n\nNothing was recalled yet. Ask something in the chat."
    return "\n".join(["Used most", "", *(f"{m.use_count:>6,}  {one_line(m.content, 200)}" for m in found.most_used)])
