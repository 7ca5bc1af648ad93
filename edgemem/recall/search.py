"""Recall: run the arms, fuse, drop what is not relevant, say why."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from edgemem.errors import ModelError
from edgemem.ports import Clock, Embedder, SystemClock
from edgemem.recall import gather, passages
from edgemem.recall.asked import asked
from edgemem.recall.fuse import Fused, reciprocal_rank
from edgemem.recall.gather import QueryVector, Ranking
from edgemem.recall.passages import Passage
from edgemem.recall.related import related
from edgemem.records import Hit, LoggedTurn, Memory, Recall, Source
from edgemem.settings import Settings
from edgemem.store import memories
from edgemem.store.engine import Engine, Tx
from edgemem.store.scopes import ScopeCache
from edgemem.text import content_tokens, segment, unaccented
from edgemem.times import to_db

ARMS = ("vector", "text", "graph", "log")
"""Memories by meaning, by words, by what hangs together with whom the question names; the raw log (by both)."""

_WEIGHTS = {"vector": 1.0, "text": 1.0, "graph": 0.7}
"""What an arm's first place counts. The graph leads to what lies near, not to what was asked."""

_SEARCHES = {"meaning": "log_vector", "words": "log_text"}

NEAR = 10
"""Near misses that are told."""

PASSAGE_TOP = 0.7
"""Score at which the first passage of the log stands among memories."""

NEAR_FROM = 0.5
"""Similarity, or share of the question's words, from which a memory's place counts in full; below, in proportion."""

LED = 0.6
"""Nearness (0..1) of a memory that only the graph led to."""

COVERED = 0.4
"""Share (0..1) of the query's words that makes a hit relevant by words alone."""


@dataclass(frozen=True, slots=True)
class Question:
    """A query with its hard filters. ``arms`` are those of ``ARMS`` that may answer.

    ``without``: a session and the position from which on its turns are before the asker's eyes anyway.
    """

    text: str
    limit: int
    kinds: frozenset[str] = frozenset()
    namespace: str | None = None
    arms: frozenset[str] = frozenset(ARMS)
    without: tuple[str, int] | None = None


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
        with self.engine.read() as tx:
            hits = self._memories(tx, question, query) if question.arms & {"vector", "text", "graph"} else []
            logged, doubt = self._passages(tx, question, query) if self._log_wanted(question) else ([], "")
        # Among many turns the log is judged as a whole, with few each by itself.
        as_one = query is not None and len(logged) >= passages.ENOUGH
        good: list[Hit] = []
        near: list[Hit] = []
        for hit in _merged(hits, logged):
            relevant = not doubt if hit.turn is not None and (as_one or doubt) else self._relevant(question.text, hit)
            (good if relevant else near).append(hit)
        kept = tuple(good[: question.limit])
        end = time.perf_counter()
        return Recall(
            question.text, kept, not kept, _ms(start, end), tuple((good[question.limit :] + near)[:NEAR]), degraded,
            {"embed_ms": _ms(start, embedded), "search_ms": _ms(embedded, end)}, doubt if not kept else "",
        )  # fmt: skip

    def search_log(self, text: str, limit: int) -> list[Hit]:
        """Turns of the raw log, best first, whatever their relevance."""
        question = Question(text, limit, arms=frozenset({"log"}))
        query, _ = self._embedded(question)
        with self.engine.read() as tx:
            return _turn_hits(self._ranked(tx, question, query), limit)

    def _log_wanted(self, question: Question) -> bool:
        # A passage of the log has no kind and no namespace, so a filter on them leaves the log out.
        return "log" in question.arms and not question.kinds and question.namespace is None

    def _embedded(self, question: Question) -> tuple[QueryVector | None, tuple[str, ...]]:
        if not question.text.strip() or not question.arms & {"vector", "log"}:
            return None, ()
        if self.embedder is None:
            return None, (f"Searched by words only: {self.unavailable}",)
        try:
            vector = self.embedder.embed([question.text], "query", priority="chat")[0]
        except ModelError as error:
            return None, (f"Searched by words only: {error}",)
        return QueryVector(self.embedder.fingerprint, vector), ()

    def _memories(self, tx: Tx, question: Question, query: QueryVector | None) -> list[Hit]:
        # With a hard filter the best of all may all fall out of it, so more candidates are asked for.
        wide = self.settings.candidates * (20 if question.kinds or question.namespace else 1)
        rankings: dict[str, Ranking] = {}
        if "text" in question.arms:
            rankings["text"] = gather.by_text(tx, "memory_fts", self.user, question.text, wide)
        if query is not None and "vector" in question.arms:
            rankings["vector"] = gather.by_vector(tx, self.cache, self.user, "memory", query, wide)
        if "graph" in question.arms:
            steps = related(tx, self.user, question.text, most=self.settings.candidates)
            # An arm that found nothing must not lower what the others found.
            rankings |= {"graph": [(key, 1 / rank) for rank, key in enumerate(steps, start=1)]} if steps else {}
        live = memories.live_by_keys(
            tx,
            self.user,
            {key for r in rankings.values() for key, _ in r},
            to_db(self.clock.now()),
            kinds=question.kinds,
            namespace=question.namespace,
        )
        filtered = {arm: [(key, value) for key, value in r if key in live] for arm, r in rankings.items()}
        found = [_memory_hit(item, live[item.key]) for item in self._fused(filtered)]
        return sorted((_scaled(h, _nearness(question.text, h)) for h in found), key=lambda h: -h.score)

    def _passages(self, tx: Tx, question: Question, query: QueryVector | None) -> tuple[list[Hit], str]:
        """Passages that may be shown, and why they do not answer, if so.

        Words whose memories were all replaced, forgotten or expired are no longer true, or no longer
        wanted: beside the memory that corrects them they would only mislead.
        """
        ranked = self._ranked(tx, question, query)
        stale = memories.turns_out_of_use(tx, self.user, [p.turn.key for p in ranked])
        told = [p for p in ranked if p.turn.key not in stale]
        return _turn_hits(told, max(question.limit + NEAR, passages.ENOUGH)), passages.doubt(told)

    def _ranked(self, tx: Tx, question: Question, query: QueryVector | None) -> list[Passage]:
        wanted = asked(question.text, self.clock.now().date())
        found = passages.find(tx, self.cache, self.user, question.text, query, wanted)
        ranked = passages.ranked(found, question.text, wanted)
        return [p for p in ranked if not _in_view(p.turn, question.without)]

    def _calibrate(self, cosine: float) -> float:
        return cosine if self.embedder is None else round(self.embedder.calibrate(cosine), 4)

    def _fused(self, rankings: Mapping[str, Ranking]) -> list[Fused]:
        if "vector" in rankings:
            similar = [(key, self._calibrate(value)) for key, value in rankings["vector"]]
            rankings = {**rankings, "vector": similar}
        return reciprocal_rank(rankings, _WEIGHTS, self.settings.rrf_k)

    def _relevant(self, query: str, hit: Hit) -> bool:
        """Close in meaning, sharing the words of the query that carry it, led to by whom it names, or of a day it names."""
        if "graph" in hit.parts or "log_day" in hit.parts:
            return True
        similarity = hit.parts["vector"].value if "vector" in hit.parts else 0.0
        if "log_vector" in hit.parts:
            similarity = self._calibrate(hit.parts["log_vector"].value)
        return similarity >= self.settings.abstain_similarity or coverage(query, hit.content) >= COVERED


def arm_of(signal: str) -> str:
    """The name that a signal of the log has among a hit's parts: the two searches are called as arms are."""
    return _SEARCHES.get(signal, f"log_{signal}")


def coverage(query: str, content: str) -> float:
    """Share (0..1) of the query's words that stand in the text, whatever their ending; common words do not count."""
    tokens = [token for token, _ in content_tokens(unaccented(query))]
    words = re.sub(r"[\W_]+", " ", f" {segment(unaccented(content))}")
    return sum(f" {_stem(t)}" in words for t in tokens) / len(tokens) if tokens else 0.0


def _stem(token: str) -> str:
    return token[: max(4, len(token) - 3)] if token.isascii() else token


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
    led = LED if "graph" in hit.parts else 0.0
    return min(1.0, max(similar / NEAR_FROM, coverage(query, hit.content) / NEAR_FROM, led))


def _ms(start: float, end: float) -> float:
    return round((end - start) * 1000, 3)
