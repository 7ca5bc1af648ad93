"""Text that no file can hold, a NUL or half a character, is refused wherever a caller may give text, and nothing is kept."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import edgemem
from edgemem import Memory, MemoryFile, Turn
from edgemem.errors import EdgememError, InvalidInput
from edgemem.graph import Graph
from edgemem.session.chat import Conversation
from edgemem.store.schema import VERSION
from edgemem.testing import ScriptedModel
from tests.helpers import files, opened, said

BAD = ["I keep\0bees and goats", "I keep \ud800 bees and goats"]

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


@pytest.mark.parametrize("bad", BAD, ids=["NUL", "half"])
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


GIVEN: dict[str, Any] = {
    "content": "I keep goats", "subject": "Mia", "predicate": "sister of", "object": "Tom", "entity": "Mia", "name": "Mimi",
    "start": "Mia", "end": "Tom", "keep": "Mia", "other": "Tom", "query": "bees", "text": "bees", "message": "bees?",
    "secret": "the code is 4711", "session": "farm", "title": "goats", "before": 1, "turn": "1", "task": "t", "field": "f",
    "value": 1, "old": "I keep bees", "new": "I keep goats", "parts": ["I keep goats"], "schema": VERSION, "pinned": True,
    "found": [], "listener": print, "others": "", "reason": "", "came": [],
}  # fmt: skip
"""What is given for a parameter that must be given; ``memory`` is a memory's id."""

NOT_TEXT = {"take_records", "learn"}
"""Records come from ``records``; a turn's parts are in ``CALLS``."""


def _unfit(annotation: str, bad: str) -> Any:
    """The text in the shape that a parameter takes; None for one that takes none."""
    if "JsonValue" in annotation:
        return {"key": ["fine", bad]} if annotation.startswith("JsonValue") else {"key": bad}
    if annotation.startswith(("Sequence[str]", "Collection[str]")):
        return ["fine", bad]
    if "tuple[str, int]" in annotation:
        return (bad, 1)
    if annotation.startswith("Sequence[Turn]"):
        return [Turn("user", bad)]
    if annotation.startswith("Path"):
        return Path(bad) if "TextIO" in annotation or "Reading" in annotation else bad
    return bad if "str" in annotation and not annotation.startswith("Callable") else None


def _places() -> Iterator[tuple[type, str, str]]:
    for owner in (Memory, MemoryFile, Graph, Conversation):
        for name, call in inspect.getmembers(owner, inspect.isfunction):
            for parameter in inspect.signature(call).parameters.values() if name[0] != "_" else ():
                if name not in NOT_TEXT and _unfit(str(parameter.annotation), "") is not None:
                    yield owner, name, parameter.name


PLACES = list(_places())


@pytest.mark.parametrize("bad", BAD, ids=["NUL", "half"])
@pytest.mark.parametrize(("owner", "name", "at"), PLACES, ids=[f"{o.__name__}.{n}({p})" for o, n, p in PLACES])
def test_every_call_that_takes_text_refuses_it(store_path: Path, owner: type, name: str, at: str, bad: str) -> None:
    with opened(store_path, ScriptedModel()) as file:
        mem = file.user("me")
        uid = mem.add("I keep bees")
        mem.log(said("I keep bees", session="farm"))
        mem.graph.relate("Mia", "sister of", "Tom")
        views: dict[type, Any] = {Memory: mem, MemoryFile: file, Graph: mem.graph, Conversation: mem.chat("farm")}
        call = getattr(views[owner], name)
        parameters = inspect.signature(call).parameters.values()
        given = {
            p.name: GIVEN.get(p.name, uid)
            for p in parameters
            if p.default is p.empty and p.kind is not p.VAR_POSITIONAL
        }
        mine = next(p for p in parameters if p.name == at)
        value = _unfit(str(mine.annotation), bad)
        before = file.info()["counts"]
        listed = mine.kind is mine.VAR_POSITIONAL
        asked = (
            functools.partial(call, *given.values(), value)
            if listed
            else functools.partial(call, **given | {at: value})
        )
        with pytest.raises(EdgememError) as told:
            asked()
        assert told.value.hint, told.value
        assert file.info()["counts"] == before


FUNCTIONS: dict[str, Callable[[Path, str], object]] = {
    "open": lambda _, bad: edgemem.open(bad),
    "open to read": lambda _, bad: edgemem.open(bad, read_only=True),
    "open passphrase": lambda path, bad: edgemem.open(path.with_name("new"), passphrase=bad),
    "repair": lambda _, bad: edgemem.repair(bad),
    "restore": lambda path, bad: edgemem.restore(bad, path),
    "restore into": edgemem.restore,
    "encrypt": lambda _, bad: edgemem.encrypt(bad, "words"),
    "encrypt passphrase": edgemem.encrypt,
    "decrypt": lambda _, bad: edgemem.decrypt(bad, "words"),
    "decrypt passphrase": edgemem.decrypt,
    "change passphrase": lambda _, bad: edgemem.change_passphrase(bad, "words", "others"),
}


@pytest.mark.parametrize("bad", BAD, ids=["NUL", "half"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_paths_and_passphrases_that_nothing_can_have_are_refused(store_path: Path, name: str, bad: str) -> None:
    with opened(store_path, words_only=True) as file:
        file.user("me").add("I keep bees")
    with pytest.raises(EdgememError) as told:
        FUNCTIONS[name](store_path, bad)
    assert told.value.hint
    assert files(store_path.parent) == [store_path.name]
