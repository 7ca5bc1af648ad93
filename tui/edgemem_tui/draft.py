"""What is being typed, kept in the file itself: a crash loses nothing, and an encrypted file keeps it encrypted."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Final

from edgemem.view import Memory

TASK: Final = "app:edgemem tui"
"""The task under whose working memory it is kept. What begins with ``app:`` is never recalled."""

_DRAFT: Final = "draft"


@dataclass(frozen=True, slots=True)
class Draft:
    """The words, the chat they belong to, and the process whose app it is; 0 once it was closed."""

    words: str = ""
    session: str = ""
    process: int = 0

    @property
    def orphaned(self) -> bool:
        """Whether the app that kept it ended without being closed. On Windows every other process counts as ended."""
        if not self.process or self.process == os.getpid():
            return False
        if os.name != "posix":
            return True
        try:
            os.kill(self.process, 0)
        except ProcessLookupError:
            return True
        except PermissionError:
            return False
        return False


def kept(memory: Memory) -> Draft:
    """What was kept last. Reads the file."""
    found = memory.state_fields(TASK, _DRAFT)
    value = found[0].value if found else None
    if not isinstance(value, dict):
        return Draft()
    return Draft(str(value.get("words", "")), str(value.get("session", "")), int(value.get("process", 0)))


def keep(memory: Memory, draft: Draft) -> None:
    """Keep it, if it is another. Writes the file."""
    if kept(memory) != draft:
        memory.set_state(TASK, _DRAFT, {"words": draft.words, "session": draft.session, "process": draft.process})
