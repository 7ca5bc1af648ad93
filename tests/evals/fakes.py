"""A memory file for tests of the evaluation: it "learns" by rule and searches by shared words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from edgemem.errors import NotFound, OutputInvalid
from edgemem.records import Context, Hit, Learned, LoggedTurn, Memory, Recall, Receipt, Source, Turn

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))


@dataclass
class FakeMemory:
    """Keeps "The user <rest>" of every user turn that starts with "I "."""

    pipeline_version: str = "1"
    log_: list[Turn] = field(default_factory=list)
    stored: dict[str, Memory] = field(default_factory=dict)
    before: Callable[[], None] = lambda: None

    def learn(self, turns: Sequence[Turn], /) -> Receipt:
        self.before()
        learned = []
        for turn in turns:
            if turn.content == "break":
                raise OutputInvalid("The model wrote nonsense.")
            if turn.role == "user" and turn.content.startswith("I "):
                learned.append(self._store("The user " + turn.content[2:], turn.content))
        return Receipt(tuple(t.id or "" for t in turns), tuple(learned), (), (), 0.1)

    def _store(self, content: str, quote: str) -> Learned:
        id_, source = f"m{len(self.stored)}", Source(quote=quote)
        status = "superseded" if "before" in content else "live"
        self.stored[id_] = Memory(id_, content, "fact", "profile", "user", NOW, NOW, source, status=status)
        return Learned(id_, content, "fact", "user", 0.9, "added", source)

    def get(self, id: str, /) -> Memory:  # noqa: A002
        if id not in self.stored:
            raise NotFound(id)
        return self.stored[id]

    def log(self, turns: Sequence[Turn], /) -> tuple[str, ...]:
        self.log_ += turns
        return tuple(turn.id or "" for turn in turns)

    def search_log(self, query: str, /, *, limit: int) -> list[Hit]:
        self.before()
        scored = [(len(words(query) & words(turn.content)), turn) for turn in self.log_]
        best = sorted((pair for pair in scored if pair[0]), key=lambda pair: -pair[0])
        return [self._hit(turn) for _, turn in best[:limit]]

    def _hit(self, turn: Turn) -> Hit:
        logged = LoggedTurn(1, turn.id or "", "s", 0, turn.role, turn.content, NOW, "+00:00")
        return Hit(turn.id or "", turn.content, "turn", 1.0, {}, Source(), None, logged)

    def context(self, query: str, /, *, budget: int) -> Context:
        hits = self.search_log(query, limit=budget // 500)
        recall = Recall(query, tuple(hits), not hits, 1.0)
        return Context("", 0, tuple(hit.id for hit in hits), recall)

    def relate(self, old: str, new: str, /) -> tuple[str, dict[str, float]]:
        self.before()
        relation = "duplicate" if words(old) == words(new) else "distinct"
        return relation, {relation: 1.0}


@dataclass
class FakeFile:
    path: Path
    before: Callable[[], None]
    version: str
    users: dict[str, FakeMemory] = field(default_factory=dict)

    def user(self, name: str, /) -> FakeMemory:
        return self.users.setdefault(name, FakeMemory(self.version, before=self.before))


@dataclass
class FakeOpener:
    """Counts the files it opens; ``before`` runs before every piece of work, ``version`` is the pipeline's."""

    before: Callable[[], None] = lambda: None
    version: str = "1"
    opened: list[FakeFile] = field(default_factory=list)

    @contextmanager
    def __call__(self, path: Path) -> Iterator[FakeFile]:
        assert path.parent.is_dir()
        assert not path.exists()
        self.opened.append(FakeFile(path, self.before, self.version))
        yield self.opened[-1]


class StopAfter:
    """Lets ``count`` pieces of work pass and then interrupts, as Ctrl-C does."""

    def __init__(self, count: int) -> None:
        self.left = count

    def __call__(self) -> None:
        if not self.left:
            raise KeyboardInterrupt
        self.left -= 1
