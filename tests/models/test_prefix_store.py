"""Evaluated instructions outlive the process, and nothing wrong is ever taken for them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from edgemem_models.language import LlamaLanguageModel
from edgemem_models.prefix_store import PrefixStore, file_identity
from hypothesis import given, settings
from hypothesis import strategies as st

from edgemem.ports import Message

RULES = (
    Message("system", "You name the capital of a country, one word, nothing else. " * 5, constant=True),
    Message("user", "What is the capital of Italy?", constant=True),
    Message("assistant", "Rome", constant=True),
)
SECRET = "zanzibarquux"


@contextmanager
def opened(path: Path, cache: Path | None, **options: object) -> Iterator[LlamaLanguageModel]:
    model = LlamaLanguageModel(path, context_size=1024, cache=cache, **options)  # type: ignore[arg-type]
    try:
        yield model
    finally:
        model.close()


def ask(country: str) -> list[Message]:
    return [*RULES, Message("user", f"What is the capital of {country}?")]


@pytest.mark.model
def test_the_first_question_after_a_start_evaluates_only_what_is_new(tiny_model_path: Path, tmp_path: Path) -> None:
    with opened(tiny_model_path, tmp_path) as model:
        first = model.generate(ask("France"), max_tokens=8)
        warm = model.generate(ask("Japan"), max_tokens=8)
    with opened(tiny_model_path, tmp_path) as model:
        again = model.generate(ask("Japan"), max_tokens=8)
    assert first.cached_tokens == 0
    assert again.prompt_tokens - again.cached_tokens < 16
    assert again.text == warm.text
    assert again.logprobs == pytest.approx(warm.logprobs, abs=0.05)


@pytest.mark.model
def test_choices_come_from_the_store_too_and_are_the_same(tiny_model_path: Path, tmp_path: Path) -> None:
    questions, options = ["What is the capital of France?", "What is the capital of Japan?"], ["Paris", "Tokyo"]
    with opened(tiny_model_path, tmp_path) as model:
        cold = model.choose(RULES, questions, options)
    [kept] = tmp_path.iterdir()
    with opened(tiny_model_path, tmp_path) as model:
        read_at = kept.stat().st_mtime_ns
        os.utime(kept, ns=(0, 0))
        warm = model.choose(RULES, questions, options)
        assert kept.stat().st_mtime_ns > read_at - 10**9
    for one, other in zip(cold, warm, strict=True):
        assert one == pytest.approx(other, abs=0.05)


@pytest.mark.model
def test_no_words_of_a_user_reach_the_disk(tiny_model_path: Path, tmp_path: Path) -> None:
    def states() -> dict[str, bytes]:
        return {file.name: file.read_bytes() for file in tmp_path.iterdir()}

    with opened(tiny_model_path, tmp_path) as model:
        model.generate(ask("France"), max_tokens=4)
    plain = states()
    for file in tmp_path.iterdir():
        file.unlink()
    with opened(tiny_model_path, tmp_path) as model:
        model.generate(ask(SECRET * 3), max_tokens=4)
        model.generate([Message("user", f"{SECRET} " * 12)], max_tokens=4)
        model.generate([Message("system", SECRET * 12), *RULES, Message("user", "x")], max_tokens=4)
    other = states()
    assert list(other) == list(plain)
    assert [len(state) for state in other.values()] == [len(state) for state in plain.values()]


@pytest.mark.model
@pytest.mark.parametrize("damage", ["flip", "cut", "empty", "other"])
def test_a_wrong_file_is_dropped_and_made_again(tiny_model_path: Path, tmp_path: Path, damage: str) -> None:
    with opened(tiny_model_path, tmp_path) as model:
        right = model.generate(ask("France"), max_tokens=8).text
    [kept] = tmp_path.iterdir()
    good = kept.read_bytes()
    middle = len(good) // 2
    bad = {
        "flip": good[:middle] + bytes([good[middle] ^ 1]) + good[middle + 1 :],
        "cut": good[:middle],
        "empty": b"",
        "other": os.urandom(len(good)),
    }[damage]
    kept.write_bytes(bad)
    with opened(tiny_model_path, tmp_path) as model:
        answer = model.generate(ask("France"), max_tokens=8)
    assert (answer.text, answer.cached_tokens) == (right, 0)
    assert len(kept.read_bytes()) == len(good)


@pytest.mark.model
def test_a_whole_file_that_llama_cpp_refuses_is_dropped(tiny_model_path: Path, tmp_path: Path) -> None:
    with opened(tiny_model_path, tmp_path) as model:
        right = model.generate(ask("France"), max_tokens=8).text
        store, prompt = model._roles["background"]._memory.store, model._prompt(ask("France"))
        assert store is not None
        store.save(prompt.tokens[: prompt.constant], b"no state of llama.cpp")
    with opened(tiny_model_path, tmp_path) as model:
        answer = model.generate(ask("France"), max_tokens=8)
        assert (answer.text, answer.cached_tokens) == (right, 0)
        assert store.load(prompt.tokens[: prompt.constant]) != b"no state of llama.cpp"


@pytest.mark.model
def test_other_cache_types_and_other_files_share_nothing(tiny_model_path: Path, tmp_path: Path) -> None:
    cache, copy = tmp_path / "cache", tmp_path / "copy.gguf"
    copy.write_bytes(tiny_model_path.read_bytes())
    os.utime(copy, ns=(1, 1))
    for path, kv_type in ((tiny_model_path, "f16"), (tiny_model_path, "q8_0"), (copy, "f16")):
        with opened(path, cache, kv_type=kv_type) as model:
            assert model.generate(ask("France"), max_tokens=2).cached_tokens == 0
    sizes = sorted(file.stat().st_size for file in cache.iterdir())
    assert len(sizes) == 3
    assert sizes[0] < 0.6 * sizes[1]


@pytest.mark.model
def test_a_folder_that_cannot_be_written_costs_only_time(tiny_model_path: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with opened(tiny_model_path, tmp_path / "file" / "cache") as model:
        assert "Paris" in model.generate(ask("France"), max_tokens=8).text


@settings(max_examples=30)
@given(st.lists(st.integers(0, 2**31 - 1), max_size=20), st.binary(max_size=200), st.data())
def test_only_what_was_written_is_read(
    tmp_path_factory: pytest.TempPathFactory, tokens: list[int], state: bytes, data: st.DataObject
) -> None:
    store = PrefixStore(tmp_path_factory.mktemp("cache"), "model")
    store.save(tokens, state)
    assert store.load(tokens) == state
    assert store.load([*tokens, 1]) is None
    [file] = store._folder.iterdir()
    content = bytearray(file.read_bytes())
    content[data.draw(st.integers(0, len(content) - 1))] ^= data.draw(st.integers(1, 255))
    file.write_bytes(content)
    assert store.load(tokens) is None
    assert not file.exists()


def test_the_folder_keeps_to_its_limit_and_forgets_the_oldest(tmp_path: Path) -> None:
    store = PrefixStore(tmp_path, "model", limit=5_000)
    for number in range(4):
        store.save([number], bytes(1_000))
        os.utime(store._path(store._key([number])), ns=(number, number))
    assert store.load([0]) is not None  # used again just now
    store.save([9], bytes(1_500))
    assert [store.load([number]) is not None for number in (0, 1, 2, 3, 9)] == [True, False, True, True, True]


def test_what_a_killed_process_left_is_cleared_away(tmp_path: Path) -> None:
    store = PrefixStore(tmp_path, "model")
    old, new = tmp_path / ".a.part", tmp_path / ".b.part"
    for file in (old, new):
        file.write_bytes(b"half")
    os.utime(old, ns=(0, 0))
    store.save([1], b"state")
    assert not old.exists()
    assert new.exists()


def test_identity_follows_the_bytes_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "model.gguf"
    file.write_bytes(bytes(1 << 20))
    os.utime(file, ns=(5, 5))
    before = file_identity(file)
    content = bytearray(1 << 20)
    content[700_000] = 1
    file.write_bytes(content)
    os.utime(file, ns=(5, 5))
    assert file_identity(file) != before
