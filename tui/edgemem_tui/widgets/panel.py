"""Beside the chat: the memories an answer used, and what is being learned from the turn."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.widgets import Static

from edgemem.records import Change, Context, Hit, Memory
from edgemem_tui.widgets.card import Card

MOST_LEARNED = 30
"""Cards kept under "Just learned"; the memory list has the rest."""

_WORDS = {
    "add": "new", "edit": "changed", "refine": "made more exact", "replace": "replaces an older one", "pin": "pinned",
    "unpin": "unpinned", "supersede": "out of date now", "undo": "taken back", "expire": "expired", "forget": "forgotten",
}  # fmt: skip


class Panel(VerticalScroll, can_focus=False):
    """Two lists of cards. Told of changes; reads nothing itself."""

    def __init__(self) -> None:
        super().__init__(id="panel")
        self._counts: dict[str, int] = {}
        self._waiting = 0

    def compose(self) -> ComposeResult:
        """The two lists, each with its heading."""
        yield Static("Memories used", classes="heading", id="used-heading", markup=False)
        yield Vertical(Static("", classes="empty", id="used-empty", markup=False), id="used")
        yield Static("Just learned", classes="heading", id="learned-heading", markup=False)
        yield Vertical(Static("", classes="empty", id="learned-empty", markup=False), id="learned")

    def on_mount(self) -> None:
        """Begin empty."""
        self.clear()

    def clear(self) -> None:
        """A new chat: no answer yet, nothing learned yet."""
        for card in self.query(Card):
            card.remove()
        self._say("used", "What an answer draws on appears here, with the reason for each.", 0)
        self._say("learned", "What is learned from your messages appears here a moment after you send them.", 0)

    def show_used(self, context: Context) -> None:
        """Show what went into the prompt of the answer being written."""
        hits = used_hits(context)
        for card in self.query_one("#used").query(Card):
            card.remove()
        self._say(
            "used",
            "" if hits else "Nothing in the memory fits this message; the answer draws on the model alone.",
            len(hits),
        )
        self.query_one("#used").mount_all([Card(hit.memory, hit) for hit in hits])

    def show_queue(self, waiting: int) -> None:
        """Say that messages are still being read for memories."""
        self._waiting = waiting
        self._head("learned")

    def show_changes(self, changes: Sequence[tuple[Change, Memory]]) -> None:
        """Bring every card up to date, and add those of memories that are new."""
        for change, memory in changes:
            note = note_of(change)
            cards = [c for c in self.query(Card) if c.memory is not None and c.memory.id == memory.id]
            for card in cards:
                card.show(memory, note if card.hit is None else "")
            learned = self.query_one("#learned")
            if memory.status in ("live", "review") and not any(c.parent is learned for c in cards):
                learned.mount(Card(memory, note=note), before=0)
        self._trim()

    @property
    def memories(self) -> list[str]:
        """The ids of the memories on its cards."""
        return list({c.memory.id for c in self.query(Card) if c.memory is not None})

    def drop(self, erased: Collection[str]) -> None:
        """What was erased must not stay on the screen."""
        for card in self.query(Card):
            if card.memory is not None and card.memory.id in erased:
                card.remove()

    def _trim(self) -> None:
        cards = list(self.query_one("#learned").query(Card))
        for card in cards[MOST_LEARNED:]:
            card.remove()
        if cards:
            self._say("learned", "", min(len(cards), MOST_LEARNED))

    def _say(self, part: str, text: str, count: int) -> None:
        empty = self.query_one(f"#{part}-empty", Static)
        empty.update(text)
        empty.display = bool(text)
        self._counts[part] = count
        self._head(part)

    def _head(self, part: str) -> None:
        title = {"used": "Memories used", "learned": "Just learned"}[part]
        count = f" ({self._counts[part]})" if self._counts.get(part) else ""
        work = " · reading…" if part == "learned" and self._waiting else ""
        self.query_one(f"#{part}-heading", Static).update(title + count + work)


def used_hits(context: Context) -> list[Hit]:
    """What is in the context block, best first."""
    return list(context.entries)


def note_of(change: Change) -> str:
    """What happened to a memory and by whom, in a few words."""
    word = _WORDS.get(change.action, change.action)
    return f"{word} · by hand" if change.author == "user" and change.action == "add" else word
