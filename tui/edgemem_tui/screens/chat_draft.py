"""What is being written in the chat and is in no log yet: kept in the file, so that a crash loses nothing."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from textual.screen import Screen
from textual.timer import Timer

from edgemem.records import LoggedTurn
from edgemem.view import Memory
from edgemem_tui.desk import Desk
from edgemem_tui.draft import Draft, keep, mine
from edgemem_tui.widgets.composer import Composer
from edgemem_tui.widgets.transcript import MOST

if TYPE_CHECKING:
    from edgemem_tui.talk import Exchange, Talk

SAVED_AFTER = 0.6
"""Seconds of quiet after which what is typed is kept."""


class ChatDraft(Screen[None]):
    """The part of the chat screen that keeps a draft and takes one up again."""

    desk: Desk
    talk: Talk
    _unsettled: list[Exchange]
    _saving: Timer | None = None

    def show_taken_up(self, session: str, turns: Sequence[LoggedTurn]) -> None:
        """Show the chat that a crash had interrupted."""

    def save_soon(self) -> None:
        """Keep what is typed, a moment after the last key."""
        if self._saving is not None:
            self._saving.stop()
        self._saving = self.set_timer(SAVED_AFTER, self.save_draft)

    def look_ahead(self) -> None:
        """Find out what will fall out of the window with the message being written."""

    def save_draft(self, *, leaving: bool = False) -> None:
        """Keep what is typed, so that a crash loses nothing; of a chat that is not kept nothing is."""
        self.look_ahead()
        if self.desk.read_only:
            return
        words = "\n".join([*self._sent(), self.query_one(Composer).text]).rstrip() if self.talk.remember else ""
        draft = Draft(words, self.talk.session) if leaving else mine(words, self.talk.session)
        self.desk.run(partial(keep, self.desk.memory, draft), lambda _: None, alone="draft")

    def _sent(self) -> list[str]:
        """What was sent and is not logged: it waits until a model is loaded."""
        return [e.text for e in self._unsettled if e.text and not e.kept and not e.done.is_set()]

    def resume(self, draft: Draft) -> None:
        """After a crash: the chat and the words it was in the middle of. After a good end: the words alone."""
        composer = self.query_one(Composer)
        if draft.open:
            return  # typed in this very app, or in another that is open
        if draft.words.strip() and not composer.text:
            composer.take(draft.words)
            self.desk.say("What you had typed is here again.")
        if draft.orphaned and draft.session and not self.query(".bubble"):
            work = partial(read_chat, self.desk.memory, draft.session, None)
            self.desk.run(work, partial(self._take_up, draft.session))

    def _take_up(self, session: str, turns: Sequence[LoggedTurn]) -> None:
        if turns and not self.query(".bubble"):
            self.show_taken_up(session, turns)
            self.desk.say("The app was not closed properly: this is the chat you were in. Nothing is lost.")


def read_chat(memory: Memory, session: str, turn: str | None) -> Sequence[LoggedTurn]:
    """The end of a chat, or the part of it around a message and what came after."""
    if turn is None:
        return memory.turns(session, last=MOST)
    at = memory.turn(session, turn).position
    return [t for t in memory.turns(session, before=at + MOST, last=2 * MOST) if t.position >= at - MOST // 2]
