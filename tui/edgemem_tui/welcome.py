"""The first lines of an empty chat: where things are kept, what is kept, what to do next."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from edgemem.view import Memory


@dataclass(frozen=True, slots=True)
class Facts:
    """What the welcome tells of the file."""

    path: Path
    memories: int
    turns: int

    @property
    def first_run(self) -> bool:
        """Whether nothing was ever said or remembered."""
        return not self.memories and not self.turns


def gather(memory: Memory) -> Facts:
    """Count what the user has. Reads the file."""
    counts = memory.counts()
    return Facts(memory.file.path, int(counts.get("memory.live", 0)), int(counts.get("turn", 0)))


def welcome(facts: Facts, failed_model: Exception | None = None) -> str:
    """The text; on the first run it says what is stored and where."""
    lines = _first(facts) if facts.first_run else _again(facts)
    if failed_model is not None:
        hint = getattr(failed_model, "hint", "")
        lines += ["", f"{failed_model} {hint}".strip(), "Everything else works meanwhile: F2 shows the memories."]
    return "\n".join(lines)


def _first(facts: Facts) -> list[str]:
    return [
        "Welcome. Everything stays on this machine, in one file:",
        f"  {facts.path}",
        "It keeps what you and the assistant say, word for word, and the facts taken from your messages.",
        "To keep a chat out of it, type  /remember off.  What was learned wrongly you can forget with one key.",
        "",
        "Say something about yourself, and see on the right what is learned. F1 shows all keys.",
    ]


def _again(facts: Facts) -> list[str]:
    return [
        f"{facts.path} holds {facts.memories:,} memories and {facts.turns:,} messages.",
        "Just ask. F2 shows the memories, F6 earlier chats, F1 all keys.",
    ]
