"""The models of this machine: what there is, what would fit, fetching, trying out, choosing."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import Static

from edgemem_tui.desk import Desk
from edgemem_tui.messages import ModelState
from edgemem_tui.screens.place import PlaceScreen
from edgemem_tui.text import one_line, tail
from edgemem_tui.widgets.rows import Column, Row, Rows, Tone

if TYPE_CHECKING:
    from edgemem_models.examine import Report
    from edgemem_models.progress import Progress
    from edgemem_models.survey import Row as Model

_BAR = 20
"""Cells of the bar of a pull."""

_EMPTY = "No model was found, and there is no catalogue. Look at:  edgemem models list"


@dataclass
class PullTold(Message):
    """How far a pull is, as a line."""

    line: str


@dataclass(frozen=True, slots=True)
class Machine:
    """The models, and the memory that is free (bytes; None: the system does not say)."""

    models: Sequence[Model]
    free: int | None


class ModelsScreen(PlaceScreen):
    """Models that are here, then those of the catalogue that could be fetched."""

    place = "models"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s", "use", "Use it", id="models.use"),
        Binding("p", "pull", "Pull it", id="models.pull"),
        Binding("t", "try", "Try it out", id="models.try"),
        Binding("x", "stop", "Stop the pull", id="models.stop"),
    ]

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._models: dict[str, Model] = {}
        self._stop: threading.Event | None = None
        self._free: int | None = None

    def body(self) -> ComposeResult:
        """The list, and under it how a pull or a trial goes."""
        yield Rows(
            Column("", 1), Column("model"), Column("for", 9), Column("quant", 8), Column("size", 8, right=True),
            Column("window", 8, right=True, roomy=True), Column("memory", 8, right=True), Column("where", 30, roomy=True),
        )  # fmt: skip
        yield Static("", id="report", markup=False)
        yield Static("", id="empty", markup=False)

    def on_mount(self) -> None:
        """The list comes first."""
        self.query_one("#empty").display = False
        self.query_one("#report").display = False

    def reload(self) -> None:
        """Look through the machine."""
        self.desk.run(_survey, self._show, alone="models")

    def _show(self, found: Machine) -> None:
        if not self.is_attached:
            return
        self._free = found.free
        self._models = {f"{model.name} {model.path}": model for model in found.models}
        rows = [_row(key, model, found.free) for key, model in self._models.items()]
        listed = self.query_one(Rows)
        first_time = not listed.total
        listed.put(0, rows, len(rows), fresh=True)
        if first_time:
            listed.move_to(_to_fetch(found.models))
        self.teach("" if rows else _EMPTY)
        self._summarise()

    @on(Rows.Moved)
    def _summarise(self) -> None:
        from edgemem_models.space import human

        model = self.current
        free = f"{human(self._free)} of memory free" if self._free is not None else ""
        needs = f"needs about {human(model.ram_4k)} for 4,096 tokens" if model is not None and model.ram_4k else ""
        where = "" if model is None else one_line(model.where, 400)
        # The place has a line of its own: a path is long, and must not hide what the model needs.
        self.tell(" · ".join(p for p in (free, needs) if p) + f"\n{tail(where, self.size.width - 2)}")

    @property
    def current(self) -> Model | None:
        """The model under the cursor."""
        return self._models.get(self.query_one(Rows).current_key or "")

    def closing(self) -> None:
        """A pull stops; what was fetched is kept for the next time."""
        if self._stop is not None:
            self._stop.set()

    def say_below(self, text: str) -> None:
        """Show a report under the list; an empty one hides it."""
        report = self.query_one("#report", Static)
        report.update(text)
        report.display = bool(text)

    # Choosing

    @on(Rows.Chosen)
    def action_use(self) -> None:
        """Use the model under the cursor from now on; the chat goes on with it."""
        model = self.current
        if model is None:
            return
        if model.path is None:
            self.desk.say("It is not on this machine yet: p fetches it.")
        elif model.role not in ("chat", "embedding"):
            self.desk.say("It is no model for chat or search.")
        else:
            self.say_below(f"{model.name} is loading…")
            self.desk.run(partial(_use, self.desk, model), partial(self._used, model), alone="use model")

    def _used(self, model: Model, state: ModelState) -> None:
        self.say_below("")
        if state.error is None:
            self.desk.say(f"{model.name} is used from now on. The chat goes on where it was.", title="Chosen")
        for screen in self.app.screen_stack:
            screen.post_message(ModelState(state.name, state.window, state.error))
        self.reload()

    # Fetching

    def action_pull(self) -> None:
        """Fetch the model under the cursor."""
        model = self.current
        if model is None or model.path is not None:
            self.desk.say("It is here already; t tries it out, s uses it.")
        elif self._stop is not None:
            self.desk.say("One pull at a time: x stops the one that runs.")
        else:
            self._stop = threading.Event()
            self.say_below(f"{model.name}: looking for a source… x stops it")
            self.desk.run(partial(_pull, model.name, self._stop, self.post_message), self._pulled)

    def on_pull_told(self, told: PullTold) -> None:
        """Show how far it is."""
        if self._stop is not None:
            self.say_below(told.line)

    def _pulled(self, said: str) -> None:
        self._stop = None
        self.say_below("")
        self.desk.say(said)
        self.reload()

    def action_stop(self) -> None:
        """Stop the pull; what was fetched is kept for the next time."""
        if self._stop is None:
            self.desk.say("No pull is running.")
        else:
            self._stop.set()

    # Trying out

    def action_try(self) -> None:
        """Check the file, load it beside what is in use, ask it a few things."""
        model = self.current
        if model is None or model.path is None:
            self.desk.say("It is not on this machine yet: p fetches it.")
        elif model.ram_4k and self._free is not None and model.ram_4k > self._free:
            self.desk.say("It needs more memory than is free. Close other programs first.")
        else:
            self.say_below(f"{model.name}: its file is read, then it is loaded and asked a few things…")
            self.desk.run(partial(_try, model), self._tried, alone="try model")

    def _tried(self, report: Report) -> None:
        head = f"{report.name}: {report.problem or 'works'} {report.hint}".strip()
        lines = [head, *(f"  {name:<10} {one_line(value, 160)}" for name, value in report.facts.items())]
        self.say_below("\n".join([*lines, f"  good for   {report.good_for}"] if report.good_for else lines))


def _to_fetch(models: Sequence[Model]) -> int:
    """The line to begin at: where no chat model is in use, the first that could be fetched."""
    if any(model.in_use and model.role == "chat" for model in models):
        return 0
    return next((n for n, m in enumerate(models) if m.role == "chat" and m.path is None), 0)


def _survey() -> Machine:
    from edgemem_models.machine import available_memory
    from edgemem_models.survey import survey

    from edgemem.folders import models_home

    return Machine(survey(models_home(os.environ)).rows, available_memory())


def _use(desk: Desk, model: Model) -> ModelState:
    from edgemem_models.registry import use

    use(model.role, str(model.path))
    desk.file.models.close()  # the next use loads what is chosen now
    return desk.loaded()


def _pull(name: str, stop: threading.Event, post: Callable[[Message], object]) -> str:
    from edgemem_models.pull import pull

    from edgemem.errors import Aborted, ModelError
    from edgemem.folders import models_home

    def told(at: Progress) -> None:
        post(PullTold(pull_line(at)))

    try:
        done = pull(name, models_home(os.environ), on_progress=told, stop=stop.is_set)
    except (Aborted, ModelError) as error:
        return f"{error} {error.hint}".strip()
    return f"{name} is here, its SHA-256 checked: {done.path}"


def pull_line(at: Progress) -> str:
    """A bar, bytes, speed and the time left."""
    from edgemem_models.space import human

    share = at.done / at.total if at.total else 0.0
    full = int(_BAR * share)
    whole = f" of {human(at.total)} ({share:.0%})" if at.total else ""
    speed = f", {human(int(at.speed))}/s" if at.speed else ""
    left = f", {int(at.eta) // 60}:{int(at.eta) % 60:02} left" if at.eta else ""
    return f"{at.model}: {at.step} {'█' * full}{'░' * (_BAR - full)} {human(at.done)}{whole}{speed}{left} · x stops it"


def _try(model: Model) -> Report:
    from edgemem_models.examine import Report, examine
    from edgemem_models.registry import pick

    from edgemem.errors import ModelError
    from edgemem.folders import models_home

    report = Report(model.name, Path(str(model.path)))
    try:
        examine(report, pick(model.role, str(model.path)), models_home(os.environ), load=True)
    except ModelError as error:
        report.problem, report.hint = str(error), error.hint
    return report


def _row(key: str, model: Model, free: int | None) -> Row:
    from edgemem_models.space import human

    ram = human(model.ram_4k) if model.ram_4k else ""
    too_big = bool(model.ram_4k and free is not None and model.ram_4k > free and not model.in_use)
    tone: Tone = "good" if model.in_use else "dim" if model.path is None else "warning" if too_big else ""
    cells = (
        "*" if model.in_use else "",
        model.name,
        model.role,
        model.quant,
        human(model.size),
        f"{model.context:,}",
        ram,
        one_line(model.where, 200),
    )
    return Row(key, cells, tone)
