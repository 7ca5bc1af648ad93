from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from edgemem_models.embedder import LlamaEmbedder
from edgemem_models.provider import LocalModels
from hypothesis import HealthCheck, settings

from edgemem.errors import ModelMissing
from edgemem.memory import MemoryFile
from edgemem.view import Memory

from .guard import sockets
from .helpers import SetClock, opened

sockets.watch()


@pytest.fixture(autouse=True, scope="session")
def socket_log(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where the tests and the processes they start write down what they tried to reach."""
    path = tmp_path_factory.mktemp("sockets") / "log"
    os.environ[sockets.LOG] = str(path)
    yield path
    del os.environ[sockets.LOG]


@pytest.fixture(autouse=True)
def _no_socket(socket_log: Path) -> Iterator[None]:
    """No test may reach a network, nor any process it starts."""
    yield
    told = socket_log.read_text(encoding="utf-8") if socket_log.exists() else ""
    socket_log.unlink(missing_ok=True)
    assert told == ""


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


@pytest.fixture(scope="module")
def e5() -> Iterator[LlamaEmbedder]:
    """The default embedding model."""
    models = LocalModels()
    try:
        yield models.embedder()
    except ModelMissing as error:
        pytest.skip(f"the embedding model is not on this machine: {error}")
    finally:
        models.close()
