"""The app from start to end: going to the demonstration and back, sealed values in an encrypted file."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from edgemem_tui import app as app_module
from edgemem_tui.app import EdgememApp, run
from edgemem_tui.screens import detail
from edgemem_tui.widgets.rows import Rows
from textual.app import App
from textual.pilot import Pilot

import edgemem
from edgemem.ports import Embedder
from edgemem.settings import Settings

from .conftest import Nothing, WordEmbedder, app_of, shown, wait_until

Steps = Callable[[EdgememApp, Pilot[Any]], Awaitable[None]]


@pytest.fixture
def driven(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., list[str]]:
    """``run`` without a terminal: each time it opens the app the next of the steps has it; gives the files that were open."""

    def start(path: Path, *steps: Steps) -> list[str]:
        left: Iterator[Steps] = iter(steps)
        opened: list[str] = []

        def headless(app: EdgememApp) -> None:
            opened.append(app.desk.file.path.name)
            todo = next(left)
            App.run(app, headless=True, size=(100, 30), auto_pilot=lambda pilot: todo(app, pilot))  # type: ignore[arg-type,return-value]

        monkeypatch.setenv("EDGEMEM_HOME", str(tmp_path / "home"))
        monkeypatch.setattr(app_module.EdgememApp, "run", headless)
        run(path, "me", provider=Nothing())
        assert next(left, None) is None
        return opened

    return start


def test_no_model_is_waited_for_before_the_invented_life_is_on_the_screen(
    monkeypatch: pytest.MonkeyPatch, path: Path
) -> None:
    asked: list[str] = []

    class Slow(Nothing):
        def embedder(self) -> Embedder:
            asked.append("embedder")
            return WordEmbedder()

    def shown_at_once(app: EdgememApp) -> None:
        app.switches = app.desk.file.path == path and not asked
        if not app.switches:
            asked.append(app.desk.file.path.name)

    monkeypatch.setattr(app_module.EdgememApp, "run", shown_at_once)
    run(path, "me", provider=Slow())
    assert asked == ["demonstration.edgemem"]


def test_a_key_leads_to_an_invented_life_and_back_and_nothing_of_it_stays(
    driven: Callable[..., list[str]], path: Path
) -> None:
    folders: list[Path] = []

    async def first(app: EdgememApp, pilot: Pilot[Any]) -> None:
        await wait_until(pilot, lambda: "Everything stays on this machine" in shown(app) and "Alt+D" in shown(app))
        await pilot.press("alt+d")

    async def look(app: EdgememApp, pilot: Pilot[Any]) -> None:
        folders.append(app.desk.file.path.parent)
        await wait_until(pilot, lambda: "This is an invented life" in shown(app) and "DEMONSTRATION" in shown(app))
        for place, sign in (
            ("f2", "allergic to peanuts"),
            ("f3", "want to learn the cello"),
            ("f6", "Plans for the garden"),
        ):
            await pilot.press(place)
            await wait_until(pilot, lambda sign=sign: sign in shown(app))  # type: ignore[misc]
        await pilot.press("escape")
        await pilot.press(*"/demo", "enter")

    async def back(app: EdgememApp, pilot: Pilot[Any]) -> None:
        await wait_until(pilot, lambda: "Everything stays on this machine" in shown(app))
        await pilot.press("f12")

    assert driven(path, first, look, back) == [path.name, "demonstration.edgemem", path.name]
    assert not folders[0].exists()
    with edgemem.open(path, provider=Nothing(), settings=Settings(background=False)) as file:
        assert file.users() == ["me"]
        assert file.user("me").list(status="any") == []
        assert file.user("me").sessions() == []


def test_the_app_encrypts_the_file_and_goes_on_with_it(driven: Callable[..., list[str]], path: Path) -> None:
    async def lock(app: EdgememApp, pilot: Pilot[Any]) -> None:
        app.desk.memory.add("The car is blue")
        await pilot.press("f10")
        await wait_until(pilot, lambda: app.place == "settings" and app.screen.query_one(Rows).total)
        await pilot.press("down", "down", "enter")
        await wait_until(pilot, lambda: "passphrase" in shown(app) and "Encrypt me.edgemem" in shown(app))
        await pilot.press(*"red_fox", "enter", *"red_fox", "enter")

    async def goes_on(app: EdgememApp, pilot: Pilot[Any]) -> None:
        await pilot.press("f2")
        await wait_until(pilot, lambda: "The car is blue" in shown(app))
        await pilot.press("f12")

    assert driven(path, lock, goes_on) == [path.name, path.name]
    assert b"The car is blue" not in path.read_bytes()
    with edgemem.open(path, passphrase="red_fox", provider=Nothing(), settings=Settings(background=False)) as file:
        assert [m.content for m in file.user("me").list()] == ["The car is blue"]


async def test_a_sealed_value_is_masked_and_shown_by_a_key_for_a_moment(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with edgemem.open(path, passphrase="x", provider=Nothing(), settings=Settings(background=False)) as file:
        file.user("me").add_secret("The door code is 4711-plum", label="door code")
        app = app_of(file)
        async with app.run_test(size=(100, 30), notifications=True) as pilot:
            await pilot.press("f2")
            await wait_until(pilot, lambda: "door code: ••••" in shown(app))
            await pilot.press("enter")
            await wait_until(pilot, lambda: "s shows it for a moment" in shown(app))
            assert "4711-plum" not in shown(app)
            await pilot.press("s")
            await wait_until(pilot, lambda: "The door code is 4711-plum" in shown(app))
            await pilot.press("s")
            await wait_until(pilot, lambda: "4711-plum" not in shown(app))
            monkeypatch.setattr(detail, "REVEALED", 0.5)
            await pilot.press("s")
            await wait_until(pilot, lambda: app.screen.query_one("#secret").display)
            await wait_until(pilot, lambda: not app.screen.query_one("#secret").display)
            assert "4711-plum" not in shown(app)


async def test_nothing_is_revealed_of_a_memory_that_is_not_sealed(bare: edgemem.MemoryFile) -> None:
    bare.user("me").add("The car is blue")
    app = app_of(bare)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await pilot.press("f2")
        await wait_until(pilot, lambda: "The car is blue" in shown(app))
        await pilot.press("enter")
        await wait_until(pilot, lambda: "Source" in shown(app))
        await pilot.press("s")
        await pilot.pause(0.3)
        assert not app.screen.query_one("#secret").display
        assert "Show the secret" not in shown(app)
