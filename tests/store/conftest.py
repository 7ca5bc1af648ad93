from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers import opened
from tests.store.graphs import SMALL, fill


@pytest.fixture
def large(store_path: Path) -> Path:
    """A closed file of 400 memories whose graph is built and stored."""
    with opened(store_path, words_only=True, settings=SMALL) as file:
        fill(file, 400)
        file.build_indexes()
    return store_path
