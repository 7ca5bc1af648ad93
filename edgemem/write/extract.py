"""Extraction: the model copies the words first, then writes the memory, inside a grammar."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from edgemem import gbnf
from edgemem.answers import Item, complete_items, mean_logprob
from edgemem.ports import Generation, LanguageModel, Message
from edgemem.records import KINDS, LoggedTurn
from edgemem.text import flaw, fold, is_han
from edgemem.write import prompts

MAX_ITEMS = 6
SHORT = 30
"""Characters below which a message needs the one before to be understood."""

_EARLIER_CHARS = 200
_QUOTES = "[\"'“”‘’「」『』]"
_ANY_QUOTE = re.compile(_QUOTES)
_REFERENCE = re.compile(
    r"\b(?:he|she|they|him|her|his|hers|them|their|it|its|that|there|one|ones|both|same|also)\b|他|她|它|那|这|也|同样|一样"
)


def grammar(*, chinese: bool) -> str:
    """GBNF for a list of one to ``MAX_ITEMS`` items; each memory must begin with the user."""
    subject = "用户" if chinese else "The user"
    fields = (
        ("quote", gbnf.string(160, 1)),
        ("memory", gbnf.string(140, 2, begins=subject)),
        ("kind", gbnf.string_of(KINDS)),
    )
    return gbnf.grammar(gbnf.array("item", 1, MAX_ITEMS), item=gbnf.obj(fields))


@dataclass(frozen=True, slots=True)
class Proposal:
    """What the model proposed, unverified. ``logprob`` is the mean over the memory's tokens, natural log."""

    quote: str
    content: str
    kind: str
    logprob: float


@dataclass(frozen=True, slots=True)
class Proposals:
    """All of one message; ``cut`` is true when the model ran out of room before it was done."""

    items: tuple[Proposal, ...]
    cut: bool
    raw: str


def propose(model: LanguageModel, passage: str, earlier: Sequence[LoggedTurn]) -> Proposals:
    """Ask for the memories in ``passage``, the part of a turn that passed the gate."""
    chinese = is_han(passage)
    messages = (*prompts.EXTRACT[chinese], Message("user", _question(passage, earlier)))
    answer = model.generate(messages, max_tokens=480, grammar=grammar(chinese=chinese))
    items = parse(answer.text)
    return Proposals(tuple(_proposal(item, answer) for item in items), answer.finish == "length", answer.text)


def warm(model: LanguageModel) -> None:
    """Have the constant instructions evaluated before anything is said: most of what a first message waits for.

    Raises a ``ModelError``, also when the model is closed meanwhile.
    """
    for chinese in (False, True):
        model.generate((*prompts.EXTRACT[chinese], Message("user", "Message:\n")), max_tokens=1)


def _question(passage: str, earlier: Sequence[LoggedTurn]) -> str:
    lines = [f"{t.role}: {_shortened(t.content)}" for t in _needed(passage, earlier)]
    before = "Earlier:\n" + "\n".join(lines) + "\n" if lines else ""
    return f"{before}Message:\n{passage.replace(chr(0), ' ')}"


def _needed(passage: str, earlier: Sequence[LoggedTurn]) -> list[LoggedTurn]:
    """The earlier turns a passage cannot be understood without: given more, a small model retells those too."""
    said = [t for t in earlier if t.role in ("user", "assistant")]
    if _REFERENCE.search(fold(passage)):
        return said[-2:]
    answers = said and said[-1].role == "assistant" and said[-1].content.rstrip().endswith(("?", "？"))
    return said[-1:] if answers or len(passage) < SHORT else []


def _shortened(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _EARLIER_CHARS else "… " + flat[-_EARLIER_CHARS:]


def parse(text: str) -> list[Item]:
    """The complete items of a list, also of one that was cut or has prose around it."""
    return [i for i in complete_items(text) if all(_storable(i.value.get(k)) for k in ("quote", "memory"))]


def _storable(value: object) -> bool:
    """Text without what a file cannot hold: models without a grammar write escapes like a lone \\ud83d."""
    return isinstance(value, str) and flaw(value) is None


def _proposal(item: Item, answer: Generation) -> Proposal:
    quote, memory, kind = item.value["quote"], item.value["memory"], item.value.get("kind", "fact")
    return Proposal(
        quote, " ".join(memory.split()), kind if kind in KINDS else "fact", _mean_logprob(memory, item, answer)
    )


def _mean_logprob(memory: str, item: Item, answer: Generation) -> float:
    """Mean over the tokens that spell ``memory`` in its item; of the whole item if it cannot be placed."""
    # The last one: a quote of the same words stands before.
    start = answer.text.rfind(memory, item.start, item.end)
    place = (start, start + len(memory)) if start >= 0 else (item.start, item.end)
    mean = mean_logprob(answer, *place)
    return math.log(0.9) if mean is None else mean


def locate(quote: str, message: str) -> tuple[int, str] | None:
    """Where a quote stands in the message and its exact words there; blanks and case may differ, nothing else."""
    words = quote.split()
    if not words:
        return None
    # Inside JSON a model writes other quotation marks than the user did.
    pattern = _ANY_QUOTE.sub(lambda _: _QUOTES, r"\s*".join(re.escape(w) for w in words))
    match = re.search(pattern, message, re.IGNORECASE)
    return None if match is None else (match.start(), match[0])
