from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers import Fact, RuleModel, opened, said
from tests.store.graphs import SMALL, fill

PASS = "correct horse battery"
WORD = "xylocarpine"


@pytest.fixture
def large(store_path: Path) -> Path:
    """A closed file of 400 memories whose graph is built and stored."""
    with opened(store_path, words_only=True, settings=SMALL) as file:
        fill(file, 400)
        file.build_indexes()
    return store_path


@pytest.fixture(scope="session")
def _sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One encrypted file with something in it; making a key takes long on purpose."""
    path = tmp_path_factory.mktemp("sample") / "me.edgemem"
    with opened(
        path, RuleModel(Fact(f"allergic to {WORD}", f"The user is allergic to {WORD}.")), passphrase=PASS
    ) as file:
        file.user("me").learn(said(f"I am allergic to {WORD}", "二十只水獭"))
        file.user("me").add_secret("The door code is 4711-plum", label="door code")
    return path


@pytest.fixture
def locked(_sample: Path, store_path: Path) -> Path:
    store_path.write_bytes(_sample.read_bytes())
    return store_path
