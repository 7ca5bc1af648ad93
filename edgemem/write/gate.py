"""The gate: is a clause worth a memory? Read as probabilities of four letters; nothing is generated.

Learned weights decide where they are sure, in milliseconds; the language model is asked about the
rest, and about everything where there are no weights for the embedder in use.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from edgemem.ports import ClauseJudge, LanguageModel, SecondLook, StateModel
from edgemem.text import fold, is_han
from edgemem.write import lasting, prompts
from edgemem.write.clauses import Clause

SURE_NO = 0.35
SURE_YES = 0.65
"""Learned probability (0..1) of "keep" outside of which the language model is not asked."""

LOOK_FROM = 0.2
LOOK_TO = 0.8
"""The same where there is a second look at the model's states, which sees more than its letter."""

MODEL_WEIGHT = 0.5
"""Weight of the language model's log-odds beside the learned ones."""

MODEL_PRIOR = 1.5
"""Log-odds by which the language model leans to "keep": what it says of clauses on the fence."""

OWN_BAR = 0.7
"""Probability of an English clause that begins with "I", below which more than half told of the moment (development sets)."""

_OWN_START = re.compile(r"\W*(?:(?:so|and|but|well|also|then)\W+)*(?:i|we|i['’]\w+|we['’]\w+|im|ive)\b", re.IGNORECASE)

PLAIN = 0.8
"""Probability of a clause that says itself that it is a rule or a way of doing."""

NUDGED_FROM = 0.12
"""Learned probability of "keep" under which a form that a tale or a move may have too is not believed."""

_CONTEXT_CHARS = 160
_ASKED_CHARS = 80
_BEFORE_CHARS = 60
_CLAUSE_CHARS = 500


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
    first = [
        _lifted(c, p) for c, p in zip(clauses, learned.judge([(c.text, message, asked) for c in clauses]), strict=True)
    ]
    look = _second_look(model, learned)
    if look is not None:
        return _looked_again(*look, clauses, first, message, asked)
    unsure = [c for c, p in zip(clauses, first, strict=True) if SURE_NO < 1.0 - p["N"] < SURE_YES]
    second = dict(zip(unsure, _asked(model, unsure, asked), strict=True))
    return [_combined(c, p, second.get(c)) for c, p in zip(clauses, first, strict=True)]


def second_question(clause: str, message: str, asked: str | None) -> str:
    """How a clause is put to the language model for its state: after the end of the question and of what stands before it."""
    place = message.find(clause)
    before = " ".join(message[: max(0, place)].split())[-_BEFORE_CHARS:]
    question = f"(asked: {' '.join(asked.split())[-_ASKED_CHARS:]})\n" if asked else ""
    above = f"(before: {before})\n" if before else ""
    return f"{question}{above}{clause[:_CLAUSE_CHARS]}"


def _second_look(model: LanguageModel, learned: ClauseJudge) -> tuple[StateModel, SecondLook] | None:
    """The model and the weights that know its states, where they fit each other."""
    look = learned.second
    if look is None or not isinstance(model, StateModel) or model.fingerprint != look.model:
        return None
    return model, look


def _looked_again(
    model: StateModel,
    look: SecondLook,
    clauses: Sequence[Clause],
    first: Sequence[dict[str, float]],
    message: str,
    asked: str | None,
) -> list[Verdict]:
    """The first verdicts where they are sure, the second look's where they are not."""
    open_ = [c for c, p in zip(clauses, first, strict=True) if LOOK_FROM < 1.0 - p["N"] < LOOK_TO]
    found: dict[Clause, dict[str, float]] = {}
    for chinese in (False, True):
        part = [c for c in open_ if is_han(c.text) == chinese]
        questions = [second_question(c.text, message, asked) for c in part]
        states = model.states(prompts.GATE[chinese], questions, look.layer) if part else []
        odds = look.judge([(c.text, message, asked) for c in part], states)
        found |= dict(zip(part, map(_lifted, part, odds), strict=True))
    return [
        _agreed(c, p, found[c]) if c in found else Verdict(c, p, 1.0 - p["N"], "learned")
        for c, p in zip(clauses, first, strict=True)
    ]


def _agreed(clause: Clause, first: dict[str, float], second: dict[str, float]) -> Verdict:
    """The mean of both looks' log-odds: one learned from more clauses, the other sees more of each."""
    odds = (_log_odds(1.0 - first["N"]) + _log_odds(1.0 - second["N"])) / 2
    return Verdict(clause, second, 1 / (1 + math.exp(-odds)), "both")


def bar(verdict: Verdict) -> float:
    """What ``keep`` must reach besides the settings: what "I did" looks most like a lasting fact without being one."""
    return OWN_BAR if verdict.letter != "S" and _OWN_START.match(verdict.clause.text) else 0.0


def _combined(clause: Clause, learned: dict[str, float], model: dict[str, float] | None) -> Verdict:
    keep = 1.0 - learned["N"]
    if model is None:
        return Verdict(clause, learned, keep, "learned")
    odds = _log_odds(keep) + MODEL_WEIGHT * (_log_odds(1.0 - model["N"]) - MODEL_PRIOR)
    return Verdict(clause, learned, 1 / (1 + math.exp(-odds)), "both")


def _lifted(clause: Clause, odds: dict[str, float]) -> dict[str, float]:
    """The learned odds, unless the clause says itself what it is."""
    form = _told_plainly(clause.text)
    keep = 1.0 - odds["N"]
    if form is None or keep >= PLAIN or (keep < NUDGED_FROM and not form.sure):
        return odds
    return {name: PLAIN if name == form.letter else (1.0 - PLAIN) / 3 for name in odds}


def _told_plainly(clause: str) -> lasting.Form | None:
    """What a clause says itself that it is: "from now on …" is a rule, "what worked: …" a way of doing."""
    text = fold(clause)
    if text.rstrip().endswith(("?", "？")):
        return None
    if (form := lasting.told(clause)) is not None or len(text) < 12:
        return form
    if _STANDING.search(text):
        return lasting.Form("P", sure=True)
    return lasting.Form("F", sure=True) if _TO_KEEP.match(text) or _SKILL.search(text) else None


_DO = "use|keep|call|write|give|answer|reply|respond|speak|talk|be|put|start|end|make|show|send|remind|ask|quote|add|include|skip|avoid|leave|format|translate|spell|say|round|list|explain|assume|don['’]?t|do not|no"
_STANDING = re.compile(
    rf"^\W*(?:please |pls |ok |and |so )*(?:(?:from (?:now|here|today) on|in (?:the )?future|going forward|for all future \w+|every time|whenever i \w+)\b[^.]{{0,40}}?\b(?:{_DO})\b|(?:always|never) (?:{_DO})\b|(?:{_DO})\b[^.]*\b(?:from (?:now|here|today) on|in (?:the )?future|going forward|every time)\b)"
    r"|^\W*(?:那|请|麻烦)?(?:你)?(?:以[后後]|今[后後]|从现在(?:起|开始)|從現在起|往后)(?!.{0,4}(?:我|他|她|打算|想))[^?？]{2,30}(?:用|别|別|不要|叫|答|写|寫|说|說|给|給|按|都|先|就|只)"
)
_TO_KEEP = re.compile(
    r"\W*(?:(?:please|pls|and|but|so|ok|also|just|you (?:can|may|should|could)|for next time|for later|for the record)[\s,:]+)*(?:remember|note|keep in mind|bear in mind|make a note)(?: that)?[\s:,]+(?:i|i['’]\w+|my|we|we['’]\w+|our)\b"
    r"|\W*(?:请|麻烦|帮我|你|可以|要|对了)*(?:记住|记一下|记下来?|记着)[：:，,\s]*(?:[我咱俺])(?![说讲刚])"
)
"""What the user asks to be remembered in so many words."""

_SKILL = re.compile(
    r"\bwhat (?:finally |actually |always )?(?:worked|works)(?: best)?(?: for (?:me|us))?(?: in the end| was| is)?\s*[:,-]|\bthe trick (?:is|was|with)\b|\bmy (?:trick|method|routine|way) (?:is|for|of|with)\b|\bhow i (?:do|get|make|keep)\b[^?]*:"
    r"|(?:窍门|诀窍|土办法|妙招|小技巧|我的(?:办法|流程|做法|经验))(?:是|：|:|，|,|就是)|(?:就|才)(?:好了|行了|管用|不报错了|成功了)$"
)


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
