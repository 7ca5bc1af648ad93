"""A dialog to narrow the list of memories down, and to choose its order."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Button, Input, Label, Select, Static

from edgemem.browse import MemoryFilter
from edgemem.records import KINDS, STATUSES

_STATES = {"live": "in use", "any": "all"} | {s: s for s in STATUSES if s != "live"}
_ORDERS = {
    "changed": "last changed first", "stored": "last stored first", "confidence": "least sure first",
    "importance": "most important first", "used": "most used first",
}  # fmt: skip
_PINNED = {"any": "pinned or not", "yes": "pinned", "no": "not pinned"}
_SURE = {"any": "however sure", "0.8": "below 80 % sure", "0.9": "below 90 % sure", "1.0": "not certain"}
_CHANGED = {"any": "changed whenever", "1": "changed today", "7": "in the last week", "31": "in the last month",
            "366": "in the last year"}  # fmt: skip


class FilterScreen(ModalScreen[MemoryFilter | None]):
    """Gives back the new filter, or None when it is to stay."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "cancel", "Leave it", id="filter.cancel"),
        Binding("x", "all", "No filter", id="filter.all"),
    ]

    def __init__(self, wanted: MemoryFilter, now: datetime) -> None:
        super().__init__()
        self._wanted = wanted
        self._now = now

    def compose(self) -> ComposeResult:
        """A row for each field."""
        with VerticalScroll(id="dialog") as dialog:
            dialog.border_title = "Which memories"
            yield from self._choice("kind", {"any": "all kinds"} | {k: k for k in KINDS}, self._wanted.kind or "any")
            yield from self._choice("state", _STATES, self._wanted.status)
            yield from self._choice("pinned", _PINNED, {None: "any", True: "yes", False: "no"}[self._wanted.pinned])
            yield from self._choice("sure", _SURE, str(self._wanted.sure_below or "any"))
            yield from self._choice("changed", _CHANGED, self._days())
            ends = {"any": "expiring or not", "yes": "with a date of expiry"}
            yield from self._choice("expiry", ends, "yes" if self._wanted.expiring else "any")
            yield from self._choice("order", _ORDERS, self._wanted.order)
            with Horizontal(classes="field"):
                yield Label("namespace")
                yield Input(self._wanted.namespace or "", placeholder="all", id="namespace", compact=True)
            with Horizontal(classes="buttons"):
                yield Button("Show", id="show", variant="primary")
                yield Button("No filter (x)", id="all")
            yield Static("Tab goes on, Enter opens a list, Escape leaves it as it was", classes="small")

    @staticmethod
    def _choice(name: str, options: dict[str, str], value: str) -> ComposeResult:
        with Horizontal(classes="field"):
            yield Label(name)
            known = value if value in options else next(iter(options))
            yield Select(
                [(words, key) for key, words in options.items()], value=known, allow_blank=False, id=name, compact=True
            )

    def _days(self) -> str:
        if self._wanted.since is None:
            return "any"
        days = (self._now - self._wanted.since).days
        return min(("1", "7", "31", "366"), key=lambda d: abs(int(d) - days))

    def _value(self, name: str) -> Any:
        return self.query_one(f"#{name}", Select).value

    @on(Button.Pressed, "#show")
    @on(Input.Submitted)
    def show(self) -> None:
        """Give the filter back."""
        days, sure = self._value("changed"), self._value("sure")
        kind, pinned = self._value("kind"), self._value("pinned")
        self.dismiss(
            replace(
                self._wanted,
                kind=None if kind == "any" else kind,
                status=self._value("state"),
                pinned={"any": None, "yes": True, "no": False}[pinned],
                sure_below=None if sure == "any" else float(sure),
                since=None if days == "any" else self._now - timedelta(days=int(days)),
                expiring=self._value("expiry") == "yes",
                order=self._value("order"),
                namespace=self.query_one("#namespace", Input).value.strip() or None,
            )
        )

    @on(Button.Pressed, "#all")
    def action_all(self) -> None:
        """All memories in use, last changed first."""
        self.dismiss(MemoryFilter())

    def action_cancel(self) -> None:
        """Leave it as it was."""
        self.dismiss(None)


def told(wanted: MemoryFilter) -> str:
    """The filter in a few words; empty for none."""
    words = [
        wanted.kind or "", f"in {wanted.namespace}" if wanted.namespace else "",
        _STATES[wanted.status] if wanted.status != "live" else "",
        "" if wanted.pinned is None else "pinned" if wanted.pinned else "not pinned",
        f"below {wanted.sure_below:.0%} sure" if wanted.sure_below is not None else "",
        f"changed since {wanted.since.astimezone():%Y-%m-%d}" if wanted.since else "",
        "expiring" if wanted.expiring else "", _ORDERS[wanted.order] if wanted.order != "changed" else "",
    ]  # fmt: skip
    return ", ".join(w for w in words if w)
