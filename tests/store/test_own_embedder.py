"""Embedders of apps that do not keep to the port: what was stored stays, words still find it, and recall says why."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

import pytest

from edgemem.ports import Priority
from edgemem.testing import WordsEmbedder
from tests.helpers import Fact, RuleModel, opened, said


def _fails(error: Exception) -> Callable[[int], Any]:
    def embed(count: int) -> Any:
        raise error

    return embed


WRONG: dict[str, Callable[[int], Any]] = {
    "an error of its own": _fails(RuntimeError("the server is gone")),
    "a bug": _fails(KeyError("vector")),
    "too short": lambda count: [[1.0, 0.0, 0.0]] * count,
    "too long": lambda count: [[1.0] * 65] * count,
    "not a number": lambda count: [[float("nan")] * 64] * count,
    "zero": lambda count: [[0.0] * 64] * count,
    "one too few": lambda count: [[1.0] * 64] * (count - 1),
    "one too many": lambda count: [[1.0] * 64] * (count + 1),
    "one for all": lambda count: [1.0] * 64,
    "nothing": lambda count: None,
    "words": lambda count: ["north"] * count,
}


class Wrong(WordsEmbedder):
    """Gives what ``made`` gives for a number of texts."""

    def __init__(self, made: Callable[[int], Any]) -> None:
        super().__init__(64)
        self.made = made

    def embed(
        self, texts: Sequence[str], kind: Literal["query", "passage"], *, priority: Priority = "background"
    ) -> list[list[float]]:
        made: list[list[float]] = self.made(len(texts))
        return made


@pytest.mark.parametrize("how", WRONG)
def test_an_embedder_that_breaks_the_port_costs_the_search_by_meaning_and_no_more(
    store_path: Path, how: str, caplog: pytest.LogCaptureFixture
) -> None:
    model = RuleModel(Fact("I keep seventeen bees", "The user keeps seventeen bees."))
    with opened(store_path, model, Wrong(WRONG[how])) as file, caplog.at_level(logging.WARNING):
        mem = file.user("me")
        mem.add("bees are nice")
        mem.log(said("the weather is fine"))
        assert [one.content for one in mem.learn(said("I keep seventeen bees", session="b")).memories] == [
            "The user keeps seventeen bees."
        ]
        found = mem.recall("bees")
        assert "bees are nice" in [hit.content for hit in found.hits]
        assert len(found.degraded) == 1
        assert found.degraded[0].startswith("Searched by words only: The embedding model ")
        assert "wait for their vectors" in caplog.text
        assert file.check() == []
    with opened(store_path, embedder=WordsEmbedder(64)) as file:
        # What waited has its vectors once the embedder works.
        mem = file.user("me")
        mem.add("goats are nice")
        mem.log(said("later", session="c"))
        assert mem.recall("bees").degraded == ()
        with file.engine.read() as tx:
            assert tx.execute("SELECT count(*) FROM vector").fetchone()[0] == 3 + 3
