"""The part of a user's view that answers: recall, the block of background, whether a message needs either."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from edgemem import filters
from edgemem.embedding import Embedding
from edgemem.errors import ModelError
from edgemem.ports import need_judge_of
from edgemem.recall import render
from edgemem.recall.question import ARMS, BY_MEANING, STANDING, Question, question_of
from edgemem.recall.search import Searcher
from edgemem.records import Context, Hit, Memory, Recall, Source
from edgemem.reports import Need
from edgemem.text import check_texts
from edgemem.times import parse
from edgemem.write import manual
from edgemem.write.secret import masking


class Asking(Embedding):
    """Calls of ``Memory`` that look for what matters."""

    def recall(
        self, query: str, *, limit: int | None = None, kinds: Sequence[str] = (), namespace: str | None = None,
        arms: Sequence[str] = ARMS, counted: bool = True, without: tuple[str, int] | None = None, reader: str | None = None,
        as_of: datetime | str | None = None, ranking: str | None = None,
    ) -> Recall:  # fmt: skip
        """What matters for a question: memories and passages of the log, best first, each with its reasons.

        ``kinds`` and ``namespace`` are hard filters. Nothing relevant gives no hits and ``abstained``. ``counted`` false leaves
        the use counts alone. ``without`` leaves out the turns of a session from a position on, which the caller has before him.
        Profile fields that are for certain readers are for that ``reader`` only. ``as_of`` asks for what was true then.
        ``ranking`` is answers, weighted or decay; None as ``settings.ranking`` says. Raises ``InvalidInput``.
        """
        count = self.file.settings.recall_limit if limit is None else limit
        question = self._question(query, count, kinds, namespace, arms, without, reader, as_of, ranking)
        found = self._found(self._searcher(embeds=bool(question.arms & BY_MEANING)), question)
        self._used(found.hits if counted else ())
        return found

    def _question(
        self, query: str, limit: int, kinds: Sequence[str] = (), namespace: str | None = None, arms: Sequence[str] = ARMS,
        without: tuple[str, int] | None = None, reader: str | None = None, as_of: datetime | str | None = None,
        ranking: str | None = None,
    ) -> Question:  # fmt: skip
        then = None if as_of is None else parse(as_of)
        filters.check_name(reader, "reader")
        order = ranking or self.file.settings.ranking
        return question_of(
            manual.checked_query(query), limit, kinds, namespace, arms, without, reader, then, order
        )  # fmt: skip

    def _found(self, searcher: Searcher, question: Question) -> Recall:
        late = self._catch_up() if question.arms & BY_MEANING else ()
        found = searcher.recall(question)
        hits = _veiled([*found.hits, *found.near_misses])
        some, near = hits[: len(found.hits)], hits[len(found.hits) :]
        return replace(found, hits=tuple(some), near_misses=tuple(near), degraded=(*found.degraded, *late))

    def _used(self, hits: Iterable[Hit]) -> None:
        self.file.uses.note(self._key, [h.memory.key for h in hits if h.memory is not None], self.file.now())

    def search_log(self, query: str, limit: int = 20, *, meaning: bool = True) -> Sequence[Hit]:
        """Turns of the log, best first, their secrets masked; ``turns`` has them raw. Raises ``InvalidInput`` for a limit below 1.

        ``meaning`` false goes by words alone: the embedding model is not asked, nor waited for.
        """
        filters.check_count(limit, 1, "limit")
        return _veiled(self._searcher(embeds=meaning).search_log(manual.checked_query(query), limit))

    def _searcher(self, *, embeds: bool = True) -> Searcher:
        embedder, reason = self.file.embedder_or_reason() if embeds else (None, "")
        return Searcher(
            self.file.engine, self.file.cache, self._key, self.file.settings, embedder, reason, self.file.clock
        )

    def context(
        self, query: str, *, budget: int | None = None, without: tuple[str, int] | None = None,
        standing: Sequence[str] = STANDING, task: str | None = None, reader: str | None = None,
        as_of: datetime | str | None = None, ranking: str | None = None, routed: bool = False, after: Sequence[str] = (),
    ) -> Context:  # fmt: skip
        """A block of background for a prompt, at most ``budget`` tokens of the chat model (and a third of its window).

        Beside what ``recall`` finds (whose options it has), it holds what stands whatever is asked, in ``settings.standing_share``
        of the budget at most: of ``standing``. ``task`` is whose fields; None: those of the open one that was touched last.
        ``routed``: only a message that ``needs`` memory is searched for; ``after`` is what the user said before it.
        """
        check_texts(after, "What was said before")
        settings, searcher = self.file.settings, self._searcher()
        room = settings.context_budget if budget is None else budget
        count, window = self._counter()
        if window:
            room = min(room, int(window * settings.context_share))
        question = self._question(
            query, settings.candidates, without=without, reader=reader, as_of=as_of, ranking=ranking
        )
        need = self._needs(searcher, query, after, without) if routed and settings.route else None
        found = (
            self._found(searcher, replace(question, faint=True))
            if need is None or need.needed
            else _skipped(query, need)
        )
        always = searcher.standing(
            Question(query, 0, reader=reader, as_of=question.as_of), tuple(filters.checked(standing, STANDING, "standing entry")), task
        )  # fmt: skip
        text, tokens, used = render.block(query, found.hits, room, count, always, settings.standing_share)
        self._used(used)
        ids, known = tuple(h.id for h in used), {h.id for h in found.hits}
        more, missing = sum(i not in known for i in ids), sum(h.id not in ids for h in always)
        return Context(text, tokens, ids, found, tuple(used), more, missing)

    def needs(self, message: str, *, after: Sequence[str] = ()) -> Need:
        """Whether a message needs long-term memory at all; ``after`` is what the user said before it, oldest first.

        Small talk, what everybody knows and work on a given text do not. In doubt, it does. Raises ``InvalidInput``.
        """
        check_texts(after, "What was said before")
        return self._needs(self._searcher(), manual.checked_query(message), after)

    def _needs(
        self, searcher: Searcher, message: str, after: Sequence[str], without: tuple[str, int] | None = None
    ) -> Need:
        judge = None if searcher.embedder is None else need_judge_of(self.file.models)
        return searcher.need(message, after, judge, without)

    def _counter(self) -> tuple[render.Counter, int]:
        try:
            model = self.file.models.language_model()
        except ModelError:
            return render.estimate, 0
        return model.count_tokens, model.context_size


def _veiled(hits: Sequence[Hit]) -> list[Hit]:
    """The hits without the secrets that were told in their messages; the log has them."""
    words = [word for hit in hits if hit.turn is not None for word in masking.secret_words(hit.content)]
    return [_without(hit, words) for hit in hits] if words else list(hits)


def _without(hit: Hit, words: Sequence[str]) -> Hit:
    turn = None if hit.turn is None else replace(hit.turn, content=masking.masked(hit.turn.content, words))
    memory = hit.memory and _memory_without(hit.memory, words)
    content, note = masking.masked(hit.content, words), masking.masked(hit.note, words)
    return replace(hit, content=content, note=note, turn=turn, memory=memory, source=_source_without(hit.source, words))


def _memory_without(memory: Memory, words: Sequence[str]) -> Memory:
    texts = {
        name: masking.masked_within(getattr(memory, name), words) for name in ("content", "subject", "value", "data")
    }
    return replace(memory, source=_source_without(memory.source, words), **texts)


def _source_without(source: Source, words: Sequence[str]) -> Source:
    return source if source.quote is None else replace(source, quote=masking.masked(source.quote, words))


def _skipped(query: str, need: Need) -> Recall:
    """The answer to a message for which nothing was searched."""
    return Recall(query, (), False, 0.0, skipped=need.why)
