"""Messages of any length that the log takes: a bounded amount of work, and no word of them lost."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import pytest

from edgemem.embedded import LONGEST, excerpt
from edgemem.ports import Priority
from edgemem.records import Turn
from edgemem.store import fulltext, migrations
from edgemem.testing import WordsEmbedder
from edgemem.text import segment
from tests.helpers import NOW, opened, said


class Weighing(WordsEmbedder):
    """Remembers how many characters it was given at a time."""

    def __init__(self) -> None:
        super().__init__(2048)
        self.given: list[int] = []

    def embed(
        self, texts: Sequence[str], kind: Literal["query", "passage"], *, priority: Priority = "background"
    ) -> list[list[float]]:
        self.given.append(sum(map(len, texts)))
        return super().embed(texts, kind, priority=priority)


HUGE = {
    "Chinese": "字" * 40_000 + "琥珀" + "字" * 40_000,
    "English": "word and other things. " * 2_000 + "amber. " + "and so on, and so on. " * 2_000,
    "one line": "wordsandwords" * 4_000 + " amber " + "wordsandwords" * 4_000,
    "forms that unfold": "ﷺ" * 20_000 + " amber " + "ﷺ" * 20_000,
}


@pytest.mark.parametrize("kind", HUGE)
def test_a_huge_message_is_embedded_in_bounded_work_and_found_by_every_word(store_path: Path, kind: str) -> None:
    embedder = Weighing()
    with opened(store_path, embedder=embedder) as file:
        mem = file.user("me")
        mem.log(said(HUGE[kind]))
        assert 0 < max(embedder.given) <= LONGEST
        found = mem.recall("琥珀" if kind == "Chinese" else "amber")
        assert [h.content == HUGE[kind] for h in found.hits] == [True]
        assert found.degraded == (
            f"A message of more than {LONGEST:,} characters: searched whole by words, in excerpts by meaning.",
        )


@pytest.mark.parametrize("before", [0, 1, 3])
def test_turns_beside_a_huge_one_cost_no_more_than_other_turns(
    store_path: Path, monkeypatch: pytest.MonkeyPatch, before: int
) -> None:
    given: list[int] = []

    def weighing(text: str) -> str:
        given.append(len(text))
        return segment(text)

    with opened(store_path, words_only=True) as file:
        mem = file.user("me")
        mem.log(said(*(f"saffron {n}" for n in range(before)), HUGE["English"] + " the end"))
        monkeypatch.setattr(fulltext, "segment", weighing)
        mem.log([Turn("user", "marigold", at=NOW, session="s")])
        mem.log([Turn("user", "cinnamon", at=NOW, session="s")])
        assert sum(given) < 5 * fulltext.LONG
        assert file.check() == []
        assert len(mem.recall("amber").hits) == 1
        assert [h.content for h in mem.recall("marigold").hits][:1] == ["marigold"]


def test_a_file_whose_huge_turns_were_indexed_with_their_neighbours_is_put_right(
    store_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(fulltext, "LONG", 10**9)
        with opened(store_path, words_only=True) as file:
            file.user("me").log(said("saffron", HUGE["English"], "marigold"))
            assert file.check() == []
    with opened(store_path, words_only=True) as file:
        assert file.check(), "as such a file was before its upgrade"
        with file.engine.write() as tx:
            migrations.m006_long_turns_stand_alone(tx, file.now())
        assert file.check() == []
        mem = file.user("me")
        mem.log([Turn("user", "cinnamon", at=NOW, session="s")])
        assert file.check() == []
        assert len(mem.recall("amber").hits) == 1


def test_many_huge_messages_are_not_embedded_in_one_breath(store_path: Path) -> None:
    embedder = Weighing()
    with opened(store_path, embedder=embedder) as file:
        file.user("me").log(said(*(f"{n} and more of it. " * 5_000 for n in range(12))))
        assert max(embedder.given) <= 5 * LONGEST
        assert sum(embedder.given) > 10 * LONGEST
        assert len(file.user("me").recall("7 and more of it").hits) > 0


def test_a_huge_question_is_embedded_in_bounded_work_too(store_path: Path) -> None:
    embedder = Weighing()
    with opened(store_path, embedder=embedder) as file:
        file.user("me").add("amber is old")
        assert file.user("me").recall("what is amber? " * 3_000).hits
        assert max(embedder.given) <= LONGEST


@pytest.mark.parametrize("length", [0, 1, LONGEST // 18, LONGEST // 18 + 1, LONGEST])
def test_what_is_short_enough_is_embedded_as_it_is(length: int) -> None:
    assert excerpt("x" * length) == "x" * length


def test_an_excerpt_reaches_from_the_beginning_to_the_end() -> None:
    text = "".join(f"{n} " for n in range(100_000))
    parts = excerpt(text).split("\n")
    assert text.startswith(parts[0])
    assert text.endswith(parts[-1])
    assert all(part in text for part in parts)
    assert len(excerpt(text)) <= LONGEST
