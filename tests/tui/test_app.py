"""Opening, helping, and what happens without a model."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from edgemem_tui import clipboard, text
from edgemem_tui.commands import matching, parse
from edgemem_tui.places import PLACES
from edgemem_tui.screens.help import HelpScreen
from edgemem_tui.screens.memories import MemoriesScreen
from edgemem_tui.screens.sessions import SessionsScreen
from edgemem_tui.widgets.composer import Composer
from edgemem_tui.widgets.rows import Rows
from edgemem_tui.widgets.status import StatusLine
from textual.binding import Binding

import edgemem.memory
from edgemem.errors import ModelFileInvalid
from edgemem.memory import MemoryFile
from edgemem.ports import LanguageModel
from edgemem.settings import Settings

from .conftest import Nothing, app_of, say, shown, wait_until


async def test_the_first_run_says_what_is_kept_and_where(file: MemoryFile) -> None:
    app = app_of(file)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await wait_until(pilot, lambda: "Everything stays on this machine" in shown(app))
        flat = "".join(re.split("[│▕▏]", line)[0].strip() for line in shown(app).splitlines())
        assert file.path.name in flat
        assert "/remember off" in shown(app)


async def test_without_a_model_the_app_opens_and_says_what_to_do(bare: MemoryFile) -> None:
    bare.user("me").add("The car is blue")
    app = app_of(bare)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await wait_until(pilot, lambda: "no chat model yet: F7, then p, fetches one" in shown(app))
        await say(pilot, "Hello?")
        await wait_until(pilot, lambda: not app.chat.busy)
        assert app.chat.query_one(Composer).text == "Hello?"
        await pilot.press("f2")
        await wait_until(pilot, lambda: isinstance(app.screen, MemoriesScreen) and "The car is blue" in shown(app))
    assert bare.user("me").sessions() == []


class Broken(Nothing):
    """A machine whose chat model cannot be read."""

    def language_model(self) -> LanguageModel:
        raise ModelFileInvalid("half.gguf has 500 bytes instead of 1000.", "Fetch it with: edgemem models pull")


async def test_why_there_is_no_answer_stays_in_sight_after_a_message_was_tried(path: Path) -> None:
    with edgemem.memory.open(path, provider=Broken(), settings=Settings(background=False)) as file:
        app = app_of(file)
        async with app.run_test(size=(80, 24), notifications=False) as pilot:
            status = app.chat.query_one(StatusLine)
            await wait_until(pilot, lambda: "half.gguf" in status.standing.line())
            await say(pilot, "Good morning")
            await wait_until(pilot, lambda: not app.chat.busy and app.chat.settled)
            await wait_until(pilot, lambda: "half.gguf" in status.standing.line())
            assert app.chat.query_one(Composer).text == "Good morning"


async def test_help_from_anywhere_and_back(file: MemoryFile) -> None:
    app = app_of(file)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await pilot.press("f1")
        await wait_until(pilot, lambda: isinstance(app.screen, HelpScreen) and "new line" in shown(app))
        await pilot.press("escape", "f2")
        await wait_until(pilot, lambda: isinstance(app.screen, MemoriesScreen))
        await pilot.press("question_mark")
        await wait_until(pilot, lambda: isinstance(app.screen, HelpScreen))
        await pilot.press("f1", "escape")
        await wait_until(pilot, lambda: app.screen is app.chat)


async def test_empty_lists_teach(file: MemoryFile) -> None:
    app = app_of(file)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await pilot.press("f2")
        await wait_until(pilot, lambda: "Nothing is remembered yet" in shown(app))
        await pilot.press("f6")
        await wait_until(pilot, lambda: isinstance(app.screen, SessionsScreen) and "No chats yet" in shown(app))
        await pilot.press("escape")
        await wait_until(pilot, lambda: app.screen is app.chat)


def test_every_key_has_an_id_and_a_way_without_ctrl() -> None:
    from edgemem_tui.app import _OWNERS

    for owner in _OWNERS:
        for binding in owner.BINDINGS:
            assert isinstance(binding, Binding)
            assert binding.id, binding
            assert any(not key.startswith("ctrl+") for key in binding.key.split(",")), binding


async def test_the_command_palette_has_every_action(file: MemoryFile) -> None:
    app = app_of(file)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await pilot.pause()
        names = {command.title for command in app.get_system_commands(app.screen)}
    assert {
        "New chat",
        "Stop",
        *(f"Go to {place.title}" for place in PLACES),
        "Panel",
        "Undo",
        "Copy answer",
        "Remember on/off",
        "Guide",
    } <= names


async def test_copy_says_which_way_it_went(file: MemoryFile, monkeypatch: pytest.MonkeyPatch) -> None:
    file.user("me").add("The car is blue")
    app = app_of(file)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await pilot.press("f2")
        await wait_until(pilot, lambda: isinstance(app.screen, MemoriesScreen) and app.screen.query_one(Rows).total)
        monkeypatch.setattr("edgemem_tui.desk.copy_with_tool", lambda text: "wl-copy")
        await pilot.press("c")
        await wait_until(pilot, lambda: "Copied with wl-copy" in shown(app))
        monkeypatch.setattr("edgemem_tui.desk.copy_with_tool", lambda text: None)
        await pilot.press("c")
        await wait_until(pilot, lambda: "OSC 52" in shown(app))
        assert app.clipboard == "The car is blue"


def test_over_ssh_no_tool_of_the_far_machine_is_used() -> None:
    assert clipboard.tools({"SSH_CONNECTION": "1", "DISPLAY": ":0"}) == []
    assert clipboard.tools({}, "darwin") == [["pbcopy"]]
    assert clipboard.tools({"WAYLAND_DISPLAY": "w"}, "linux")[0] == ["wl-copy"]


def test_control_codes_become_visible_one_for_one() -> None:
    odd = "a\x1b[0m\x00\u202eb\ud800\x85"
    assert text.plain(odd) == "a␛[0m␀\ufffdb\ufffd\ufffd"
    assert len(text.plain(odd)) == len(odd)
    assert text.one_line("a\n b" * 1000, 10) == "a ba ba b…"


def test_commands_are_told_from_messages() -> None:
    assert parse("/remember OFF") == ("remember", "off")
    assert parse(" /etc/hosts") is None
    assert parse("/a\nb") is None
    assert [c.name for c in matching("/rem")] == ["remember"]
    assert matching("hello") == []
