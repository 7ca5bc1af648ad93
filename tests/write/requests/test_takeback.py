"""\"Don't remember this\" leaves nothing: not in the log, not in a memory, not in the bytes of the file."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from edgemem import Turn
from edgemem.memory import MemoryFile
from edgemem.testing import ScriptedModel
from tests.helpers import NOW, Fact, RuleModel, opened, said

BEES = Fact("I keep bees", "The user keeps bees.")
CATS = Fact("I have cats", "The user has cats.")


def _log(file: MemoryFile) -> list[str]:
    mem = file.user("me")
    return [t.content for s in mem.sessions(limit=0) for t in mem.turns(s.id)]


@pytest.mark.parametrize("request_", ["Don't remember what I just said.", "别记", "please don't save that"])
@pytest.mark.parametrize("at_once", [True, False])
def test_the_message_before_goes_with_all_that_was_made_of_it(store_path: Path, request_: str, at_once: bool) -> None:
    turns = [
        *said("I have cats", session="s"), Turn("user", "I keep bees", session="s", id="b"),
        Turn("assistant", "Bees, how nice. Bees!", session="s", id="c"), Turn("user", request_, session="s", id="d"),
    ]  # fmt: skip
    with opened(store_path, RuleModel(BEES, CATS)) as file:
        mem = file.user("me")
        if at_once:
            receipts = [mem.learn(turns)]
        else:
            receipts = [mem.learn([turn]) for turn in turns]
            assert receipts[1].memories[0].content == "The user keeps bees."
        assert receipts[-1].erased == ("b", "c", "d")
        assert _log(file) == ["I have cats"]
        assert [m.content for m in mem.list(status="any")] == ["The user has cats."]
        assert mem.jobs() == []
        assert mem.recall("bees").abstained
        assert file.check() == []
        data = store_path.read_bytes().lower()
    assert b"bees" not in data + store_path.read_bytes().lower()


@pytest.mark.parametrize(
    "request_", ["off the record: I keep bees", "Please don't write this down: I keep bees.", "I keep bees, but do not record it"]
)  # fmt: skip
def test_a_message_that_asks_for_itself_takes_nothing_else(store_path: Path, request_: str) -> None:
    with opened(store_path, RuleModel(BEES, CATS)) as file:
        mem = file.user("me")
        receipt = mem.learn(said("I have cats", request_, "good night"))
        assert len(receipt.erased) == 1
        assert _log(file) == ["I have cats", "good night"]
        assert [m.content for m in mem.list()] == ["The user has cats."]
    assert b"bees" not in store_path.read_bytes()


@pytest.mark.parametrize("call", ["observe", "log"])
def test_it_needs_no_model_and_no_worker(store_path: Path, call: str) -> None:
    with opened(store_path) as file:
        mem = file.user("me")
        getattr(mem, call)(said("I keep bees", session="s"))
        getattr(mem, call)(said("don't remember that", session="s", at=NOW + timedelta(hours=1)))
        assert _log(file) == []
        assert mem.jobs() == []
    assert b"bees" not in store_path.read_bytes()


@pytest.mark.parametrize("aside", ["Forget it.", "never mind", "算了，忘了吧", "forget it, what's for dinner?"])
def test_waving_aside_erases_and_forgets_nothing(store_path: Path, aside: str) -> None:
    with opened(store_path, RuleModel(BEES)) as file:
        mem = file.user("me")
        receipt = mem.learn(said("I keep bees", aside))
        assert receipt.erased == ()
        assert _log(file) == ["I keep bees", aside]
        assert [m.content for m in mem.list()] == ["The user keeps bees."]


def test_what_the_erased_message_replaced_is_current_again(store_path: Path) -> None:
    model = RuleModel(
        Fact("live in Lyon", "The user lives in Lyon."),
        Fact("live in Porto", "The user lives in Porto."),
        relation="conflict",
    )
    with opened(store_path, model) as file:
        mem = file.user("me")
        mem.learn(said("I live in Lyon", session="one"))
        mem.learn(said("I live in Porto", session="two"))
        mem.learn([Turn("user", "don't remember what I said", session="two", id="r")])
        assert [m.content for m in mem.list()] == ["The user lives in Lyon."]


def test_another_session_and_another_user_keep_theirs(store_path: Path) -> None:
    with opened(store_path) as file:
        file.user("me").log(said("I keep bees", session="one"))
        file.user("you").log(said("I keep bees", session="two"))
        file.user("me").log(said("don't remember that", session="two"))
        assert _log(file) == ["I keep bees"]
        assert [t.content for t in file.user("you").turns("two")] == ["I keep bees"]


def test_in_a_chat_the_answer_is_not_logged_either(store_path: Path) -> None:
    model = ScriptedModel(["Bees, noted.", "I will not remember the bees.", "Hello again."])
    with opened(store_path, model) as file:
        chat = file.user("me").chat("s")
        for message in ("I keep bees", "don't remember what I just said", "good morning"):
            _, pieces = chat.ask(message)
            assert list(pieces)
        assert _log(file) == ["good morning", "Hello again. "]
        assert file.check() == []
    assert b"bees" not in store_path.read_bytes()


def test_a_request_that_was_interrupted_is_obeyed_by_its_job(store_path: Path) -> None:
    """The process died between the capture and the erasure: the waiting job does it."""
    with opened(store_path, RuleModel(BEES)) as file:
        mem = file.user("me")
        learner = mem._learner
        original = type(learner)._obeyed
        try:
            type(learner)._obeyed = lambda self, captured: captured  # type: ignore[method-assign]
            mem.observe(said("I keep bees", "don't remember that"))
        finally:
            type(learner)._obeyed = original  # type: ignore[method-assign]
        assert len(_log(file)) == 2
        while file.work_once():
            pass
        assert _log(file) == []
        assert mem.list() == []
    assert b"bees" not in store_path.read_bytes()
