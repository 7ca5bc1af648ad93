"""Text that no file can hold, a NUL or half a character, is refused wherever a caller may give text, and nothing is kept."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from edgemem import Memory, Turn
from edgemem.errors import InvalidInput
from tests.helpers import opened, said

CALLS: dict[str, Callable[[Memory, str, str], object]] = {
    "add content": lambda m, _, bad: m.add(bad),
    "add namespace": lambda m, _, bad: m.add("I keep goats", namespace=bad),
    "add kind": lambda m, _, bad: m.add("I keep goats", kind=bad),
    "add subject": lambda m, _, bad: m.add("I keep goats", subject=bad, attribute="pets"),
    "add attribute": lambda m, _, bad: m.add("I keep goats", attribute=bad),
    "add value": lambda m, _, bad: m.add("I keep goats", attribute="pets", value=bad),
    "edit": lambda m, uid, bad: m.edit(uid, bad),
    "edit id": lambda m, _, bad: m.edit(bad, "I keep goats"),
    "forget reason": lambda m, uid, bad: m.forget(uid, reason=bad),
    "get": lambda m, _, bad: m.get(bad),
    "undo": lambda m, _, bad: m.undo(bad),
    "join": lambda m, uid, bad: m.join(uid, uid, content=bad),
    "split": lambda m, uid, bad: m.split(uid, ["I keep goats", bad]),
    "saying": lambda m, _, bad: m.saying(bad),
    "turn content": lambda m, _, bad: m.log([Turn("user", bad, session="s")]),
    "turn session": lambda m, _, bad: m.log([Turn("user", "hello", session=bad)]),
    "turn id": lambda m, _, bad: m.log([Turn("user", "hello", session="s", id=bad)]),
    "turn speaker": lambda m, _, bad: m.log([Turn("user", "hello", session="s", speaker=bad)]),
    "observe": lambda m, _, bad: m.observe([Turn("user", bad, session="s")]),
    "turns": lambda m, _, bad: m.turns(bad),
    "rename session": lambda m, _, bad: m.rename(bad, "bees"),
    "rename title": lambda m, _, bad: m.rename("farm", bad),
    "state task": lambda m, _, bad: m.set_state(bad, "f", 1),
    "state field": lambda m, _, bad: m.set_state("t", bad, 1),
    "state fields": lambda m, _, bad: m.state_fields(bad),
    "end task": lambda m, _, bad: m.end_task(bad),
    "profile field": lambda m, _, bad: m.set_profile(bad, 1),
    "profile readers": lambda m, _, bad: m.set_profile("f", 1, readers=[bad]),
    "recall": lambda m, _, bad: m.recall(bad),
    "recall namespace": lambda m, _, bad: m.recall("bees", namespace=bad),
    "context": lambda m, _, bad: m.context(bad),
    "list namespace": lambda m, _, bad: m.list(namespace=bad),
    "entity": lambda m, _, bad: m.graph.relate(bad, "sister of", "Tom"),
    "predicate": lambda m, _, bad: m.graph.relate("Mia", bad, "Tom"),
    "neighbours": lambda m, _, bad: m.graph.neighbours(bad),
    "erase search": lambda m, _, bad: m.erase(search=bad),
    "erase session": lambda m, _, bad: m.erase(session=bad),
    "erase memory": lambda m, _, bad: m.erase(bad),
    "relate": lambda m, _, bad: m.relate("I keep bees", bad),
    "user": lambda m, _, bad: m.file.user(bad),
}


@pytest.mark.parametrize("bad", ["I keep\0bees and goats", "I keep \ud800 bees and goats"], ids=["NUL", "half"])
@pytest.mark.parametrize("call", CALLS.values(), ids=list(CALLS))
def test_text_that_no_file_can_hold_is_refused(
    store_path: Path, call: Callable[[Memory, str, str], object], bad: str
) -> None:
    with opened(store_path, words_only=True) as file:
        mem = file.user("me")
        uid = mem.add("I keep bees")
        mem.log(said("I keep bees", session="farm"))
        before = file.info()["counts"]
        with pytest.raises(InvalidInput) as told:
            call(mem, uid, bad)
        assert told.value.hint
        assert file.info()["counts"] == before
