from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from edgemem.memory import MemoryFile
from edgemem.view import Memory

from .helpers import SetClock, opened

# Two slow cores must not fail a property for being slow.
settings.register_profile(
    "edgemem",
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("edgemem")


@pytest.fixture
def store_path(tmp_path: Path) -> Path:
    return tmp_path / "me.edgemem"


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture
def store(store_path: Path, clock: SetClock) -> Iterator[MemoryFile]:
    """An open file with an embedder and no language model, closed and checked at the end."""
    with opened(store_path, clock=clock) as file:
        yield file


@pytest.fixture
def mem(store: MemoryFile) -> Memory:
    return store.user("me")
