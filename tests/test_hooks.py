"""An app hears of what changed, after it is on disk, and nothing it does can harm the write."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from edgemem.errors import EdgememError, InvalidInput
from edgemem.hooks import Event
from edgemem.memory import MemoryFile
from edgemem.settings import Settings
from edgemem.store import reviews
from edgemem.view import Memory
from tests.helpers import Fact, RuleModel, opened, python, said, wait_until

BEES = Fact("I keep bees", "The user keeps bees.")
GOATS = Fact("I keep no bees", "The user keeps no bees.")


@pytest.fixture
def heard(store: MemoryFile) -> Iterator[list[Event]]:
    events: list[Event] = []
    off = store.on(events.append)
    yield events
    off()


def kinds(events: list[Event]) -> list[str]:
    return [event.kind for event in events]


def test_each_change_is_told_once_and_in_order(mem: Memory, heard: list[Event]) -> None:
    uid = mem.add("I keep bees")
    change = mem.edit(uid, "I keep goats")
    mem.forget(uid)
    mem.undo(mem.history(uid)[-1].id)
    assert kinds(heard) == ["added", "changed", "removed", "added"]
    assert {event.memory for event in heard} == {uid}
    assert heard[1].change is not None
    assert heard[1].change.id == change
    mem.add("I keep goats")  # known already: nothing changed
    assert len(heard) == 4


def test_a_replaced_memory_is_told_of_as_its_successor(store_path: Path) -> None:
    with opened(store_path, model=RuleModel(BEES, GOATS, relation="conflict")) as file:
        events: list[Event] = []
        file.on(events.append)
        memory = file.user("me")
        memory.learn(said("I keep bees", session="a"))
        (new,) = memory.learn(said("I keep no bees", session="b")).memories
        assert new.outcome == "replaced"
        assert kinds(events) == ["added", "replaced"]
        assert events[1].memory == new.id


def test_what_waits_for_a_person_is_told(store: MemoryFile, mem: Memory, heard: list[Event]) -> None:
    with store.engine.write() as tx:
        uid = reviews.add(tx, 1, "insight", "about-this", {}, store.now())
    assert [(e.kind, e.review, e.memory, e.user) for e in heard] == [("needs_review", uid, "about-this", "me")]
    assert mem.name == "me"


def test_listeners_hear_what_they_asked_for(store: MemoryFile, mem: Memory) -> None:
    mine: list[Event] = []
    removed: list[Event] = []
    store.on(mine.append, user="me")
    off = store.on(removed.append, kinds=["removed"])
    store.user("you").add("I keep wolves")
    mem.forget(mem.add("I keep bees"))
    assert kinds(mine) == ["added", "removed"]
    assert kinds(removed) == ["removed"]
    off()
    mem.forget(mem.add("I keep goats"))
    assert len(removed) == 1
    with pytest.raises(InvalidInput, match="no event"):
        store.on(print, kinds=["birthday"])


def test_a_write_taken_back_is_not_told(store: MemoryFile, mem: Memory, heard: list[Event]) -> None:
    def both() -> None:
        with store.engine.write():
            mem.add("I keep bees")
            mem.get("not-there-at-all")

    with pytest.raises(EdgememError):
        both()
    assert heard == []


def test_a_listener_that_fails_is_logged_and_harms_nobody(
    store: MemoryFile, mem: Memory, caplog: pytest.LogCaptureFixture
) -> None:
    after: list[Event] = []
    store.on(lambda event: 1 // 0)
    store.on(after.append)
    with caplog.at_level(logging.ERROR, logger="edgemem"):
        uid = mem.add("I keep bees")
    assert mem.get(uid).content == "I keep bees"
    assert kinds(after) == ["added"]
    assert "a listener failed on added" in caplog.text


def test_a_listener_may_write(store: MemoryFile, mem: Memory, heard: list[Event]) -> None:
    store.on(lambda event: mem.pin(event.memory), kinds=["added"])
    uid = mem.add("I keep bees")
    assert mem.get(uid).pinned
    assert kinds(heard) == ["added", "changed"]


def test_the_workers_learning_is_told(store_path: Path) -> None:
    with opened(store_path, model=RuleModel(BEES), settings=Settings(background=True)) as file:
        events: list[Event] = []
        file.on(events.append)
        file.user("me").observe(said("I keep bees"))
        wait_until(lambda: kinds(events) == ["added"])


def test_threads_that_write_at_once_are_all_told_of(store: MemoryFile, mem: Memory, heard: list[Event]) -> None:
    threads = [threading.Thread(target=lambda n=n: [mem.add(f"{n} and {m}") for m in range(10)]) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert kinds(heard) == ["added"] * 40
    assert len({event.memory for event in heard}) == 40


def test_what_another_process_wrote_is_told_with_the_next_change(
    store: MemoryFile, mem: Memory, heard: list[Event]
) -> None:
    python(
        "import sys\nfrom pathlib import Path\nfrom tests.helpers import opened\n"
        "with opened(Path(sys.argv[1])) as file: file.user('me').add('From elsewhere')",
        store.path,
    )
    mem.add("From here")
    assert [e.change.after["content"] for e in heard if e.change and e.change.after] == ["From elsewhere", "From here"]
