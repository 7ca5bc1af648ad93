"""The asyncio twin has the same surface, and the loop never waits for it."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

import edgemem
from edgemem.aio import open_async
from edgemem.errors import NotFound
from edgemem.testing import ScriptedModel, WordsEmbedder
from tests.helpers import QUIET, Fact, NoModels, RuleModel, said


async def test_two_users_interleaved_stay_apart(tmp_path: Path) -> None:
    model = RuleModel(Fact("I keep bees", "The user keeps bees."))
    options = {"language_model": model, "embedder": WordsEmbedder(), "provider": NoModels(), "settings": QUIET}
    async with await open_async(tmp_path / "a.edgemem", **options) as file:
        one, two = await file.user("a"), await file.user("a%")
        await asyncio.gather(*(mem.add(f"{mem.sync.name} fact {n}") for n in range(15) for mem in (one, two)))
        for mem in (one, two):
            contents = [m.content for m in await mem.list(limit=0)]
            assert sorted(contents) == sorted(f"{mem.sync.name} fact {n}" for n in range(15))
            assert {h.content for h in await mem.recall("fact 3")} <= set(contents)
        receipt = await one.learn(said("I keep bees"))
        uid = receipt.memories[0].id
        assert (await one.get(uid)).content == "The user keeps bees."
        with pytest.raises(NotFound):
            await two.get(uid)
        await one.undo(await one.forget(uid))
        assert [c.action for c in await one.history(uid)] == ["add", "forget", "undo"]
        assert await one.set_state("t", "f", 1, expect=0) == 1
        assert (await one.context("bees")).ids
        assert file.sync.check() == []


async def test_the_file_is_there_for_asyncio(tmp_path: Path) -> None:
    async with await open_async(tmp_path / "a.edgemem", provider=NoModels(), settings=QUIET) as file:
        await file.user("me")
        assert await file.users() == ["me"]
        assert await file.check() == []


async def test_an_answer_is_streamed_and_what_was_heard_of_it_is_kept(tmp_path: Path) -> None:
    options = {"language_model": ScriptedModel(["one two three", "four five six"]), "provider": NoModels()}
    async with await open_async(tmp_path / "a.edgemem", settings=QUIET, **options) as file:
        me = await file.user("me")
        conversation = await me.chat("s")
        answer, pieces = await conversation.ask("count")
        assert [piece async for piece in pieces] == ["one ", "two ", "three "]
        assert not answer.stopped
        half, pieces = await conversation.ask("go on")
        async for _ in pieces:
            break
        await pieces.aclose()  # type: ignore[attr-defined]
        assert half.stopped
        assert [t.content for t in await me.turns("s")] == ["count", "one two three ", "go on", "four "]


async def test_listeners_are_called_in_the_loop(tmp_path: Path) -> None:
    async with await open_async(tmp_path / "a.edgemem", provider=NoModels(), settings=QUIET) as file:
        heard: asyncio.Queue[tuple[str, bool]] = asyncio.Queue()
        file.on(lambda event: heard.put_nowait((event.kind, threading.current_thread() is threading.main_thread())))
        await (await file.user("me")).add("I keep bees")
        assert await asyncio.wait_for(heard.get(), 30) == ("added", True)


def test_state_reads_like_a_mapping(tmp_path: Path) -> None:
    with edgemem.open(tmp_path / "s.edgemem", provider=NoModels(), settings=QUIET) as file:
        state = file.user("me").state
        state["task:1"]["status"] = "packed"
        state["task:1"]["status"] = {"shipped": True}
        assert state["task:1"]["status"] == {"shipped": True}
        assert list(state) == ["task:1"]
        assert list(state["task:1"]) == ["status"]
        with pytest.raises(KeyError):
            _ = state["task:1"]["nothing"]
        with pytest.raises(edgemem.Conflict):
            file.user("me").set_state("task:1", "status", 1, expect=1)
        assert file.user("me").state_fields("task:1")[0].version == 2
