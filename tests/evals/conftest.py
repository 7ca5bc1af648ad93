from __future__ import annotations

import pytest
from edgemem_models import heads, relations
from edgemem_models.embedder import LlamaEmbedder

from edgemem.cli.evaluate import story_opener_for
from edgemem.evals.sessions import StoryOpener
from edgemem.ports import ClauseJudge, RelationJudge
from tests.helpers import NoModels
from tests.models.conftest import e5, e5_path

__all__ = ["by_rules", "e5", "e5_path"]


class _Heads(NoModels):
    """The real embedding model with its learned weights, and no chat model."""

    def __init__(self, embedder: LlamaEmbedder) -> None:
        self._embedder = embedder

    def embedder(self) -> LlamaEmbedder:
        return self._embedder

    def clause_judge(self) -> ClauseJudge | None:  # type: ignore[override]
        return heads.for_embedder(self._embedder)

    def relation_judge(self) -> RelationJudge | None:  # type: ignore[override]
        return relations.for_embedder(self._embedder)


@pytest.fixture
def by_rules(e5: LlamaEmbedder) -> StoryOpener:
    """Opens memory files as ``--rules`` does: all is real but the language model, which is left out."""
    return story_opener_for(_Heads(e5), rules=True)
