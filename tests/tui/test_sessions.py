"""Earlier chats: found, gone on with, renamed, written out, erased; and what survives a crash."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from edgemem_tui import chats as found_chats
from edgemem_tui.app import EdgememApp
from edgemem_tui.draft import Draft, keep, kept
from edgemem_tui.screens.confirm import ConfirmScreen
from edgemem_tui.screens.edit import EditScreen
from edgemem_tui.screens.sessions import SessionsScreen
from edgemem_tui.widgets.bubbles import UserBubble
from edgemem_tui.widgets.composer import Composer
from edgemem_tui.widgets.rows import Rows
from textual.pilot import Pilot
from textual.widgets import TextArea

from edgemem.memory import Memory, MemoryFile
from edgemem.ports import Message
from edgemem.records import Turn

from .conftest import ScriptedModel, app_of, say, shown, wait_until

NOBODY = 2**22 + 7
"""A process id beyond those Linux gives out."""


def chats(mem: Memory) -> None:
    mem.log([Turn("user", "We met at the harbour", session="a"), Turn("assistant", "Nice!", session="a")])
    mem.log([Turn("user", "The cello lesson is on Monday", session="b")])


async def opened(app: EdgememApp, pilot: Pilot[None], count: int) -> Rows:
    await pilot.press("f6")
    await wait_until(
        pilot, lambda: isinstance(app.screen, SessionsScreen) and app.screen.query_one(Rows).total == count
    )
    return app.screen.query_one(Rows)


def test_what_would_stand_there_with_a_score_of_nothing_is_left_out(
    mem: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    for n in range(12):
        mem.log([Turn("user", f"Chapter {n} tells of ships number {n} and of the sea", session=f"s{n}")])
    mem.log([Turn("user", "The walnut cake needs three eggs", session="cake")])
    found = found_chats.searched(mem, "walnut cake")
    assert [one.session.id for one in found][:1] == ["cake"]
    assert "0.00" not in [f"{one.hit.score:.2f}" for one in found if one.hit is not None]
    monkeypatch.setattr(found_chats, "LEAST", 0.0)
    assert len(found_chats.searched(mem, "walnut cake")) > len(found)


async def test_a_search_leads_to_the_message(file: MemoryFile, mem: Memory) -> None:
    chats(mem)
    app = app_of(file)
    async with app.run_test(size=(100, 24), notifications=True) as pilot:
        rows = await opened(app, pilot, 2)
        await pilot.press("slash", *"harbour")
        await wait_until(pilot, lambda: rows.current_key == "a" and "score" in shown(app))
        await pilot.press("enter", "enter")
        await wait_until(pilot, lambda: app.screen is app.chat and app.chat.query(".-found"))
        assert app.chat.talk.session == "a"
        assert app.chat.query(".-found").first(UserBubble).text == "We met at the harbour"


async def test_renamed_and_named_back(file: MemoryFile, mem: Memory) -> None:
    chats(mem)
    app = app_of(file)
    async with app.run_test(size=(100, 24), notifications=True) as pilot:
        await opened(app, pilot, 2)
        await pilot.press("t")
        await wait_until(pilot, lambda: isinstance(app.screen, EditScreen))
        app.screen.query_one(TextArea).text = "音乐课 lessons"
        await pilot.press("enter")
        await wait_until(pilot, lambda: "音乐课 lessons" in shown(app) and isinstance(app.screen, SessionsScreen))
        assert "音乐课 lessons" in {s.title for s in mem.sessions()}
        await pilot.press("u")
        await wait_until(pilot, lambda: {s.title for s in mem.sessions()} == {""})


async def test_written_out_as_markdown_under_a_free_name(
    file: MemoryFile, mem: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chats(mem)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "b.md").write_text("mine", encoding="utf-8")
    app = app_of(file)
    async with app.run_test(size=(100, 24), notifications=True) as pilot:
        await opened(app, pilot, 2)
        await pilot.press("o")
        await wait_until(pilot, (tmp_path / "b-2.md").exists)
    assert "The cello lesson is on Monday" in (tmp_path / "b-2.md").read_text(encoding="utf-8")
    assert (tmp_path / "b.md").read_text(encoding="utf-8") == "mine"


async def test_an_erased_chat_can_be_kept_until_its_time_is_up(file: MemoryFile, mem: Memory) -> None:
    chats(mem)
    app = app_of(file)
    async with app.run_test(size=(100, 24), notifications=True) as pilot:
        rows = await opened(app, pilot, 2)
        await pilot.press("d")
        await wait_until(pilot, lambda: isinstance(app.screen, ConfirmScreen) and "cello" in shown(app))
        await pilot.press("n")
        await wait_until(pilot, lambda: isinstance(app.screen, SessionsScreen) and rows.total == 2)
        await pilot.press("d")
        await wait_until(pilot, lambda: isinstance(app.screen, ConfirmScreen))
        await pilot.press("y")
        await wait_until(pilot, lambda: rows.total == 1)
        assert len(mem.sessions()) == 2
        await pilot.press("u")
        await wait_until(pilot, lambda: rows.total == 2)
        app.desk.grace = 0.05
        await pilot.press("d")
        await wait_until(pilot, lambda: isinstance(app.screen, ConfirmScreen))
        await pilot.press("y")
        await wait_until(pilot, lambda: len(mem.sessions()) == 1)
    assert file.check() == []


async def test_a_chat_to_be_erased_goes_when_the_app_is_closed(file: MemoryFile, mem: Memory) -> None:
    chats(mem)
    app = app_of(file)
    async with app.run_test(size=(100, 24), notifications=True) as pilot:
        rows = await opened(app, pilot, 2)
        await pilot.press("d")
        await wait_until(pilot, lambda: isinstance(app.screen, ConfirmScreen))
        await pilot.press("y")
        await wait_until(pilot, lambda: rows.total == 1)
        await pilot.press("ctrl+q")
        await wait_until(pilot, lambda: app._exit)
    assert [s.id for s in mem.sessions()] == ["a"]


@pytest.mark.parametrize(("process", "since"), [(NOBODY, 0.0), (os.getpid(), 1.0)], ids=["gone", "number given anew"])
async def test_after_a_crash_the_chat_and_the_words_are_there_again(
    file: MemoryFile, mem: Memory, process: int, since: float
) -> None:
    chats(mem)
    keep(mem, Draft("half a sent", "a", process, since))
    app = app_of(file)
    async with app.run_test(size=(100, 24), notifications=True) as pilot:
        await wait_until(pilot, lambda: app.chat.query(UserBubble))
        assert app.chat.query_one(Composer).text == "half a sent"
        assert app.chat.talk.session == "a"


async def test_what_is_typed_is_kept_and_dropped_when_it_is_sent(file: MemoryFile, mem: Memory) -> None:
    app = app_of(file)
    async with app.run_test(size=(100, 24), notifications=True) as pilot:
        await pilot.press(*"hello")
        await wait_until(pilot, lambda: kept(mem).words == "hello" and kept(mem).process)
        await pilot.press("enter")
        await wait_until(pilot, lambda: kept(mem).words == "" and not app.chat.busy)
        await pilot.press(*"more", "ctrl+q")
        await wait_until(pilot, lambda: app._exit)
    assert (kept(mem).words, kept(mem).process) == ("more", 0)
    again = app_of(file)
    async with again.run_test(size=(100, 24), notifications=True) as pilot:
        await wait_until(pilot, lambda: again.chat.query_one(Composer).text == "more")
        assert not again.chat.query(UserBubble)


def test_what_is_typed_is_never_recalled(file: MemoryFile, mem: Memory) -> None:
    mem.set_state("trip", "city", "Lisbon")
    keep(mem, Draft("a draft on harbours", "a", 1))
    for query in ("draft on harbours", "What is the draft?", "words session process"):
        assert "harbours" not in mem.context(query, standing=("state",)).text
        assert "harbours" not in " ".join(hit.content for hit in mem.recall(query))
    assert "Lisbon" in mem.context("and now?", standing=("state",)).text


async def test_words_of_a_chat_that_is_not_kept_are_not_kept_either(file: MemoryFile, mem: Memory) -> None:
    app = app_of(file)
    async with app.run_test(size=(100, 24), notifications=True) as pilot:
        await say(pilot, "/remember off")
        await pilot.press(*"secret")
        await pilot.pause(1.0)
    assert kept(mem).words == ""


async def test_an_edited_message_takes_the_place_of_the_last(
    file: MemoryFile, mem: Memory, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[list[str]] = []
    stream = model.stream

    def watched(messages: Sequence[Message], **rest: Any) -> Iterator[str]:
        seen.append([m.content for m in messages])
        return stream(messages, **rest)

    monkeypatch.setattr(model, "stream", watched)
    app = app_of(file)
    async with app.run_test(size=(100, 24), notifications=True) as pilot:
        await say(pilot, "Where is Tomm?")
        await wait_until(pilot, lambda: app.chat.settled and not app.chat.busy and len(mem.sessions()) == 1)
        await say(pilot, "/edit")
        await wait_until(pilot, lambda: app.chat.query_one(Composer).text == "Where is Tomm?")
        await say(pilot, "Where is Tom?")
        await wait_until(pilot, lambda: len(seen) == 2 and app.chat.settled and not app.chat.busy)
        await say(pilot, "And Mia?")
        await wait_until(pilot, lambda: len(seen) == 3 and app.chat.settled and not app.chat.busy)
    assert "Where is Tomm?" not in " ".join(seen[1] + seen[2])
    assert "Where is Tom?" in " ".join(seen[2])
    assert [t.content for t in mem.turns(mem.sessions()[0].id) if t.role == "user"] == [
        "Where is Tomm?", "Where is Tom?", "And Mia?",
    ]  # fmt: skip
