"""One line on how things stand: the model, the window, the speed, the queue."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final

from textual.widgets import Static

CELLS: Final = 10
"""Cells of the meter."""


@dataclass(frozen=True, slots=True)
class Standing:
    """What the line shows. ``loading`` and ``busy`` go first; ``trouble`` replaces the model's name."""

    model: str = ""
    trouble: str = ""
    loading: str = ""
    busy: str = ""
    used: int = 0
    window: int = 0
    memory: int = 0
    speed: float = 0.0
    waiting: int = 0
    failed: int = 0

    def line(self) -> str:
        """The parts that have something to say."""
        parts = [self.loading, self.busy, self.trouble or self.model]
        if self.window:
            share = f", memory {self.memory / self.window:.0%}" if self.memory else ""
            used = f"{meter(self.used, self.memory, self.window)} {self.used:,}/{self.window:,}{share}"
            parts.append(used if self.used else f"window {self.window:,}")
        parts.append(f"{self.speed:.1f} tokens/s" if self.speed else "")
        parts.append(f"{self.waiting} to learn" if self.waiting else "")
        parts.append(f"{self.failed} failed (F8)" if self.failed else "")
        return " · ".join(p for p in parts if p)


def meter(used: int, memory: int, window: int) -> str:
    """The window as ten cells: what the memories take, what the rest of the prompt takes, what is free."""
    full = min(CELLS, math.ceil(CELLS * used / window))
    known = min(full, math.ceil(CELLS * memory / window))
    return "█" * known + "▓" * (full - known) + "░" * (CELLS - full)


class StatusLine(Static):
    """Fixed height, full width: updating it lays nothing out anew."""

    def __init__(self) -> None:
        super().__init__("", id="status", markup=False)
        self.standing = Standing()

    def set(self, **changes: str | int | float) -> None:
        """Change some of what is shown."""
        self.standing = replace(self.standing, **changes)  # type: ignore[arg-type]
        self.update(self.standing.line())
        self.set_class(bool(self.standing.trouble), "-trouble")
