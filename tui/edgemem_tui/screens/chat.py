"""The chat, with the memories an answer used and what is learned from it beside it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Footer, Static, TextArea

from edgemem.errors import Aborted, ModelError, ModelMissing
from edgemem.records import LoggedTurn
from edgemem_tui.commands import parse
from edgemem_tui.desk import Desk
from edgemem_tui.draft import kept
from edgemem_tui.messages import Ended, Failed, Kept, ModelState, News, Piece, Reading, Started, Thought
from edgemem_tui.screens.chat_draft import ChatDraft, read_chat
from edgemem_tui.screens.chat_keys import ChatKeys
from edgemem_tui.screens.known import erased
from edgemem_tui.screens.orders import obey
from edgemem_tui.talk import Exchange, Talk, new_session
from edgemem_tui.text import one_line
from edgemem_tui.welcome import Facts, gather, welcome
from edgemem_tui.widgets.bubbles import AnswerBubble, UserBubble
from edgemem_tui.widgets.composer import Composer
from edgemem_tui.widgets.panel import Panel
from edgemem_tui.widgets.status import StatusLine
from edgemem_tui.widgets.topbar import TopBar
from edgemem_tui.widgets.transcript import MOST, Transcript

WARM_AFTER = 5.0
"""Seconds after which the vectors are read ahead: the first looks around must not wait for that."""


class ChatScreen(ChatKeys, ChatDraft):
    """One chat at a time."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "stop", "Stop", key_display="Esc", id="chat.stop"),
        Binding("ctrl+t,alt+t", "thoughts", "Show or fold what the model thought", show=False, id="chat.thoughts"),
    ]

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self.desk = desk
        self.talk = self._new_talk(new_session(desk.file.clock.now()))
        self._exchange: Exchange | None = None
        self._unsettled: list[Exchange] = []
        self._count = 0
        self._left = 0
        """Messages up to this number belong to a chat that is no longer on the screen."""
        self._answers: dict[int, AnswerBubble] = {}
        self._failed_model: Exception | None = None

    def compose(self) -> ComposeResult:
        """Title, chat and panel, status line, keys."""
        yield TopBar("chat")
        yield Static("", id="title", markup=False)
        with Horizontal(id="body"):
            with Vertical(id="talk"):
                yield Transcript()
                yield Static("", id="hint", markup=False)
                yield Composer()
            yield Panel()
        yield StatusLine()
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Say where things are kept, and load the model meanwhile."""
        self.show_title()
        self.query_one("#hint").display = False
        self.query_one(Composer).focus()
        self.query_one(StatusLine).set(loading="looking for a model…")
        self.desk.run(partial(gather, self.desk.memory, demo=self.desk.demo), self._welcome)
        self.desk.load_model(self._loaded)
        self.desk.run(partial(kept, self.desk.memory), self.resume)

    # How things stand

    @property
    def remember(self) -> bool:
        """Whether this chat goes into the log and the memory."""
        return self.talk.remember

    @property
    def busy(self) -> bool:
        """Whether an answer is being written."""
        return self._exchange is not None

    @property
    def settled(self) -> bool:
        """Whether every worker of this screen has let go of its message."""
        self._unsettled = [e for e in self._unsettled if not e.done.is_set()]
        return not self._unsettled

    def show_loading(self, model: str, share: float) -> None:
        """A model is loading."""
        self.query_one(StatusLine).set(loading="" if share >= 1 else f"loading {model} {share:.0%}…")

    def show_model(self, state: ModelState) -> None:
        """The model is there, or why it is not."""
        self._failed_model = state.error
        trouble = one_line(str(state.error)) if state.error else ""
        if isinstance(state.error, ModelMissing):
            trouble = "no chat model yet: F7, then p, fetches one"
        self.query_one(StatusLine).set(loading="", model=state.name, window=state.window, trouble=trouble)
        if state.error is not None and not isinstance(state.error, ModelMissing):
            self.desk.tell(state.error)

    def _loaded(self, state: ModelState) -> None:
        self.show_model(state)
        self.set_timer(WARM_AFTER, self.desk.warm)

    def on_model_state(self, state: ModelState) -> None:
        """Another model was chosen."""
        self.show_model(state)

    def on_news(self, news: News) -> None:
        """The file changed, by this program or another."""
        self.query_one(StatusLine).set(waiting=news.waiting, failed=news.failed)
        self.query_one(TopBar).show(news)
        panel = self.query_one(Panel)
        panel.show_queue(news.waiting)
        panel.show_changes(news.changes)
        if news.moved and panel.memories:
            self.desk.run(partial(erased, self.desk.memory, panel.memories), panel.drop, alone="erased")

    def _welcome(self, facts: Facts) -> None:
        # A chat that has begun meanwhile is not swept away.
        if not self.query(".bubble"):
            wide = not self.has_class("-narrow") and not self.has_class("panel-shut")
            self.call_later(self.query_one(Transcript).begin, welcome(facts, self._failed_model, wide=wide))

    def show_title(self) -> None:
        """Whose chat it is, which one, and whether it is kept."""
        kept = (
            "DEMONSTRATION · Alt+D leaves it"
            if self.desk.demo and self.remember
            else "remembering"
            if self.remember
            else "NOT KEPT: nothing of this chat is logged or learned"
        )
        name = (
            one_line(self.talk.session, 40).replace("T", " ", 1)[:16]
            if self.talk.session[:2] == "20"
            else self.talk.session
        )
        self.query_one("#title", Static).update(
            f"edgemem · {self.desk.memory.name} · chat {one_line(name, 40)} · {kept}"
        )
        self.set_class(not self.remember, "-off")

    # Saying something

    @on(TextArea.Changed, "#composer")
    def hint(self) -> None:
        """Show the commands that fit what is typed."""
        self.show_hint()
        self.save_soon()

    def show_taken_up(self, session: str, turns: Sequence[LoggedTurn]) -> None:
        """Show the chat that a crash had interrupted."""
        self._leave(session)
        self._show_session(session, None, turns)

    @on(Composer.Scrolled)
    def scroll_chat(self, event: Composer.Scrolled) -> None:
        """Page Up and Page Down from the message box."""
        transcript = self.query_one(Transcript)
        if event.pages < 0:
            transcript.scroll_page_up(animate=False)
        else:
            transcript.scroll_page_down(animate=False)

    @on(Composer.Sent)
    def send(self, event: Composer.Sent) -> None:
        """Send a message, or do a command."""
        command = parse(event.text)
        if command is not None:
            obey(self, *command)
        elif self.busy:
            self.desk.say("The answer is still being written. Escape stops it; what is written stays.")
        else:
            self.query_one(Composer).take("")
            self._ask(event.text, instead=self.drop_edit())

    def answer_again(self) -> None:
        """Have the last message answered anew."""
        if self.busy:
            self.desk.say("The answer is still being written. Escape stops it; what is written stays.")
        elif not self.query(UserBubble):
            self.desk.say("There is no message to answer yet.")
        else:
            self._ask("", again=True)

    def _ask(self, text: str, *, again: bool = False, instead: bool = False) -> None:
        self._count += 1
        exchange = self._exchange = Exchange(self._count, text, again, instead)
        self._unsettled.append(exchange)
        waits = any(not e.done.is_set() for e in self._unsettled[:-1])
        status = self.query_one(StatusLine)
        busy = "waiting for the model to let go…" if waits else "" if status.standing.loading else "thinking…"
        status.set(busy=busy or "your message waits for it", trouble="")
        self.run_worker(partial(self.talk.ask, exchange), group="talk", thread=True, exit_on_error=False)

    def action_stop(self) -> None:
        """Escape: stop the answer, or go back to the message box."""
        if not self.stop() and not self.drop_edit():
            self.query_one(Composer).focus()

    def stop(self) -> bool:
        """Stop the answer at once; what is written stays. False when none is being written."""
        exchange, self._exchange = self._exchange, None
        if exchange is None:
            return False
        exchange.stop.set()
        self.query_one(StatusLine).set(busy="")
        if not exchange.kept:
            self._give_back(exchange.text)  # it had not been taken yet, and is not any more
        if exchange.number in self._answers:
            self._answers[exchange.number].note("stopped")
        return True

    def _give_back(self, text: str) -> None:
        """A message that did not reach the log goes back where it was written."""
        composer = self.query_one(Composer)
        if text and text not in composer.text:
            composer.take("\n".join(words for words in (text, composer.text) if words.strip()))

    # What comes back from the worker

    async def on_kept(self, event: Kept) -> None:
        """The message is on disk: now it may be seen."""
        self.save_soon()  # without the message: it is in the log
        if event.number <= self._left:
            return
        transcript = self.query_one(Transcript)
        transcript.anchor()
        answer = self._answers[event.number] = AnswerBubble()
        if event.text:
            await transcript.add(UserBubble(event.text, kept=event.kept))
        await transcript.add(answer)
        answer.note("looking through the memory…" if self._writing(event.number) else "stopped")
        if self._writing(event.number):
            self.query_one(StatusLine).set(busy="thinking…")

    def on_started(self, event: Started) -> None:
        """Recall is done: show what it found and what fills the window."""
        if event.number not in self._answers:
            return
        self.query_one(Panel).show_used(event.context)
        self.parts = event.parts
        busy = "writing…" if self._writing(event.number) else ""
        for why in event.context.recall.degraded:
            busy = one_line(why, 60)
        self.query_one(StatusLine).set(
            model=event.model, window=event.window, used=event.prompt_tokens, memory=event.context.tokens, trouble="", busy=busy
        )  # fmt: skip
        self.falls = ()  # what there was is out now; the log has it
        self.show_hint()

    def on_reading(self, event: Reading) -> None:
        """The prompt is being read."""
        answer = self._answers.get(event.number)
        if answer is not None and self._writing(event.number) and not answer.text:
            answer.note(f"reading the prompt {event.done:,}/{event.total:,} tokens…")

    async def on_thought(self, event: Thought) -> None:
        """The model thinks aloud: one line that can be opened."""
        answer = self._answers.get(event.number)
        if answer is not None:
            if self._writing(event.number):
                answer.note("")
            await answer.think(event.text)

    async def on_piece(self, event: Piece) -> None:
        """More of the answer. What was written before the stop took hold counts too."""
        answer = self._answers.get(event.number)
        if answer is None:
            return
        if not answer.text and self._writing(event.number):
            answer.note("")
        await answer.add(event.text)

    async def on_ended(self, event: Ended) -> None:
        """The answer is whole, or was stopped."""
        speed = event.tokens / event.seconds if event.seconds > 0 else 0.0
        answer = self._answers.get(event.number)
        if answer is not None:
            await answer.finish(event.text)
            answer.note(_ending(event, answer))
            self.query_one(StatusLine).set(speed=speed)
        self._rest(event.number)
        self.look_ahead()
        self.desk.look()

    async def on_failed(self, event: Failed) -> None:
        """No answer. A message that did not reach the log goes back where it was written."""
        self._rest(event.number)
        if isinstance(event.error, Aborted) and not event.kept:
            return  # stopped before it was taken: its words are back already
        if not event.kept:
            self._give_back(event.text)
        answer = self._answers.get(event.number)
        if answer is not None:
            await answer.finish(event.partial)
            answer.note("broke off: " + one_line(str(event.error)))
        if isinstance(event.error, ModelError) and not self.query_one(StatusLine).standing.model:
            self.show_model(ModelState("", 0, event.error))  # it stays in sight: no message will be answered
        else:
            self.desk.tell(event.error)

    def _rest(self, number: int) -> None:
        if self._writing(number):
            self._exchange = None
            self.query_one(StatusLine).set(busy="")

    def _writing(self, number: int) -> bool:
        return self._exchange is not None and self._exchange.number == number

    # Other chats

    def _new_talk(self, session: str, *, remember: bool = True) -> Talk:
        return Talk(self.desk.memory, session, self.post_message, remember=remember)

    def _leave(self, session: str, *, remember: bool = True) -> None:
        self.stop()
        self._left = self._count
        self._answers.clear()
        self.talk = self._new_talk(session, remember=remember)
        self.falls, self.parts = (), ()
        self.show_hint()
        self.query_one(Panel).clear()
        self.query_one(StatusLine).set(used=0, memory=0, speed=0.0)
        self.show_title()
        self.query_one(Composer).focus()

    def new_chat(self) -> None:
        """Begin a new, remembered chat; the old one stays in the log."""
        self._leave(new_session(self.desk.file.clock.now()))
        self.call_later(self.query_one(Transcript).begin, "A new chat. The earlier one is kept: F6 brings it back.")

    def open_session(self, session: str, turn: str | None = None) -> None:
        """Go on with an earlier chat, at a message of it."""
        if session != self.talk.session:
            self._leave(session)
        elif turn is None:
            return
        memory = self.desk.memory
        self.desk.run(partial(read_chat, memory, session, turn), partial(self._show_session, session, turn))

    def _show_session(self, session: str, turn: str | None, turns: Sequence[LoggedTurn]) -> None:
        if self.talk.session == session:
            self.call_later(self.query_one(Transcript).load, turns, turn)
            self.look_ahead()

    @on(Transcript.Earlier)
    def earlier(self, event: Transcript.Earlier) -> None:
        """The turns before those on the screen are wanted."""
        memory, session = self.desk.memory, self.talk.session

        def show(turns: Sequence[LoggedTurn]) -> None:
            if self.talk.session == session:
                self.call_later(self.query_one(Transcript).earlier, turns)

        self.desk.run(lambda: memory.turns(session, last=MOST, before=event.before), show)


def _ending(event: Ended, answer: AnswerBubble) -> str:
    if event.stopped:
        return "stopped" if event.text else "stopped before the first word"
    if answer.thoughts is not None and not event.text.strip():
        return (
            "It thought until there was no room left for an answer. Ask for less at once, or choose another model (F7)."
        )
    return "" if event.text.strip() else "The model had nothing to say. Put it in other words?"
