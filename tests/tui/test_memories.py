"""The list of memories: search, correct, look into."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from edgemem_tui.app import EdgememApp
from edgemem_tui.screens.detail import DetailScreen
from edgemem_tui.screens.edit import EditScreen
from edgemem_tui.screens.memories import MemoriesScreen
from edgemem_tui.widgets.rows import Rows
from textual import events
from textual.widgets import Input, TextArea

import edgemem.memory
from edgemem.memory import Memory, MemoryFile
from edgemem.records import Turn
from edgemem.settings import Settings

from .conftest import Nothing, WordEmbedder, app_of, shown, wait_until


def rows(app: EdgememApp) -> int:
    return app.screen.query_one(Rows).total


async def test_search_as_you_type(file: MemoryFile, mem: Memory) -> None:
    for text in ("I am allergic to peanuts", "The car is blue", "My sister lives in Graz"):
        mem.add(text)
    app = app_of(file)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await pilot.press("f2")
        await wait_until(pilot, lambda: isinstance(app.screen, MemoriesScreen) and rows(app) == 3)
        await pilot.press("slash", *"pean")
        await wait_until(pilot, lambda: rows(app) == 1)
        assert "I am allergic to peanuts" in shown(app)
        assert mem.list()[0].use_count == 0
        await pilot.press("escape")
        await wait_until(pilot, lambda: rows(app) == 3)
        await pilot.press(*"zzzz")
        await wait_until(pilot, lambda: "nothing fits well, these come nearest" in shown(app))


async def test_words_are_shown_before_the_embedding_model_has_answered(
    file: MemoryFile, mem: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    mem.add("The car is blue and slow")
    answers, plain = threading.Event(), WordEmbedder.embed

    def slow(self: WordEmbedder, *args: Any, **named: Any) -> list[list[float]]:
        assert answers.wait(90)
        return plain(self, *args, **named)

    app = app_of(file)
    async with app.run_test(size=(140, 30), notifications=True) as pilot:
        await pilot.press("f2")
        await wait_until(pilot, lambda: isinstance(app.screen, MemoriesScreen) and rows(app) == 1)
        await wait_until(pilot, lambda: not app.desk.busy)
        monkeypatch.setattr(WordEmbedder, "embed", slow)
        try:
            app.screen.query_one(Input).value = "blue car"
            await wait_until(pilot, lambda: "1 found, best first · by words so far" in shown(app))
            assert "meaning" not in shown(app).split("1 found", 1)[1]
        finally:
            answers.set()
        await wait_until(pilot, lambda: "meaning" in shown(app).split("1 found", 1)[1] and "so far" not in shown(app))


async def test_keys_typed_right_after_the_slash_are_search_text(file: MemoryFile, mem: Memory) -> None:
    memory = mem.add("The car is blue")
    app = app_of(file)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await pilot.press("f2")
        await wait_until(pilot, lambda: isinstance(app.screen, MemoriesScreen) and rows(app) == 1)
        # All at once, as a terminal hands over what was typed fast: the first letters still reach the list.
        for key in ("slash", "f", "M", "k", "2", "question_mark", "*"):
            sign = {"slash": "/", "question_mark": "?"}.get(key, key)
            app.post_message(events.Key(key, sign).set_sender(app))
        await wait_until(pilot, lambda: app.screen.query_one(Input).value == "fMk2?*")
        assert isinstance(app.screen, MemoriesScreen)
    assert mem.get(memory).status == "live"


async def test_search_without_an_embedding_model_says_so(bare: MemoryFile) -> None:
    bare.user("me").add("The car is blue")
    app = app_of(bare)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await pilot.press("f2")
        await wait_until(pilot, lambda: isinstance(app.screen, MemoriesScreen) and rows(app) == 1)
        app.screen.query_one(Input).value = "blue"
        await wait_until(pilot, lambda: "by words only" in shown(app))
        assert rows(app) == 1


async def test_forget_undo_pin(file: MemoryFile, mem: Memory) -> None:
    memory = mem.add("The car is blue")
    app = app_of(file)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await pilot.press("f2")
        await wait_until(pilot, lambda: isinstance(app.screen, MemoriesScreen) and rows(app) == 1)
        await pilot.press("f")
        await wait_until(pilot, lambda: rows(app) == 0 and mem.get(memory).status == "forgotten")
        await wait_until(pilot, lambda: "Nothing is remembered yet" in shown(app))
        app.screen.set_focus(None)
        await pilot.press("u")
        await wait_until(pilot, lambda: rows(app) == 1 and mem.get(memory).status == "live")
        await pilot.press("p")
        await wait_until(pilot, lambda: mem.get(memory).pinned)
        await wait_until(pilot, lambda: "◆ The car is blue" in shown(app))


async def test_edit_and_details_with_the_words_it_was_taken_from(file: MemoryFile, mem: Memory) -> None:
    memory = mem.add("The car is blue")
    app = app_of(file)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await pilot.press("f2")
        await wait_until(pilot, lambda: isinstance(app.screen, MemoriesScreen) and rows(app) == 1)
        await pilot.press("e")
        await wait_until(pilot, lambda: isinstance(app.screen, EditScreen))
        app.screen.query_one(TextArea).text = "The car is red"
        await pilot.press("enter")
        await wait_until(pilot, lambda: mem.get(memory).content == "The car is red")
        await wait_until(pilot, lambda: isinstance(app.screen, MemoriesScreen) and "The car is red" in shown(app))
        await pilot.press("enter")
        await wait_until(pilot, lambda: "− The car is blue" in shown(app))
        assert "Noted by hand" in shown(app)
        await pilot.press("u")
        await wait_until(pilot, lambda: mem.get(memory).content == "The car is blue")
        await pilot.press("escape")
        await wait_until(pilot, lambda: isinstance(app.screen, MemoriesScreen))


async def test_what_another_program_erases_goes_from_every_screen(file: MemoryFile, mem: Memory, path: Path) -> None:
    memory = mem.add("The harbour is closed")
    app = app_of(file)
    async with app.run_test(size=(120, 34), notifications=True) as pilot:
        await wait_until(pilot, lambda: "scripted" in shown(app) and app.desk.news.moved)
        mem.pin(memory)
        await wait_until(pilot, lambda: "The harbour is closed" in shown(app.chat.app))
        await pilot.press("f2")
        await wait_until(pilot, lambda: isinstance(app.screen, MemoriesScreen) and rows(app) == 1)
        await pilot.press("enter")
        await wait_until(pilot, lambda: isinstance(app.screen, DetailScreen) and "confidence" in shown(app))
        with edgemem.memory.open(path, provider=Nothing(), settings=Settings(background=False)) as other:
            other.user("me").erase(memory)
        await wait_until(pilot, lambda: "It was erased" in shown(app))
        await pilot.press("c", "e", "f", "p", "u")
        await pilot.press("escape")
        await wait_until(pilot, lambda: isinstance(app.screen, MemoriesScreen) and rows(app) == 0)
        assert "harbour" not in shown(app)
        await pilot.press("escape")
        await wait_until(pilot, lambda: app.screen is app.chat and "harbour" not in shown(app))


async def test_an_edit_of_a_memory_that_changed_meanwhile_is_refused(file: MemoryFile, mem: Memory) -> None:
    memory = mem.add("The car is blue")
    app = app_of(file)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await pilot.press("f2")
        await wait_until(pilot, lambda: isinstance(app.screen, MemoriesScreen) and rows(app) == 1)
        await pilot.press("e")
        await wait_until(pilot, lambda: isinstance(app.screen, EditScreen))
        mem.edit(memory, "The car is green")
        app.screen.query_one(TextArea).text = "The car is red"
        await pilot.press("enter")
        await wait_until(pilot, lambda: "Read it again" in shown(app))
    assert mem.get(memory).content == "The car is green"


async def test_pages_are_read_as_they_come_into_sight(file: MemoryFile, mem: Memory) -> None:
    with file.engine.write():
        for n in range(650):
            mem.add(f"Fact number {n}")
    app = app_of(file)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await pilot.press("f2")
        await wait_until(pilot, lambda: isinstance(app.screen, MemoriesScreen) and rows(app) == 650)
        assert "650 memories" in shown(app)
        assert "Fact number 0 " not in shown(app)
        await pilot.press("end")
        await wait_until(pilot, lambda: "Fact number 0 " in shown(app))
        assert app.screen.query_one(Rows).cursor == 649
        await pilot.press("home")
        await wait_until(pilot, lambda: "Fact number 649" in shown(app))


async def test_kinds_are_filtered(file: MemoryFile, mem: Memory) -> None:
    mem.add("The car is blue")
    mem.add("I like tea", kind="preference")
    app = app_of(file)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await pilot.press("f2")
        await wait_until(pilot, lambda: isinstance(app.screen, MemoriesScreen) and rows(app) == 2)
        await pilot.press("k", "k")
        await wait_until(pilot, lambda: rows(app) == 1 and "I like tea" in shown(app))
        await pilot.press("k")
        await wait_until(pilot, lambda: "No memory of these: rule." in shown(app))


async def test_a_passage_shows_where_it_was_said(file: MemoryFile, mem: Memory) -> None:
    mem.log([Turn("user", "We met [bold]Mira[/bold] at the harbour", session="s1")])
    hit = mem.search_log("harbour")[0]
    app = app_of(file)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        app.push_screen(DetailScreen(app.desk, hit.source))
        await wait_until(pilot, lambda: "We met [bold]Mira[/bold] at the harbour" in shown(app))
        assert "Said by you" in shown(app)


ODD = {
    "markup": "[bold]loud[/bold] [/] [link=file:///x]x[/link] [red",
    "ansi": "\x1b[31mred\x1b[0m \x1b]0;title\x07 \x9b2J",
    "rtl": "שלום עולם \u202egnihtemos\u202c",
    "zwj": "👩‍👩‍👧‍👦 family 🏳️‍🌈 e\u0301\u0301\u0301",
    "cjk": "我住在莱比锡，喜欢喝龙井茶。" * 8,
    "long": "x" * 9_000,
    "lines": "a\nb\tc\r\nd\x0be",
    "braces": "{0} %s \\ $text-muted `code` | cell |",
}


@pytest.mark.parametrize(("size", "names"), [((100, 30), list(ODD)), ((80, 24), ["markup", "cjk"])])
async def test_odd_text_is_shown_as_text(
    file: MemoryFile, mem: Memory, size: tuple[int, int], names: list[str]
) -> None:
    for name in names:
        mem.add(ODD[name])
    app = app_of(file)
    async with app.run_test(size=size, notifications=True) as pilot:
        await pilot.press("f2")
        await wait_until(pilot, lambda: isinstance(app.screen, MemoriesScreen) and rows(app) == len(names))
        seen = shown(app)
        for memory in (m for m in mem.list() if m.content[:5] in ("[bold", "\x1b[31", "xxxxx")):
            app.push_screen(DetailScreen(app.desk, memory.source, memory))
            await wait_until(pilot, lambda: isinstance(app.screen, DetailScreen) and app.screen.changes)
            await pilot.pause()
            seen += shown(app)
            app.pop_screen()
        await pilot.pause()
        await pilot.press("f")
        await wait_until(pilot, lambda: rows(app) == len(names) - 1)
        seen += shown(app)
    assert not any(c in seen for c in "\x1b\x9b\x07\u202e")
    visible = {
        "markup": "[bold]loud[/bold] [/] [link=file:///x]",
        "ansi": "␛[31mred",
        "cjk": "我住在莱比锡",
        "braces": "{0} %s \\ $text-muted `code`",
    }
    for name in names:
        assert visible.get(name, "") in seen


async def test_odd_text_in_the_chat(file: MemoryFile, mem: Memory) -> None:
    from edgemem_tui.widgets.bubbles import AnswerBubble

    from .conftest import say

    app = app_of(file)
    # An editor has one kind of line end, so the odd ones are left out here.
    everything = " ".join(words for name, words in ODD.items() if name != "lines")
    file.models.language_model().script = [everything]  # type: ignore[attr-defined]
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await say(pilot, everything)
        await wait_until(pilot, lambda: app.chat.query(AnswerBubble) and not app.chat.busy)
        await pilot.pause()
        assert not any(c in shown(app) for c in "\x1b\x9b\x07\u202e")
        assert app.chat.query_one(AnswerBubble).text == everything
    assert [turn.content for turn in mem.turns(mem.sessions()[0].id)] == [everything] * 2
