"""Memories that are joined and split by hand: nothing is lost, one undo takes all of it back, erasing reaches all of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edgemem.errors import Conflict, InvalidInput, NotFound
from edgemem.memory import MemoryFile
from edgemem.view import Memory
from tests.helpers import Fact, RuleModel, SetClock, opened, plain_connection, said

NUTS = "The user is allergic to peanuts."
WALNUTS = "The user gets ill from walnuts."
BOTH = "The user is allergic to peanuts and walnuts."


def live(mem: Memory) -> set[str]:
    return {m.content for m in mem.list(limit=0)}


def test_joining_keeps_the_first_and_takes_the_best_of_all(mem: Memory, clock: SetClock) -> None:
    first = mem.add(NUTS, importance=0.4)
    clock.forward(days=3)
    second = mem.add(WALNUTS, importance=0.9, pinned=True)
    change = mem.join(first, second, content=BOTH)
    assert live(mem) == {BOTH}
    kept = mem.get(first)
    assert (kept.importance, kept.pinned, kept.valid_from) == (
        0.9,
        True,
        mem.get(second).created_at - (clock.now() - kept.created_at),
    )
    gone = mem.get(second)
    assert (gone.status, gone.superseded_by, gone.content) == ("superseded", first, WALNUTS)
    assert [h.content for h in mem.recall("walnuts").hits] == [BOTH]
    assert {c.action for c in mem.history(limit=2)} == {"join"}
    mem.undo(change)
    assert live(mem) == {NUTS, WALNUTS}
    assert (mem.get(first).importance, mem.get(first).pinned) == (0.4, False)
    assert mem.recall("walnuts").hits[0].content == WALNUTS


def test_a_join_is_undone_by_any_of_its_changes_and_done_again(mem: Memory) -> None:
    first, second, third = mem.add(NUTS), mem.add(WALNUTS), mem.add("The user avoids hazelnuts.")
    mem.join(first, second, third)
    assert live(mem) == {NUTS}
    undone = mem.undo(mem.history(third)[-1].id)
    assert len(undone) == 3
    assert live(mem) == {NUTS, WALNUTS, "The user avoids hazelnuts."}
    mem.undo(undone[0])
    assert live(mem) == {NUTS}


def test_words_of_another_may_become_the_words_of_the_first(mem: Memory) -> None:
    first, second = mem.add(NUTS), mem.add(WALNUTS)
    change = mem.join(first, second, content=WALNUTS)
    assert live(mem) == {WALNUTS}
    assert mem.get(first).content == WALNUTS
    mem.undo(change)
    assert live(mem) == {NUTS, WALNUTS}


def test_splitting_gives_each_part_the_source_and_one_undo(store_path: Path) -> None:
    pets = Fact("I have a dog and a cat", "The user has a dog and a cat.")
    with opened(store_path, RuleModel(pets)) as file:
        mem = file.user("me")
        uid = mem.learn(said("I have a dog and a cat")).memories[0].id
        done = mem.split(uid, ["The user has a dog.", "The user has a cat."])
        assert done.memories[0] == uid
        assert live(mem) == {"The user has a dog.", "The user has a cat."}
        assert {mem.get(one).source.quote for one in done.memories} == {"I have a dog and a cat"}
        assert mem.recall("cat").hits[0].content == "The user has a cat."
        mem.undo(done.change)
        assert live(mem) == {pets.memory}
        assert file.check() == []


def test_what_cannot_be_joined_or_split_is_refused_whole(mem: Memory) -> None:
    first, second = mem.add(NUTS), mem.add(WALNUTS)
    mem.add(BOTH)
    before = mem.history(limit=0)
    with pytest.raises(InvalidInput):
        mem.join(first, first)
    with pytest.raises(NotFound):
        mem.join(first, "no-such-memory")
    with pytest.raises(Conflict, match="already says"):
        mem.join(first, second, content=BOTH)
    with pytest.raises(InvalidInput):
        mem.split(first, ["Only one."])
    with pytest.raises(InvalidInput):
        mem.split(first, ["Twice.", "twice"])
    with pytest.raises(Conflict, match="already says"):
        mem.split(first, ["Something else.", WALNUTS])
    assert mem.history(limit=0) == before
    mem.forget(second)
    with pytest.raises(Conflict, match="forgotten"):
        mem.join(first, second)
    with pytest.raises(Conflict, match="forgotten"):
        mem.split(second, ["One.", "Two."])


def test_another_users_memories_are_out_of_reach(store: MemoryFile) -> None:
    mine, theirs = store.user("a").add(NUTS), store.user("b").add(WALNUTS)
    with pytest.raises(NotFound):
        store.user("a").join(mine, theirs)
    with pytest.raises(NotFound):
        store.user("a").split(theirs, ["One.", "Two."])
    assert live(store.user("b")) == {WALNUTS}


def test_the_words_behind_a_joined_memory_are_still_found(store_path: Path) -> None:
    facts = (Fact("I am allergic to peanuts", NUTS), Fact("I get ill from walnuts", WALNUTS))
    with opened(store_path, RuleModel(*facts)) as file:
        mem = file.user("me")
        one, two = (m.id for m in mem.learn(said("I am allergic to peanuts", "I get ill from walnuts")).memories)
        mem.join(one, two, content=BOTH)
        assert "I get ill from walnuts" in [h.content for h in mem.recall("ill from walnuts", limit=5).hits]
        mem.forget(one)
        assert mem.recall("ill from walnuts", limit=5).hits == ()


@pytest.mark.parametrize("how", ["join", "split"])
def test_erasing_reaches_what_was_joined_and_split(store_path: Path, how: str) -> None:
    with opened(store_path) as file:
        mem = file.user("me")
        if how == "join":
            keeper = mem.add("The user likes xylocarp wood.")
            mem.join(keeper, mem.add("The user carves xylocarp."), content="The user likes and carves xylocarp.")
            mem.erase(keeper)
            assert mem.list(limit=0, status="any") == []
        else:
            whole = mem.add("The user has a dog and xylocarp wood.")
            done = mem.split(whole, ["The user has a dog.", "The user has xylocarp wood."])
            mem.erase(done.memories[1])
            assert live(mem) == {"The user has a dog."}
        assert file.check() == []
    assert b"xylocarp" not in store_path.read_bytes()


def test_erasing_one_of_a_join_gives_the_other_its_own_words_back(store_path: Path) -> None:
    with opened(store_path) as file:
        mem = file.user("me")
        keeper, other = mem.add("The user likes oak."), mem.add("The user carves xylocarp.")
        mem.join(keeper, other, content="The user likes oak and carves xylocarp.")
        mem.erase(other)
        assert live(mem) == {"The user likes oak."}
        assert file.check() == []
    assert b"xylocarp" not in store_path.read_bytes()


def test_erasing_the_keepers_conversation_frees_what_was_joined_into_it(store_path: Path) -> None:
    with opened(store_path, RuleModel(Fact("I am allergic to peanuts", NUTS))) as file:
        mem = file.user("me")
        other = mem.add(WALNUTS)
        keeper = mem.learn(said("I am allergic to peanuts")).memories[0].id
        mem.join(keeper, other, content=BOTH)
        mem.erase(session="s")
        assert live(mem) == {WALNUTS}
        assert "joined" not in mem.get(other).data
        assert file.check() == []


@settings(max_examples=15)
@given(order=st.lists(st.sampled_from("jsuu"), min_size=3, max_size=10))
def test_joining_splitting_and_undoing_keep_file_and_history_whole(
    tmp_path_factory: pytest.TempPathFactory, order: list[str]
) -> None:
    path = tmp_path_factory.mktemp("regroup") / "me.edgemem"
    with opened(path, words_only=True) as file:
        mem = file.user("me")
        for n in range(4):
            mem.add(f"The user owns thing {n}.")
        undoable: list[tuple[str, set[str]]] = []
        for n, step in enumerate(order):
            known = mem.list(limit=0)
            before = live(mem)
            if step == "j" and len(known) > 1:
                undoable.append((mem.join(known[0].id, known[1].id, content=f"The user owns pair {n}."), before))
            elif step == "s":
                parts = [f"The user owns half {n}.", f"The user owns other half {n}."]
                undoable.append((mem.split(known[0].id, parts).change, before))
            elif step == "u" and undoable:
                change, was = undoable.pop()
                mem.undo(change)
                assert live(mem) == was
        assert file.check() == []


def test_the_vectors_of_new_words_are_made_at_once(store_path: Path) -> None:
    with opened(store_path) as file:
        mem = file.user("me")
        mem.split(mem.add("The user has a dog and a cat."), ["The user has a dog.", "The user has a cat."])
        assert mem.recall("cat", arms=["vector"]).hits[0].content == "The user has a cat."
    connection = plain_connection(store_path)
    assert connection.execute("SELECT count(*) FROM vector").fetchone()[0] == 2
    connection.close()
