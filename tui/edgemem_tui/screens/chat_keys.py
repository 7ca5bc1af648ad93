"""What commands and keys do in the chat: everything but saying something and hearing the answer."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from textual.screen import Screen
from textual.widgets import Static

from edgemem.session.chat import Ahead
from edgemem.session.window import PromptPart
from edgemem_tui.commands import matching, parse
from edgemem_tui.desk import Desk
from edgemem_tui.screens.acts import act
from edgemem_tui.text import many, one_line, part_line
from edgemem_tui.widgets.bubbles import AnswerBubble, UserBubble
from edgemem_tui.widgets.card import Card
from edgemem_tui.widgets.composer import Composer
from edgemem_tui.widgets.panel import Panel
from edgemem_tui.widgets.status import StatusLine

if TYPE_CHECKING:
    from edgemem_tui.talk import Talk

MOST_NAMED = 5
"""Messages that fall out of the window which a notice names."""


class ChatKeys(Screen[None]):
    """The part of the chat screen that answers keys, commands and the palette."""

    desk: Desk
    talk: Talk
    instead = False
    """Whether the next message takes the place of the last one."""
    parts: tuple[PromptPart, ...] = ()
    """What the last prompt was made of."""
    falls: tuple[str, ...] = ()
    """Messages that fall out of the window with the next one, oldest first."""

    @property
    def busy(self) -> bool:
        """Whether an answer is being written."""
        return False

    def show_title(self) -> None:
        """Draw the title anew."""

    def set_remember(self, on: bool) -> None:
        """Keep what is said from now on, or keep it out of the log and the memory."""
        self.talk.remember = on
        self.show_title()
        self.desk.say(
            "From now on this chat is kept and learned from."
            if on
            else "From now on nothing of this chat is kept. What was said before stays; /remember on goes back."
        )

    def edit_last(self) -> None:
        """Put the last message back where it was written; sent again, it takes the place of the old one."""
        said = [bubble.text for bubble in self.query(UserBubble)]
        if not said:
            self.desk.say("There is no message to change yet.")
            return
        self.instead = True
        composer = self.query_one(Composer)
        composer.take(said[-1])
        composer.focus()
        composer.border_title = "sent, it takes the place of your last message · Escape: it does not"

    def drop_edit(self) -> bool:
        """What is typed is a message of its own again; false when it was one."""
        was, self.instead = self.instead, False
        self.query_one(Composer).border_title = None
        return was

    def toggle_panel(self) -> None:
        """Show the panel where it is hidden, hide it where it is shown."""
        panel = self.query_one(Panel)
        shown = bool(panel.display and panel.region.width)
        self.set_class(shown, "panel-shut")
        self.set_class(not shown, "panel-open")
        cards = panel.query(Card)
        if not shown and cards and self.has_class("-narrow"):
            cards.first().focus()
        elif shown:
            self.query_one(Composer).focus()

    def show_window(self) -> None:
        """What the last prompt was made of, and what of the chat no longer fitted."""
        if not self.parts:
            self.desk.say("No prompt was made yet in this chat.")
            return
        lines = [part_line(p) for p in self.parts if p.tokens or p.left_out]
        falls = [f"  “{one_line(words, 60)}”" for words in self.falls[:MOST_NAMED]]
        more = [f"  and {len(self.falls) - MOST_NAMED} more"] if len(self.falls) > MOST_NAMED else []
        lines += ["", "Falls out with your next message:" if falls else "Nothing falls out with your next message."]
        self.desk.say("\n".join([*lines, *falls, *more]), title="The last prompt, in tokens")

    def look_ahead(self) -> None:
        """Find out what will fall out of the window with the message being written."""
        if self.query_one(StatusLine).standing.window and not self.busy:
            text = self.query_one(Composer).text
            work = partial(self.talk.ahead, "" if parse(text) else text)
            self.desk.run(work, partial(self._seen_ahead, self.talk), alone="ahead")

    def _seen_ahead(self, talk: Talk, ahead: Ahead | None) -> None:
        if ahead is not None and talk is self.talk and not self.busy:
            self.falls = tuple(message.content for message in ahead.falls)
            self.show_hint()

    def show_hint(self) -> None:
        """Above what is typed: the commands that fit it, or what will fall out of the window."""
        found = [f"{c.usage:<18} {c.does}" for c in matching(self.query_one(Composer).text)[:5]]
        if self.falls and not found:
            first = "; ".join(f"“{one_line(words, 40)}”" for words in self.falls[:2])
            found = [f"Next, {many(len(self.falls), 'message')} will fall out of the window: {first}"]
        line = self.query_one("#hint", Static)
        line.display = bool(found)
        line.update("\n".join(found))

    def copy_answer(self) -> None:
        """Copy the last answer."""
        answers = [b for b in self.query(AnswerBubble) if b.text]
        if answers:
            self.app.copy_to_clipboard(answers[-1].text)
        else:
            self.desk.say("There is no answer to copy yet.")

    def action_thoughts(self) -> None:
        """Show what the model thought before its last answer, or fold it away."""
        thoughts = [b.thoughts for b in self.query(AnswerBubble) if b.thoughts is not None]
        if thoughts:
            thoughts[-1].toggle()
        else:
            self.desk.say("No answer here has thoughts before it. They are shown once, and kept nowhere.")

    def on_card_asked(self, event: Card.Asked) -> None:
        """A key on a memory beside the chat."""
        act(self.desk, event.action, event.card.memory, event.card.hit)
