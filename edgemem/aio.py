"""The main calls for asyncio, by the same names: every call runs in a thread, so the event loop never waits for disk or model."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from datetime import datetime
from types import TracebackType
from typing import Any, ParamSpec, TypeVar

from edgemem import records
from edgemem.memory import MemoryFile
from edgemem.memory import open as open_file
from edgemem.receipts import Erasure
from edgemem.records import Change, Context, Hit, JsonValue, LoggedTurn, Recall, Receipt, Session, Turn
from edgemem.view import Memory

P = ParamSpec("P")
R = TypeVar("R")


async def _away(call: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    return await asyncio.to_thread(call, *args, **kwargs)


async def open_async(path: str | os.PathLike[str] | None = None, **options: Any) -> AsyncMemoryFile:
    """Open a memory file; options and errors as in ``edgemem.open``."""
    return AsyncMemoryFile(await _away(open_file, path, **options))


class AsyncMemoryFile:
    """One open file, for asyncio. ``sync`` is the file behind it."""

    def __init__(self, file: MemoryFile) -> None:
        self.sync = file

    async def __aenter__(self) -> AsyncMemoryFile:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def user(self, name: str) -> AsyncMemory:
        """The hard-isolated view of one user."""
        return AsyncMemory(await _away(self.sync.user, name))

    async def close(self) -> None:
        """Stop the worker, write what waits, free the models. Idempotent."""
        await _away(self.sync.close)


class AsyncMemory:
    """One user's view, for asyncio. Methods, results and errors are those of ``Memory``."""

    def __init__(self, memory: Memory) -> None:
        self.sync = memory

    async def add(
        self,
        content: str,
        *,
        kind: str = "fact",
        namespace: str | None = None,
        importance: float | None = None,
        expires: datetime | None = None,
        pinned: bool = False,
    ) -> str:
        """Store a sentence as it is."""
        return await _away(
            self.sync.add,
            content,
            kind=kind,
            namespace=namespace,
            importance=importance,
            expires=expires,
            pinned=pinned,
        )

    async def log(self, said: Sequence[Turn]) -> tuple[str, ...]:
        """Log turns only."""
        return await _away(self.sync.log, said)

    async def observe(self, said: Sequence[Turn]) -> tuple[str, ...]:
        """Log turns; their memories are taken in the background."""
        return await _away(self.sync.observe, said)

    async def learn(self, said: Sequence[Turn]) -> Receipt:
        """Log turns and take their memories now."""
        return await _away(self.sync.learn, said)

    async def recall(
        self, query: str, *, limit: int | None = None, kinds: Sequence[str] = (), namespace: str | None = None
    ) -> Recall:
        """What matters for a question."""
        return await _away(self.sync.recall, query, limit=limit, kinds=kinds, namespace=namespace)

    async def search_log(self, query: str, limit: int = 20) -> Sequence[Hit]:
        """Turns of the raw log, best first."""
        return await _away(self.sync.search_log, query, limit)

    async def context(self, query: str, *, budget: int | None = None) -> Context:
        """A block of background for a prompt."""
        return await _away(self.sync.context, query, budget=budget)

    async def get(self, memory: str) -> records.Memory:
        """One memory by id."""
        return await _away(self.sync.get, memory)

    async def list(self, **filters: Any) -> Sequence[records.Memory]:
        """Memories, latest change first."""
        return await _away(self.sync.list, **filters)

    async def history(self, memory: str | None = None, *, limit: int = 50) -> Sequence[Change]:
        """Changes of one memory, or of all."""
        return await _away(self.sync.history, memory, limit=limit)

    async def edit(self, memory: str, content: str, *, expect: int | None = None) -> str:
        """Change the words of a memory."""
        return await _away(self.sync.edit, memory, content, expect=expect)

    async def pin(self, memory: str, *, pinned: bool = True) -> str:
        """Keep a memory from ever being dropped."""
        return await _away(self.sync.pin, memory, pinned=pinned)

    async def forget(self, memory: str, *, reason: str = "forgotten by hand") -> str:
        """Take a memory out of use."""
        return await _away(self.sync.forget, memory, reason=reason)

    async def erase(
        self, memory: str | None = None, *, search: str | None = None, session: str | None = None,
        everything: bool = False, preview: bool = False, verify: bool = False, wait: float | None = None,
    ) -> Erasure:  # fmt: skip
        """Erase for good."""
        return await _away(
            self.sync.erase, memory, search=search, session=session, everything=everything, preview=preview, verify=verify,
            wait=wait,
        )  # fmt: skip

    async def undo(self, change: str) -> Sequence[str]:
        """Take back a change."""
        return await _away(self.sync.undo, change)

    async def sessions(self, *, limit: int = 100) -> Sequence[Session]:
        """Conversations, latest first."""
        return await _away(self.sync.sessions, limit=limit)

    async def turns(self, session: str) -> Sequence[LoggedTurn]:
        """The turns of a session."""
        return await _away(self.sync.turns, session)

    async def set_state(self, task: str, field: str, value: JsonValue, *, expect: int | None = None) -> int:
        """Set a field of a task's working memory."""
        return await _away(self.sync.set_state, task, field, value, expect=expect)
