"""Keeping what a model thinks aloud apart from its answer, while both stream in."""

from __future__ import annotations

from typing import Final

_TAGS: Final = {f"<{name}>": f"</{name}>" for name in ("think", "thinking", "thought")}


def opened_by(prompt: str) -> str | None:
    """The end tag of the thinking that a rendered prompt opens for the model, None if it opens none."""
    end = prompt.rstrip()
    return next((close for tag, close in _TAGS.items() if end.endswith(tag)), None)


class ThinkingFilter:
    """Takes an answer in pieces and gives back its visible part; ``thinking`` collects the rest.

    Only a block at the very beginning is thinking: the same words further on are quoted, and stay.
    """

    def __init__(self, opened: str | None = None) -> None:
        """``opened`` is the end tag to wait for when the prompt has begun the thinking."""
        self.thinking = ""
        self._close = opened
        self._held = ""
        self._begun = False
        self._thought = opened is not None
        self._told = 0

    @property
    def inside(self) -> bool:
        """Whether the model is thinking now."""
        return self._close is not None

    def feed(self, text: str) -> str:
        """The visible characters that ``text`` settles, perhaps none yet."""
        if self._begun:
            return text
        self._held += text
        while True:
            if self._close is not None and not self._end_thought(self._close):
                return ""
            start = self._held.lstrip()
            tag = next((tag for tag in _TAGS if start.startswith(tag)), None)
            if tag is None:
                break
            self._held, self._close, self._thought = start[len(tag) :], _TAGS[tag], True
        if any(tag.startswith(start) for tag in _TAGS):
            return ""
        return self._begin(start if self._thought else self._held)

    def fresh(self) -> str:
        """What was thought since this was last asked; the beginning of an end tag is not told."""
        known = self.thinking
        if self._close is not None:
            close, held = self._close, self._held
            cut = next((n for n in range(len(close) - 1, 0, -1) if held.endswith(close[:n])), 0)
            known += held[: len(held) - cut]
        fresh, self._told = known[self._told :], max(self._told, len(known))
        return fresh

    def end(self) -> str:
        """What was held back, once the answer has ended."""
        if self._begun:
            return ""
        if self._close is not None:
            self.thinking, self._held = self.thinking + self._held, ""
        return self._begin(self._held.lstrip() if self._thought else self._held)

    def _end_thought(self, close: str) -> bool:
        """Move a finished thought over; False while it goes on."""
        thought, found, rest = self._held.partition(close)
        if found:
            self.thinking, self._held, self._close = self.thinking + thought, rest, None
        return bool(found)

    def _begin(self, visible: str) -> str:
        self._begun, self._held = True, ""
        return visible
