"""While a model loads: every place opens and shows its rows, searches go by words, a message sent is not lost."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from edgemem_tui.app import EdgememApp
from edgemem_tui.draft import kept
from edgemem_tui.places import PLACES
from edgemem_tui.screens import models as models_screen
from edgemem_tui.widgets.bubbles import UserBubble
from edgemem_tui.widgets.composer import Composer
from edgemem_tui.widgets.rows import Rows
from textual.pilot import Pilot
from textual.widgets import Input, Static

import edgemem
from edgemem.memory import MemoryFile
from edgemem.ports import Embedder, LanguageModel
from edgemem.settings import Settings

from .conftest import WAIT, Nothing, ScriptedModel, WordEmbedder, app_of, say, shown, wait_until
from .snapshots import HourClock, _machine, seeded


class Loading(Nothing):
    """Both models take until ``go`` is set, under one lock each as the real ones do."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self._locks = (threading.Lock(), threading.Lock())
        self.model = ScriptedModel()

    def language_model(self) -> LanguageModel:
        with self._locks[0]:
            assert self.go.wait(WAIT)
            return self.model

    def embedder(self) -> Embedder:
        with self._locks[1]:
            assert self.go.wait(WAIT)
            return WordEmbedder()


@pytest.fixture
def provider() -> Iterator[Loading]:
    loading = Loading()
    yield loading
    loading.go.set()
    loading.model.release.set()


@pytest.fixture
def loading(path: Path, provider: Loading, monkeypatch: pytest.MonkeyPatch) -> Iterator[MemoryFile]:
    """A seeded file whose models are on their way."""
    monkeypatch.setattr(models_screen, "_survey", _machine)
    clock, settings = HourClock(), Settings(background=False)
    with edgemem.open(path, provider=Nothing(), clock=clock, settings=settings) as file:
        seeded(file, clock)
    with edgemem.open(path, provider=provider, settings=settings) as file:
        yield file
        provider.go.set()


async def arrived(app: EdgememApp, pilot: Pilot[Any], place: str) -> None:
    """At a place, once it has been read."""

    def read() -> bool:
        return app.place == place and "reading…" not in str(app.screen.query_one("#shown", Static).content)

    app.action_go(place)
    await wait_until(pilot, read)


async def lists(app: EdgememApp, pilot: Pilot[Any], count: int, words: str = "") -> None:
    """So many rows, and these words on the screen."""
    await wait_until(pilot, lambda: app.screen.query_one(Rows).total == count and words in shown(app))


async def test_every_place_opens_and_shows_its_rows_while_the_models_load(
    loading: MemoryFile, provider: Loading
) -> None:
    counts = {"memories": 7, "review": 2, "timeline": 7, "sessions": 3, "models": 3, "jobs": 1}
    app = app_of(loading)
    async with app.run_test(size=(100, 30)) as pilot:
        for place in [p.name for p in PLACES if p.name != "chat"]:
            await arrived(app, pilot, place)
            if place in counts:
                await lists(app, pilot, counts[place])
        assert not provider.go.is_set()
        provider.go.set()
        await wait_until(pilot, lambda: not app.desk.busy)


async def test_a_search_in_the_chats_goes_by_words_while_the_embedding_model_loads(
    loading: MemoryFile, provider: Loading
) -> None:
    app = app_of(loading)
    async with app.run_test(size=(100, 30)) as pilot:
        await arrived(app, pilot, "sessions")
        for words, found in (("cello", "Tom plays the cello"), ("bees", "I keep bees")):  # typing on is answered too
            app.screen.query_one(Input).value = words
            await lists(app, pilot, 1, found)
            assert "by words so far" in shown(app)
        provider.go.set()
        await wait_until(pilot, lambda: "meaning" in shown(app) and "so far" not in shown(app))


async def test_a_search_in_the_memories_is_answered_again_and_again_while_the_embedding_model_loads(
    loading: MemoryFile, provider: Loading
) -> None:
    app = app_of(loading)
    async with app.run_test(size=(100, 30)) as pilot:
        await arrived(app, pilot, "memories")
        for words, found in (("walnuts", "allergic to walnuts"), ("tomatoes", "to plant tomatoes")):
            app.screen.query_one(Input).value = words
            await lists(app, pilot, 1, found)
        mem = loading.user("me")
        mem.forget(mem.list(limit=1)[0].id)  # the list is read anew behind the search
        app.screen.query_one(Input).value = ""
        await wait_until(pilot, lambda: app.screen.query_one(Rows).total == 6)
        assert not provider.go.is_set()
        provider.go.set()


async def test_a_message_sent_while_the_model_loads_is_kept_and_answered_when_it_is_there(
    loading: MemoryFile, provider: Loading
) -> None:
    mem = loading.user("me")
    app = app_of(loading)
    async with app.run_test(size=(100, 30)) as pilot:
        await say(pilot, "My dog is called Rex")
        await wait_until(pilot, lambda: kept(mem).words == "My dog is called Rex")  # a crash now would lose nothing
        assert "your message waits for it" in shown(app)
        provider.go.set()
        await wait_until(pilot, lambda: app.chat.settled and not app.chat.busy and app.chat.query(UserBubble))
        await wait_until(pilot, lambda: kept(mem).words == "")
    assert [t.content for t in mem.turns(app.chat.talk.session) if t.role == "user"] == ["My dog is called Rex"]


async def test_a_message_stopped_while_the_model_loads_goes_back_and_is_not_logged(
    loading: MemoryFile, provider: Loading
) -> None:
    mem = loading.user("me")
    app = app_of(loading)
    async with app.run_test(size=(100, 30)) as pilot:
        await say(pilot, "My dog is called Rex")
        await wait_until(pilot, lambda: app.chat.busy)
        app.chat.query_one(Composer).take("And he barks")
        await pilot.press("escape")
        assert app.chat.query_one(Composer).text == "My dog is called Rex\nAnd he barks"
        provider.go.set()
        await wait_until(pilot, lambda: app.chat.settled and not app.desk.busy)
        assert app.chat.query_one(Composer).text == "My dog is called Rex\nAnd he barks"
    assert not mem.turns(app.chat.talk.session)


def test_the_log_is_searched_by_words_without_the_embedding_model(loading: MemoryFile, provider: Loading) -> None:
    assert [hit.content for hit in loading.user("me").search_log("bees", meaning=False)] == ["I keep bees."]
    assert not provider.go.is_set()
