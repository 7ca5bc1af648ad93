"""The real path with the real default models: told in one conversation, answered from the file in another."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import edgemem
from edgemem.errors import ModelMissing
from edgemem.records import Receipt, Turn
from tests.helpers import assert_sourced

pytestmark = [pytest.mark.model, pytest.mark.quality, pytest.mark.slow]

SAID = (
    "My sister Mia moved to Graz in 2021 and works there as a midwife.",
    "haha ok thanks, that was quick",
    "I'm allergic to walnuts, so please never suggest recipes with them.",
    "what is the tallest mountain in Africa?",
    "我在苏州当中学老师，不吃羊肉。",
    "the wifi password of the flat is Heron-77-kiln",
)


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[edgemem.MemoryFile, Receipt]]:
    path: Path = tmp_path_factory.mktemp("quality") / "me.edgemem"
    with edgemem.open(path, settings=edgemem.Settings(background=False)) as file:
        try:
            file.models.language_model()
            file.models.embedder()
        except ModelMissing as error:
            pytest.skip(f"the default models are not on this machine: {error}")
        turns = [
            Turn("user", text, session="a", id=str(n), at=f"2026-03-0{n + 1}T10:00:00+08:00")
            for n, text in enumerate(SAID)
        ]
        yield file, file.user("me").learn(turns)


def test_what_matters_is_kept_and_names_its_words(learned: tuple[edgemem.MemoryFile, Receipt]) -> None:
    file, receipt = learned
    assert receipt.failed == ()
    told = {m.source.turn for m in receipt.memories}
    assert {"0", "2", "4"} <= told
    assert_sourced(file.user("me"))


def test_small_talk_questions_and_secrets_are_not_kept(learned: tuple[edgemem.MemoryFile, Receipt]) -> None:
    _, receipt = learned
    assert not {m.source.turn for m in receipt.memories} & {"1", "3", "5"}
    assert not any("Heron" in m.content for m in receipt.memories)


def test_languages_are_kept(learned: tuple[edgemem.MemoryFile, Receipt]) -> None:
    _, receipt = learned
    chinese = [m.content for m in receipt.memories if m.source.turn == "4"]
    assert any("苏州" in content for content in chinese)
    assert not any("苏州" in m.content for m in receipt.memories if m.source.turn != "4")


@pytest.mark.parametrize(
    ("question", "word"),
    [("Where does my sister live?", "Graz"), ("我住在哪个城市教书？", "苏州"), ("Which nuts must I avoid?", "walnut")],
)
def test_questions_are_answered_from_the_file(
    learned: tuple[edgemem.MemoryFile, Receipt], question: str, word: str
) -> None:
    hits = learned[0].user("me").recall(question, limit=3).hits
    assert any(word in hit.content for hit in hits)


def test_the_file_is_sound(learned: tuple[edgemem.MemoryFile, Receipt]) -> None:
    assert learned[0].check() == []
