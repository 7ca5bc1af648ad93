"""The places of the app: one table for the bar at the top, the keys, the help and the command palette."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Place:
    """A full screen with a number: the number itself, F and the number, or Alt and the number go there."""

    name: str
    digit: str
    title: str
    short: str
    does: str

    @property
    def keys(self) -> str:
        """Keys that go there also while one is typing. ``1`` has no F-key: F1 is the help, and Escape leads to the chat."""
        function = {"1": "", "0": "f10,"}.get(self.digit, f"f{self.digit},")
        return f"{function}alt+{self.digit}"


PLACES: Final = (
    Place("chat", "1", "Chat", "Chat", "Talk with the assistant"),
    Place("memories", "2", "Memories", "Memory", "Look through everything remembered"),
    Place("review", "3", "Review", "Review", "What is doubtful and waits for your yes or no"),
    Place("graph", "4", "Graph", "Graph", "Who and what you told about, and how it hangs together"),
    Place("timeline", "5", "Timeline", "Time", "What was believed on a day, and what has changed since"),
    Place("sessions", "6", "Chats", "Chats", "Earlier chats: search, go on with one, rename, export, delete"),
    Place("models", "7", "Models", "Models", "The models of this machine: fetch, try, choose"),
    Place("jobs", "8", "Jobs", "Jobs", "Background work: what waits, what failed"),
    Place("statistics", "9", "Statistics", "Stats", "How much is remembered, since when, how sure"),
    Place("settings", "0", "Settings", "Setup", "Settings, keys, backup and check of the file"),
)

BY_NAME: Final = {place.name: place for place in PLACES}
