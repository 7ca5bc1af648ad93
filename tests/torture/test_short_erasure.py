"""Erasures in a short form, and that a word which was not erased would be seen."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.helpers import opened
from tests.torture.erasure import Life, _left, run


@pytest.mark.parametrize("passphrase", [None, "words"])
def test_no_byte_of_erased_words_is_left(store_path: Path, passphrase: str | None) -> None:
    assert run(store_path, 10, seed=3, passphrase=passphrase) == 0


def test_a_word_that_is_only_forgotten_would_be_seen(store_path: Path) -> None:
    life = Life(random.Random(1))
    word = life.word()
    with opened(store_path) as file:
        mem = file.user("me")
        mem.forget(mem.add(f"about {word}"))
    life.gone.append(word)
    assert word in _left(store_path, life, None)


def test_no_copy_is_left_between_the_rows_of_a_page(tmp_path: Path) -> None:
    """A life in which SQLite split a page just so: the copy it left there was not overwritten when the row went."""
    assert run(tmp_path / "me.edgemem", 40, seed=654763207) == 0
