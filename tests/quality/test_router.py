"""The router with the real embedding model, on turns it did not learn from."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from edgemem_models import need as weights
from edgemem_models.need import LearnedNeed
from edgemem_models.provider import LocalModels

import edgemem
from edgemem.errors import ModelMissing
from edgemem.evals.router import run_router, shipped_turns
from edgemem.evals.seams import KeepLoaded, Silent
from edgemem.recall.need import seen
from edgemem.testing import WordsEmbedder

pytestmark = [pytest.mark.model, pytest.mark.slow]


@pytest.fixture(scope="module")
def models() -> Iterator[LocalModels]:
    provider = LocalModels()
    try:
        provider.embedder()
        yield provider
    except ModelMissing as error:
        pytest.skip(f"the embedding model is not on this machine: {error}")
    finally:
        provider.close()


def test_it_saves_searches_and_misses_hardly_any(models: LocalModels) -> None:
    figures = run_router(
        shipped_turns(), lambda path, clock: edgemem.open(path, provider=KeepLoaded(models), clock=clock), Silent()
    )
    assert figures["groups"]["all"]["saved"] >= 0.55
    assert figures["groups"]["all"]["missed"] <= 0.02


def test_the_weights_fit_the_default_embedder_only(models: LocalModels) -> None:
    judge = models.need_judge()
    assert judge is not None
    assert judge is models.need_judge()
    assert set(judge.signs) == set(seen("", ()))
    assert weights.for_embedder(WordsEmbedder()) is None


def test_weights_survive_the_file_and_are_small(tmp_path: Path) -> None:
    made = LearnedNeed("e", np.array([0.5, -0.25]), {"asks": 1.5, "own": -0.5}, 0.25)
    made.save(tmp_path / "w.npz")
    read = weights.load(tmp_path / "w.npz")
    assert read.fingerprint == made.fingerprint
    assert read.chance({"asks": 1.0, "own": 0.0}, [1.0, 0.0]) == made.chance({"asks": 1.0, "own": 0.0}, [1.0, 0.0])
    assert weights.FILE.stat().st_size < 20_000
