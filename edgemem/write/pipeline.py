"""The steps of one turn, in order, each leaving a line in the trace: split, gate, extract, verify."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from edgemem.ports import ClauseJudge, LanguageModel
from edgemem.records import LoggedTurn, Rejected
from edgemem.settings import Settings
from edgemem.text import is_han
from edgemem.times import local
from edgemem.write import clauses, dates, gate, guards, verify
from edgemem.write.apply import Candidate
from edgemem.write.clauses import Clause
from edgemem.write.extract import Proposal, locate, propose
from edgemem.write.gate import Verdict
from edgemem.write.kinds import kind_of
from edgemem.write.restate import restated

PASSAGE_CHARS = 700
"""Most characters of one extraction prompt's message; longer turns are read in several passes."""

_OTHER = re.compile(r"The user'?s [a-z]|用户的?(?:[爸妈父母哥姐弟妹爷奶公婆老叔舅姑姨侄儿女外同朋邻室男妻丈孩猫狗宝])")
_OWN = re.compile(
    r"The user's (?:name|age|birthday|email|phone|job|favou?rite|goal|plan|order|address|home|hobby|salary|height)"
    r"|用户的?(?:名字|年龄|生日|邮箱|电话|工作|目标|计划|订单|地址|家在|爱好|身高)"
)


@dataclass(slots=True)
class Reading:
    """What reading one turn gave: candidates fit to store, what was refused, and the trace.

    ``take_back``: the user asked that what was just said be not remembered.
    """

    candidates: list[Candidate] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)
    steps: list[dict[str, Any]] = field(default_factory=list)
    take_back: bool = False


@dataclass(frozen=True, slots=True)
class Reader:
    """What reading needs. ``learned`` None: the language model alone is the gate."""

    model: LanguageModel
    learned: ClauseJudge | None
    settings: Settings

    def read(self, turn: LoggedTurn, earlier: Sequence[LoggedTurn]) -> Reading:
        """Read one user turn. ``earlier`` are the turns before it, oldest first. Nothing is stored here."""
        reading = Reading()
        if guards.asks_not_to_keep(turn.content):
            reading.steps.append({"step": "guard", "refused": "the user asked not to keep it"})
            reading.take_back = True
            return reading
        found = _split(self.settings, turn, reading)
        for group in _grouped(self._gate(turn, found, earlier, reading)):
            self._extract(turn, earlier, group, reading)
        return reading

    def _gate(
        self, turn: LoggedTurn, found: Sequence[Clause], earlier: Sequence[LoggedTurn], reading: Reading
    ) -> list[Verdict]:
        last = earlier[-1] if earlier else None
        asked = last is not None and last.role == "assistant" and last.content.rstrip().endswith(("?", "？"))
        question = last.content if last is not None and asked else None
        own = [c for c in found if not guards.quoted(turn.content, c.start)]
        telling = [c for c in own if not guards.plain_question(c.text)]
        verdicts = gate.judge(self.model, self.learned, telling, turn.content, question)
        told = [{"text": v.clause.text, "keep": round(v.keep, 4), "letter": v.letter, "by": v.by} for v in verdicts]
        reading.steps.append({"step": "gate", "asked": question, "clauses": told})
        return [v for v in verdicts if v.keep >= self.settings.gate_threshold]

    def _extract(self, turn: LoggedTurn, earlier: Sequence[LoggedTurn], group: list[Verdict], reading: Reading) -> None:
        passage = "\n".join(v.clause.text for v in group)
        answer = propose(self.model, passage, earlier)
        context = "\n".join(t.content for t in earlier)
        verified = []
        for proposal in answer.items:
            reason = _verify(self.settings, turn, proposal, group, context, reading)
            verified.append({"memory": proposal.content, "quote": proposal.quote, "refused": reason})
        verified += self._restate(turn, group, reading)
        reading.steps.append(
            {"step": "extract", "passage": passage, "answer": answer.raw, "cut": answer.cut, "verified": verified}
        )

    def _restate(self, turn: LoggedTurn, group: list[Verdict], reading: Reading) -> list[dict[str, Any]]:
        """State by rule the Chinese clauses that the model left without a usable memory."""
        told = []
        for verdict in group:
            clause = verdict.clause
            end = clause.start + len(clause.text)
            if any(c.start < end and clause.start < c.start + len(c.quote) for c in reading.candidates):
                continue
            rule = verdict.letter == "P" and kind_of("P", clause.text, "", "rule") == "rule"
            content = restated(clause.text, instruction=rule) if is_han(clause.text) else None
            if content is None or verdict.keep < self.settings.min_confidence:
                continue
            proposal = Proposal(clause.text, content, "rule" if rule else "fact", 0.0)
            reason = verify.refusal(proposal, turn.content, "")
            if reason is None:
                place = (clause.start, clause.text)
                reading.candidates.append(_candidate(turn, proposal, place, round(verdict.keep, 4), verdict.letter))
            told.append({"memory": content, "quote": clause.text, "refused": reason, "by": "rule"})
        return told


def _split(settings: Settings, turn: LoggedTurn, reading: Reading) -> list[Clause]:
    looked_at = turn.content[: settings.extract_max_chars]
    left = len(turn.content) - len(looked_at)
    if left:
        reading.rejected.append(Rejected(f"{left:,} characters", "the message is too long to read whole", turn.id))
    found = clauses.split(looked_at)
    reading.steps.append({"step": "split", "clauses": [c.text for c in found], "characters_left_out": left})
    return found


def _grouped(verdicts: Sequence[Verdict]) -> list[list[Verdict]]:
    """Kept clauses in groups that fit one prompt."""
    groups: list[list[Verdict]] = []
    size = PASSAGE_CHARS
    for verdict in verdicts:
        length = len(verdict.clause.text)
        if size + length > PASSAGE_CHARS:
            groups.append([])
            size = 0
        groups[-1].append(verdict)
        size += length
    return groups


def _verify(
    settings: Settings, turn: LoggedTurn, proposal: Proposal, group: list[Verdict], context: str, reading: Reading
) -> str | None:
    reason = verify.refusal(proposal, turn.content, context)
    place = locate(proposal.quote, turn.content)
    if reason is None and place is not None:
        verdict = _verdict_of(place[0], len(place[1]), group)
        confidence = 0.0 if verdict is None else _confidence(verdict.keep, proposal.logprob)
        if verdict is None:
            reason = "its words are in a part with nothing to keep"
        elif confidence < settings.min_confidence:
            reason = f"confidence {confidence:.2f} is below {settings.min_confidence}"
        else:
            reading.candidates.append(_candidate(turn, proposal, place, confidence, verdict.letter))
            return None
    reading.rejected.append(Rejected(proposal.content, reason or "", turn.id))
    return reason


def _verdict_of(start: int, length: int, group: list[Verdict]) -> Verdict | None:
    """The kept clause that shares most characters with the quote."""

    def shared(v: Verdict) -> int:
        return min(start + length, v.clause.start + len(v.clause.text)) - max(start, v.clause.start)

    best = max(group, key=shared)
    return best if shared(best) > 0 else None


def _confidence(keep: float, logprob: float) -> float:
    """Geometric mean of "worth keeping" and of the words' mean probability."""
    return round(math.sqrt(keep * math.exp(min(0.0, logprob))), 4)


def _candidate(
    turn: LoggedTurn, proposal: Proposal, place: tuple[int, str], confidence: float, letter: str
) -> Candidate:
    day = local(turn.at, turn.zone).date()
    content = dates.resolve(proposal.content, day)
    other = bool(_OTHER.match(content)) and not _OWN.match(content)
    kind = kind_of(letter, place[1], content, proposal.kind)
    return Candidate(content, kind, "other" if other else "user", confidence, place[1], place[0])
