"""What was believed when: the memories as they were on a day, and which of them have changed since."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import partial
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Static

from edgemem.browse import Believed, Statistics
from edgemem.errors import NotFound
from edgemem.records import Change, Memory
from edgemem.view import Memory as View
from edgemem_tui.desk import Desk
from edgemem_tui.screens.acts import act
from edgemem_tui.screens.edit import EditScreen
from edgemem_tui.screens.place import PlaceScreen
from edgemem_tui.text import day, many, minute, one_line
from edgemem_tui.widgets.rows import PAGE, Column, Row, Rows, Tone

_BLOCKS = " ▁▂▃▄▅▆▇█"
_EMPTY = "Nothing was believed yet on this day.\n\nLeft and right go a day back and on, Page Up and Page Down a month, Home and End to the first day and to now; g takes a date."


@dataclass(frozen=True, slots=True)
class Then:
    """What was in use at a moment, with what has become of it."""

    at: datetime
    first: int
    believed: Believed
    now: Mapping[str, Memory]


class TimelineScreen(PlaceScreen):
    """A slider over the days, and the memories as they were."""

    place = "timeline"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "step(-1)", "Back", key_display="←", id="timeline.back", tooltip="A day back"),
        Binding("right", "step(1)", "On", key_display="→", id="timeline.on", tooltip="A day on"),
        Binding("shift+left,comma", "step(-30)", "Month back", key_display=",", id="timeline.month_back"),
        Binding("shift+right,full_stop", "step(30)", "Month on", key_display=".", id="timeline.month_on"),
        Binding("g", "date", "Date", id="timeline.date"),
        Binding("n", "now", "Now", id="timeline.now"),
    ]

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self.at: datetime | None = None
        self._then: dict[str, Memory] = {}
        self._days: Mapping[date, int] = {}
        self._uncounted = True
        """Whether the days are to be counted once the rows stand there; reads of a file go one after the other."""

    def body(self) -> ComposeResult:
        """The slider and the list."""
        yield Static("", id="slider", markup=False)
        yield Rows(Column("as it was believed then"), Column("since", 16, roomy=True), Column("and now", 28))
        yield Static("", id="empty", markup=False)

    def on_mount(self) -> None:
        """The list comes first."""
        self.query_one("#empty").display = False

    @property
    def moment(self) -> datetime:
        """The moment looked at; now, unless another was chosen."""
        return self.at or self.desk.file.clock.now()

    def reload(self) -> None:
        """Read what was in use then, and after it count the days of the slider: that takes longer."""
        self._uncounted = True
        self._step()

    def _step(self) -> None:
        self._draw_slider()
        work = partial(_read, self.desk.memory, self.moment, 0)
        self.desk.run(work, partial(self._show, fresh=True), alone="timeline")

    def _counted(self, found: Statistics) -> None:
        self._days = found.stored_on
        self._draw_slider()

    def _draw_slider(self) -> None:
        drawn = slider(self._days, self.moment, self.desk.file.clock.now(), max(20, self.app.size.width - 4))
        self.query_one("#slider", Static).update(drawn)

    def on_resize(self) -> None:
        """The slider takes the whole width."""
        self._draw_slider()

    @on(Rows.Wanted)
    def more(self, event: Rows.Wanted) -> None:
        """A page has come into sight."""
        self.desk.run(partial(_read, self.desk.memory, self.moment, event.first), partial(self._show, fresh=False))

    def _show(self, then: Then, *, fresh: bool) -> None:
        if not self.is_attached or (self.at is not None and then.at != self.at):
            return
        if fresh:
            self._then = {}
        self._then |= then.now
        rows = [_row(change, then.now.get(change.memory)) for change in then.believed.changes]
        self.query_one(Rows).put(then.first, rows, then.believed.total, fresh=fresh)
        self.teach("" if then.believed.total else _EMPTY)
        if self._uncounted:
            self._uncounted = False
            self.desk.run(self.desk.memory.statistics, self._counted, alone="timeline: days")
        changed = sum(1 for row in rows if row.tone)
        self.tell(
            f"{many(then.believed.total, 'memory', 'memories')} in use then · of those shown {changed} have changed since"
        )

    @on(Rows.Chosen)
    def opened(self, event: Rows.Chosen) -> None:
        """Enter: all it has been."""
        act(self.desk, "details", self._then.get(event.key))

    def action_step(self, days: int) -> None:
        """So many days back or on; never into the future."""
        wanted = self.moment + timedelta(days=days)
        self.at = wanted if wanted < self.desk.file.clock.now() else None
        self._step()

    def action_now(self) -> None:
        """What is believed now."""
        self.at = None
        self._step()

    def action_date(self) -> None:
        """Go to a date."""
        note = "the end of a day, as in 2026-05-01"
        self.app.push_screen(EditScreen(f"{self.moment.astimezone():%Y-%m-%d}", "Which day", note), self._dated)

    def _dated(self, words: str | None) -> None:
        if words is None:
            return
        try:
            chosen = datetime.fromisoformat(words.strip()).astimezone() + timedelta(days=1, microseconds=-1)
        except (ValueError, OverflowError):
            self.desk.say(f"{one_line(words, 40)} is no date. Write it like 2026-05-01.")
            return
        self.at = chosen if chosen < self.desk.file.clock.now() else None
        self._step()


def _read(view: View, at: datetime, first: int) -> Then:
    found = view.believed(at, limit=PAGE, offset=first)
    now = {}
    for change in found.changes:
        try:
            now[change.memory] = view.get(change.memory)
        except NotFound:
            continue  # erased since
    return Then(at, first, found, now)


def _row(change: Change, now: Memory | None) -> Row:
    then = str((change.after or {}).get("content", ""))
    became, tone = _became(then, now)
    return Row(change.memory, (one_line(then, 300), minute(change.at), became), tone)


def _became(then: str, now: Memory | None) -> tuple[str, Tone]:
    if now is None:
        return "erased", "strike"
    if now.status != "live":
        return f"{now.status} on {day(now.updated_at)}", "dim"
    if now.content != then:
        return f"now: {one_line(now.content, 60)}", "warning"
    return "", ""


def slider(days: Mapping[date, int], at: datetime, today: datetime, width: int) -> Content:
    """The days from the first memory until today, the higher the more was stored; the chosen day marked and named under it.

    ``days`` counts what was stored, by day; ``width`` is in columns.
    """
    here, end = at.astimezone().date(), max(at, today).astimezone().date()
    first = min([*days, here, end])
    span = max(1, (end - first).days)

    def cell(of: date) -> int:
        return min(width - 1, max(0, (of - first).days * (width - 1) // span))

    cells = [0] * width
    for stored, n in days.items():
        cells[cell(stored)] += n
    top = max([*cells, 1])
    drawn = "".join(_BLOCKS[min(8, -(-n * 8 // top))] if n else "·" for n in cells)
    mark = cell(here)
    bar = Content.assemble(drawn[:mark], (drawn[mark], "reverse bold"), drawn[mark + 1 :])
    return Content("\n").join([bar, Content.styled(_axis(first, end, f"{here}", mark, width), "dim")])


def _axis(first: date, end: date, here: str, mark: int, width: int) -> str:
    """The first and the last day at the ends, the chosen one where it is marked; of two that would meet the chosen one stays."""
    line = [" "] * width
    start = min(max(0, mark - len(here) // 2), width - len(here))
    for text, at in ((f"{first}", 0), (f"{end}", width - len(f"{end}"))):
        if at + len(text) < start or at > start + len(here):
            line[at : at + len(text)] = text
    line[start : start + len(here)] = here
    return "".join(line)
