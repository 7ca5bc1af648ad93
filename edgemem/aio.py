"""The same calls for asyncio, by the same names: each runs in a thread, so the event loop never waits for disk or model.

A call that is cancelled goes on in its thread to its end; what it writes is whole. ``progress`` and
``on_learned`` are called in that thread, the listeners of ``on`` in the event loop.
"""

from __future__ import annotations

import asyncio
import functools
import os
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from types import TracebackType
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

from edgemem.graph import Graph
from edgemem.hooks import Event
from edgemem.memory import MemoryFile
from edgemem.memory import open as open_file
from edgemem.session.chat import Answer, Conversation
from edgemem.view import Memory

P = ParamSpec("P")
R = TypeVar("R")
S = TypeVar("S")
Own = TypeVar("Own", covariant=True)


class Twin(Generic[Own]):
    """Something for asyncio; ``sync`` is the object behind it."""

    def __init__(self, sync: Own) -> None:
        self.sync = sync


def _twin(method: Callable[Concatenate[S, P], R]) -> Callable[Concatenate[Twin[S], P], Coroutine[Any, Any, R]]:
    """The method with its arguments, result, errors and words, to be awaited."""

    @functools.wraps(method)
    async def call(self: Twin[S], /, *args: P.args, **kwargs: P.kwargs) -> R:
        return await asyncio.to_thread(method, self.sync, *args, **kwargs)

    return call


async def open_async(path: str | os.PathLike[str] | None = None, **options: Any) -> AsyncMemoryFile:
    """Open a memory file; options and errors as in ``edgemem.open``."""
    return AsyncMemoryFile(await asyncio.to_thread(open_file, path, **options))


class AsyncMemoryFile(Twin[MemoryFile]):
    """One open file, for asyncio. Methods, results and errors are those of ``MemoryFile``."""

    async def __aenter__(self) -> AsyncMemoryFile:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def user(self, name: str, *, make: bool = True) -> AsyncMemory:
        """The hard-isolated view of one user, made if the name is new and ``make`` is true. Raises ``InvalidInput``."""
        return AsyncMemory(await asyncio.to_thread(self.sync.user, name, make=make))

    def on(
        self, listener: Callable[[Event], object], *, kinds: Sequence[str] = (), user: str | None = None
    ) -> Callable[[], None]:
        """As ``MemoryFile.on``; the listener is called in the event loop that is running now."""
        loop = asyncio.get_running_loop()
        return self.sync.on(lambda event: _call_in(loop, listener, event), kinds=kinds, user=user)

    use_settings = _twin(MemoryFile.use_settings)
    users = _twin(MemoryFile.users)
    backup = _twin(MemoryFile.backup)
    backups = _twin(MemoryFile.backups)
    copies_with_erased = _twin(MemoryFile.copies_with_erased)
    merge = _twin(MemoryFile.merge)
    check = _twin(MemoryFile.check)
    info = _twin(MemoryFile.info)
    build_indexes = _twin(MemoryFile.build_indexes)
    embed_missing = _twin(MemoryFile.embed_missing)
    work_once = _twin(MemoryFile.work_once)
    pause_jobs = _twin(MemoryFile.pause_jobs)
    resume_jobs = _twin(MemoryFile.resume_jobs)
    is_paused = _twin(MemoryFile.is_paused)
    waiting_because = _twin(MemoryFile.waiting_because)
    close = _twin(MemoryFile.close)


def _call_in(loop: asyncio.AbstractEventLoop, listener: Callable[[Event], object], event: Event) -> None:
    if not loop.is_closed():
        loop.call_soon_threadsafe(listener, event)


class AsyncMemory(Twin[Memory]):
    """One user's view, for asyncio. Methods, results and errors are those of ``Memory``."""

    add = _twin(Memory.add)
    log = _twin(Memory.log)
    observe = _twin(Memory.observe)
    learn = _twin(Memory.learn)
    edit = _twin(Memory.edit)
    pin = _twin(Memory.pin)
    confirm = _twin(Memory.confirm)
    forget = _twin(Memory.forget)
    embed_missing = _twin(Memory.embed_missing)
    undo = _twin(Memory.undo)
    join = _twin(Memory.join)
    split = _twin(Memory.split)
    erase = _twin(Memory.erase)
    look = _twin(Memory.look)
    add_secret = _twin(Memory.add_secret)
    reveal = _twin(Memory.reveal)
    build_graph = _twin(Memory.build_graph)
    resolve = _twin(Memory.resolve)
    get = _twin(Memory.get)
    saying = _twin(Memory.saying)
    list = _twin(Memory.list)
    stamp = _twin(Memory.stamp)
    browse = _twin(Memory.browse)
    believed = _twin(Memory.believed)
    statistics = _twin(Memory.statistics)
    history = _twin(Memory.history)
    recall = _twin(Memory.recall)
    search_log = _twin(Memory.search_log)
    context = _twin(Memory.context)
    needs = _twin(Memory.needs)
    rules = _twin(Memory.rules)
    relate = _twin(Memory.relate)
    sessions = _twin(Memory.sessions)
    rename = _twin(Memory.rename)
    turns = _twin(Memory.turns)
    turn = _twin(Memory.turn)
    summarize = _twin(Memory.summarize)
    summaries = _twin(Memory.summaries)
    check_summaries = _twin(Memory.check_summaries)
    repair_summaries = _twin(Memory.repair_summaries)
    earlier = _twin(Memory.earlier)
    trace = _twin(Memory.trace)
    runs = _twin(Memory.runs)
    why = _twin(Memory.why)
    jobs = _twin(Memory.jobs)
    retry = _twin(Memory.retry)
    cancel = _twin(Memory.cancel)
    counts = _twin(Memory.counts)
    state_fields = _twin(Memory.state_fields)
    set_state = _twin(Memory.set_state)
    profile = _twin(Memory.profile)
    set_profile = _twin(Memory.set_profile)
    unset_profile = _twin(Memory.unset_profile)
    tasks = _twin(Memory.tasks)
    end_task = _twin(Memory.end_task)
    maintain = _twin(Memory.maintain)
    reflect = _twin(Memory.reflect)
    insights = _twin(Memory.insights)
    insight = _twin(Memory.insight)
    drop_insight = _twin(Memory.drop_insight)
    proposals = _twin(Memory.proposals)
    accept = _twin(Memory.accept)
    reject = _twin(Memory.reject)
    export_to = _twin(Memory.export_to)
    import_from = _twin(Memory.import_from)
    masker = _twin(Memory.masker)

    @property
    def graph(self) -> AsyncGraph:
        """The knowledge graph of this user."""
        return AsyncGraph(self.sync.graph)

    async def chat(self, session: str | None = None, *, remember: bool = True) -> AsyncConversation:
        """A conversation with the local model, with this memory behind it. Raises ``ModelMissing``."""
        return AsyncConversation(await asyncio.to_thread(self.sync.chat, session, remember=remember))


class AsyncGraph(Twin[Graph]):
    """The knowledge graph, for asyncio. Methods, results and errors are those of ``Graph``."""

    add = _twin(Graph.add)
    entities = _twin(Graph.entities)
    find = _twin(Graph.find)
    alias = _twin(Graph.alias)
    relate = _twin(Graph.relate)
    reviews = _twin(Graph.reviews)
    accept = _twin(Graph.accept)
    reject = _twin(Graph.reject)
    learn = _twin(Graph.learn)
    neighbours = _twin(Graph.neighbours)
    path = _twin(Graph.path)
    merge = _twin(Graph.merge)
    unmerge = _twin(Graph.unmerge)
    split = _twin(Graph.split)

    close = _twin(Graph.close)


class AsyncConversation(Twin[Conversation]):
    """A conversation, for asyncio."""

    async def ask(self, text: str, *, temperature: float = 0.7) -> tuple[Answer, AsyncIterator[str]]:
        """Take a message; returns the answer with the iterator that writes it. Leaving the iterator early stops the model."""
        stopped = False

        def stop() -> bool:
            return stopped

        answer, pieces = await asyncio.to_thread(self.sync.ask, text, stop=stop, temperature=temperature)

        async def written() -> AsyncIterator[str]:
            nonlocal stopped
            try:
                while (piece := await asyncio.to_thread(next, pieces, None)) is not None:
                    yield piece
            finally:
                stopped = True
                # The half answer goes into the log when its iterator is closed.
                await asyncio.shield(asyncio.to_thread(_close, pieces))

        return answer, written()


def _close(pieces: Iterator[str]) -> None:
    close: Callable[[], None] | None = getattr(pieces, "close", None)
    if close is not None:
        close()
