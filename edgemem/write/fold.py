"""Folding the oldest part of a conversation: the clauses that carry it, word for word, each with its turn.

Nothing is put in other words, so nothing can be invented, flipped or rounded: a summary of a small
model loses a "not" or changes a number more often than a reader would notice. What is kept is
chosen: by the learned gate for what the user said, by signs of a result or a decision for the rest.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from edgemem.ports import ClauseJudge
from edgemem.records import LoggedTurn
from edgemem.text import is_han
from edgemem.write.clauses import Clause, split

SHARE = 0.15
"""Largest part of the folded text's tokens that its summary takes."""

AT_LEAST = 0.35
"""Weight below which a clause is left out even where there is room."""

_CLAUSE_CHARS = 240
"""Longer clauses (a pasted table, a line of code) are not kept whole, so they are not kept."""

_DECISION = re.compile(
    r"\b(?:decid|agree|settle|chose|choose|pick|prefer|instead|go(?:ing)? with|let'?s|plan(?:ned)? to|will|won'?t|must|deadline|due|"
    r"from now on|cancel|confirm|approv|reject|no longer|correct(?:ion)?|actually|fixed|works? now|turned out|result|fail|error|succeed|passed)",
    re.I,
)
_DECISION_ZH = re.compile(
    "决定|就这样|定了|选|改成|改为|不再|取消|确认|通过|拒绝|以后|必须|截止|其实|更正|结果|原来是|解决|搞定|打算|计划|同意|失败|报错|成功"
)
_REASON = re.compile(
    r"^(?:because|since|so that|as it|the reason|otherwise|due to|that'?s why)\b|^(?:因为|由于|否则|不然|所以|原因)",
    re.I,
)
_EXACT = re.compile(r"\d|[A-Z][\w-]*[A-Z0-9]|[\"“”「」《》]")
_QUESTION = re.compile(r"[?？]\s*$")


@dataclass(frozen=True, slots=True)
class Kept:
    """A sentence of a summary and the key of the turn it is taken from, word for word."""

    content: str
    turn: int


@dataclass(frozen=True, slots=True)
class _Weighed:
    turn: LoggedTurn
    clause: Clause
    weight: float
    place: int


def fold(turns: Sequence[LoggedTurn], judge: ClauseJudge | None, count: Callable[[str], int]) -> list[Kept]:
    """The sentences that stand for these turns, in the order they were said; at most ``SHARE`` of their tokens.

    Neighbouring clauses of a turn are one sentence. Tool output and system text are not looked at.
    """
    weighed = list(_weighed(turns, judge))
    room = int(SHARE * sum(count(t.content) for t in turns))
    chosen: set[int] = set()
    for item in sorted(weighed, key=lambda w: (-w.weight, w.place)):
        cost = count(item.clause.text) + 4
        if item.weight >= AT_LEAST and cost <= room:
            chosen.add(item.place)
            room -= cost
    return list(_sentences([w for w in weighed if w.place in chosen]))


def _weighed(turns: Sequence[LoggedTurn], judge: ClauseJudge | None) -> Iterator[_Weighed]:
    place = 0
    before = ""
    for turn in turns:
        clauses = (
            [c for c in split(turn.content) if len(c.text) <= _CLAUSE_CHARS]
            if turn.role in ("user", "assistant")
            else []
        )
        weights = _of_user(turn, clauses, judge, before) if turn.role == "user" else [_of_others(c) for c in clauses]
        # A reason goes with what it is the reason for.
        for n in range(1, len(clauses)):
            if _REASON.match(clauses[n].text):
                weights[n] = max(weights[n], weights[n - 1])
        for clause, weight in zip(clauses, weights, strict=True):
            yield _Weighed(turn, clause, weight, place)
            place += 1
        before = turn.content if turn.role == "assistant" else ""


def _of_user(turn: LoggedTurn, clauses: Sequence[Clause], judge: ClauseJudge | None, before: str) -> list[float]:
    asked = before if _QUESTION.search(before) else None
    if judge is None:
        learned = [0.0 if _QUESTION.search(c.text) else 0.3 for c in clauses]
    else:
        learned = [1.0 - p["N"] for p in judge.judge([(c.text, turn.content, asked) for c in clauses])]
    return [w * _fullness(c.text) + _signs(c.text) for w, c in zip(learned, clauses, strict=True)]


def _fullness(text: str) -> float:
    """Below 1 for a clause of a word or two: "never" says nothing once its question is gone."""
    size = sum(1 for c in text if is_han(c)) / 5 if is_han(text) else len(text.split()) / 4
    return min(1.0, size)


def _of_others(clause: Clause) -> float:
    """What the assistant said counts for its results and decisions only."""
    signs = _signs(clause.text)
    return 0.0 if _QUESTION.search(clause.text) else 0.15 + signs if signs else 0.0


def _signs(text: str) -> float:
    decided = bool(_DECISION_ZH.search(text) if is_han(text) else _DECISION.search(text))
    return 0.25 * decided + 0.15 * bool(_EXACT.search(text))


def _sentences(chosen: Sequence[_Weighed]) -> Iterator[Kept]:
    group: list[_Weighed] = []
    for item in chosen:
        if group and (item.turn.key != group[-1].turn.key or item.place != group[-1].place + 1):
            yield _sentence(group)
            group = []
        group.append(item)
    if group:
        yield _sentence(group)


def _sentence(group: Sequence[_Weighed]) -> Kept:
    """The words from the first clause to the last, as they stand in the turn."""
    turn, first, last = group[0].turn, group[0].clause, group[-1].clause
    words = turn.content[first.start : last.start + len(last.text)]
    return Kept(f"{turn.speaker or turn.role}: {' '.join(words.split())}", turn.key)
