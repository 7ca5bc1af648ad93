"""What waits for a yes or no: settled with one key each, and taken back."""

from __future__ import annotations

from dataclasses import replace

from edgemem_tui.app import EdgememApp
from edgemem_tui.screens.edit import EditScreen
from edgemem_tui.screens.review import ReviewScreen
from edgemem_tui.widgets.rows import Rows
from textual.pilot import Pilot
from textual.widgets import TextArea

from edgemem.memory import Memory, MemoryFile
from edgemem.records import Turn
from edgemem.write import manual
from edgemem.write.clauses import split
from edgemem.write.secret import secrets

from .conftest import app_of, shown, wait_until


def doubt(file: MemoryFile, mem: Memory, content: str) -> str:
    """A memory that waits for a person."""
    uid = mem.add(content)
    with file.engine.write() as tx:
        manual.edit(tx, mem._key, uid, file.now(), status="review", confidence=0.6)
    return uid


async def opened(app: EdgememApp, pilot: Pilot[None], count: int) -> Rows:
    await pilot.press("f3")
    await wait_until(pilot, lambda: isinstance(app.screen, ReviewScreen) and app.screen.query_one(Rows).total == count)
    return app.screen.query_one(Rows)


async def test_nothing_to_decide_says_what_comes_here(file: MemoryFile) -> None:
    app = app_of(file)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await opened(app, pilot, 0)
        await wait_until(pilot, lambda: "Nothing waits for you" in shown(app))


async def test_a_doubtful_memory_is_accepted_and_that_taken_back(file: MemoryFile, mem: Memory) -> None:
    uid = doubt(file, mem, "I keep bees")
    app = app_of(file)
    async with app.run_test(size=(100, 24), notifications=True) as pilot:
        rows = await opened(app, pilot, 1)
        assert "60%" in shown(app)
        await pilot.press("a")
        await wait_until(pilot, lambda: mem.get(uid).status == "live" and rows.total == 0)
        await pilot.press("u")
        await wait_until(pilot, lambda: mem.get(uid).status == "review" and rows.total == 1)
        await pilot.press("x")
        await wait_until(pilot, lambda: mem.get(uid).status == "forgotten" and rows.total == 0)


async def test_a_secret_waits_masked_and_needs_a_passphrase(file: MemoryFile, mem: Memory) -> None:
    said = "My wifi password is Plum-Harbour_9."
    mem.log([Turn("user", said, session="s", id="1", at=file.clock.now())])
    turn = mem.turn("s", "1")
    with file.engine.write() as tx:
        secrets.wait(tx, mem._key, turn, secrets.told(said, split(said)), file.now(), "")
    app = app_of(file)
    async with app.run_test(size=(140, 40), notifications=True) as pilot:
        rows = await opened(app, pilot, 1)
        await wait_until(pilot, lambda: "Said by you" in shown(app))
        assert "My wifi password is ••••." in shown(app)
        await pilot.press("e")
        await wait_until(pilot, lambda: "There is nothing" in shown(app))
        await pilot.press("a")
        await wait_until(pilot, lambda: "A sensitive value" in shown(app))
        assert rows.total == 1
        assert "Harbour" not in shown(app)
        await pilot.press("x")
        await wait_until(pilot, lambda: rows.total == 0)
        await pilot.press("u")
        await wait_until(pilot, lambda: rows.total == 1)


async def test_a_doubtful_memory_is_put_right_in_one_step(file: MemoryFile, mem: Memory) -> None:
    uid = doubt(file, mem, "I keep beds")
    app = app_of(file)
    async with app.run_test(size=(100, 24), notifications=True) as pilot:
        await opened(app, pilot, 1)
        await pilot.press("e")
        await wait_until(pilot, lambda: isinstance(app.screen, EditScreen))
        app.screen.query_one(TextArea).text = "I keep bees"
        await pilot.press("enter")
        await wait_until(pilot, lambda: (mem.get(uid).status, mem.get(uid).content) == ("live", "I keep bees"))
        await wait_until(pilot, lambda: isinstance(app.screen, ReviewScreen))
        await pilot.press("u")
        await wait_until(pilot, lambda: (mem.get(uid).status, mem.get(uid).content) == ("review", "I keep beds"))


async def test_relations_are_settled_and_renamed(file: MemoryFile, mem: Memory) -> None:
    mem.graph.relate("Mia", "likes", "Tom", confidence=0.5)
    mem.graph.relate("Mia", "knows", "Ann", confidence=0.6)
    app = app_of(file)
    async with app.run_test(size=(140, 24), notifications=True) as pilot:
        rows = await opened(app, pilot, 2)
        await pilot.press("x")
        await wait_until(pilot, lambda: rows.total == 1)
        await pilot.press("e")
        await wait_until(pilot, lambda: isinstance(app.screen, EditScreen))
        app.screen.query_one(TextArea).text = "sister of"
        await pilot.press("enter")
        await wait_until(pilot, lambda: rows.total == 0)
    assert [(r.predicate, r.object) for r in mem.graph.neighbours("Mia").relations] == [("sister of", "Ann")]
    assert mem.graph.reviews() == []


async def test_what_tidying_up_would_take_is_let_go_or_kept(file: MemoryFile) -> None:
    file.use_settings(replace(file.settings, memory_budget=2))
    mem = file.user("me")
    ids = [mem.add(f"Note number {n}", importance=n / 10) for n in range(4)]
    app = app_of(file)
    async with app.run_test(size=(100, 24), notifications=True) as pilot:
        rows = await opened(app, pilot, 2)
        assert "over the budget of 2" in shown(app)
        first = rows.current_key or ""
        await pilot.press("a")
        await wait_until(pilot, lambda: mem.get(first).status == "forgotten" and rows.total == 1)
        second = rows.current_key or ""
        await pilot.press("x")
        await wait_until(pilot, lambda: mem.get(second).pinned)
    assert {first, second} <= set(ids)


async def test_what_reflection_proposes_is_done_or_left(file: MemoryFile, mem: Memory) -> None:
    mem.add("The user drinks green tea in the morning.")
    mem.add("In the morning the user drinks green tea.")
    assert [p.topic for p in mem.reflect().proposals] == ["merge"]
    app = app_of(file)
    async with app.run_test(size=(140, 24), notifications=True) as pilot:
        await opened(app, pilot, 1)
        assert "merge" in shown(app)
        await pilot.press("a")
        await wait_until(pilot, lambda: len(mem.list()) == 1)
        await pilot.press("u")
        await wait_until(pilot, lambda: len(mem.list()) == 2)
    assert mem.proposals() == []


async def test_the_bar_says_how_much_waits_wherever_one_is(file: MemoryFile, mem: Memory) -> None:
    app = app_of(file)
    async with app.run_test(size=(120, 24), notifications=True) as pilot:
        mem.graph.relate("Mia", "likes", "Tom", confidence=0.5)
        await wait_until(pilot, lambda: "Review(1)" in shown(app))


async def test_what_waits_for_a_yes_is_seen_beside_the_chat_as_it_comes(file: MemoryFile, mem: Memory) -> None:
    app = app_of(file)
    async with app.run_test(size=(120, 34), notifications=True) as pilot:
        await wait_until(pilot, lambda: "scripted" in shown(app))
        said = "My wifi password is Plum-Harbour_9."
        mem.log([Turn("user", said, session="s", id="1", at=file.clock.now())])
        with file.engine.write() as tx:
            secrets.wait(tx, mem._key, mem.turn("s", "1"), secrets.told(said, split(said)), file.now(), "")
        doubt(file, mem, "I keep goats")
        await wait_until(
            pilot, lambda: "a secret, masked · F3: keep it?" in shown(app) and "F3: is it true?" in shown(app)
        )
        assert "Harbour" not in shown(app)
        assert "Review(2)" in shown(app)
