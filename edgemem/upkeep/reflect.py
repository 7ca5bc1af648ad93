"""One round of reflection: insights held against their evidence, new ones drawn, proposals made for the user.

Models are asked outside of transactions. What was read is looked at again before it is written, so an
insight never rests on a memory that changed while it was worded.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from edgemem.ports import Clock, Embedder, LanguageModel, RelationJudge
from edgemem.records import LoggedTurn, Memory
from edgemem.reports import Insight, Proposal, Reflected
from edgemem.settings import Settings
from edgemem.store import insights, memories, turns, vectors
from edgemem.store.engine import Engine, Tx
from edgemem.store.insights import Resting
from edgemem.times import to_db
from edgemem.upkeep import proposals
from edgemem.upkeep.patterns import NEAR, Pattern, pattern, patterns
from edgemem.upkeep.proposals import Rules
from edgemem.upkeep.wording import Refusal, worded

SAME_PATTERN = 0.5
"""Share of memories two patterns have in common, of all that either has, from which they are one."""


@dataclass(frozen=True, slots=True)
class Minds:
    """The models at work; without an embedder only what was told again and again is found."""

    language: LanguageModel | None = None
    embedder: Embedder | None = None
    relations: RelationJudge | None = None


@dataclass(frozen=True, slots=True)
class _Seen:
    """What a round looks at, as of one moment."""

    live: Sequence[Memory]
    near: Sequence[tuple[int, int, float]]
    told: Mapping[int, set[int]]
    turns: Mapping[int, LoggedTurn]
    resting: Sequence[Resting]
    rejected: Sequence[Resting]

    def by_memory(self) -> dict[int, list[LoggedTurn]]:
        """The turns that told each memory."""
        return {key: [self.turns[t] for t in told if t in self.turns] for key, told in self.told.items()}


@dataclass(frozen=True, slots=True)
class Reflector:
    """Reflects for one user of one open file. ``refusal`` and ``rules`` are the checks that memories pass too."""

    engine: Engine
    user: int
    settings: Settings
    clock: Clock
    minds: Minds
    refusal: Refusal
    rules: Rules

    def reflect(
        self, stop: Callable[[], bool] = lambda: False, progress: Callable[[int, int], None] = lambda *_: None
    ) -> Reflected:
        """Do a round. ``stop`` is asked before each insight; what is left is found by the next round."""
        seen = self._look()
        withdrawn = self._recheck(seen)
        said: list[str] = []
        refused = 0
        fresh = self._fresh(seen, withdrawn)
        for n, (found, known) in enumerate(fresh):
            progress(n, len(fresh))
            if stop():
                break
            sentence, own_refused = worded(found, self.minds.language, self.refusal)
            refused += own_refused
            uid = self._write(found, sentence, known)
            said += [uid] if uid else []
        drawn = proposals.drafts(
            seen.live, seen.near, self.minds.relations, self.rules, self.clock.now(), seen.by_memory()
        )
        with self.engine.write() as tx:
            made = proposals.propose(tx, self.user, drawn, self._now())
            insights.mark(tx, self.user)
            waiting = [proposals.find(tx, self.user, uid) for uid in made]
            told = [i for i in self._records(tx) if i.id in said]
        return Reflected(tuple(told), tuple(r.uid for r in withdrawn), tuple(waiting), refused)

    def contradict(self, came: Collection[str]) -> list[Proposal]:
        """Propose a decision where one of the memories that ``came`` from elsewhere and one that was here disagree."""
        seen = self._look()
        drawn = proposals.drafts(
            seen.live, seen.near, self.minds.relations, self.rules, self.clock.now(), seen.by_memory()
        )
        between = [
            draft
            for draft in drawn
            if draft.topic in ("contradiction", "reassess") and len({m.id in came for m in draft.memories}) == 2
        ]
        with self.engine.write() as tx:
            made = proposals.propose(tx, self.user, between, self._now())
            return [proposals.find(tx, self.user, uid) for uid in made]

    def _records(self, tx: Tx) -> list[Insight]:
        return insights.records(tx, self.user, [r.key for r in insights.resting(tx, self.user, self._now())])

    def _look(self) -> _Seen:
        now = self.clock.now()
        with self.engine.read() as tx:
            live = [
                m
                for m in memories.listed(tx, self.user, limit=0)
                if m.sensitivity == "normal" and (m.expires_at is None or m.expires_at > now)
            ]
            told = insights.tellings(tx, self.user)
            keys = {key for m in live for key in told.get(m.key, ())}
            return _Seen(
                live, self._near(tx, live), told, turns.by_keys(tx, self.user, keys),
                insights.resting(tx, self.user, to_db(now)), insights.resting(tx, self.user, to_db(now), status="rejected"),
            )  # fmt: skip

    def _near(self, tx: Tx, live: Sequence[Memory]) -> list[tuple[int, int, float]]:
        embedder = self.minds.embedder
        model = None if embedder is None else vectors.find_model(tx, embedder.fingerprint, embedder.dim)
        if embedder is None or model is None:
            return []
        scope = vectors.Scope(self.user, "memory", model)
        pairs = vectors.near_pairs(tx, scope, embedder.dim, [m.key for m in live], _cosine_of(embedder, NEAR))
        calibrated = [(a, b, embedder.calibrate(cosine)) for a, b, cosine in pairs]
        return [(a, b, s) for a, b, s in calibrated if s >= NEAR]

    def _recheck(self, seen: _Seen) -> list[Resting]:
        """Hold each insight against its evidence; returns those that it no longer carries."""
        known = {m.key: m for m in seen.live}
        withdrawn = []
        for resting in seen.resting:
            if resting.sound:
                continue
            left = [known[key] for key in resting.memories if key in known]
            found = pattern(left, seen.told, seen.turns) if left else None
            if found is None or not found.holds(self.settings.reflect_turns):
                withdrawn.append(resting)
            else:
                sentence, _ = worded(found, self.minds.language, self.refusal)
                self._write(found, sentence, resting)
        with self.engine.write() as tx:
            for resting in withdrawn:
                insights.settle(tx, self.user, resting.key, "withdrawn")
        return withdrawn

    def _fresh(self, seen: _Seen, withdrawn: Sequence[Resting]) -> list[tuple[Pattern, Resting | None]]:
        """Patterns that no insight tells yet, or with more evidence than its insight has; never what was rejected."""
        standing = [r for r in seen.resting if r not in withdrawn]
        fresh: list[tuple[Pattern, Resting | None]] = []
        for found in patterns(
            seen.live, seen.near, seen.told, seen.turns, self.settings.reflect_turns, self.rules.negated
        ):
            keys = {m.key for m in found.members}
            if any(_shared(keys, r.memories) >= SAME_PATTERN for r in seen.rejected):
                continue
            known = next((r for r in standing if _shared(keys, r.memories) >= SAME_PATTERN), None)
            if known is None or not ({t.key for t in found.turns} <= set(known.turns) and keys <= set(known.memories)):
                fresh.append((found, known))
        return fresh

    def _write(self, found: Pattern, sentence: str, known: Resting | None) -> str | None:
        """Write an insight if its evidence is still what was read; returns its id."""
        told = [t.key for t in found.turns]
        keys = [m.key for m in found.members]
        with self.engine.write() as tx:
            live = memories.live_by_keys(tx, self.user, keys, self._now())
            there = turns.by_keys(tx, self.user, told)
            if len(there) < len(told) or any(
                k not in live or live[k].version != m.version for k, m in zip(keys, found.members, strict=True)
            ):
                return None
            if known is None:
                return insights.add(tx, self.user, sentence, found.confidence, keys, told, self._now())
            insights.put(tx, self.user, known.key, sentence, found.confidence, keys, told, self._now())
            return known.uid

    def _now(self) -> str:
        return to_db(self.clock.now())


def _shared(keys: set[int], others: Sequence[int]) -> float:
    both = keys | set(others)
    return len(keys & set(others)) / len(both) if both else 0.0


def _cosine_of(embedder: Embedder, similarity: float) -> float:
    """About the least cosine that is calibrated to a similarity: calibration rises, so halving finds it."""
    low, high = -1.0, 1.0
    for _ in range(20):
        middle = (low + high) / 2
        low, high = (low, middle) if embedder.calibrate(middle) >= similarity else (middle, high)
    return low
