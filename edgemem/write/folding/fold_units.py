"""What a summary may be made of: clauses of a conversation, each weighed, with what it cannot be understood without.

A short answer goes with the question it answers, a yes with the proposal it accepts, a correction with
the statement it corrects. What the user said is weighed by the learned gate; what the assistant said
counts for what it reports: results of tools, things done, numbers that were asked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from edgemem.ports import ClauseJudge
from edgemem.records import LoggedTurn
from edgemem.text import is_han
from edgemem.write.clauses import Clause, split
from edgemem.write.folding import fold_signs as signs
from edgemem.write.verify import negated

_CLAUSE_CHARS = 240
"""Longer clauses (a pasted table, a line of code) are not kept whole, so they are not kept."""

_ENDED = re.compile(r"[。！？；!?;…]\W*$|\.\W*$")

_CONDITION = re.compile(r"\W*(?:(?:and|but|so|ok)\W+)*(?:if|when|once|unless)\b", re.IGNORECASE)

_WHOLE_HAN, _WHOLE_ENGLISH = 40, 140
"""Characters up to which a sentence stays whole."""

_ACCEPTED = 0.35
"""What an accepted proposal weighs more than the word yes."""

_QUESTION = 0.5
"""What is left of the weight of a question of the user's."""

_ADVICE, _FOUND, _CODE, _NUMBER_ASKED = 0.6, 0.4, 0.4, 0.6
"""What is left of the signs of a decision where the assistant only advises; and what a clause of the assistant's weighs more
that says what a tool brought, holds the number of a case or an order, or gives the number that the user asked for."""

_ANSWERS = 0.15
"""What an answer weighs more than the same words unasked: somebody needed to know."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Words of a turn, ``turn.content[start:start + len(text)]``; ``place`` counts clauses through the conversation."""

    turn: LoggedTurn
    text: str
    start: int
    place: int

    @property
    def speaker(self) -> str:
        """Who says it, in one line."""
        return " ".join((self.turn.speaker or self.turn.role).split())


@dataclass(frozen=True, slots=True)
class Unit:
    """A clause with those of other turns that lead in to it, what it weighs, about 0..1, and the place of what it corrects."""

    own: Piece
    leads: tuple[Piece, ...]
    weight: float
    corrects: int | None = None

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """All of its clauses in the order of the lines."""
        return (*self.leads, self.own)

    @property
    def text(self) -> str:
        """All of its words."""
        return " ".join(piece.text for piece in self.pieces)


def units(turns: Sequence[LoggedTurn], judge: ClauseJudge | None) -> list[Unit]:
    """Everything that may stand in the summary of these turns."""
    said = list(_said(turns))
    found: list[Unit] = []
    for n, pieces in enumerate(said):
        before = said[n - 1] if n else []
        if pieces and pieces[0].turn.role == "user":
            found += _of_user(pieces, before if before and before[0].turn.role == "assistant" else [], judge)
        elif pieces:
            found += _of_assistant(pieces, turns[n - 1].role == "tool" if n else False, before)
    return found


def _said(turns: Sequence[LoggedTurn]) -> Iterator[list[Piece]]:
    """The clauses of each turn; of tools and the system none."""
    place = 0
    for turn in turns:
        clauses = _whole(turn, split(turn.content)) if turn.role in ("user", "assistant") else []
        pieces = []
        for clause in clauses:
            if len(clause.text) <= _CLAUSE_CHARS:
                pieces.append(_piece(turn, clause, place))
            place += 1
        place += 1  # the last clause of a turn and the first of the next are no neighbours
        yield pieces


def _whole(turn: LoggedTurn, clauses: Sequence[Clause]) -> list[Clause]:
    """Clauses of one sentence put together again, as far as it stays short: what is cut off is often the reason or the subject."""
    found: list[Clause] = []
    for clause in clauses:
        if found and not _ENDED.search(found[-1].text):
            between = turn.content[found[-1].start : clause.start + len(clause.text)]
            if len(between) <= _whole_chars(turn, between) and "\n" not in between:
                found[-1] = Clause(between, found[-1].start)
                continue
        found.append(clause)
    return found


def _whole_chars(turn: LoggedTurn, text: str) -> int:
    if is_han(text):
        return _WHOLE_HAN
    # The user's clauses are judged one by one, but for a condition, which says nothing alone.
    return _WHOLE_ENGLISH if turn.role == "assistant" or _CONDITION.match(text) else 0


def _piece(turn: LoggedTurn, clause: Clause, place: int) -> Piece:
    skipped = signs.lead_in(clause.text) if turn.role == "user" else 0
    return Piece(turn, clause.text[skipped:], clause.start + skipped, place)


# What the user said


def _of_user(pieces: Sequence[Piece], before: Sequence[Piece], judge: ClauseJudge | None) -> list[Unit]:
    learned = _learned(pieces, before, judge)
    made: list[Unit] = []
    asked = bool(before) and signs.asks(before[-1].text)
    for n, (piece, chance) in enumerate(zip(pieces, learned, strict=True)):
        leads = _leads(piece, before) if n == 0 else ()
        weight = chance * (1.0 if leads else _fullness(piece.text)) + _signs(piece.text)
        if leads and signs.accepts(piece.turn.content):
            words = " ".join(p.text for p in leads)
            weight += _signs(words) + (_ACCEPTED if signs.exact(words) or signs.proposes(words) else 0.0)
        elif n == 0 and asked:
            weight += _ANSWERS
        if signs.asks(piece.text):
            weight *= _QUESTION
        if signs.idle(piece.text) and not leads:
            weight = 0.0
        if made and signs.gives_reason(piece.text):  # a reason goes with what it is the reason for
            weight = max(weight, made[-1].weight)
        made.append(Unit(piece, leads, weight))
    return made


def _learned(pieces: Sequence[Piece], before: Sequence[Piece], judge: ClauseJudge | None) -> list[float]:
    if judge is None:
        return [0.0 if signs.asks(p.text) else 0.1 for p in pieces]
    asked = before[-1].turn.content if before and signs.asks(before[-1].text) else None
    return [1.0 - odds["N"] for odds in judge.judge([(p.text, p.turn.content, asked) for p in pieces])]


def _leads(piece: Piece, before: Sequence[Piece]) -> tuple[Piece, ...]:
    """What an answer needs before it: the question, what that points back to, or the proposal that it accepts."""
    accepts = signs.accepts(piece.turn.content)
    asked = before[-1] if before and signs.asks(before[-1].text) else None
    if not before or not (signs.leans(piece.text) or (accepts and asked is not None)):
        return ()
    if asked is not None and signs.points_back(asked.text):
        return (_last(before, signs.exact) or asked,)
    if asked is not None and not (accepts and signs.asks_for_nothing_but_consent(asked.text)):
        return (asked,)
    proposed = _last(before, signs.proposes) if accepts else None
    return () if proposed is None else (proposed,)


def _last(pieces: Sequence[Piece], sign: Callable[[str], bool]) -> Piece | None:
    """The last statement with a sign."""
    return next((p for p in reversed(pieces) if sign(p.text) and not signs.asks(p.text)), None)


def _fullness(text: str) -> float:
    """Below 1 for a clause of a word or two: "never" says nothing once its question is gone."""
    size = sum(1 for c in text if "\u4e00" <= c <= "\u9fff") / 5 if is_han(text) else len(text.split()) / 4
    return min(1.0, size)


def _signs(text: str) -> float:
    return 0.25 * signs.decides(text) + 0.15 * signs.exact(text) + 0.1 * negated(text)


# What the assistant said


def _of_assistant(pieces: Sequence[Piece], after_tool: bool, before: Sequence[Piece]) -> list[Unit]:
    """What the assistant reports; advice weighs little, and a question nothing."""
    told = [piece for piece in pieces if not signs.asks(piece.text)]
    asked = any(signs.asks_an_amount(p.text) for p in before)
    answer = next((p for p in told if signs.exact(p.text)), None) if asked else None
    return [Unit(p, (), _reported(p.text, after_tool) + _NUMBER_ASKED * (p is answer)) for p in told]


def _reported(text: str, after_tool: bool) -> float:
    reports = signs.reports(text)
    found = after_tool and not signs.proposes(text) and (reports or signs.exact(text))
    return _ADVICE * _signs(text) + 0.15 * reports + _FOUND * found + _CODE * signs.holds_code(text)
