"""Plots of the statistics. Imported when they are first drawn: the app must not wait for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from textual_plotext import PlotextPlot

from edgemem.browse import Statistics

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


def _growth(plt: Any, found: Statistics) -> None:
    plt.title("Stored, by day")
    _bars(plt, found.stored_on)


def _tokens(plt: Any, found: Statistics) -> None:
    read = sum(cost.prompt_tokens for cost in found.cost_on.values())
    written = sum(cost.tokens for cost in found.cost_on.values())
    # A title that is too long for its plot is not drawn at all: in 80 columns there is room for 36 characters.
    plt.title(f"Tokens: {brief(read)} read, {brief(written)} written" if read else "Tokens: no answer yet")
    _bars(plt, {day: cost.prompt_tokens + cost.tokens for day, cost in found.cost_on.items()})


def _seconds(plt: Any, found: Statistics) -> None:
    answering = sum(cost.answering for cost in found.cost_on.values())
    learning = sum(cost.learning for cost in found.cost_on.values())
    told = f"Seconds: answers {brief(answering)}, learning {brief(learning)}"
    plt.title(told if answering or learning else "Seconds: none yet")
    _bars(plt, {day: round(cost.answering + cost.learning) for day, cost in found.cost_on.items()})


def brief(number: float) -> str:
    """A number in at most five signs, as far as one goes: 1,240, 58k, 12.4M."""
    if number < 10_000:
        return f"{number:,.0f}"
    return f"{number / 1e3:,.0f}k" if number < 999_500 else f"{number / 1e6:,.1f}M"


def _bars(plt: Any, counts_on: Mapping[date, int]) -> None:
    """A bar for each day from the first to the last one, of the latest ``DAYS``."""
    days = _span(counts_on)
    if not days:
        return
    counts = [counts_on.get(d, 0) for d in days]
    plt.bar(list(range(len(days))), counts, width=0.7)
    plt.yticks(whole(max(counts)))
    ticks = [0, len(days) - 1] if len(days) > 1 else [0]
    plt.xticks(ticks, [days[t].isoformat() for t in ticks])


def whole(most: int) -> list[int]:
    """Marks for an axis of counts, from 0 to ``most``: at most six, and there is no half memory."""
    step = max(1, -(-most // 5))
    size = 10 ** (len(str(step)) - 1)
    step = -(-step // size) * size  # 1, 2, 3… 10, 20… of its size, so that the marks are round
    return list(range(0, most + 1, step))


def _span(counts_on: Mapping[date, int]) -> Sequence[date]:
    known = sorted(counts_on)
    if not known:
        return ()
    first = max(known[0], known[-1] - timedelta(days=DAYS - 1))
    return [first + timedelta(days=n) for n in range((known[-1] - first).days + 1)]


def _kinds(plt: Any, found: Statistics) -> None:
    plt.title("In use, by kind")
    if found.kinds:
        plt.bar(list(found.kinds), list(found.kinds.values()), orientation="horizontal", width=0.4)
        plt.xticks(whole(max(found.kinds.values())))


def _sure(plt: Any, found: Statistics) -> None:
    plt.title("In use, by how sure (from so many %)")
    plt.bar([f"{10 * n}" for n in range(10)], list(found.confidence), width=0.6)
    plt.yticks(whole(max(found.confidence)))


def plots() -> list[Plot]:
    """Growth, kinds, confidence, cost."""
    drawn = {"growth": _growth, "kinds": _kinds, "sure": _sure, "tokens": _tokens, "seconds": _seconds}
    return [Plot(draw, name) for name, draw in drawn.items()]
