"""Texts that were added while there was no embedding model get their vectors later, and until then it is said."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import pytest

from edgemem.embedding import AT_ONCE
from edgemem.errors import ModelMissing, OutputInvalid
from edgemem.ports import Priority
from edgemem.settings import Settings
from edgemem.store.embedding import BATCH
from edgemem.testing import WordsEmbedder
from tests.helpers import opened, said, wait_until


def vectors_of(path: Path) -> int:
    with opened(path, words_only=True, read_only=True) as file:
        counts = file.info()["counts"]
        return int(counts["vector"])


def test_without_a_model_it_is_counted_and_the_next_search_mends_it(store_path: Path) -> None:
    with opened(store_path, words_only=True) as file:
        mem = file.user("me")
        mem.add("I keep bees")
        mem.log(said("I keep goats too", session="s"))
        assert file.info()["without_vectors"] == 2
    with opened(store_path, embedder=WordsEmbedder()) as file:
        found = file.user("me").recall("bees", arms=("vector",))
        assert [h.content for h in found.hits][:1] == ["I keep bees"]
        assert found.degraded == ()
        assert file.info()["without_vectors"] == 0


def test_many_are_done_in_parts_and_said(store_path: Path) -> None:
    with opened(store_path, words_only=True) as file:
        mem = file.user("me")
        for n in range(AT_ONCE + 2 * BATCH):
            mem.add(f"fact number {n}")
    with opened(store_path, embedder=WordsEmbedder()) as file:
        found = file.user("me").recall("fact number 3")
        assert [str(2 * BATCH) in line and "edgemem index" in line for line in found.degraded] == [True]
        assert found.hits
        assert file.user("me").recall("fact number 3").degraded == ()
        assert file.info()["without_vectors"] == 0


def test_a_pass_that_was_stopped_goes_on_where_it_was(store_path: Path) -> None:
    with opened(store_path, words_only=True) as file:
        for n in range(2 * BATCH):
            file.user("me").add(f"fact number {n}")
    seen: list[tuple[int, int]] = []

    def stop(done: int, total: int) -> None:
        seen.append((done, total))
        if done:
            raise KeyboardInterrupt

    with opened(store_path, embedder=WordsEmbedder()) as file:
        with pytest.raises(KeyboardInterrupt):
            file.embed_missing(progress=stop)
        assert seen == [(0, 2 * BATCH), (BATCH, 2 * BATCH)]
        assert file.info()["without_vectors"] == BATCH
        assert file.embed_missing() == 0


def test_the_background_worker_does_it_when_nothing_else_waits(store_path: Path) -> None:
    with opened(store_path, words_only=True) as file:
        for name in ("me", "bob"):
            file.user(name).add(f"{name} keeps bees")
    with opened(store_path, embedder=WordsEmbedder(), settings=Settings()) as file:
        file.start_worker()
        wait_until(lambda: file.info()["without_vectors"] == 0)


def test_another_model_finds_the_texts_of_the_one_before(store_path: Path) -> None:
    with opened(store_path, embedder=WordsEmbedder(16, "old")) as file:
        file.user("me").add("I keep bees")
    with opened(store_path, embedder=WordsEmbedder(32, "new")) as file:
        assert [h.content for h in file.user("me").recall("bees", arms=("vector",)).hits] == ["I keep bees"]


def test_without_a_model_asking_for_vectors_says_so(store_path: Path) -> None:
    with opened(store_path, words_only=True) as file:
        file.user("me").add("I keep bees")
        with pytest.raises(ModelMissing):
            file.embed_missing()


class Broken(WordsEmbedder):
    """Gives no vector for anything."""

    def embed(
        self, texts: Sequence[str], kind: Literal["query", "passage"], *, priority: Priority = "background"
    ) -> list[list[float]]:
        if kind == "query":
            return super().embed(texts, kind, priority=priority)
        raise OutputInvalid("no vectors today", "")


def test_a_broken_model_costs_the_vectors_not_the_search(store_path: Path) -> None:
    with opened(store_path, embedder=Broken()) as file:
        mem = file.user("me")
        mem.add("I keep bees")
        assert [h.content for h in mem.recall("bees").hits] == ["I keep bees"]
        assert file.work_once() is False
        assert file.work_once() is False
    with opened(store_path, embedder=WordsEmbedder()) as file:
        assert file.embed_missing() == 0
        assert vectors_of(store_path) == 1
