"""The gate: is a clause worth a memory? One letter, read as probabilities; nothing is generated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from edgemem.ports import LanguageModel
from edgemem.text import is_han
from edgemem.write import prompts
from edgemem.write.clauses import Clause

_CONTEXT_CHARS = 160


@dataclass(frozen=True, slots=True)
class Verdict:
    """A clause with its probabilities; ``keep`` is the probability that it is worth a memory."""

    clause: Clause
    probabilities: dict[str, float]

    @property
    def keep(self) -> float:
        """Probability of F, P and S together."""
        return 1.0 - self.probabilities["N"]

    @property
    def letter(self) -> str:
        """The likeliest letter."""
        return max(self.probabilities, key=lambda letter: self.probabilities[letter])


def judge(model: LanguageModel, clauses: Sequence[Clause], asked: str | None) -> list[Verdict]:
    """Judge the clauses of one message in one batch.

    ``asked`` is the assistant's question just before, if it asked one: "never did" means nothing without it.
    """
    if not clauses:
        return []
    chinese = is_han(" ".join(c.text for c in clauses))
    questions = [_question(c, asked) for c in clauses]
    answers = model.choose(prompts.GATE[chinese], questions, prompts.GATE_OPTIONS)
    return [Verdict(c, p) for c, p in zip(clauses, answers, strict=True)]


def _question(clause: Clause, asked: str | None) -> str:
    if asked is None or len(clause.text) > 40:
        return clause.text
    return f"(asked: {asked[-_CONTEXT_CHARS:]})\n{clause.text}"
