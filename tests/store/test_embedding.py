"""Vectors belong to the words they were made of, also when the words change meanwhile."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import edgemem
from edgemem.ports import Priority
from edgemem.store import insights
from edgemem.store.vectors import pack
from edgemem.testing import WordsEmbedder
from tests.helpers import opened


class _Interrupting(WordsEmbedder):
    """Edits a memory while its old words are being embedded."""

    memory: edgemem.Memory | None = None
    target = ""

    def embed(
        self, texts: Sequence[str], kind: Literal["query", "passage"], *, priority: Priority = "background"
    ) -> list[list[float]]:
        memory, self.memory = self.memory, None
        if memory is not None:
            memory.edit(self.target, "The user plays the cello.")
        return super().embed(texts, kind, priority=priority)


def test_a_memory_edited_while_it_is_embedded_gets_the_vector_of_its_new_words(tmp_path: Path) -> None:
    embedder = _Interrupting()
    with edgemem.open(tmp_path / "me.edgemem", embedder=embedder) as file:
        memory = file.user("me")
        embedder.target = memory.add("The user lives in Porto.")
        memory.edit(embedder.target, "The user lives in Lyon.")
        embedder.memory = memory
        memory.add("The user has a dog.")
        embedder.memory = memory
        memory.edit(embedder.target, "The user lives in Braga.")
        memory.add("The user reads novels.")
        right = pack(WordsEmbedder().embed(["The user plays the cello."], "passage")[0])
        with file.engine.read() as tx:
            query = "SELECT v.v FROM vector v JOIN memory m ON m.id = v.owner_id WHERE m.uid = ? AND v.owner = 'memory'"
            rows = tx.execute(query, (embedder.target,)).fetchall()
        assert [row[0] for row in rows] == [right]


def test_an_insight_drawn_without_a_model_gets_its_vector_as_all_texts_do(store_path: Path) -> None:
    with opened(store_path, words_only=True) as file:
        mem = file.user("me")
        key = mem.get(mem.add("I run every morning")).key
        with file.engine.write() as tx:
            insights.add(tx, 1, "The user runs a lot.", 0.9, [key], [], file.now())
        assert file.info()["without_vectors"] == 2
    with opened(store_path, embedder=WordsEmbedder()) as file:
        assert file.user("me").embed_missing() == 0
        assert file.info()["without_vectors"] == 0
        owners = file.engine.raw().execute("SELECT owner FROM vector ORDER BY owner").fetchall()
        assert [row[0] for row in owners] == ["insight", "memory"]
