"""The models are there, what runs them is not: an install that was broken off."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from edgemem_models.log import library
from edgemem_models.provider import LocalModels

import edgemem
from edgemem.errors import ModelMissing
from tests.helpers import said


def test_without_the_bindings_words_are_searched_and_what_is_said_waits(
    store_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "llama_cpp", None)
    with pytest.raises(ModelMissing, match=r"llama\.cpp"):
        library()
    with edgemem.open(store_path, provider=LocalModels(), settings=edgemem.Settings(background=False)) as file:
        mem = file.user("me")
        mem.add("The user keeps bees.")
        found = mem.recall("bees")
        assert [hit.content for hit in found.hits] == ["The user keeps bees."]
        assert found.degraded
        with pytest.raises(ModelMissing):
            mem.learn(said("I moved to Ghent"))
        assert [turn.content for turn in mem.turns("s")] == ["I moved to Ghent"]
        assert len(mem.jobs()) == 1
