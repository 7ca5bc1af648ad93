"""Recall: run the arms, weigh what they found, settle what disagrees, drop what is not relevant, say why."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime

from edgemem.embedded import LONGEST, embedded, is_excerpted
from edgemem.errors import ModelError
from edgemem.ports import Clock, Embedder, NeedJudge, SystemClock
from edgemem.recall import conclusions, fields, gather, passages, person, presets, replaced, router, silence, weigh
from edgemem.recall.asked import asked
from edgemem.recall.folded import by_summary
from edgemem.recall.passages import Passage
from edgemem.recall.question import BY_MEANING, RANKINGS, Look, QueryVector, Question, in_view
from edgemem.recall.rephrase import rephrased
from edgemem.recall.settle import corrected, settled, taken_back
from edgemem.recall.weigh import Weighed
from edgemem.records import Hit, Recall, Source
from edgemem.reports import Need
from edgemem.settings import Settings
from edgemem.store import earlier, memories
from edgemem.store.engine import Engine
from edgemem.store.scopes import ScopeCache
from edgemem.text import query_tokens

SENTENCES: Mapping[str, Callable[[Look], list[Hit]]] = {"key": fields.named, "summary": by_summary}
"""What brings hits of its own, other than memories and turns, by arm. It brings only what is relevant, with a score."""

_SEARCHES = {"meaning": "log_vector", "words": "log_text"}

WORDLESS = "There is no word in the question that could be looked for."
"""Said of an empty question, and of one of punctuation."""

NEAR = 10
"""Near misses that are told."""

FAINT = 0.005
"""Likelihood below which a passage of a long log is a near miss, however little else there is: it is shown as 0.00."""

WEAK = 0.78
"""Likelihood of the best memory below which the question is asked again in other words."""


SURE, BESIDE_SURE = 0.6, 0.25
"""Likelihood of a memory that surely answers, and below which another is a near miss beside it."""


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
    _vectors: dict[str, QueryVector] = field(default_factory=dict)
    """Queries embedded so far: a message that was judged first is embedded once."""

    def recall(self, question: Question) -> Recall:
        """The relevant memories and passages, best first; none at all is an answer too."""
        start = time.perf_counter()
        query, degraded = self._embedded(question)
        embedded = time.perf_counter()
        with self._look(question, query) as look:
            keys = gather.first(look)
            found = self._memories(look, keys)
            weak = not found or found[0].score < WEAK
        again = self._again(question, query, anything=bool(found)) if weak else None
        with self._look(question, query) as look:
            if again is not None:
                second = replace(look, statement=again[0], words=again[1])
                found = self._memories(second, gather.more(second, keys))
            hits = [*self._memory_hits(look, found), *_sentences(look)]
            known_of = bool(found) and found[0].score >= WEAK
            logged, doubt, newer = self._passages(look, known_of=known_of) if _log_wanted(question) else ([], "", {})
            drawn = conclusions.found(look)
        if not query_tokens(question.text):
            doubt = WORDLESS
        good, near = self._judged(question, _merged(hits, logged, newer), logged, doubt)
        good, back = taken_back(good)
        good, fallen = settled(good)
        good = presets.reordered(good, question.ranking, question.limit, self._now(question), self._calibrate)
        good = corrected(conclusions.above_their_sources(good, drawn))
        kept = tuple(good[: question.limit])
        end = time.perf_counter()
        return Recall(
            question.text, kept, not kept, _ms(start, end), tuple((good[question.limit :] + back + fallen + near)[:NEAR]),
            degraded or _excerpted(kept),
            {"embed_ms": _ms(start, embedded), "search_ms": _ms(embedded, end)}, doubt if not kept else "",
            () if again is None else tuple(rephrased(question.text)),
        )  # fmt: skip

    def need(
        self, message: str, after: Sequence[str], judge: NeedJudge | None, without: tuple[str, int] | None = None
    ) -> Need:
        """Whether a message needs memory: see ``router.decided``. Without a vector of it, it does."""

        about = Question(message, 1, without=without)

        def known() -> Need | None:
            with self._look(about, None) as look:
                return router.known(look)

        def close(vector: Sequence[float]) -> bool:
            assert self.embedder is not None
            with self._look(about, QueryVector(self.embedder.fingerprint, vector)) as look:
                return router.close(look)

        def embed(text: str) -> Sequence[float]:
            return self._vector(text).values

        try:
            return router.decided(message, after, known, judge, embed, self.settings.needless_below, close)
        except ModelError as error:
            return Need(True, 1.0, f"It could not be judged: {error}")

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
        with self.engine.read() as tx:
            yield Look(
                tx,
                self.cache,
                self.user,
                self.settings,
                question,
                self._now(question),
                query,
                calibrate=self._calibrate,
            )

    def _now(self, question: Question) -> datetime:
        return question.as_of or self.clock.now()

    def _embedded(self, question: Question) -> tuple[QueryVector | None, tuple[str, ...]]:
        if not query_tokens(question.text) or not question.arms & BY_MEANING:
            return None, ()
        if self.embedder is None:
            return None, (f"Searched by words only: {self.unavailable}",)
        try:
            return self._vector(question.text), ()
        except ModelError as error:
            return None, (f"Searched by words only: {error}",)

    def _vector(self, text: str) -> QueryVector:
        assert self.embedder is not None
        if text not in self._vectors:
            values = embedded(self.embedder, [text], "query", "chat")[0]
            self._vectors[text] = QueryVector(self.embedder.fingerprint, values)
        return self._vectors[text]

    def _again(
        self, question: Question, query: QueryVector | None, *, anything: bool
    ) -> tuple[QueryVector | None, str] | None:
        """The question put as a statement, as a vector, and in other words; None when there are none.

        Outside any transaction: nothing is held while the model works.
        """
        told = rephrased(question.text) if question.arms & {"vector", "text"} else []
        if not told:
            return None
        statement = None
        if query is not None and "vector" in question.arms and anything:
            with suppress(ModelError):  # the first look stands
                statement = self._vector(told[0])
        return statement, " ".join(told[1:])

    def _memories(self, look: Look, found: gather.Found) -> list[Weighed]:
        return weigh.weighed(look, found, gather.true_words(look, found))

    def _memory_hits(self, look: Look, ordered: Sequence[Weighed]) -> list[Hit]:
        """The likely ones and some near misses, explained among all; of very many likely ones the best."""
        likely = sum(w.score >= self.settings.least_likely for w in ordered)
        # By importance any of them may come first; else three times as many as are wanted leave room for what settling takes.
        most = likely if look.question.ranking == "weighted" else 3 * look.question.limit
        count = min(likely, most) + NEAR
        known = gather.whole(look, [w.key for w in ordered[:count]])
        told = zip(ordered, weigh.explained(ordered, count), strict=False)
        return [
            Hit(memory.id, memory.content, memory.kind, w.score, parts, memory.source, memory=memory)
            for w, parts in told
            if (memory := known.get(w.key)) is not None
        ]

    def _passages(self, look: Look, *, known_of: bool) -> tuple[list[Hit], str, dict[int, int]]:
        """Passages that may be shown, why they do not answer, if so, and by which later turn which was replaced.

        Words whose memories were all replaced, forgotten or expired are no longer true, or no longer
        wanted: beside the memory that corrects them they would only mislead.
        """
        ranked = self._ranked(look)
        keys = [p.turn.key for p in ranked]
        then = look.question.as_of
        stale = (
            memories.turns_out_of_use(look.tx, look.user, keys)
            if then is None
            else earlier.turns_then(look.tx, look.user, keys, then)
        )
        told, newer = replaced.newer_first(look, [p for p in ranked if p.turn.key not in stale])
        hits = replaced.marked(_turn_hits(told, max(look.question.limit + NEAR, silence.ENOUGH)), newer)
        if not _as_one(hits):
            hits = self._lifted(look.question.text, hits)
        return hits, silence.doubt(told, known_of=known_of), newer

    def _ranked(self, look: Look) -> list[Passage]:
        text, then = look.question.text, look.question.as_of
        wanted = asked(text, look.now.date())
        found = passages.find(look.tx, look.cache, look.user, text, look.vector, wanted)
        ranked = passages.ranked(found, text, wanted)
        return [p for p in ranked if not in_view(p.turn, look.question.without) and (then is None or p.turn.at <= then)]

    def _calibrate(self, cosine: float) -> float:
        return cosine if self.embedder is None else round(self.embedder.calibrate(cosine), 4)

    def _judged(
        self, question: Question, hits: Sequence[Hit], logged: Sequence[Hit], doubt: str
    ) -> tuple[list[Hit], list[Hit]]:
        """Those that are relevant, and those that are not, each in their order.

        Among many turns the log is judged as a whole, with few each by itself.
        """
        as_one = _as_one(logged)
        least = 0.0 if question.faint else FAINT
        # The presets weigh other things than the answer, so they choose among all that is likely.
        sure = question.ranking == RANKINGS[0] and any(hit.memory is not None and hit.score >= SURE for hit in hits)
        about = person.asked_about(question.text)
        good: list[Hit] = []
        near: list[Hit] = []
        for hit in hits:
            if hit.turn is not None:
                wrong = person.only_others(hit.content, about)
                relevant = (
                    not doubt and not wrong and (hit.score >= least if as_one else self._worth(question.text, hit))
                )
            else:
                relevant = hit.memory is None or hit.score >= self._least_of(hit, sure=sure)
            (good if relevant else near).append(hit)
        return good, near

    def _least_of(self, hit: Hit, *, sure: bool) -> float:
        """The score from which a memory is relevant; ``sure``: another surely answers. What has no vector was not compared with it."""
        least = self.settings.least_likely
        held = sure and "gap" in hit.parts and hit.parts.keys().isdisjoint(weigh.LED)
        return max(least, BESIDE_SURE) if held else least

    def _lifted(self, question: str, hits: Sequence[Hit]) -> list[Hit]:
        """The hits of a short log, in their order, with scores by their likeness as memories have them.

        The log's own scale knows what is usual among many turns. None that is worth it has less than one behind it.
        """
        least, lifted = 0.0, []
        for one in reversed(hits):
            hit = one
            if self._worth(question, hit):
                least = max(least, hit.score, self._alike(question, hit))
                hit = weigh.rescored(hit, least)
            lifted.append(hit)
        return lifted[::-1]

    def _worth(self, question: str, hit: Hit) -> bool:
        """Whether a turn of a short log is like an answer, of a day that the question names, or replaces one that is."""
        return (
            not hit.parts.keys().isdisjoint({"log_day", "log_newer"})
            or self._alike(question, hit) >= self.settings.least_likely
        )

    def _alike(self, question: str, hit: Hit) -> float:
        """How likely a turn answers by its likeness alone."""
        meaning = hit.parts.get("log_vector")
        similarity = None if meaning is None else self._calibrate(meaning.value)
        return weigh.likelihood(weigh.alike(question, hit.content, similarity))


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


def _as_one(logged: Sequence[Hit]) -> bool:
    """Whether a log has turns enough to be judged as a whole."""
    return len(logged) >= silence.ENOUGH and any("log_vector" in hit.parts for hit in logged)


def _log_wanted(question: Question) -> bool:
    return "log" in question.arms and not question.only_memories


def _sentences(look: Look) -> list[Hit]:
    if look.question.only_memories:
        return []
    found = [hit for arm, search in SENTENCES.items() if arm in look.question.arms for hit in search(look)]
    return [hit for hit in found if hit.source.at is None or hit.source.at <= look.now]


def _turn_hits(ordered: Sequence[Passage], count: int) -> list[Hit]:
    """The first ``count`` as hits, explained among all."""
    return [
        Hit(
            p.turn.id, p.turn.content, "turn", p.score, {arm_of(name): part for name, part in parts.items()},
            Source(p.turn.session, p.turn.id, p.turn.content, 0, p.turn.at, p.turn.zone), turn=p.turn,
        )
        for p, parts in zip(ordered, passages.explained(ordered, count), strict=False)
    ]  # fmt: skip


def _merged(hits: Sequence[Hit], logged: Sequence[Hit], newer: Mapping[int, int]) -> list[Hit]:
    """All by how likely they answer; a passage that a memory was drawn from, or that it replaced, stands behind it."""
    said = {(h.source.session, h.source.turn): h.score for h in reversed(hits) if h.memory is not None}
    by_turn = {h.turn.key: said.get((h.source.session, h.source.turn)) for h in logged if h.turn is not None}
    behind = [
        _behind(hit, by_turn[key] or by_turn.get(newer.get(key, 0))) for key, hit in zip(by_turn, logged, strict=True)
    ]
    return sorted([*hits, *behind], key=lambda h: -h.score)


def _behind(hit: Hit, score: float | None) -> Hit:
    """The hit with at most half of a memory's score."""
    return hit if score is None else weigh.rescored(hit, min(hit.score, score / 2))


def _ms(start: float, end: float) -> float:
    return round((end - start) * 1000, 3)
