"""What workers tell the screens. Workers never touch a widget; they post one of these."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from textual.message import Message

from edgemem.records import Change, Context, Memory
from edgemem.session.window import PromptPart


@dataclass
class Done(Message):
    """Work in the background has ended well; ``then`` is called with ``value`` on the app's own thread."""

    then: Callable[[Any], None]
    value: Any
    alone: str = ""


@dataclass
class Broken(Message):
    """Work in the background has failed."""

    error: Exception
    alone: str = ""


@dataclass
class LoadProgress(Message):
    """A model is loading; ``share`` is 0..1."""

    model: str
    share: float


@dataclass
class News(Message):
    """Changes of the file since the last look, oldest first, by this program or another; the queue; what waits for a person.

    ``moved``: something else changed, such as the graph, the log or a job.
    """

    changes: tuple[tuple[Change, Memory], ...]
    waiting: int
    failed: int
    left_out: bool = False
    moved: bool = False
    reviews: int = 0


@dataclass
class Gone(Message):
    """A chat was erased."""

    session: str


@dataclass
class Picked(Message):
    """A chat is to be gone on with, at a message of it if one is named."""

    session: str
    turn: str | None = None


@dataclass
class ModelState(Message):
    """What is known of the chat model: its name, or the error that says why there is none."""

    name: str
    window: int
    error: Exception | None = None
    loading: bool = False


@dataclass
class Kept(Message):
    """The message is in the log (``kept``), or was taken into a chat that keeps none."""

    number: int
    text: str
    kept: bool


@dataclass
class Reading(Message):
    """Prompt tokens evaluated so far."""

    number: int
    done: int
    total: int


@dataclass
class Started(Message):
    """Recall is done; the model has been asked."""

    number: int
    context: Context
    model: str
    prompt_tokens: int
    window: int
    parts: tuple[PromptPart, ...] = ()


@dataclass
class Thought(Message):
    """More of what the model thinks aloud before it answers. It is shown, and kept nowhere."""

    number: int
    text: str


@dataclass
class Piece(Message):
    """More of the answer."""

    number: int
    text: str


@dataclass
class Ended(Message):
    """The answer is complete, or was stopped; it is in the log if the chat is kept."""

    number: int
    text: str
    stopped: bool
    tokens: int
    seconds: float


@dataclass
class Failed(Message):
    """The message got no answer, or only ``partial``; ``kept`` says whether the message is in the log."""

    number: int
    text: str
    error: Exception
    kept: bool
    partial: str = ""
