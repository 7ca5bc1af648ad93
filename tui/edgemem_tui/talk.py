"""One chat as the screen sees it: asks in a worker thread, reports by messages, stops at once."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from textual.message import Message

from edgemem.errors import Aborted, EdgememError
from edgemem.records import Context, LoggedTurn, Turn
from edgemem.reports import Spent
from edgemem.session.chat import Ahead, Answer, Conversation
from edgemem.view import Memory
from edgemem_tui.messages import Ended, Failed, Kept, Piece, Reading, Started, Thought

Post = Callable[[Message], object]
"""Hands a message to the screen; safe from any thread."""


@dataclass(slots=True)
class _Reporting:
    """A user's memory that says when a turn is on disk, so that the screen never shows what could be lost."""

    memory: Memory
    on_logged: Callable[[], None]

    def context(
        self, query: str, *, budget: int | None = None, without: tuple[str, int] | None = None, standing: Sequence[str] = (),
        routed: bool = False, after: Sequence[str] = (),
    ) -> Context:  # fmt: skip
        return self.memory.context(query, budget=budget, without=without, standing=standing, routed=routed, after=after)

    def observe(self, said: Sequence[Turn]) -> tuple[str, ...]:
        ids = self.memory.observe(said)
        self.on_logged()
        return ids

    def log(self, said: Sequence[Turn], *, spent: Spent | None = None) -> tuple[str, ...]:
        return self.memory.log(said, spent=spent)

    def turns(self, session: str, *, last: int | None = None) -> Sequence[LoggedTurn]:
        return self.memory.turns(session, last=last)

    def earlier(self, session: str, before: int) -> Sequence[str]:
        return self.memory.earlier(session, before)

    def rules(self) -> Sequence[str]:
        return self.memory.rules()


@dataclass(slots=True)
class Exchange:
    """A message and its answer on the way. ``stop`` is set to end it; ``done`` when the thread has let go."""

    number: int
    text: str
    again: bool = False
    """Answer the last message anew; ``text`` is empty then."""
    instead: bool = False
    """The text takes the place of the last message."""
    stop: threading.Event = field(default_factory=threading.Event)
    done: threading.Event = field(default_factory=threading.Event)
    kept: bool = False
    partial: str = ""


class Talk:
    """A session being chatted in. ``ask`` runs in a worker thread; calls take turns."""

    def __init__(self, memory: Memory, session: str, post: Post, *, remember: bool = True) -> None:
        self.session = session
        self.remember = remember
        self._memory = memory
        self._post = post
        self._lock = threading.Lock()
        self._conversation: Conversation | None = None

    def ask(self, exchange: Exchange) -> None:
        """Take a message and report its answer. Never raises."""
        try:
            with self._lock:
                self._answered(exchange)
        except Exception as error:
            if not isinstance(error, Aborted) or not exchange.kept:
                self._post(Failed(exchange.number, exchange.text, error, exchange.kept, exchange.partial))
            else:
                self._post(Ended(exchange.number, exchange.partial, True, 0, 0.0))
        finally:
            exchange.done.set()

    def ahead(self, text: str) -> Ahead | None:
        """What falls out of the window when ``text`` is sent next; None while an answer is on its way."""
        if not self._lock.acquire(blocking=False):
            return None
        try:
            if self._conversation is None:
                self._conversation = self._memory.chat(self.session, remember=self.remember)
            return self._conversation.ahead(text)
        except EdgememError:
            return None  # a forecast is no reason for a notice: what is wrong is told when the message is sent
        finally:
            self._lock.release()

    def _answered(self, exchange: Exchange) -> None:
        conversation = self._ready(exchange)
        if exchange.stop.is_set() and not exchange.again:
            raise Aborted("The message was taken back before it was sent.")
        if exchange.again or not conversation.remember:
            self._taken(exchange, kept=conversation.remember)

        def reading(done: int, total: int) -> None:
            self._post(Reading(exchange.number, done, total))

        def thinking(text: str) -> None:
            self._post(Thought(exchange.number, text))

        stop = exchange.stop.is_set
        if exchange.again:
            answer, pieces = conversation.again(stop=stop, on_prompt=reading, on_thinking=thinking)
        else:
            answer, pieces = conversation.ask(
                exchange.text, stop=stop, on_prompt=reading, instead=exchange.instead, on_thinking=thinking
            )
        filled = (answer.prompt_tokens, answer.window, answer.parts)
        self._post(Started(exchange.number, answer.context, conversation.model.name, *filled))
        self._stream(exchange, conversation, answer, pieces)

    def _ready(self, exchange: Exchange) -> Conversation:
        if self._conversation is None:
            self._conversation = self._memory.chat(self.session, remember=self.remember)
        # A model that was chosen meanwhile goes on where the other one was.
        self._conversation.model = self._memory.file.models.language_model()
        self._conversation.remember = self.remember
        self._conversation.memory = _Reporting(self._memory, lambda: self._taken(exchange, kept=True))
        return self._conversation

    def _taken(self, exchange: Exchange, *, kept: bool) -> None:
        exchange.kept = True
        self._post(Kept(exchange.number, exchange.text, kept))

    def _stream(self, exchange: Exchange, conversation: Conversation, answer: Answer, pieces: Iterator[str]) -> None:
        start = 0.0
        for piece in pieces:
            # The clock starts with the first piece: reading the prompt is not writing.
            start = start or time.perf_counter()
            exchange.partial = answer.text
            self._post(Piece(exchange.number, piece))
        seconds = time.perf_counter() - start if start else 0.0
        tokens = conversation.model.count_tokens(answer.text) if answer.text else 0
        self._post(Ended(exchange.number, answer.text, answer.stopped, tokens, seconds))


def new_session(now: datetime) -> str:
    """A name for a new chat: its time, fine enough that two in a row differ."""
    return now.isoformat(timespec="milliseconds")
