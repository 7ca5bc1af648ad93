"""Short-term memory: which messages a prompt holds, counted in the model's own tokens.

System text, the user's standing rules and the new message always stay; bulky tool output is cut to
its conclusion; the latest messages fill what room is left. What is left out stays in the log.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from edgemem.ports import LanguageModel, Message
from edgemem.text import is_han

TOOL_TOKENS = 160
"""Tokens of one tool output that stay in the prompt; the log keeps it whole."""

RULES_TOKENS = 300
"""Most tokens of standing rules in a prompt; the rest is counted as left out."""

FOLDED_TOKENS = 600
"""Most tokens of the summary of earlier messages in a prompt; the latest sentences stay."""

REMIND_TOKENS = 1_500
"""Tokens of earlier messages above which the rules are said again just before the new message."""

_MESSAGE_TOKENS = 8
"""What a template puts around one message, on the high side."""

_TOOL = "[Output of a tool]"
"""Tool output goes in as words of the user: few templates know a role for it."""

_FOLDED_EN, _FOLDED_ZH = "Said earlier in this conversation (parts, word for word):", "本次对话前面说过（原话节选）："
_RULES_EN, _RULES_ZH = "The user's standing rules:", "用户定下的规则："
_AGAIN_EN, _AGAIN_ZH = "(Keep to the user's standing rules: ", "（请遵守用户定下的规则："


@dataclass(frozen=True, slots=True)
class PromptPart:
    """A part of a prompt: ``name`` is system, rules, summary, history, memory, message or free; sizes in tokens.

    ``entries`` in it and ``left_out`` of it: messages, rules or memories.
    """

    name: str
    tokens: int
    entries: int = 0
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Window:
    """A prompt that fits, and what it is made of."""

    messages: tuple[Message, ...]
    parts: tuple[PromptPart, ...]

    def part(self, name: str) -> PromptPart:
        """One part by name; an empty one when the prompt has none."""
        return next((p for p in self.parts if p.name == name), PromptPart(name, 0))


def fill(
    model: LanguageModel, system: str, rules: Sequence[str], earlier: Sequence[Message], background: str, text: str, *,
    reserve: int, memories: int = 0, folded: Sequence[str] = (),
) -> Window:  # fmt: skip
    """The prompt for ``text``, with ``reserve`` tokens kept free for the answer.

    ``rules`` come most important first; ``background`` is the context block, of ``memories`` entries; ``folded``
    stands for earlier messages that no longer fit, in their order.
    """
    chinese = is_han(text)
    kept_rules = _within(rules, RULES_TOKENS, model.count_tokens)
    kept_folded = _within(folded[::-1], FOLDED_TOKENS, model.count_tokens)[::-1]
    head = Message("system", "\n".join([system, *_rules(kept_rules, chinese), *_summary(kept_folded, chinese)]))
    last = Message("user", f"{background}\n\n{text}" if background else text)
    room = model.context_size - reserve - model.count_messages([head, last])
    kept, used = _latest(earlier, room, model.count_tokens)
    if kept_rules and used > REMIND_TOKENS:
        again = f"{_AGAIN_ZH if chinese else _AGAIN_EN}{' '.join(kept_rules)}{'）' if chinese else ')'}"
        last = Message("user", f"{last.content}\n\n{again}")
        kept, used = _latest(kept, room - model.count_tokens(again) - 2, model.count_tokens)
    parts = (
        PromptPart("system", model.count_tokens(system), 1),
        PromptPart("rules", sum(map(model.count_tokens, kept_rules)), len(kept_rules), len(rules) - len(kept_rules)),
        PromptPart(
            "summary", sum(map(model.count_tokens, kept_folded)), len(kept_folded), len(folded) - len(kept_folded)
        ),
        PromptPart("history", used, len(kept), len(earlier) - len(kept)),
        PromptPart("memory", model.count_tokens(background) if background else 0, memories),
        PromptPart("message", model.count_tokens(text), 1),
    )
    messages = (head, *_merged([*kept, last]))
    free = model.context_size - model.count_messages(messages)
    return Window(messages, (*parts, PromptPart("free", max(0, free))))


def conclusion(text: str, count: Callable[[str], int], limit: int = TOOL_TOKENS) -> str:
    """Tool output cut to its end, in whole lines, with a note of what is missing. Short output stays as it is."""
    if count(text) <= limit:
        return text
    lines = text.rstrip().splitlines()
    kept: list[str] = []
    room = limit
    for line in reversed(lines):
        room -= count(line) + 1
        if room < 0:
            break
        kept.insert(0, line)
    if not kept:  # one line longer than the limit: its last characters, as many as surely fit
        kept = [_tail(lines[-1], count, limit)]
    left = count(text) - count("\n".join(kept))
    return "\n".join([f"[… {left:,} tokens of output left out; the log has them]", *kept])


def _merged(messages: Sequence[Message]) -> list[Message]:
    """Neighbours of one role as one message: several templates refuse two users in a row."""
    merged: list[Message] = []
    for message in messages:
        if merged and merged[-1].role == message.role:
            merged[-1] = Message(message.role, f"{merged[-1].content}\n\n{message.content}")
        else:
            merged.append(message)
    return merged


def _tail(line: str, count: Callable[[str], int], limit: int) -> str:
    size = len(line)
    while size > 1 and count(line[-size:]) > limit:
        size //= 2
    return line[-size:]


def _rules(rules: Sequence[str], chinese: bool) -> list[str]:
    return [_RULES_ZH if chinese else _RULES_EN, *(f"- {rule}" for rule in rules)] if rules else []


def _summary(sentences: Sequence[str], chinese: bool) -> list[str]:
    return [_FOLDED_ZH if chinese else _FOLDED_EN, *(f"- {s}" for s in sentences)] if sentences else []


def _within(entries: Sequence[str], limit: int, count: Callable[[str], int]) -> list[str]:
    kept: list[str] = []
    for entry in entries:
        limit -= count(entry) + 2
        if limit < 0:
            break
        kept.append(entry)
    return kept


def _latest(earlier: Sequence[Message], room: int, count: Callable[[str], int]) -> tuple[list[Message], int]:
    """The latest messages that fit ``room``, in order, and the tokens they take."""
    kept: list[Message] = []
    used = 0
    for message in reversed(earlier):
        if message.role == "tool":
            message = Message("user", f"{_TOOL}\n{conclusion(message.content, count)}")
        cost = count(message.content) + _MESSAGE_TOKENS
        if used + cost > room:
            break
        used += cost
        kept.insert(0, message)
    return kept, used
