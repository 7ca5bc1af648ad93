"""Both native libraries in one process, in either order."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers import python

_STEPS = {
    "index": """
from edgemem.store.usearch_library import usearch_index
import numpy as np
index = usearch_index().Index(ndim=4, metric="cos", dtype="f16")
index.add(7, np.array([1, 0, 0, 0], np.float32))
print(index.search(np.array([1, 0, 0, 0], np.float32), 1).keys.tolist())
""",
    "model": """
from edgemem_models.language import LlamaLanguageModel
model = LlamaLanguageModel(sys.argv[1], context_size=512)
print(model.count_tokens("hello there") > 0)
model.close()
""",
}


@pytest.mark.parametrize("order", [("index", "model"), ("model", "index")], ids="-".join)
def test_a_vector_index_and_a_model_live_in_one_process(tiny_model_path: Path, order: tuple[str, str]) -> None:
    """usearch's own C++ library once made llama.cpp fail with "std::bad_cast" on every chat model."""
    said = python("import sys\n" + "".join(_STEPS[name] for name in order), tiny_model_path).stdout.split()
    assert sorted(said) == ["True", "[7]"]
