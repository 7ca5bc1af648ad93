"""Reading what a model wrote: whole items of a JSON answer that may be cut, and how sure the model was of them."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import Any, Final

from edgemem.ports import Generation

_DECODER: Final = json.JSONDecoder(strict=False)
_STRUCTURE: Final = re.compile(r'[{}\[\],:"]')


@dataclass(frozen=True, slots=True)
class Item:
    """One complete JSON object of an answer: ``text[start:end]`` is how it was written."""

    value: dict[str, Any]
    start: int
    end: int


def complete_items(text: str) -> list[Item]:
    """The complete JSON objects in ``text``, in order; objects inside an object are part of it.

    Never raises. A list that was cut, by ``max_tokens`` or by the window, gives the objects that were
    finished; prose around them and objects that are no JSON are stepped over.
    """
    items = []
    at = text.find("{")
    while at != -1:
        try:
            value, end = _DECODER.raw_decode(text, at)
        except json.JSONDecodeError as error:
            if _is_cut(error, text):
                break  # what follows lies inside the unfinished object
            end = at + 1
        except RecursionError:
            end = at + 1
        else:
            items.append(Item(value, at, end))
        at = text.find("{", end)
    return items


def _is_cut(error: json.JSONDecodeError, text: str) -> bool:
    """Whether it was the end of ``text`` that made it no JSON."""
    return error.msg.startswith("Unterminated string") or not _STRUCTURE.search(text, error.pos)


def mean_logprob(answer: Generation, start: int = 0, end: int | None = None) -> float | None:
    """Mean natural-log probability of the tokens that begin inside ``answer.text[start:end]``.

    None where the model gave no probabilities, or no token begins there.
    """
    end = len(answer.text) if end is None else end
    at, found = 0, []
    for text, logprob in zip(answer.tokens, answer.logprobs, strict=False):
        if start <= at < end:
            found.append(logprob)
        at += len(text)
    return sum(found) / len(found) if found else None


def confidence(answer: Generation, start: int = 0, end: int | None = None) -> float | None:
    """How sure the model was of ``answer.text[start:end]``: the geometric mean of its tokens' probabilities, 0..1."""
    mean = mean_logprob(answer, start, end)
    return None if mean is None else math.exp(min(0.0, mean))
