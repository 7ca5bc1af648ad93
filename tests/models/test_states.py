"""The states of a middle layer: the same however they are asked for, and no harm to what else the model does."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from edgemem_models import second_look

from edgemem.errors import InvalidInput
from edgemem.ports import Message
from edgemem.testing import WordsEmbedder

if TYPE_CHECKING:
    from edgemem_models.language import LlamaLanguageModel

PREFIX = (Message("system", "You sort notes."), Message("user", "hello there"), Message("assistant", "N"))
QUESTIONS = ["I keep three goats", "how tall is the tower?", "my sister lives in Lima", "我养了三只羊"]
LAYER = 8


def _near(one: list[float], other: list[float]) -> float:
    a, b = np.array(one), np.array(other)
    return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


@pytest.mark.model
def test_a_state_is_the_same_alone_and_among_others(tiny: LlamaLanguageModel) -> None:
    together = tiny.states(PREFIX, QUESTIONS, LAYER)
    assert [len(state) for state in together] == [tiny.info.embedding_length] * len(QUESTIONS)
    for question, state in zip(QUESTIONS, together, strict=True):
        [alone] = tiny.states(PREFIX, [question], LAYER)
        assert _near(alone, state) > 0.999
        others = [_near(state, other) for other in together if other is not state]
        assert max(others) < _near(alone, state)


@pytest.mark.model
def test_layers_differ_and_one_that_is_not_there_is_refused(tiny: LlamaLanguageModel) -> None:
    [low], [high] = (tiny.states(PREFIX, QUESTIONS[:1], layer) for layer in (2, LAYER))
    assert _near(low, high) < 0.99
    for layer in (-1, tiny.info.layers - 1, tiny.info.layers):
        with pytest.raises(InvalidInput):
            tiny.states(PREFIX, QUESTIONS[:1], layer)
    assert tiny.states(PREFIX, [], LAYER) == []


@pytest.mark.model
def test_letters_and_answers_are_what_they_are_without(tiny: LlamaLanguageModel) -> None:
    before = tiny.choose(PREFIX, QUESTIONS, ["K", "N"]), tiny.generate(PREFIX[:2], max_tokens=6).text
    tiny.states(PREFIX, QUESTIONS, LAYER)
    after = tiny.choose(PREFIX, QUESTIONS, ["K", "N"]), tiny.generate(PREFIX[:2], max_tokens=6).text
    assert after[1] == before[1]
    for one, other in zip(before[0], after[0], strict=True):
        assert one == pytest.approx(other, abs=0.02)


@pytest.mark.model
def test_a_fingerprint_belongs_to_one_file(tiny: LlamaLanguageModel, e5_path: Path) -> None:
    from edgemem_models.gguf_file import read_header, weights_fingerprint

    assert tiny.fingerprint == weights_fingerprint(tiny.info)
    assert tiny.fingerprint != weights_fingerprint(read_header(e5_path))


def test_the_shipped_weights_of_the_second_look_are_whole_and_come_back_the_same(tmp_path: Path) -> None:
    weights = second_look.load()
    assert len(weights.model) == 32
    assert weights.matrix.shape[1] == weights.biases.shape[1] == 4
    assert np.isfinite(weights.matrix).all()
    assert 0.2 < weights.scale < 5
    weights.save(tmp_path / "second.npz")
    again = second_look.load(tmp_path / "second.npz")
    inputs = np.random.default_rng(1).normal(size=(3, len(weights.matrix)))
    rows = weights.probabilities(inputs, [True, False, True])
    assert np.allclose(rows.sum(axis=1), 1)
    assert np.array_equal(again.probabilities(inputs, [True, False, True]), rows)
    assert not np.allclose(weights.probabilities(inputs[:1], [False]), rows[:1])


def test_with_another_embedder_there_is_no_second_look() -> None:
    assert second_look.for_embedder(WordsEmbedder(64)) is None
