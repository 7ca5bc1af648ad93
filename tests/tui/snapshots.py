"""Pictures of every screen, in two sizes and two themes: made, compared, and made anew by command.

``python -m tests.tui.snapshots`` draws all of them anew into the folder ``snapshots``; look at them before you keep them.
``python -m tests.tui.snapshots --readme`` draws the pictures of the README and the documentation.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import re
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import textual
from edgemem_tui.app import EdgememApp, make_app
from edgemem_tui.demonstration import NAME, USER, invent
from edgemem_tui.screens import models as models_screen
from edgemem_tui.widgets.composer import Composer
from edgemem_tui.widgets.rows import Rows
from textual.pilot import Pilot
from textual.screen import ModalScreen
from textual.widgets import Input, TextArea

import edgemem
from edgemem import ids
from edgemem.memory import MemoryFile
from edgemem.records import Turn
from edgemem.reports import Spent
from edgemem.settings import Settings

from .conftest import Nothing, ScriptedModel, WordEmbedder, shown, wait_until

FOLDER = Path(__file__).parent / "snapshots"
MADE_WITH = FOLDER / "made-with.txt"
SIZES = ((80, 24), (140, 40))
THEMES = ("textual-dark", "textual-light")
START = datetime(2026, 5, 1, 9, 0, tzinfo=UTC)


class HourClock:
    """An hour later with each thing stored, then still."""

    def __init__(self) -> None:
        self.moment = START

    def now(self) -> datetime:
        return self.moment

    def on(self, **span: float) -> None:
        self.moment += timedelta(**span)


def here() -> str:
    """What pictures depend on besides the code: the versions that draw them."""
    return f"python {sys.version_info[0]}.{sys.version_info[1]}, textual {textual.__version__}\n"


def seeded(file: MemoryFile, clock: HourClock) -> None:
    """A life in two languages: memories, their history, relations in doubt, chats, a job that failed."""
    mem = file.user("me")
    first = [
        Turn("user", "My sister Mia lives in Graz, and her son Tom plays the cello.", session="harbour", at=clock.now()),
        Turn("assistant", "Noted: **Mia** in Graz, and Tom plays the cello.\n\n- Mia: Graz\n- Tom: cello\n\n```python\nprint(\"hello\")\n```", session="harbour", at=clock.now()),
    ]  # fmt: skip
    mem.log(first, spent=Spent("scripted", 1_240, 58, 12.4))
    clock.on(days=3)
    mem.log([Turn("user", "我住在苏州，喜欢喝龙井茶。", session="茶", at=clock.now()), Turn("assistant", "好的，记住了。", session="茶", at=clock.now())], spent=Spent("scripted", 810, 9, 4.2))  # fmt: skip
    words = (
        ("The user's sister Mia lives in Graz.", "fact"), ("The user is allergic to walnuts.", "fact"),
        ("用户在苏州当中学老师，喜欢喝龙井茶，周末常去园林散步。", "fact"), ("The user prefers tea to coffee. ユーザーはお茶が好き。", "preference"),
        ("Answers are to be short and without emojis.", "rule"), ("The user plans to plant tomatoes in May.", "event"),
    )  # fmt: skip
    kept = []
    for text, kind in words:
        clock.on(days=2)
        kept.append(mem.add(text, kind=kind, pinned=kind == "rule"))
    bank = mem.add("The user works at a bakery in Leipzig.")
    clock.on(days=9)
    mem.edit(bank, "The user works at a bank in Leipzig since 2024.")
    mem.graph.relate("Mia", "sister of", "the user", memory=kept[0], confidence=0.62)
    mem.graph.relate("Mia", "lives in", "Graz", memory=kept[0])
    mem.graph.relate("苏州", "位于", "江苏", confidence=0.5)
    mem.observe([Turn("user", "I keep bees.", session="bees", at=clock.now())])
    with file.engine.write() as tx:
        tx.execute(
            "UPDATE job SET status = 'failed', error = 'The model wrote nothing that could be read.', attempts = 2"
        )
    clock.on(hours=3)


Steps = Callable[[EdgememApp, Pilot[Any]], Any]


async def _place(app: EdgememApp, pilot: Pilot[Any], name: str, *, count: int | None = None) -> None:
    app.action_go(name)

    def ready() -> bool:
        rows = app.screen.query(Rows)
        return app.place == name and "reading…" not in shown(app) and (count is None or rows.first(Rows).total == count)

    await wait_until(pilot, ready)


def _shows(app: EdgememApp, sign: str) -> bool:
    return sign in shown(app) and "reading…" not in shown(app)


async def walk(app: EdgememApp, pilot: Pilot[Any]) -> AsyncIterator[str]:
    """Go through every screen; yields the name of each when it stands still."""
    await wait_until(pilot, lambda: "Just ask" in shown(app) and "scripted" in shown(app))
    yield "welcome"
    app.chat.open_session("harbour")
    await wait_until(pilot, lambda: "print(" in shown(app))
    yield "chat"
    app.chat.query_one(Composer).take("/re")
    await wait_until(pilot, lambda: "/remember" in shown(app))
    yield "commands"
    app.chat.query_one(Composer).take("")
    await _place(app, pilot, "memories", count=7)
    yield "memories"
    for key, name, sign in (("enter", "detail", "Source"), ("e", "edit", "Save"), ("v", "filter", "Which memories")):
        await pilot.press(key)
        await wait_until(pilot, partial(_shows, app, sign))
        yield name
        await pilot.press("escape")
        await wait_until(pilot, lambda: not isinstance(app.screen, ModalScreen))
    await pilot.press("asterisk", "f")
    await wait_until(pilot, lambda: "Forget these 7 memories?" in shown(app))
    yield "confirm"
    await pilot.press("escape")
    await wait_until(pilot, lambda: not isinstance(app.screen, ModalScreen))
    for name, count in (("review", 2), ("graph", None), ("timeline", 7), ("sessions", 3), ("models", 3), ("jobs", 1), ("statistics", None), ("settings", None)):  # fmt: skip
        await _place(app, pilot, name, count=count)
        yield name
    await pilot.press("f1")
    await wait_until(pilot, lambda: "Keys here" in shown(app))
    yield "help"


def _machine() -> models_screen.Machine:
    from edgemem_models.survey import Row

    rows = (
        Row("qwen2.5-1.5b", "chat", "Q4_K_M", 1_117_320_736, 32_768, 1_400_000_000, "models: /models/qwen.gguf", Path("/models/q.gguf"), True),
        Row("e5-small", "embedding", "Q4_0", 73_600_000, 512, 160_000_000, "models: /models/e5.gguf", Path("/models/e.gguf"), True),
        Row("qwen3-4b", "chat", "Q4_K_M", 2_500_000_000, 262_144, None, "not here; edgemem models pull qwen3-4b", None, False),
    )  # fmt: skip
    return models_screen.Machine(rows, 8_000_000_000)


class Counted:
    """In the place of chance and of the clock in new ids: a part of an id may stand on a screen."""

    def __init__(self) -> None:
        self._count = itertools.count(1)

    def randbits(self, bits: int) -> int:
        """The next number."""
        return next(self._count) % (1 << bits)

    def time_ns(self) -> int:
        """Always the same moment."""
        return 1_777_626_000_000_000_000


@contextmanager
def still_world(folder: Path) -> Any:
    """UTC, a machine of three models, and relative paths: nothing of this machine gets into a picture."""
    zone, place, survey = os.environ.get("TZ"), Path.cwd(), models_screen._survey
    os.environ["TZ"] = "UTC"
    time.tzset()
    os.chdir(folder)
    models_screen._survey = _machine
    made: Any = ids
    chance, clock = made.secrets, made.time
    made.secrets = made.time = Counted()
    try:
        yield
    finally:
        models_screen._survey = survey
        made.secrets, made.time = chance, clock
        os.chdir(place)
        os.environ.pop("TZ") if zone is None else os.environ.update(TZ=zone)
        time.tzset()


@asynccontextmanager
async def standing(size: tuple[int, int], theme: str) -> AsyncIterator[tuple[EdgememApp, Pilot[Any]]]:
    """The app on a seeded file."""
    clock = HourClock()
    Path("tui.toml").write_text(f'[look]\ntheme = "{theme}"\n', encoding="utf-8")
    with edgemem.open(
        "me.edgemem", language_model=ScriptedModel(), embedder=WordEmbedder(), provider=Nothing(), clock=clock,
        settings=Settings(background=False),
    ) as file:  # fmt: skip
        seeded(file, clock)
        app = make_app(file, "me", poll_seconds=3600, config_path=Path("tui.toml"))
        async with app.run_test(size=size, notifications=False) as pilot:
            app.animation_level = "none"
            yield app, pilot


def picture(app: EdgememApp) -> str:
    """The screen as SVG, without what differs from run to run."""
    svg = app.export_screenshot(simplify=True)
    svg = re.sub(r"terminal-\d+", "terminal", svg)
    return re.sub(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", "0" * 8 + "-0000" * 3 + "-" + "0" * 12, svg)


def _still_cursors(app: EdgememApp) -> None:
    """No cursor blinks; a field with the focus shows it, also when a line without it was drawn (and kept) before."""
    for area in app.screen.query(TextArea):
        area.cursor_blink = False
        area._line_cache.clear()
        area.refresh()
    for box in app.screen.query(Input):
        box.cursor_blink = False


async def still_picture(app: EdgememApp, pilot: Pilot[Any]) -> str:
    """The screen once nothing moves any more: no blinking cursor, the page beside the list read, the plots drawn."""
    before = ""
    for _ in range(40):
        await pilot.pause(0.25)
        await wait_until(pilot, lambda: not app.desk.busy)
        _still_cursors(app)
        now = picture(app)
        if now == before:
            return now
        before = now
    raise AssertionError("the screen does not come to rest")


def name_of(screen: str, size: tuple[int, int], theme: str) -> str:
    """The file name of a picture."""
    return f"{screen}-{size[0]}x{size[1]}-{theme.removeprefix('textual-')}.svg"


async def draw(size: tuple[int, int], theme: str) -> dict[str, str]:
    """All pictures of one size and theme, by file name."""
    made = {}
    async with standing(size, theme) as (app, pilot):
        async for screen in walk(app, pilot):
            made[name_of(screen, size, theme)] = await still_picture(app, pilot)
    return made


IMAGES = FOLDER.parents[2] / "docs" / "images"
PICTURED = ("memories", "review", "graph", "timeline", "statistics")
"""Places of which the documentation has a picture, beside the chat."""


async def pictures() -> dict[str, str]:
    """The pictures of the documentation, by file name: places of the demonstration, as it opens with ``edgemem tui --demo``."""
    clock, made = HourClock(), {}
    with edgemem.open(NAME, embedder=WordEmbedder(), provider=Nothing(), clock=clock, settings=Settings(background=False)) as file:  # fmt: skip
        invent(file)
    model = ScriptedModel()
    model.script = ["Nothing with **peanuts**: you are allergic to them. ", "And not too spicy, you don't like that."]
    with edgemem.open(
        NAME, language_model=model, embedder=WordEmbedder(), provider=Nothing(), clock=clock, settings=Settings(background=False)
    ) as file:  # fmt: skip
        app = make_app(file, USER, poll_seconds=3600, config_path=Path("tui.toml"))
        async with app.run_test(size=(120, 34), notifications=False) as pilot:
            app.animation_level = "none"
            await _asked(app, pilot, "What am I allergic to, and what food don't I like?")
            made["tui.svg"] = await still_picture(app, pilot)
            for place in PICTURED:
                await _place(app, pilot, place)
                if place == "graph":
                    await pilot.press("down", "down", "down", "right")
                    await wait_until(pilot, lambda: "sister of" in shown(app))
                if place == "timeline":
                    await pilot.press("comma")  # a month back: what has changed since stands beside it
                    await wait_until(pilot, lambda: "now: You work at a bank." in shown(app))
                made[f"tui-{place}.svg"] = await still_picture(app, pilot)
    # Nothing may be fetched to show it: fonts are those of the reader.
    return {name: re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.S) for name, svg in made.items()}


async def _asked(app: EdgememApp, pilot: Pilot[Any], question: str) -> None:
    await wait_until(pilot, lambda: "invented life" in shown(app) or "Just ask" in shown(app))
    await wait_until(pilot, lambda: "scripted" in shown(app))
    app.chat.query_one(Composer).take(question)
    await pilot.press("enter")
    await wait_until(pilot, lambda: app.chat.settled and not app.chat.busy and "like that." in shown(app))
    for job in app.desk.memory.jobs():
        app.desk.memory.cancel(job.id)
    app.desk.look()


def main() -> None:
    """Draw the pictures anew."""
    if "--readme" in sys.argv:
        with tempfile.TemporaryDirectory() as folder, still_world(Path(folder)):
            for name, svg in asyncio.run(pictures()).items():
                (IMAGES / name).write_text(svg, encoding="utf-8")
        return
    for size, theme in itertools.product(SIZES, THEMES):
        # A world for each, as the test has it: the ids count from 1 again.
        with tempfile.TemporaryDirectory() as folder, still_world(Path(folder)):
            for name, svg in asyncio.run(draw(size, theme)).items():
                (FOLDER / name).write_text(svg, encoding="utf-8")
        print(f"{size[0]}x{size[1]} {theme}", flush=True)
    MADE_WITH.write_text(here(), encoding="utf-8")


if __name__ == "__main__":
    main()
