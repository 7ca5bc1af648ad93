"""Local GGUF models for edgemem: the llama.cpp engine, the catalog, discovery and pull.

Importing this package loads nothing heavy; names are fetched when they are used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from edgemem_models.embedder import LlamaEmbedder
    from edgemem_models.gguf_file import ModelInfo, read_header
    from edgemem_models.language import LlamaLanguageModel
    from edgemem_models.provider import LocalModels

__all__ = ["LlamaEmbedder", "LlamaLanguageModel", "LocalModels", "ModelInfo", "read_header"]

_HOMES = {
    "LlamaEmbedder": "embedder",
    "LlamaLanguageModel": "language",
    "LocalModels": "provider",
    "ModelInfo": "gguf_file",
    "read_header": "gguf_file",
}


def __getattr__(name: str) -> Any:
    """Fetch a public name from its module on first use."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
