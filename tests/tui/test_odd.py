"""What a terminal may do to the app, and what odd text may do to a terminal."""

from __future__ import annotations

import pytest
from edgemem_tui.app import EdgememApp
from edgemem_tui.places import PLACES
from edgemem_tui.widgets.bubbles import AnswerBubble
from rich.cells import cell_len
from textual.pilot import Pilot

from edgemem.memory import Memory, MemoryFile
from edgemem.records import Turn
from edgemem.write import manual

from .conftest import ScriptedModel, app_of, say, shown, wait_until


async def go(app: EdgememApp, pilot: Pilot[None], place: str) -> None:
    app.action_go(place)
    await wait_until(pilot, lambda: app.place == place and "reading…" not in shown(app))


ODD = (
    "\x1b[31mred\x1b[0m \x1b]0;title\x07 \x9b2J", "שלום עולם \u202egnihtemos\u202c", "👩‍👩‍👧‍👦 family 🏳️‍🌈 e\u0301\u0301\u0301",
    "我住在莱比锡，喜欢喝龙井茶。" * 8, "[bold]loud[/bold] [/] [red", "a\nb\tc\r\nd\x0be",
)  # fmt: skip


@pytest.mark.parametrize("size", [(80, 24), (160, 45)])
async def test_odd_text_stands_in_its_column_in_every_place(
    file: MemoryFile, mem: Memory, size: tuple[int, int]
) -> None:
    """Nothing of it steers the terminal, and no line is longer than the screen: the columns after it stay where they are."""
    for n, text in enumerate(ODD):
        uid = mem.add(text)
        mem.observe([Turn("user", text, session=f"{text[:12]} {n}")])
        mem.rename(mem.sessions()[0].id, text)
        mem.graph.relate(f"{text[:12]} {n}", "gehört zu", "苏州", confidence=0.5)
        mem.graph.relate(f"{text[:12]} {n}", "met", "Mia", memory=uid)
        with file.engine.write() as tx:
            manual.edit(tx, mem._key, mem.add(f"{text} again"), file.now(), status="review", confidence=0.6)
    app = app_of(file)
    async with app.run_test(size=size, notifications=True) as pilot:
        for place in PLACES[1:]:
            await go(app, pilot, place.name)
            await wait_until(pilot, lambda: not app.desk.busy)
            for _ in range(len(ODD)):
                await pilot.press("down")
                seen = shown(app)
                steers = [ascii(line) for line in seen.splitlines() if any(c in line for c in "\x1b\x9b\x07\u202e")]
                assert not steers, place.name
                assert {cell_len(line) for line in seen.splitlines()} == {size[0]}


async def test_the_terminal_may_change_its_size_while_an_answer_is_written(
    file: MemoryFile, mem: Memory, model: ScriptedModel
) -> None:
    model.script = [f"word{n} " for n in range(60)] + ["**end**"]
    app = app_of(file)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        for n, size in enumerate([(40, 10), (200, 60), (20, 5), (120, 34), (80, 24)]):
            model.release.clear()
            model.hold_at = 30
            await say(pilot, f"Message {n}")
            await wait_until(pilot, lambda n=n: len(app.chat.query(AnswerBubble)) == n + 1 and app.chat.busy)  # type: ignore[misc]
            await wait_until(pilot, lambda: "word29" in app.chat.query(AnswerBubble).last().text)
            await pilot.resize_terminal(*size)
            model.release.set()
            await wait_until(pilot, lambda: not app.chat.busy and app.chat.settled)
        await wait_until(pilot, lambda: "word59 end" in " ".join(shown(app).split()).replace("█ ", ""))
    said = [t.content for s in mem.sessions() for t in mem.turns(s.id) if t.role == "assistant"]
    assert [text.endswith("**end**") for text in said] == [True] * 5
