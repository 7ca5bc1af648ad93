"""Messages to tokens: the template, what of it is constant, and whether it opens a thought."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Final

from edgemem.ports import Message
from edgemem_models.context import common_prefix
from edgemem_models.template import ChatTemplate
from edgemem_models.thinking import opened_by
from edgemem_models.vocabulary import Tokens, Vocabulary

_ANYTHING: Final = ("a", "\n\nB", "中")
"""Openings that have nothing in common: what prompts that differ in them share is constant."""

KEPT: Final = 32
"""Sets of constant messages whose tokens are remembered, those used last."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """A rendered prompt: its first ``constant`` tokens are no user's words; ``thinks`` ends the thought it opens."""

    tokens: Tokens
    constant: int = 0
    thinks: str | None = None


class Prompts:
    """Renders messages for one model. Safe to use from several threads."""

    def __init__(self, vocabulary: Vocabulary, template: ChatTemplate) -> None:
        self._vocabulary = vocabulary
        self._template = template
        self._constants: OrderedDict[tuple[Message, ...], Tokens] = OrderedDict()
        self._lock = threading.Lock()

    def build(self, messages: Sequence[Message], *, at_once: bool = False) -> Prompt:
        """The prompt for ``messages``, open for the assistant's answer; ``at_once`` ends a thought that it opens."""
        text = self._render(messages)
        thinks = opened_by(text)
        if thinks is not None and at_once:
            text, thinks = f"{text}\n{thinks}\n\n", None
        tokens = self._vocabulary.tokenize_prompt(text)
        constant = self._constant(messages)
        known = constant if tokens[: len(constant)] == constant and len(constant) < len(tokens) else []
        return Prompt(tokens, len(known), thinks)

    def _render(self, messages: Sequence[Message]) -> str:
        safe = [Message(message.role, self._vocabulary.defuse(message.content)) for message in messages]
        return self._template.render(safe)

    def _constant(self, messages: Sequence[Message]) -> Tokens:
        """The tokens of the constant messages that ``messages`` begin with, whatever follows them."""
        leading = tuple(takewhile(lambda message: message.constant, messages))
        if not leading:
            return []
        with self._lock:
            found = self._constants.get(leading)
        found = self._measure(leading) if found is None else found
        with self._lock:
            self._constants[leading] = found
            self._constants.move_to_end(leading)
            if len(self._constants) > KEPT:
                self._constants.popitem(last=False)
        return found

    def _measure(self, leading: Sequence[Message]) -> Tokens:
        every = [
            self._vocabulary.tokenize_prompt(self._render([*leading, Message("user", text)])) for text in _ANYTHING
        ]
        return every[0][: min(common_prefix(every[0], other) for other in every[1:])]
