"""The LangGraph store does what LangGraph's own in-memory store does, and keeps it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

pytest.importorskip("langgraph.store.base", reason="the extra langgraph is not installed")

from langgraph.store.memory import InMemoryStore

from edgemem.adapters.langgraph import EdgememStore
from edgemem.errors import InvalidInput
from edgemem.memory import MemoryFile
from edgemem.view import Memory
from tests.helpers import opened

SPACES = st.sampled_from([("a",), ("a", "b"), ("a", "b/c"), ("a%",), ("b", "a")])
KEYS = st.sampled_from(["k1", "k2", "k/3"])
VALUES = st.one_of(
    st.none(),
    st.fixed_dictionaries({"content": st.sampled_from(["bees", "goats", "上海的火锅"]), "n": st.integers(0, 3)}),
    st.fixed_dictionaries({"n": st.integers(0, 2)}),
)


@settings(max_examples=25)
@given(st.lists(st.tuples(SPACES, KEYS, VALUES), max_size=12))
def test_it_answers_as_the_in_memory_store_does(puts: list[tuple[tuple[str, ...], str, dict[str, Any] | None]]) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder, opened(Path(folder) / "s.edgemem") as file:
        ours, theirs = EdgememStore(file.user("me")), InMemoryStore()
        for space, key, value in puts:
            if value is None:
                ours.delete(space, key)
                theirs.delete(space, key)
            else:
                ours.put(space, key, value)
                theirs.put(space, key, value)
        for space, key, _ in puts:
            mine, other = ours.get(space, key), theirs.get(space, key)
            assert (mine and mine.value) == (other and other.value)
        for prefix in (("a",), ("a", "b"), ("b",), ()):
            for wanted in (None, {"n": 1}, {"n": {"$gte": 1}}):
                assert found(ours, prefix, wanted) == found(theirs, prefix, wanted)
        # LangGraph's own goes on naming a namespace whose items are all gone; so it is filled anew.
        kept = InMemoryStore()
        for item in theirs.search((), limit=100):
            kept.put(item.namespace, item.key, item.value)
        for options in ({}, {"max_depth": 1}, {"prefix": ("a",)}, {"suffix": ("b",)}, {"prefix": ("*", "b")}):
            assert set(ours.list_namespaces(**options)) == set(kept.list_namespaces(**options))
        assert file.check() == []


def found(store: Any, prefix: tuple[str, ...], wanted: Any) -> set[tuple[Any, ...]]:
    return {(i.namespace, i.key, str(i.value)) for i in store.search(prefix, filter=wanted, limit=100)}


def test_it_is_searched_by_meaning_and_words(mem: Memory) -> None:
    store = EdgememStore(mem)
    store.put(("m", "sam"), "seat", {"content": "Sam prefers aisle seats on trains"})
    store.put(("m", "kim"), "pets", {"content": "Kim has a dog called Juno"})
    store.put(("m", "sam"), "quiet", {"content": "seats seats seats"}, index=False)
    mem.add("Sam prefers aisle seats in planes")  # no item of the store
    (best,) = store.search(("m",), query="which seats?")
    assert (best.key, best.namespace) == ("seat", ("m", "sam"))
    assert best.score is not None
    assert best.score > 0
    assert store.search(("m", "kim"), query="which seats?") == []
    assert len(store.search(("m",), limit=2, offset=1)) == 2


def test_items_with_the_same_words_are_different_items(mem: Memory) -> None:
    mem.add("bees")
    store = EdgememStore(mem)
    for key in ("one", "two"):
        store.put(("m",), key, {"content": "bees", "key": key})
    for key in ("one", "two"):
        item = store.get(("m",), key)
        assert item is not None
        assert item.value == {"content": "bees", "key": key}
    store.delete(("m",), "one")
    assert store.get(("m",), "one") is None
    assert store.get(("m",), "two") is not None
    assert mem.saying("bees") is not None


def test_a_change_keeps_its_history_and_a_deletion_can_be_undone(mem: Memory) -> None:
    store = EdgememStore(mem)
    store.put(("m",), "k", {"content": "one"})
    store.put(("m",), "k", {"content": "two"})
    store.delete(("m",), "k")
    assert [c.action for c in reversed(mem.history())] == ["add", "edit", "forget"]
    mem.undo(mem.history()[0].id)
    item = store.get(("m",), "k")
    assert item is not None
    assert item.value == {"content": "two"}


async def test_it_is_there_for_asyncio_and_after_closing(store_path: Path) -> None:
    with opened(store_path) as file:
        await EdgememStore(file.user("me")).aput(("m",), "k", {"content": "kept"})
    with opened(store_path) as file:
        item = await EdgememStore(file.user("me")).aget(("m",), "k")
        assert item is not None
        assert item.value == {"content": "kept"}
        assert await EdgememStore(file.user("you")).aget(("m",), "k") is None


def test_what_cannot_be_done_is_refused(store: MemoryFile) -> None:
    items = EdgememStore(store.user("me"))
    items.put(("m",), "k", {"n": 1})
    with pytest.raises(InvalidInput, match="not known"):
        items.search(("m",), filter={"n": {"$near": 1}})
    with pytest.raises(InvalidInput, match="10,000"):
        items.put(("m",), "long", {"content": "x" * 10_001})
