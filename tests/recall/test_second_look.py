"""A weak result is asked for again; the second look adds to the first and repeats none of its searches."""

from __future__ import annotations

from pathlib import Path

import pytest

from edgemem.recall import person
from edgemem.recall.words import coverage, covered, stems
from edgemem.records import Memory
from edgemem.store import fulltext, memories
from edgemem.store.engine import Row, Tx
from tests.helpers import opened


def test_each_search_is_made_once_and_the_first_find_stays_before_the_second(
    store_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    inner = fulltext.search

    def noted(tx: Tx, table: str, user: int, query: str, limit: int) -> list[tuple[int, float]]:
        asked.append(query)
        return inner(tx, table, user, query, limit)

    with opened(store_path) as file:
        mem = file.user("me")
        mem.add("The user is employed by a bakery.")
        monkeypatch.setattr(fulltext, "search", noted)
        found = mem.recall("What is my job?", arms=("text", "vector"))
    assert found.rephrased
    assert asked.count("What is my job?") == 1
    assert len(asked) == 2
    assert [h.content for h in (*found.hits, *found.near_misses)] == ["The user is employed by a bakery."]


def test_only_what_may_be_shown_is_read_whole(store_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    inner = memories.record

    def noted(row: Row) -> Memory:
        read.append(row["id"])
        return inner(row)

    with opened(store_path) as file:
        mem = file.user("me")
        for n in range(45):
            mem.add(f"The lamp of room {n} hums.")
        mem.add("The user keeps bees.")
        monkeypatch.setattr(memories, "record", noted)
        found = mem.recall("lamp hums bees keeps honey wasps flowers hives", limit=3)
    assert found.hits[0].content == "The user keeps bees."
    assert len(found.near_misses) == 10
    assert 11 <= len(read) < 30


def test_relatives_are_seen_in_both_languages_and_words_that_hold_their_names_are_not() -> None:
    assert set(person._relatives("my wife's uncles, 我奶奶 and 我弟弟")) == {"wife", "uncle", "grandmother", "brother"}
    assert set(person._relatives("my mother-in-law and my brothers")) == {"mother-in-law", "brother"}
    assert set(person._relatives("grandfather")) == {"grandfather"}
    assert set(person._relatives("the motherboard, a sonnet, co-sister")) == set()


@pytest.mark.parametrize("content", ["The user drinks café au lait.", "用户喜欢喝咖啡。", "Coffee, strong", ""])
def test_the_share_of_words_is_the_same_word_by_word(content: str) -> None:
    query = "Do I like café coffee 咖啡?"
    assert coverage(query, content) == covered(stems(query), content)
    assert covered([], content) == 0.0
