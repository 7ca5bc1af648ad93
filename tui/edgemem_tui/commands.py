"""The slash commands of the chat: one table for the hint, the help and the command palette."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from edgemem_tui.places import PLACES


@dataclass(frozen=True, slots=True)
class Command:
    """A word after a slash. ``does`` is one plain sentence."""

    name: str
    does: str
    argument: str = ""

    @property
    def usage(self) -> str:
        """As a person types it."""
        return f"/{self.name} {self.argument}".strip()


COMMANDS: Final = (
    Command("new", "Begin a new chat"),
    Command("again", "Have the last message answered anew"),
    Command("edit", "Change your last message and send it in its place"),
    Command("thoughts", "Show or fold what the model thought before its answer"),
    Command("window", "What the last prompt was made of, in tokens"),
    *(Command(place.name, place.does) for place in PLACES if place.name != "chat"),
    Command("remember", "Keep this chat, or keep it out of the log and the memory", "on|off"),
    Command("undo", "Take back your last change of a memory"),
    Command("copy", "Copy the last answer"),
    Command("panel", "Show or hide the memories beside the chat"),
    Command("demo", "Try it with an invented life; from there back to your own file"),
    Command("help", "Keys and commands"),
    Command("quit", "Close the app"),
)


def matching(text: str) -> list[Command]:
    """Commands that fit what is typed so far; none when it is no command."""
    if not text.startswith("/") or "\n" in text:
        return []
    word, _, rest = text[1:].partition(" ")
    exact = [c for c in COMMANDS if c.name == word]
    if exact and (rest or exact[0].argument):
        return exact
    return [] if rest else [c for c in COMMANDS if c.name.startswith(word)]


def parse(text: str) -> tuple[str, str] | None:
    """Name and argument of a command, or None for an ordinary message. A leading space makes a slash ordinary."""
    if not text.startswith("/") or "\n" in text.strip():
        return None
    word, _, rest = text[1:].strip().partition(" ")
    return word.lower(), rest.strip().lower()
