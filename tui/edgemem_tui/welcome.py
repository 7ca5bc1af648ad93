"""The first lines of an empty chat: where things are kept, what is kept, what to do next."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from edgemem.errors import ModelMissing
from edgemem.text import counted
from edgemem.view import Memory


@dataclass(frozen=True, slots=True)
class Facts:
    """What the welcome tells of the file."""

    path: Path
    memories: int
    turns: int
    demo: bool = False

    @property
    def first_run(self) -> bool:
        """Whether nothing was ever said or remembered."""
        return not self.memories and not self.turns


def gather(memory: Memory, *, demo: bool = False) -> Facts:
    """Count what the user has. Reads the file."""
    counts = memory.counts()
    return Facts(memory.file.path, int(counts.get("memory.live", 0)), int(counts.get("turn", 0)), demo)


def welcome(facts: Facts, failed_model: Exception | None = None, *, wide: bool = True) -> str:
    """The text; on the first run it says what is stored and where. ``wide``: there is room for what is learned beside the chat."""
    lines = _shown() if facts.demo else _first(facts, wide=wide) if facts.first_run else _again(facts)
    if failed_model is not None:
        lines += ["", model_trouble(failed_model), "Everything else works meanwhile: F2 shows the memories."]
    return "\n".join(lines)


def model_trouble(error: Exception) -> str:
    """Why there is no model, and which keys help."""
    if isinstance(error, ModelMissing):
        return "There is no chat model on this machine yet: F7 shows those there are, and p there fetches one."
    return f"{error} {getattr(error, 'hint', '')}".strip()


def _first(facts: Facts, *, wide: bool) -> list[str]:
    where = "see on the right what is learned" if wide else "then see with Ctrl+B what is learned"
    return [
        "Welcome. Everything stays on this machine, in one file:",
        f"  {facts.path}",
        "It keeps what you and the assistant say, word for word, and the facts taken from your messages.",
        "To keep a chat out of it, type  /remember off.  What was learned wrongly you can forget with one key.",
        "",
        f"Say something about yourself, and {where}. F1 shows all keys.",
        "To look around first, in an invented life: Alt+D, or type  /demo.",
    ]


def _shown() -> list[str]:
    return [
        "This is an invented life in a file of its own, gone when you leave. Your own file is closed meanwhile.",
        "Try: F2 what is remembered, Enter where it comes from, f forgets it, u takes that back.",
        "F3 what is doubtful, F4 who is who, F5 what was believed when, F6 earlier chats. With a model, ask it something.",
        "",
        "Back to your own file: Alt+D, or type  /demo.",
    ]


def _again(facts: Facts) -> list[str]:
    return [
        f"{facts.path} holds {counted(facts.memories, 'memory')} and {counted(facts.turns, 'message')}.",
        "Just ask. F2 shows the memories, F6 earlier chats, F1 all keys.",
    ]
