"""Recall: run the arms, fuse, drop what is not relevant, say why."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from edgemem.embedded import LONGEST, embedded, is_excerpted
from edgemem.errors import ModelError
from edgemem.ports import Clock, Embedder, SystemClock
from edgemem.recall import conclusions, fields, gather, passages
from edgemem.recall.asked import asked
from edgemem.recall.folded import by_summary
from edgemem.recall.fuse import Fused, reciprocal_rank
from edgemem.recall.passages import Passage
from edgemem.recall.question import Look, QueryVector, Question
from edgemem.recall.words import COVERED, coverage
from edgemem.records import Hit, LoggedTurn, Memory, Recall, Source
from edgemem.settings import Settings
from edgemem.store import memories
from edgemem.store.engine import Engine
from edgemem.store.scopes import ScopeCache
from edgemem.times import to_db

SENTENCES: Mapping[str, Callable[[Look], list[Hit]]] = {"key": fields.named, "summary": by_summary}
"""What brings hits of its own, other than memories and turns, by arm. It brings only what is relevant, with a score."""

_WEIGHTS = {"danger": 1.0, "slot": 1.0, "vector": 1.0, "text": 1.0, "graph": 0.7}
"""What an arm's first place counts. The graph leads to what lies near, not to what was asked."""

_SURE = frozenset({"danger", "slot", "graph", "key", "summary", "log_day"})
"""Parts of a hit that make it relevant whatever words it shares: it was led to, or is of a day the question names."""

_SEARCHES = {"meaning": "log_vector", "words": "log_text"}

NEAR = 10
"""Near misses that are told."""

PASSAGE_TOP = 0.7
"""Score at which the first passage of the log stands among memories."""

NEAR_FROM = 0.5
"""Similarity, or share of the question's words, from which a memory's place counts in full; below, in proportion."""

LED = {"danger": 1.0, "slot": 1.0, "graph": 0.6}
"""Nearness (0..1) of a memory that an arm led to without a likeness in words or meaning."""


@dataclass(frozen=True, slots=True)
class Searcher:
    """All that recall needs of one open file, for one user. ``embedder`` None: only words are searched."""

    engine: Engine
    cache: ScopeCache
    user: int
    settings: Settings
    embedder: Embedder | None
    unavailable: str = ""
    clock: Clock = field(default_factory=SystemClock)

    def recall(self, question: Question) -> Recall:
        """The relevant memories and passages, best first; none at all is an answer too."""
        start = time.perf_counter()
        query, degraded = self._embedded(question)
        embedded = time.perf_counter()
        with self._look(question, query) as look:
            hits = [*self._memories(look), *_sentences(look)]
            logged, doubt = self._passages(look) if _log_wanted(question) else ([], "")
            drawn = conclusions.found(look)
        # Among many turns the log is judged as a whole, with few each by itself.
        as_one = query is not None and len(logged) >= passages.ENOUGH
        good: list[Hit] = []
        near: list[Hit] = []
        for hit in _merged(hits, logged):
            relevant = not doubt if hit.turn is not None and (as_one or doubt) else self._relevant(question.text, hit)
            (good if relevant else near).append(hit)
        good = conclusions.above_their_sources(good, drawn)
        kept = tuple(good[: question.limit])
        end = time.perf_counter()
        return Recall(
            question.text, kept, not kept, _ms(start, end), tuple((good[question.limit :] + near)[:NEAR]),
            degraded or _excerpted(kept),
            {"embed_ms": _ms(start, embedded), "search_ms": _ms(embedded, end)}, doubt if not kept else "",
        )  # fmt: skip

    def search_log(self, text: str, limit: int) -> list[Hit]:
        """Turns of the raw log, best first, whatever their relevance."""
        question = Question(text, limit, arms=frozenset({"log"}))
        query, _ = self._embedded(question)
        with self._look(question, query) as look:
            return _turn_hits(self._ranked(look), limit)

    def standing(self, question: Question, wanted: Sequence[str], task: str | None) -> list[Hit]:
        """What stands whatever is asked: see ``fields.standing``."""
        with self._look(question, None) as look:
            return fields.standing(look, wanted, task)

    @contextmanager
    def _look(self, question: Question, query: QueryVector | None) -> Iterator[Look]:
        calibrate = float if self.embedder is None else self._calibrate
        with self.engine.read() as tx:
            yield Look(tx, self.cache, self.user, self.settings, question, self.clock.now(), query, calibrate)

    def _embedded(self, question: Question) -> tuple[QueryVector | None, tuple[str, ...]]:
        if not question.text.strip() or not question.arms & {"vector", "insight", "log"}:
            return None, ()
        if self.embedder is None:
            return None, (f"Searched by words only: {self.unavailable}",)
        try:
            vector = embedded(self.embedder, [question.text], "query", "chat")[0]
        except ModelError as error:
            return None, (f"Searched by words only: {error}",)
        return QueryVector(self.embedder.fingerprint, vector), ()

    def _memories(self, look: Look) -> list[Hit]:
        question, rankings = look.question, gather.rankings(look)
        keys = {key for ranking in rankings.values() for key, _ in ranking}
        live = memories.live_by_keys(
            look.tx, look.user, keys, to_db(look.now), kinds=question.kinds, namespace=question.namespace
        )
        filtered = {arm: [(key, value) for key, value in r if key in live] for arm, r in rankings.items()}
        fused = reciprocal_rank(filtered, _WEIGHTS, self.settings.rrf_k)
        found = [_memory_hit(item, live[item.key]) for item in fused]
        return sorted((_scaled(h, _nearness(question.text, h)) for h in found), key=lambda h: -h.score)

    def _passages(self, look: Look) -> tuple[list[Hit], str]:
        """Passages that may be shown, and why they do not answer, if so.

        Words whose memories were all replaced, forgotten or expired are no longer true, or no longer
        wanted: beside the memory that corrects them they would only mislead.
        """
        ranked = self._ranked(look)
        stale = memories.turns_out_of_use(look.tx, look.user, [p.turn.key for p in ranked])
        told = [p for p in ranked if p.turn.key not in stale]
        return _turn_hits(told, max(look.question.limit + NEAR, passages.ENOUGH)), passages.doubt(told)

    def _ranked(self, look: Look) -> list[Passage]:
        text = look.question.text
        wanted = asked(text, look.now.date())
        found = passages.find(look.tx, look.cache, look.user, text, look.vector, wanted)
        ranked = passages.ranked(found, text, wanted)
        return [p for p in ranked if not _in_view(p.turn, look.question.without)]

    def _calibrate(self, cosine: float) -> float:
        return cosine if self.embedder is None else round(self.embedder.calibrate(cosine), 4)

    def _relevant(self, query: str, hit: Hit) -> bool:
        """Led to, of a day it names, close in meaning, or sharing the words of the query that carry it."""
        if not _SURE.isdisjoint(hit.parts):
            return True
        similarity = hit.parts["vector"].value if "vector" in hit.parts else 0.0
        if "log_vector" in hit.parts:
            similarity = self._calibrate(hit.parts["log_vector"].value)
        return similarity >= self.settings.abstain_similarity or coverage(query, hit.content) >= COVERED


def _excerpted(hits: Sequence[Hit]) -> tuple[str, ...]:
    """What to say of turns that are too long to have been searched whole by meaning."""
    count = sum(is_excerpted(hit.content) for hit in hits if hit.turn is not None)
    if not count:
        return ()
    which = "A message" if count == 1 else f"{count} messages"
    return (f"{which} of more than {LONGEST:,} characters: searched whole by words, in excerpts by meaning.",)


def arm_of(signal: str) -> str:
    """The name that a signal of the log has among a hit's parts: the two searches are called as arms are."""
    return _SEARCHES.get(signal, f"log_{signal}")


def _log_wanted(question: Question) -> bool:
    return "log" in question.arms and not question.only_memories


def _sentences(look: Look) -> list[Hit]:
    if look.question.only_memories:
        return []
    return [hit for arm, search in SENTENCES.items() if arm in look.question.arms for hit in search(look)]


def _in_view(turn: LoggedTurn, without: tuple[str, int] | None) -> bool:
    return without is not None and turn.session == without[0] and turn.position >= without[1]


def _memory_hit(item: Fused, memory: Memory) -> Hit:
    return Hit(memory.id, memory.content, memory.kind, item.score, item.parts, memory.source, memory=memory)


def _turn_hits(ordered: Sequence[Passage], count: int) -> list[Hit]:
    """The first ``count`` as hits, explained among all."""
    return [
        Hit(
            p.turn.id, p.turn.content, "turn", p.score, {arm_of(name): part for name, part in parts.items()},
            Source(p.turn.session, p.turn.id, p.turn.content, 0, p.turn.at, p.turn.zone), turn=p.turn,
        )
        for p, parts in zip(ordered, passages.explained(ordered, count), strict=False)
    ]  # fmt: skip


def _merged(hits: Sequence[Hit], logged: Sequence[Hit]) -> list[Hit]:
    """Memories before passages of equal score; a passage that a memory was drawn from stands behind it.

    A passage's score is the likelihood that it answers, small where there are many; beside memories the first
    passage stands at ``PASSAGE_TOP`` and the others in proportion.
    """
    said = {(h.source.session, h.source.turn) for h in hits[:20]}
    raised = PASSAGE_TOP / logged[0].score if logged and 0 < logged[0].score < PASSAGE_TOP else 1.0
    halved = {True: raised / 2, False: raised}
    passages = [_scaled(h, halved[(h.source.session, h.source.turn) in said]) for h in logged]
    return sorted([*hits, *passages], key=lambda h: -h.score)


def _scaled(hit: Hit, factor: float) -> Hit:
    parts = {arm: replace(part, share=round(part.share * factor, 6)) for arm, part in hit.parts.items()}
    return replace(hit, score=round(hit.score * factor, 6), parts=parts)


def _nearness(query: str, hit: Hit) -> float:
    """How near a memory is to the question, 0..1: the first place of a ranking says nothing of that."""
    similar = hit.parts["vector"].value if "vector" in hit.parts else 0.0
    led = max((LED[arm] for arm in LED if arm in hit.parts), default=0.0)
    return min(1.0, max(similar / NEAR_FROM, coverage(query, hit.content) / NEAR_FROM, led))


def _ms(start: float, end: float) -> float:
    return round((end - start) * 1000, 3)
