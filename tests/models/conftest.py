from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from edgemem.errors import ModelMissing

if TYPE_CHECKING:
    from edgemem_models.embedder import LlamaEmbedder
    from edgemem_models.language import LlamaLanguageModel

E5_PREFIXES = ("query: ", "passage: ")


def _file_of(name: str) -> Path:
    from edgemem_models.registry import path_of

    try:
        return path_of(name)
    except ModelMissing as error:
        pytest.skip(f"{name} is not on this machine: {error}")


@pytest.fixture(scope="session")
def tiny_model_path() -> Path:
    return _file_of("smollm2-135m")


@pytest.fixture(scope="session")
def e5_path() -> Path:
    return _file_of("multilingual-e5-small")


@pytest.fixture(scope="session")
def default_model_path() -> Path:
    return _file_of("qwen2.5-coder-1.5b")


@pytest.fixture(scope="module")
def tiny(tiny_model_path: Path) -> Iterator[LlamaLanguageModel]:
    from edgemem_models.language import LlamaLanguageModel

    model = LlamaLanguageModel(tiny_model_path, context_size=2048)
    yield model
    model.close()


@pytest.fixture(scope="module")
def e5(e5_path: Path) -> Iterator[LlamaEmbedder]:
    from edgemem_models.centres import known_centres
    from edgemem_models.embedder import LlamaEmbedder

    model = LlamaEmbedder(e5_path, prefixes=E5_PREFIXES, centres=known_centres("multilingual-e5-small"))
    yield model
    model.close()
