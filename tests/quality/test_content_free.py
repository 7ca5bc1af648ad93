"""Turns in which nothing is told leave nothing behind, with the real default models."""

from __future__ import annotations

from pathlib import Path

import pytest

import edgemem
from edgemem.errors import ModelMissing
from edgemem.records import Turn
from tests.helpers import ROOT

pytestmark = [pytest.mark.model, pytest.mark.quality, pytest.mark.slow]

TURNS = [line for line in (ROOT / "tests/data/content_free.txt").read_text("utf-8").splitlines() if line]


def test_two_hundred_turns_without_content_store_nothing(tmp_path: Path) -> None:
    assert len(set(TURNS)) >= 200
    with edgemem.open(tmp_path / "me.edgemem", settings=edgemem.Settings(background=False)) as file:
        try:
            file.models.language_model()
            file.models.embedder()
        except ModelMissing as error:
            pytest.skip(f"the default models are not on this machine: {error}")
        mem = file.user("me")
        turns = [Turn("user", text, session=f"s{n}", id="1") for n, text in enumerate(TURNS)]
        receipt = mem.learn(turns)
        assert receipt.failed == ()
        assert [m.content for m in receipt.memories] == []
