"""The gate: is a clause worth a memory? Read as probabilities of four letters; nothing is generated.

Learned weights decide where they are sure, in milliseconds; the language model is asked about the
rest, and about everything where there are no weights for the embedder in use.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from edgemem.ports import ClauseJudge, LanguageModel
from edgemem.text import is_han
from edgemem.write import prompts
from edgemem.write.clauses import Clause

SURE_NO = 0.35
SURE_YES = 0.65
"""Learned probability (0..1) of "keep" outside of which the language model is not asked."""

MODEL_WEIGHT = 0.5
"""Weight of the language model's log-odds beside the learned ones."""

MODEL_PRIOR = 1.5
"""Log-odds by which the language model leans to "keep": what it says of clauses on the fence."""

_CONTEXT_CHARS = 160


@dataclass(frozen=True, slots=True)
class Verdict:
    """A clause with its probabilities; ``keep`` is the probability that it is worth a memory.

    ``by`` says who judged: learned, model, or both.
    """

    clause: Clause
    probabilities: dict[str, float]
    keep: float
    by: str

    @property
    def letter(self) -> str:
        """The likeliest letter."""
        return max(self.probabilities, key=lambda letter: self.probabilities[letter])


def judge(
    model: LanguageModel, learned: ClauseJudge | None, clauses: Sequence[Clause], message: str, asked: str | None
) -> list[Verdict]:
    """Judge the clauses of one message, the language model in one batch.

    ``asked`` is the assistant's question just before, if it asked one: "never did" means nothing without it.
    """
    if not clauses:
        return []
    if learned is None:
        return [
            Verdict(c, p, 1.0 - p["N"], "model") for c, p in zip(clauses, _asked(model, clauses, asked), strict=True)
        ]
    first = learned.judge([(c.text, message, asked) for c in clauses])
    unsure = [c for c, p in zip(clauses, first, strict=True) if SURE_NO < 1.0 - p["N"] < SURE_YES]
    second = dict(zip(unsure, _asked(model, unsure, asked), strict=True))
    return [_combined(c, p, second.get(c)) for c, p in zip(clauses, first, strict=True)]


def _combined(clause: Clause, learned: dict[str, float], model: dict[str, float] | None) -> Verdict:
    keep = 1.0 - learned["N"]
    if model is None:
        return Verdict(clause, learned, keep, "learned")
    odds = _log_odds(keep) + MODEL_WEIGHT * (_log_odds(1.0 - model["N"]) - MODEL_PRIOR)
    return Verdict(clause, learned, 1 / (1 + math.exp(-odds)), "both")


def _log_odds(p: float) -> float:
    bounded = min(max(p, 1e-6), 1 - 1e-6)
    return math.log(bounded / (1 - bounded))


def _asked(model: LanguageModel, clauses: Sequence[Clause], asked: str | None) -> list[dict[str, float]]:
    if not clauses:
        return []
    chinese = is_han(" ".join(c.text for c in clauses))
    return model.choose(prompts.GATE[chinese], [_question(c, asked) for c in clauses], prompts.GATE_OPTIONS)


def _question(clause: Clause, asked: str | None) -> str:
    if asked is None or len(clause.text) > 40:
        return clause.text
    return f"(asked: {asked[-_CONTEXT_CHARS:]})\n{clause.text}"
