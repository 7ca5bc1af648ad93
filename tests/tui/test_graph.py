"""The graph screen: walking, doubt, and the memory behind a relation."""

from __future__ import annotations

from edgemem_tui.app import EdgememApp
from edgemem_tui.screens.detail import DetailScreen
from edgemem_tui.screens.graph import GraphScreen
from textual.pilot import Pilot

from edgemem.memory import Memory, MemoryFile

from .conftest import app_of, shown, wait_until


async def opened(app: EdgememApp, pilot: Pilot[None]) -> GraphScreen:
    await pilot.press("f4")
    await wait_until(pilot, lambda: isinstance(app.screen, GraphScreen) and app.screen.loaded)
    screen = app.screen
    assert isinstance(screen, GraphScreen)
    return screen


async def test_an_empty_graph_says_how_to_begin(file: MemoryFile) -> None:
    app = app_of(file)
    async with app.run_test(size=(100, 24), notifications=True) as pilot:
        await opened(app, pilot)
        await pilot.pause(0.1)
        assert "No relation is known yet" in shown(app)


async def test_one_walks_from_entity_to_entity_and_back(file: MemoryFile, mem: Memory) -> None:
    mem.graph.relate("Mia", "works at", "Northlight")
    mem.graph.relate("Northlight", "supplies", "the bakery")
    app = app_of(file)
    async with app.run_test(size=(100, 24), notifications=True) as pilot:
        screen = await opened(app, pilot)
        await wait_until(pilot, lambda: "3 entities" in shown(app))
        await pilot.press("enter")
        await wait_until(pilot, lambda: "— works at → Northlight" in shown(app))
        await pilot.press("down", "w")
        await wait_until(pilot, lambda: "from Northlight" in shown(app))
        await wait_until(pilot, lambda: "← works at — Mia" in shown(app) and "— supplies → the bakery" in shown(app))
        await pilot.press("b")
        await wait_until(pilot, lambda: "3 entities" in shown(app))
        await pilot.press("escape")
        await wait_until(pilot, lambda: app.screen is not screen)


async def test_the_arrows_walk_in_and_out(file: MemoryFile, mem: Memory) -> None:
    mem.graph.relate("Mia", "works at", "Northlight")
    mem.graph.relate("Northlight", "supplies", "the bakery")
    app = app_of(file)
    async with app.run_test(size=(100, 24), notifications=True) as pilot:
        screen = await opened(app, pilot)
        await wait_until(pilot, lambda: "3 entities" in shown(app))
        await pilot.press("right")
        await wait_until(pilot, lambda: "— works at → Northlight" in shown(app))
        await pilot.press("right", "right")
        await wait_until(pilot, lambda: "— supplies → the bakery" in shown(app))
        assert screen.here is not None
        assert screen.here.name == "Northlight"
        await pilot.press("left")
        await wait_until(pilot, lambda: "supplies" not in shown(app))
        await pilot.press("left")
        await wait_until(pilot, lambda: screen.here is not None and screen.here.name == "Mia")
        await pilot.press("left")
        await wait_until(pilot, lambda: "works at" not in shown(app))


async def test_doubt_is_settled_with_one_key(file: MemoryFile, mem: Memory) -> None:
    mem.graph.relate("Mia", "likes", "Tom", confidence=0.5)
    mem.graph.relate("Mia", "knows", "Tom", confidence=0.6)
    app = app_of(file)
    async with app.run_test(size=(100, 24), notifications=True) as pilot:
        await opened(app, pilot)
        await wait_until(pilot, lambda: "? Mia — likes → Tom" in shown(app))
        await pilot.press("x")
        await wait_until(pilot, lambda: len(mem.graph.reviews()) == 1)
        await wait_until(pilot, lambda: "1 doubtful" in shown(app))
        await pilot.press("a")
        await wait_until(pilot, lambda: not mem.graph.reviews())
        assert [r.predicate for r in mem.graph.neighbours("Mia").relations] == ["knows"]


async def test_a_relation_shows_its_memory_and_can_be_closed(file: MemoryFile, mem: Memory) -> None:
    memory = mem.add("Mia works at Northlight.")
    mem.graph.relate("Mia", "works at", "Northlight", memory=memory)
    app = app_of(file)
    async with app.run_test(size=(100, 24), notifications=True) as pilot:
        await opened(app, pilot)
        await wait_until(pilot, lambda: "2 entities" in shown(app))
        await pilot.press("enter")
        await wait_until(pilot, lambda: "works at" in shown(app))
        await pilot.press("down", "m")
        await wait_until(pilot, lambda: isinstance(app.screen, DetailScreen))
        await pilot.press("escape", "x")
        await wait_until(pilot, lambda: not mem.graph.neighbours("Mia").relations)
