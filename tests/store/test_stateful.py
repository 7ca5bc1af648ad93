"""The store against a model in memory: whatever happens in whatever order, rows, words and vectors agree."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import hypothesis.strategies as st
from hypothesis import settings
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, initialize, invariant, multiple, rule

from edgemem.errors import Conflict
from edgemem.memory import MemoryFile
from edgemem.text import content_hash
from tests.helpers import opened

WORDS = st.sampled_from(["bees", "goats", "上海", "火锅", "café", "boats", "배포를", "ABC123", "don't", 'say "boats"'])
USERS = st.sampled_from(["a", "a%", "用户/1"])


class Store(RuleBasedStateMachine):
    """``alive`` is what each user's live memories should be: id to words."""

    ids = Bundle("ids")
    changes = Bundle("changes")

    @initialize()
    def begin(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="edgemem-"))
        self.file: MemoryFile = opened(self.folder / "s.edgemem")
        self.alive: dict[str, dict[str, str]] = {"a": {}, "a%": {}, "用户/1": {}}
        self.undone: set[str] = set()

    def _same_words(self, user: str, text: str) -> str | None:
        return next((i for i, t in self.alive[user].items() if content_hash(t) == content_hash(text)), None)

    @rule(target=ids, user=USERS, words=st.lists(WORDS, min_size=1, max_size=3))
    def add(self, user: str, words: list[str]) -> tuple[str, str]:
        text = " ".join(words)
        known = self._same_words(user, text)
        uid = self.file.user(user).add(text)
        assert known is None or uid == known
        self.alive[user].setdefault(uid, text)
        return user, uid

    @rule(target=changes, memory=ids, word=WORDS)
    def edit(self, memory: tuple[str, str], word: str) -> object:
        user, uid = memory
        known = self._same_words(user, word)
        try:
            change = self.file.user(user).edit(uid, word)
        except Conflict:
            assert known not in (None, uid)
            return multiple()
        if uid in self.alive[user]:
            self.alive[user][uid] = word
        return user, change

    @rule(target=changes, memory=ids)
    def forget(self, memory: tuple[str, str]) -> object:
        user, uid = memory
        try:
            change = self.file.user(user).forget(uid)
        except Conflict:
            assert uid not in self.alive[user]
            return multiple()
        del self.alive[user][uid]
        return user, change

    @rule(target=changes, change=consumes(changes))
    def undo(self, change: tuple[str, str]) -> object:
        user, uid = change
        mem = self.file.user(user)
        try:
            done = mem.undo(uid)
        except Conflict:
            return multiple()
        for touched in {c.memory for c in mem.history(limit=0) if c.id in done}:
            found = mem.get(touched)
            self.alive[user].pop(touched, None)
            if found.status == "live":
                self.alive[user][touched] = found.content
        return multiple(*((user, c) for c in done))

    @rule()
    def reopen(self) -> None:
        self.file.close()
        assert [p.name for p in self.folder.iterdir()] == ["s.edgemem"]
        self.file = opened(self.folder / "s.edgemem")

    @rule(user=USERS, word=WORDS)
    def search(self, user: str, word: str) -> None:
        mem = self.file.user(user)
        for arm in ("text", "vector"):
            found = {h.id for h in mem.recall(word, limit=100, arms=(arm,))}
            assert found <= set(self.alive[user])
            assert {i for i, t in self.alive[user].items() if content_hash(t) == content_hash(word)} <= found

    @invariant()
    def rows_words_and_vectors_agree(self) -> None:
        if not hasattr(self, "file"):
            return
        for user, alive in self.alive.items():
            assert {m.id: m.content for m in self.file.user(user).list(limit=0)} == alive
        assert self.file.check() == []

    def teardown(self) -> None:
        if hasattr(self, "file"):
            self.file.close()
            shutil.rmtree(self.folder)


Store.TestCase.settings = settings(max_examples=12, stateful_step_count=20, deadline=None)
TestStore = Store.TestCase
