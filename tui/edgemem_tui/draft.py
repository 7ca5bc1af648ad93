"""What is being typed, kept in the file itself: a crash loses nothing, and an encrypted file keeps it encrypted."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from typing import Final

from edgemem.processes import is_gone, started
from edgemem.view import Memory

TASK: Final = "app:edgemem tui"
"""The task under whose working memory it is kept. What begins with ``app:`` is never recalled."""

_DRAFT: Final = "draft"


@dataclass(frozen=True, slots=True)
class Draft:
    """The words, the chat they belong to, the process whose app it is and when that began; 0 once it was closed."""

    words: str = ""
    session: str = ""
    process: int = 0
    since: float = 0.0

    @property
    def open(self) -> bool:
        """Whether the app that kept it still runs: this very one, or another."""
        return bool(self.process) and not is_gone(self.process, self.since)

    @property
    def orphaned(self) -> bool:
        """Whether the app that kept it ended without being closed."""
        return bool(self.process) and not self.open


def kept(memory: Memory) -> Draft:
    """What was kept last. Reads the file."""
    found = memory.state_fields(TASK, _DRAFT)
    value = found[0].value if found else None
    if not isinstance(value, dict):
        return Draft()
    words, session = str(value.get("words", "")), str(value.get("session", ""))
    return Draft(words, session, int(value.get("process", 0)), float(value.get("since", 0.0)))


def keep(memory: Memory, draft: Draft) -> None:
    """Keep it, if it is another. Writes the file."""
    if kept(memory) != draft:
        memory.set_state(TASK, _DRAFT, asdict(draft))


def mine(words: str, session: str) -> Draft:
    """A draft of this very app."""
    return Draft(words, session, os.getpid(), started(os.getpid()))
