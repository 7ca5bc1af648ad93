"""What was found in a file of another tool: conversations, memories, and what could not be taken."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from edgemem.records import JsonValue, Turn


@dataclass(frozen=True, slots=True)
class Place:
    """One thing in a file that was not taken: where it stands in the file, and why it was left."""

    where: str
    message: str

    def __str__(self) -> str:
        return f"{self.where}: {self.message}"


@dataclass(frozen=True, slots=True)
class Note:
    """A memory of another tool. ``id`` is that tool's own; ``where`` its place in the file.

    ``since`` is when it began to hold, ``ended`` when it ceased to (None: it holds), ``expires`` when it will, ``earlier`` what
    it said before, oldest first. ``kind`` None leaves the choice to edgemem. ``more`` is kept with it.
    """

    content: str
    id: str
    where: str
    kind: str | None = None
    about: str | None = None
    since: datetime | None = None
    ended: datetime | None = None
    expires: datetime | None = None
    earlier: tuple[str, ...] = ()
    more: Mapping[str, JsonValue] = field(default_factory=dict)


@dataclass(slots=True)
class Found:
    """Everything in a file or folder, in its order. ``format`` is one of ``formats.FORMATS``.

    ``titles`` names sessions; ``notices`` say what was assumed or left out on purpose.
    """

    format: str
    turns: list[Turn] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    titles: dict[str, str] = field(default_factory=dict)
    left: list[Place] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)

    def leave(self, where: str, message: str) -> None:
        """Report something that was not taken."""
        self.left.append(Place(where, message))
