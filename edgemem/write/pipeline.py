"""The steps of one turn, in order, each leaving a line in the trace: split, gate, the rules, extract, verify."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from edgemem.ports import ClauseJudge, LanguageModel
from edgemem.records import LoggedTurn, Rejected
from edgemem.settings import Settings
from edgemem.text import is_han
from edgemem.times import local
from edgemem.write import attributes, clauses, dates, gate, guards, passing, pieces, prompts, verify
from edgemem.write.apply import Candidate
from edgemem.write.clauses import Clause
from edgemem.write.extract import Proposal, locate, propose
from edgemem.write.gate import Verdict
from edgemem.write.kinds import happening, kind_of
from edgemem.write.links.link_rules import of_known
from edgemem.write.pieces import Piece
from edgemem.write.requests import discreet, permitted, scene, unkept
from edgemem.write.secret import masking, secrets
from edgemem.write.secret.secrets import Secret
from edgemem.write.statements import agreed, answers, rules, sentence, subjects, wording
from edgemem.write.statements.rules import Said

RELATED = 0.8
"""Probability that a clause is worth a memory which states in plain words how somebody known hangs together with the world."""

PASSAGE_CHARS = 700
"""Most characters of one extraction prompt's message; longer turns are read in several passes."""

_TOO_WIDE = "longer than one sentence should be"
_OTHER = re.compile(r"The user'?s [a-z]|用户的?(?:[爸妈父母哥姐弟妹爷奶公婆老叔舅姑姨侄儿女外同朋邻室男妻丈孩猫狗宝])")
_OWN = re.compile(
    r"The user's (?:name|age|birthday|email|phone|job|favou?rite|goal|plan|order|address|home|hobby|salary|height)"
    r"|用户的?(?:名字|年龄|生日|邮箱|电话|工作|目标|计划|订单|地址|家在|爱好|身高)"
)


_RULES: tuple[tuple[str, Callable[[Said], str | None]], ...] = (
    ("rule", rules.said),
    ("carry", rules.carried),
    ("beside", rules.beside),
)
"""The rules in the order in which they are tried, each by the name of its step in the trace."""


@dataclass(slots=True)
class Reading:
    """What reading one turn gave: candidates fit to store, what was refused, and the trace.

    ``secrets`` wait for a person. ``take_back``: the user asked that what was just said be not remembered. ``clauses``: all of the message.
    """

    candidates: list[Candidate] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)
    steps: list[dict[str, Any]] = field(default_factory=list)
    secrets: Sequence[Secret] = ()
    take_back: bool = False
    clauses: Sequence[Clause] = ()
    last: float = field(default_factory=time.perf_counter)

    def refuse(self, content: str, reason: str, turn: LoggedTurn) -> None:
        """Say once what is not stored and why; a secret in it is masked, and told once where it waits for a yes."""
        refused = Rejected(masking.masked(content, masking.secret_words(turn.content)), reason, turn.id)
        if refused not in self.rejected and (reason != verify.SEALED_ONLY or not self.secrets):
            self.rejected.append(refused)

    def timed(self, **told: Any) -> dict[str, Any]:
        """A line of the trace, with the milliseconds since the one before."""
        now = time.perf_counter()
        line = {**told, "ms": round((now - self.last) * 1000, 1)}
        self.last = now
        return line

    def note(self, **told: Any) -> None:
        """Add a line to the trace."""
        self.steps.append(self.timed(**told))


@dataclass(frozen=True, slots=True)
class Reader:
    """What reading needs. ``learned`` None: the language model alone is the gate."""

    model: LanguageModel
    learned: ClauseJudge | None
    settings: Settings
    known: Callable[[Sequence[str]], bool] = lambda _: False
    """Whether the memory knows somebody or something by one of these names."""

    def read(self, turn: LoggedTurn, earlier: Sequence[LoggedTurn]) -> Reading:
        """Read one user turn. ``earlier`` are the turns before it, oldest first. Nothing is stored here."""
        reading = Reading()
        may = permitted.span(turn.content) if unkept.asks_not_to_keep(turn.content) else (0, len(turn.content))
        if may is None:
            reading.note(step="guard", refused="the user asked not to keep it")
            reading.take_back = True
            return reading
        if any(t.role == "user" and unkept.of_chat(t.content) for t in earlier):
            reading.note(step="guard", refused="the user asked to keep nothing of this conversation")
            return reading
        if scene.played(turn.content, earlier):
            reading.note(step="guard", refused="said in a played scene")
            return reading
        found = [c for clause in _split(self.settings, turn, reading) if (c := _within(clause, may)) is not None]
        near = earlier[max(0, len(earlier) - self.settings.context_turns) :]
        words = turn.content[slice(*may)]
        words = words[slice(*discreet.spoken(words))]
        kept = self._gate(turn, pieces.of(found, turn.content, near), earlier, words, reading)
        self._say(turn, near, kept, reading)
        reading.rejected += [Rejected(secret.label, secrets.WAITS, turn.id) for secret in reading.secrets]
        return reading

    def _gate(
        self, turn: LoggedTurn, found: Sequence[Piece], earlier: Sequence[LoggedTurn], message: str, reading: Reading
    ) -> list[Said]:
        """The clauses worth a memory. ``message``: what of the turn may be kept."""
        asked = _question_before(earlier)
        material = scene.material_from(turn.content)
        spoken = [p for p in found if material is None or p.clause.start + len(p.clause.text) <= material]
        own = [p for p in spoken if not guards.quoted(turn.content, p.clause.start)]
        telling = [p for p in own if not guards.plain_question(p.words)]
        promised = None if asked is None else agreed.sentence(asked, turn.content)
        if telling and asked is not None and promised is None and guards.declines(asked, telling[0].words):
            telling = telling[1:]
        reading.secrets = secrets.told(turn.content, [p.clause for p in telling])
        verdicts = [self._of_known(v, turn, earlier) for v in self._judged(telling, message, asked)]
        told = [{"text": v.clause.text, "keep": round(v.keep, 4), "letter": v.letter, "by": v.by} for v in verdicts]
        reading.note(step="gate", asked=asked, clauses=told)
        if promised is not None and telling:
            reading.note(step="offer", agreed=promised)
            return [_agreed(turn, verdicts[0], promised)]
        before = "\n".join(t.content for t in earlier if t.role == "user")
        return [
            Said(
                replace(v, clause=p.clause),
                turn.content,
                asked,
                before,
                p.previous,
                p.words if p.mended else None,
                p.corrects,
            )
            for p, v in zip(telling, verdicts, strict=True)
            if v.keep >= max(self.settings.gate_threshold, gate.bar(v))
            and not _for_now(p, v)
            and not (asked is None and p.previous is None and passing.adjusts(p.words))
            and not (asked is not None and p.previous is None and v.letter != "F" and answers.begins(asked, p.words))
        ]

    def _judged(self, telling: Sequence[Piece], message: str, asked: str | None) -> list[Verdict]:
        """The verdict of each piece. A correction is worth a memory where what it corrects is: that may stand there, wrong."""
        judged = [Clause(p.judged, p.clause.start) for p in telling]
        found = gate.judge(self.model, self.learned, judged, message, asked)
        for number, wrong in ((n, p.corrects) for n, p in enumerate(telling) if p.corrects is not None):
            before = gate.judge(self.model, self.learned, [wrong.clause], wrong.message, None)
            best = max(found[number], *before, key=lambda verdict: verdict.keep)
            found[number] = replace(best, clause=found[number].clause)
        return found

    def _of_known(self, verdict: Verdict, turn: LoggedTurn, earlier: Sequence[LoggedTurn]) -> Verdict:
        """Where somebody of the user's life works or lives is worth a memory, as is who that one's husband is."""
        if verdict.keep >= RELATED or not self.settings.rules_first:
            return verdict
        told = [t.content for t in earlier if t.role == "user"]
        before = "\n".join([*told, turn.content[: verdict.clause.start]])
        if not of_known(verdict.clause.text, before, self.known):
            return verdict
        odds = {letter: RELATED if letter == "F" else (1 - RELATED) / 3 for letter in verdict.probabilities}
        return replace(verdict, probabilities=odds, keep=RELATED, by="relation")

    def _say(self, turn: LoggedTurn, near: Sequence[LoggedTurn], kept: Sequence[Said], reading: Reading) -> None:
        """Turn clauses into candidates: by rule where one can, by the model where none can."""
        left = kept
        for step, rule in _RULES if self.settings.rules_first else ():
            left = self._by_rule(turn, left, reading, step, rule)
        for group in _grouped([clause.verdict for clause in left]):
            self._extract(turn, near, group, reading)
        if not self.settings.rules_first:
            lost = [c for c in left if not _covered(c.verdict, reading) and is_han(c.text)]
            self._by_rule(turn, lost, reading, "beside", rules.beside)

    def _extract(self, turn: LoggedTurn, earlier: Sequence[LoggedTurn], group: list[Verdict], reading: Reading) -> None:
        passage = "\n".join(v.clause.text for v in group)
        answer = propose(self.model, passage, earlier)
        context = "\n".join(t.content for t in earlier)
        verified = []
        for proposal in answer.items:
            reason = _verify(self.settings, turn, proposal, group, context, reading)
            verified.append({"memory": proposal.content, "quote": proposal.quote, "refused": reason})
        reading.note(step="extract", passage=passage, answer=answer.raw, cut=answer.cut, verified=verified)

    def _by_rule(
        self, turn: LoggedTurn, kept: Sequence[Said], reading: Reading, step: str, rule: Callable[[Said], str | None]
    ) -> list[Said]:
        """State clauses by rule; gives back those that no rule could state."""
        left, told = [], []
        for clause in kept:
            content = rule(clause)
            content = content and sentence.tidied(content)
            if content is None or (step == "carry" and _told_before(content, clause, reading)):
                left.append(clause)
                continue
            reason = self._state(turn, clause, content, step, reading)
            told.append({"memory": content, "quote": clause.text, "refused": reason})
            if reason == _TOO_WIDE or reason in sentence.FLAWS:
                left.append(clause)
        if told:
            reading.note(step=step, verified=told)
        return left

    def _state(self, turn: LoggedTurn, clause: Said, content: str, step: str, reading: Reading) -> str | None:
        """Make a sentence found by rule a candidate; why not, if it cannot be one."""
        verdict = clause.verdict
        confidence = _confidence(verdict.keep, 0.0)  # a rule adds no words of its own
        if confidence < self.settings.min_confidence:
            return f"confidence {confidence:.2f} is below {self.settings.min_confidence}"
        reason = verify.unfit(content, verdict.clause.text, turn.content, standing=verdict.letter == "P")
        if reason is not None:
            reading.refuse(content, reason, turn)
            return reason
        kind = "rule" if clause.standing else "event" if happening(content) else "fact"
        proposal = Proposal(verdict.clause.text, content, kind, 0.0)
        place = _place(clause, turn.content, joined=step == "carry")
        fresh = replace(_candidate(turn, proposal, place, confidence, verdict.letter), corrects=clause.corrects)
        if any(_begins(fresh, with_more) for with_more in reading.candidates):
            return "said with what follows it"
        if step == "carry":  # said whole now, so the half of it that was said before goes
            reading.candidates = [c for c in reading.candidates if not _begins(c, fresh)]
        reading.candidates.append(fresh)
        return None


def _begins(half: Candidate, whole: Candidate) -> bool:
    """Whether a sentence goes on where another one ends."""
    start, longer = discreet.plain(half.content).rstrip(".。"), discreet.plain(whole.content)
    return longer.startswith(start) and not longer[len(start) : len(start) + 1].isalnum()


def _agreed(turn: LoggedTurn, verdict: Verdict, promised: str) -> Said:
    """A whole message that says yes to what the assistant offered to do from now on, as the rule that it is."""
    odds = {letter: RELATED if letter == "P" else (1 - RELATED) / 3 for letter in verdict.probabilities}
    whole = Clause(turn.content.strip(), len(turn.content) - len(turn.content.lstrip()))
    agreed_to = Verdict(whole, odds, RELATED, "offer")
    return Said(agreed_to, turn.content, None, words=promised)


def _question_before(earlier: Sequence[LoggedTurn]) -> str | None:
    """The assistant's turn just before, if it asks something."""
    last = earlier[-1] if earlier else None
    asks = last is not None and last.role == "assistant" and last.content.rstrip().endswith(("?", "？"))
    return last.content if last is not None and asks else None


def _for_now(piece: Piece, verdict: Verdict) -> bool:
    """What the gate let through and code knows to be no lasting fact. A rule may begin with "if" and speak of now."""
    if passing.wanted_now(piece.words) or passing.reaction(piece.words) or passing.this_once(piece.words):
        return True
    if passing.announces(piece.words):
        return True
    if verdict.letter == "P" and kind_of("P", piece.words, "", "rule") == "rule":
        return passing.elsewhere(piece.words)
    before = piece.previous.text if piece.previous is not None else None
    return passing.passing(piece.words) or passing.unreal(piece.words, before) or passing.elsewhere(piece.words)


def _place(clause: Said, message: str, *, joined: bool) -> tuple[int, str]:
    """The exact words a sentence rests on; both clauses, where it took in the one before."""
    own = clause.verdict.clause
    start = clause.previous.start if joined and clause.previous is not None else own.start
    return start, message[start : own.start + len(own.text)]


def _told_before(content: str, clause: Said, reading: Reading) -> bool:
    """Whether the half of a joined sentence that has no subject stands in another one, with what it belongs to."""
    before = clause.previous
    bare = before is not None and content.startswith(rules.ATTRIBUTED) and wording.tells(clause.text)
    return bare and before is not None and _rests_on(before, reading)


def _covered(verdict: Verdict, reading: Reading) -> bool:
    """Whether a candidate rests on words of the clause."""
    return _rests_on(verdict.clause, reading)


def _rests_on(clause: Clause, reading: Reading) -> bool:
    start, end = clause.start, clause.start + len(clause.text)
    return any(c.start < end and start < c.start + len(c.quote) for c in reading.candidates)


def _within(clause: Clause, part: tuple[int, int]) -> Clause | None:
    """What of a clause stands in a part of the message, or None."""
    start, end = max(clause.start, part[0]), min(clause.start + len(clause.text), part[1])
    text = clause.text[start - clause.start : max(0, end - clause.start)]
    return Clause(text, start) if re.search(r"\w", text) else None


def _split(settings: Settings, turn: LoggedTurn, reading: Reading) -> list[Clause]:
    looked_at = turn.content[: settings.extract_max_chars]
    left = len(turn.content) - len(looked_at)
    if left:
        reading.rejected.append(Rejected(f"{left:,} characters", "the message is too long to read whole", turn.id))
    found = reading.clauses = clauses.split(looked_at)
    reading.note(step="split", clauses=[c.text for c in found], characters_left_out=left, pipeline=prompts.VERSION)
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
    if reason is None and subjects.fused(proposal.content, reading.clauses):
        reason = "it mixes statements about different people"
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
    reading.refuse(proposal.content, reason or "", turn)
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
    content = plain = dates.resolve(proposal.content, day)
    if discreet.in_confidence(turn.content):
        noted = discreet.noted(content)
        content = noted if verify.fits(noted) else content
    other = bool(_OTHER.match(content)) and not _OWN.match(content)
    slot = attributes.of(plain)
    kind = kind_of(letter, place[1], content, proposal.kind)
    kind = "fact" if kind == "preference" and slot is not None and not attributes.of_taste(slot) else kind
    about = "other" if other else "user"
    return Candidate(content, kind, about, confidence, place[1], place[0], slot)
