from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest
from edgemem_models import catalog, registry, verified
from edgemem_models.catalog import Build, CatalogModel
from edgemem_models.discover_base import Machine
from edgemem_models.registry import (
    ChosenModel,
    choices,
    chosen,
    path_of,
    pick,
    prefixes_of,
    use,
)

from edgemem.errors import InvalidInput, ModelFileInvalid, ModelMissing, NotFound, WrongModelRole

from .tiny_gguf import gguf_bytes, write_gguf

CHAT = gguf_bytes(payload=b"the chat model")
EMBEDDING = gguf_bytes("bert", payload=b"the embedding model")


def pinned(name: str, file: str, raw: bytes) -> CatalogModel:
    build = Build(file, len(raw), hashlib.sha256(raw).hexdigest())
    model = catalog.find(name)
    return replace(model, build=build, size=len(raw), sources=tuple(replace(s, build=build) for s in model.sources))


@pytest.fixture(autouse=True)
def small_catalog(monkeypatch: pytest.MonkeyPatch) -> None:
    """The real entries, pinned to files of a few bytes."""
    models = (
        pinned("qwen2.5-coder-1.5b", "chat.gguf", CHAT),
        pinned("multilingual-e5-small", "embedding.gguf", EMBEDDING),
        pinned("smollm2-135m", "tiny.gguf", gguf_bytes(payload=b"tiny")),
    )
    monkeypatch.setattr(catalog, "catalog", lambda: models)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "models"
    folder.mkdir()
    return folder


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine({}, tmp_path / "user", "linux")


@pytest.mark.parametrize("role", ["chat", "embedding"])
def test_nothing_here_says_how_to_get_it(home: Path, machine: Machine, role: str) -> None:
    with pytest.raises(ModelMissing) as caught:
        chosen(role, home, machine=machine)
    assert "edgemem models pull" in caught.value.hint
    assert caught.value.exit_code == 4


def test_the_default_file_in_the_home(home: Path, machine: Machine) -> None:
    (home / "embedding.gguf").write_bytes(EMBEDDING)
    model = chosen("embedding", home, machine=machine)
    assert model == ChosenModel(
        home / "embedding.gguf", "multilingual-e5-small", ("query: ", "passage: "), model.calibration
    )


def test_the_same_file_of_another_program(home: Path, machine: Machine) -> None:
    folder = machine.home / ".cache" / "gpt4all"
    write_gguf(folder / "any-name.gguf", payload=b"the chat model")
    write_gguf(folder / "a-twin-in-size.gguf", payload=b"the CHAT model")
    assert chosen("chat", home, machine=machine).path == folder / "any-name.gguf"


def test_a_file_is_hashed_once(home: Path, machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / "chat.gguf").write_bytes(CHAT)
    chosen("chat", home, machine=machine)
    monkeypatch.setattr(verified, "sha256_of", lambda *_: pytest.fail("hashed again"))
    assert chosen("chat", home, machine=machine).path == home / "chat.gguf"


@pytest.mark.parametrize("raw", [CHAT[:-4], CHAT[:-1] + b"!"], ids=["cut", "changed"])
def test_a_wrong_file_in_the_home_is_not_used(home: Path, machine: Machine, raw: bytes) -> None:
    (home / "chat.gguf").write_bytes(raw)
    with pytest.raises(ModelFileInvalid):
        chosen("chat", home, machine=machine)


def test_use_a_path_and_go_back(home: Path, machine: Machine, tmp_path: Path) -> None:
    (home / "chat.gguf").write_bytes(CHAT)
    mine = write_gguf(tmp_path / 'ümläut "quoted".gguf', payload=b"mine")
    use("chat", str(mine), home, machine=machine)
    assert chosen("chat", home, machine=machine).path == mine
    use("chat", "default", home, machine=machine)
    assert chosen("chat", home, machine=machine).name == "qwen2.5-coder-1.5b"
    assert choices(home) == {}


def test_use_a_catalogue_name(home: Path, machine: Machine) -> None:
    write_gguf(home / "tiny.gguf", payload=b"tiny")
    assert use("chat", "SmolLM2-135M", home, machine=machine).name == "smollm2-135m"
    assert choices(home) == {"chat": "smollm2-135m"}
    assert chosen("chat", home, machine=machine).path == home / "tiny.gguf"


def test_use_the_name_another_program_gives(home: Path, machine: Machine) -> None:
    file = write_gguf(machine.home / ".lmstudio" / "models" / "pub" / "repo" / "m.gguf")
    assert use("chat", "pub/repo/m.gguf", home, machine=machine).path == file
    assert chosen("chat", home, machine=machine).path == file


def test_use_refuses_the_wrong_role_and_keeps_the_choice(home: Path, machine: Machine, tmp_path: Path) -> None:
    write_gguf(home / "tiny.gguf", payload=b"tiny")
    use("chat", "smollm2-135m", home, machine=machine)
    with pytest.raises(WrongModelRole):
        use("chat", str(write_gguf(tmp_path / "e.gguf", "bert")), home, machine=machine)
    with pytest.raises(WrongModelRole):
        use("embedding", str(write_gguf(tmp_path / "c.gguf")), home, machine=machine)
    (tmp_path / "page.gguf").write_text("<html>")
    with pytest.raises(ModelFileInvalid):
        use("chat", str(tmp_path / "page.gguf"), home, machine=machine)
    with pytest.raises(NotFound):
        use("chat", "nothing-like-it", home, machine=machine)
    with pytest.raises(ModelMissing):
        use("chat", "qwen2.5-coder-1.5b", home, machine=machine)
    assert choices(home) == {"chat": "smollm2-135m"}


def test_window_and_cache_type_belong_to_the_choice_of_a_chat_model(
    home: Path, machine: Machine, tmp_path: Path
) -> None:
    chat, embedding = write_gguf(tmp_path / "c.gguf"), write_gguf(tmp_path / "e.gguf", "bert")
    use("chat", str(chat), home, machine=machine, window=1024, kv_type="q8_0")
    use("embedding", str(embedding), home, machine=machine)
    kept = chosen("chat", home, machine=machine)
    assert (kept.window, kept.kv_type) == (1024, "q8_0")
    assert chosen("embedding", home, machine=machine).window is None
    with pytest.raises(InvalidInput):
        use("embedding", str(embedding), home, machine=machine, kv_type="q4_0")
    use("chat", str(chat), home, machine=machine)
    kept = chosen("chat", home, machine=machine)
    assert (kept.window, kept.kv_type) == (None, "f16")
    for line in ('kv_type = "q3"', 'window = "wide"', "kv_type = 8"):
        (home / "models.toml").write_text(f"{line}\n")
        (home / "chat.gguf").write_bytes(CHAT)
        with pytest.raises(InvalidInput, match=r"models\.toml"):
            chosen("chat", home, machine=machine)


def test_pick_chooses_nothing(home: Path, machine: Machine, tmp_path: Path) -> None:
    file = write_gguf(tmp_path / "some-e5-base.gguf", "bert")
    assert pick("embedding", str(file), home, machine=machine).prefixes == ("query: ", "passage: ")
    assert choices(home) == {}


def test_a_chosen_file_that_went_away_is_missed_not_replaced(home: Path, machine: Machine, tmp_path: Path) -> None:
    (home / "chat.gguf").write_bytes(CHAT)
    mine = write_gguf(tmp_path / "mine.gguf")
    use("chat", str(mine), home, machine=machine)
    mine.unlink()
    with pytest.raises(ModelMissing) as caught:
        chosen("chat", home, machine=machine)
    assert "use chat default" in caught.value.hint


def test_a_damaged_choice_is_named(home: Path, machine: Machine) -> None:
    (home / registry.CHOICES).write_text("chat = [")
    with pytest.raises(InvalidInput, match=r"models\.toml"):
        chosen("chat", home, machine=machine)


def test_roles_and_names_are_checked(home: Path, machine: Machine) -> None:
    with pytest.raises(InvalidInput):
        chosen("poet", home, machine=machine)
    with pytest.raises(NotFound):
        path_of("no-such-model", home, machine=machine)


def test_prefixes_by_family() -> None:
    assert prefixes_of("nomic-embed-text-v1.5.Q8_0.gguf") == ("search_query: ", "search_document: ")
    assert prefixes_of("multilingual-e5-large.gguf") == ("query: ", "passage: ")
    assert prefixes_of("unknown.gguf") == ("", "")
