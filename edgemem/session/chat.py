"""The chat loop: log what was said, recall, prompt, stream, log the answer. Nothing said is ever lost."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

from edgemem.errors import NotFound
from edgemem.ports import LanguageModel, Message
from edgemem.records import Context, LoggedTurn, Turn
from edgemem.reports import Spent
from edgemem.session.window import PromptPart, Window, fill
from edgemem.text import check_text, is_han

ANSWER_TOKENS = 1024
"""Tokens kept free for the answer, where the window allows it."""

MEMORY_SHARE = 1 / 8
"""Part of the window that the context block of a chat may take, unless ``budget`` says otherwise: a slow CPU reads some 25
tokens of a prompt a second, and the block is new with every message. The evidence is seldom further down."""

MEMORY_TOKENS = 200
"""Tokens a context block may take in the smallest window."""

STANDING = ("pinned", "avoid", "state", "profile")
"""What the context block holds whatever is asked; the rules have a place of their own in the prompt."""

SHORTEST_TURN = 8
"""Tokens of the shortest message, with what the template puts around it."""

SEEN_TURNS = 12
"""Latest turns of the session that are in the prompt anyway, and need not be recalled."""

BEFORE = 3
"""The user's messages before one that tell what it leans on."""

_SYSTEM_EN = (
    "You are a helpful assistant with a memory of earlier conversations. Background notes may come before the user's"
    " message; use them when they help, and say so plainly when you do not know. Answer in the user's language, briefly."
)
_SYSTEM_ZH = "你是一位记得以往对话的助手。用户消息前可能附有背景资料：有用就用，不知道就直说。用用户的语言简短回答。"


class Memories(Protocol):
    """What a conversation needs of a user's memory."""

    def context(
        self, query: str, *, budget: int | None = None, without: tuple[str, int] | None = None,
        standing: Sequence[str] = (), routed: bool = False, after: Sequence[str] = (),
    ) -> Context:  # fmt: skip
        """Background for a message, with what stands whatever it says; ``routed``: searched for only if it is needed."""

    def observe(self, said: Sequence[Turn]) -> tuple[str, ...]:
        """Log turns and have their memories taken in the background."""

    def log(self, said: Sequence[Turn], *, spent: Spent | None = None) -> tuple[str, ...]:
        """Log turns only, the last with what it cost."""

    def rules(self) -> Sequence[str]:
        """The user's standing rules for the assistant, most important first."""

    def earlier(self, session: str, before: int) -> Sequence[str]:
        """Sentences that stand for the folded turns of a session before a position."""

    def turns(self, session: str, *, last: int | None = None) -> Sequence[LoggedTurn]:
        """The turns of a session in order: all, or the ``last`` ones."""


@dataclass(slots=True)
class Answer:
    """The answer being written: ``text`` grows while it streams; ``stopped`` when it was cut short by the user.

    ``left_out`` counts the earlier turns of this session that no longer fit the window;
    ``parts`` say what took how many tokens.
    """

    context: Context
    prompt_tokens: int
    window: int
    left_out: int
    parts: tuple[PromptPart, ...] = ()
    text: str = ""
    stopped: bool = False
    thinking: str = ""
    """What the model thought aloud first, where somebody listens. It is never logged, and not shown to the model again."""


@dataclass(frozen=True, slots=True)
class Ahead:
    """What the next message would do to the window, if the memories beside it were as many as last time.

    ``falls``: messages that the last prompt held, or that were said since, and for which there is no room any more,
    oldest first. ``free``: tokens left beside the rest and the answer.
    """

    falls: tuple[Message, ...]
    free: int


@dataclass(slots=True)
class Conversation:
    """One session with a model.

    ``remember`` false keeps new turns out of the memory and out of the log. ``budget`` is the largest
    context block, in tokens; None takes an eighth of the window.
    """

    memory: Memories
    model: LanguageModel
    session: str
    remember: bool = True
    budget: int | None = None
    unlogged: list[Turn] = field(default_factory=list)
    _replaced: set[int] = field(default_factory=set)
    _off_record: bool = False
    _last: Answer | None = None

    def ask(
        self, text: str, *, stop: Callable[[], bool] | None = None, temperature: float = 0.7,
        on_prompt: Callable[[int, int], None] | None = None, instead: bool = False,
        on_thinking: Callable[[str], None] | None = None,
    ) -> tuple[Answer, Iterator[str]]:  # fmt: skip
        """Take a message and return the answer with the iterator that writes it.

        The message is on disk before this returns; the answer, or what there is of it when ``stop``
        became true or the iterator was closed, is logged when the iterator ends. ``instead``: it takes the place of
        the last message, which with its answers stays in the log but is not shown to the model again.
        ``on_thinking`` is told what the model thinks aloud first, piece by piece.
        """
        logged = self._logged()
        if instead:
            self._replace_last(logged)
        earlier = self._earlier(logged)
        self._off_record = False
        self._keep([Turn("user", text, session=self.session)], extract=True)
        return self._answered(text, logged, earlier, _Writing(stop, temperature, on_prompt, on_thinking))

    def again(
        self, *, stop: Callable[[], bool] | None = None, temperature: float = 0.9,
        on_prompt: Callable[[int, int], None] | None = None, on_thinking: Callable[[str], None] | None = None,
    ) -> tuple[Answer, Iterator[str]]:  # fmt: skip
        """Answer the last message anew, a little more freely; the log keeps both answers.

        Raises ``NotFound`` when nothing was said yet.
        """
        logged = self._logged()
        earlier = self._earlier(logged)
        while earlier and earlier[-1].message.role != "user":
            earlier.pop()
        if not earlier:
            raise NotFound("There is no message to answer yet.", "Say something first.")
        text = earlier.pop().message.content
        return self._answered(text, logged, earlier, _Writing(stop, temperature, on_prompt, on_thinking))

    def ahead(self, text: str = "") -> Ahead:
        """What of this chat falls out of the window when ``text`` is sent next. Nothing is searched, logged or generated.

        Raises ``InvalidInput`` for text that no file can hold.
        """
        check_text(text, "The message")
        logged = self._logged()
        earlier = self._earlier(logged)
        window = self._window(text, earlier, None if self._last is None else self._last.context)
        out = window.part("history").left_out
        before = 0 if self._last is None else self._last.left_out
        falls = max(0, min(out, out + _skipped(logged) - before))
        free = max(0, window.part("free").tokens - self._reserve)
        return Ahead(tuple(said.message for said in earlier[out - falls : out]), free)

    def _logged(self) -> Sequence[LoggedTurn]:
        """The turns that could fit the window: a longer chat must not cost more."""
        return self.memory.turns(self.session, last=max(SEEN_TURNS, self.model.context_size // SHORTEST_TURN))

    def _answered(
        self, text: str, logged: Sequence[LoggedTurn], earlier: Sequence[_Said], writing: _Writing
    ) -> tuple[Answer, Iterator[str]]:
        seen = (self.session, logged[-SEEN_TURNS:][0].position if logged else 0)
        budget = self.budget or max(MEMORY_TOKENS, int(self.model.context_size * MEMORY_SHARE))
        before = [said.message.content for said in earlier if said.message.role == "user"][-BEFORE:]
        context = self.memory.context(text, budget=budget, without=seen, standing=STANDING, routed=True, after=before)
        window = self._window(text, earlier, context)
        used = self.model.count_messages(window.messages)
        left = window.part("history").left_out + _skipped(logged)
        answer = self._last = Answer(context, used, self.model.context_size, left, window.parts)
        return answer, self._streamed(answer, window.messages, writing)

    def _streamed(self, answer: Answer, messages: Sequence[Message], writing: _Writing) -> Iterator[str]:
        room = max(16, min(ANSWER_TOKENS, answer.window - answer.prompt_tokens - 8))
        start = time.perf_counter()
        try:
            for piece in self._pieces(answer, messages, room, writing):
                answer.text += piece
                yield piece
            answer.stopped = writing.stop is not None and writing.stop()
        except GeneratorExit:
            answer.stopped = True
            raise
        finally:
            if answer.text.strip():
                spent = self._spent(answer, time.perf_counter() - start)
                self._keep([Turn("assistant", answer.text, session=self.session)], extract=False, spent=spent)

    def _spent(self, answer: Answer, seconds: float) -> Spent | None:
        try:
            tokens = self.model.count_tokens(answer.text)
        except Exception:  # the model broke, or is gone: what it wrote is kept all the same
            return None
        return Spent(self.model.name, answer.prompt_tokens, tokens, seconds)

    def _pieces(self, answer: Answer, messages: Sequence[Message], room: int, writing: _Writing) -> Iterator[str]:
        stream = partial(
            self.model.stream, messages, max_tokens=room, temperature=writing.temperature, stop=writing.stop,
            on_prompt=writing.on_prompt,
        )  # fmt: skip
        tell = writing.on_thinking
        if tell is None:
            return stream()

        def thought(text: str) -> None:
            answer.thinking += text
            tell(text)

        return stream(on_thinking=thought)

    def _keep(self, said: list[Turn], *, extract: bool, spent: Spent | None = None) -> None:
        if not self.remember or self._off_record:
            self.unlogged += said
        elif extract:
            ids = self.memory.observe(said)
            # Asked not to keep this message, the log has dropped it, or all but a part; the answer would repeat it.
            words = {turn.content for turn in said}
            there = self.memory.turns(self.session, last=len(ids) + 1)
            self._off_record = not any(t.id in ids and t.content in words for t in there)
            self.unlogged += said if self._off_record else []
        else:
            self.memory.log(said, spent=spent)

    def _replace_last(self, logged: Sequence[LoggedTurn]) -> None:
        """Leave out the last message of the user and what came after it, in the log or not."""
        off_record = [n for n, turn in enumerate(self.unlogged) if turn.role == "user"]
        if off_record:
            del self.unlogged[off_record[-1] :]
            return
        said = [t.position for t in logged if t.role == "user" and t.position not in self._replaced]
        self._replaced |= {t.position for t in logged if said and t.position >= said[-1]}

    def _earlier(self, logged: Sequence[LoggedTurn]) -> list[_Said]:
        said = [
            _Said(Message(t.role, t.content), t.position)
            for t in logged
            if t.role in ("user", "assistant", "tool") and t.position not in self._replaced
        ]
        return _last_answers(said + [_Said(Message(t.role, t.content), None) for t in self.unlogged])

    @property
    def _reserve(self) -> int:
        """Tokens kept free for the answer."""
        return min(ANSWER_TOKENS, self.model.context_size // 4)

    def _window(self, text: str, earlier: Sequence[_Said], context: Context | None) -> Window:
        system = _SYSTEM_ZH if is_han(text) else _SYSTEM_EN
        rules, messages = self.memory.rules(), [said.message for said in earlier]

        def filled(folded: Sequence[str]) -> Window:
            return fill(
                self.model,
                system,
                rules,
                messages,
                "" if context is None else context.text,
                text,
                reserve=self._reserve,
                memories=0 if context is None else len(context.ids),
                folded=folded,
            )

        window = filled(())
        left = window.part("history").left_out
        before = next((s.position for s in earlier[left:] if s.position is not None), None) if left else None
        folded = [] if before is None else self.memory.earlier(self.session, before)
        return filled(folded) if folded else window


@dataclass(frozen=True, slots=True)
class _Writing:
    """How an answer is to be written, and who hears of it meanwhile."""

    stop: Callable[[], bool] | None
    temperature: float
    on_prompt: Callable[[int, int], None] | None
    on_thinking: Callable[[str], None] | None


@dataclass(frozen=True, slots=True)
class _Said:
    """An earlier message and its place in the session; None when it is not in the log."""

    message: Message
    position: int | None


def _skipped(logged: Sequence[LoggedTurn]) -> int:
    """Turns of the session before those that were read: they are out of any window."""
    return logged[0].position if logged else 0


def _last_answers(said: Sequence[_Said]) -> list[_Said]:
    """Of several answers to one message only the last: the others were asked to be better."""
    kept: list[_Said] = []
    for one in said:
        if one.message.role == "assistant" and kept and kept[-1].message.role == "assistant":
            kept.pop()
        kept.append(one)
    return kept
