"""The second look of the gate with the default chat model: it tells what is worth keeping, on sentences it never saw."""

from __future__ import annotations

import numpy as np
import pytest
from edgemem_models import heads, second_look
from edgemem_models.embedder import LlamaEmbedder
from edgemem_models.provider import LocalModels

from edgemem.errors import ModelMissing
from edgemem.text import is_han
from edgemem.write import gate, prompts
from tests.models.test_heads import DROP, KEEP

pytestmark = [pytest.mark.model, pytest.mark.quality, pytest.mark.slow]


def test_it_parts_what_is_to_be_kept_from_the_rest() -> None:
    models = LocalModels()
    try:
        model, embedder = models.language_model(), models.embedder()
    except ModelMissing as error:
        pytest.skip(f"the default models are not on this machine: {error}")
    assert isinstance(embedder, LlamaEmbedder)
    look = second_look.for_embedder(embedder)
    if look is None or look.model != model.fingerprint:
        pytest.skip("the weights are for other models than those chosen here")
    items: list[heads.Item] = [(text, text, asked) for text, asked in (*KEEP, *DROP)]
    keep = np.zeros(len(items))
    for chinese in (False, True):
        part = [n for n, item in enumerate(items) if is_han(item[0]) == chinese]
        questions = [gate.second_question(*items[n]) for n in part]
        states = model.states(prompts.GATE[chinese], questions, look.layer)
        keep[part] = [1 - odds["N"] for odds in look.judge([items[n] for n in part], states)]
    models.close()
    right = int((keep[: len(KEEP)] > 0.5).sum() + (keep[len(KEEP) :] < 0.5).sum())
    assert right >= len(items) - 3
    assert keep[: len(KEEP)].mean() - keep[len(KEEP) :].mean() > 0.6
