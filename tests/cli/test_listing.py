"""What a list of memories says of each."""

from __future__ import annotations

from collections.abc import Callable

from edgemem.testing import WordsEmbedder

from .conftest import Run


def test_pinned_memories_are_marked_in_the_list(run: Run) -> None:
    run("add", "I keep bees", "--pin")
    run("add", "I keep goats")
    shown = {line.split()[-1]: "pinned" in line for line in run("list").out.splitlines()[1:]}
    assert shown == {"bees": True, "goats": False}


def test_without_an_embedding_model_adding_says_how_it_is_found(run: Run, models: Callable[..., None]) -> None:
    models(None, None)
    added = run("add", "I keep bees")
    assert "words only" in added.err
    assert "edgemem models pull" in added.err
    assert run("info", "--json").json["without_vectors"] == 1
    assert run("index", "--json").json["without_vectors"] == 1
    models(None, WordsEmbedder())
    assert "words only" not in run("add", "I keep goats").err
    assert run("index", "--json").json["without_vectors"] == 0
