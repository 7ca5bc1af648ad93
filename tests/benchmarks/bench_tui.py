"""How quick the terminal app is on a large file: ``python -m tests.benchmarks.bench_tui [memories] [turns] [--keep FOLDER]``.

Everything is measured in one run on one machine, each figure also as a multiple of what bare Textual takes there.
Vectors are directions drawn from the words' checksum: searching costs the same for any vectors. ``--keep`` makes the file
once and measures it again and again.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import tempfile
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any, Literal

import numpy as np
from edgemem_tui.app import EdgememApp, make_app
from edgemem_tui.widgets.composer import Composer
from edgemem_tui.widgets.rows import Rows
from textual.app import App, ComposeResult
from textual.pilot import Pilot
from textual.widgets import Input, Static, TextArea

import edgemem
from edgemem.memory import MemoryFile
from edgemem.ports import Priority
from edgemem.records import Turn
from edgemem.settings import Settings
from tests.tui.conftest import Nothing, ScriptedModel, shown

SIZE = (100, 30)
KEYS = 60
WORDS = ("garden", "cello", "harbour", "tea", "walnut", "bakery", "Leipzig", "Graz", "bees", "茶", "苏州", "music")


class Bare(App[None]):
    """Textual alone, with a text area: what any app costs on this machine."""

    def compose(self) -> ComposeResult:
        """One text area."""
        yield TextArea()


class Slow(ScriptedModel):
    """Writes a piece every few milliseconds, as a fast model does, until it is stopped."""

    def stream(self, messages: Any, *, stop: Callable[[], bool] | None = None, **_: Any) -> Iterator[str]:
        """Words without end."""
        while stop is None or not stop():
            time.sleep(0.02)
            yield "word "


class Directions:
    """A unit vector for each text, drawn from its checksum; a few milliseconds a call, as a small model takes."""

    fingerprint, dim = "checksum-384", 384

    def embed(
        self, texts: Sequence[str], kind: Literal["query", "passage"], *, priority: Priority = "background"
    ) -> list[list[float]]:
        """The same text gives the same vector."""
        made = np.array([np.random.default_rng(zlib.crc32(t.encode())).standard_normal(self.dim) for t in texts])
        rows: list[list[float]] = (made / np.linalg.norm(made, axis=1, keepdims=True)).tolist()
        return rows

    def calibrate(self, cosine: float) -> float:
        """As it is."""
        return max(0.0, cosine)

    def close(self) -> None:
        """Nothing to free."""


def filled(path: Path, count: int) -> None:
    """A file with so many memories and their vectors."""
    settings = Settings(background=False, memory_budget=10**7)
    with edgemem.open(path, embedder=Directions(), provider=Nothing(), settings=settings) as file:
        mem = file.user("me")
        for start in range(0, count, 5_000):
            with file.engine.write():
                for n in range(start, min(count, start + 5_000)):
                    mem.add(f"Note {n} on {WORDS[n % 12]} and {WORDS[n // 12 % 12]}")


async def until(pilot: Pilot[Any], true: Callable[[], object], step: float = 0.001) -> float:
    """Seconds until something is true. The app is left to itself meanwhile, as it is without a test around it."""
    start = time.perf_counter()
    while not true():
        await asyncio.sleep(step)
    return time.perf_counter() - start


def told(app: App[Any]) -> str:
    """The line at the bottom of a place."""
    return str(app.screen.query_one("#shown", Static).content)


async def first_paint(make: Callable[[], App[None]], sign: str) -> float:
    """Seconds from making an app until its words stand on the screen."""
    start = time.perf_counter()
    app = make()
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: not sign or sign in shown(app), 0.005)
        return time.perf_counter() - start


async def keys(app: App[None], pilot: Pilot[Any], where: str) -> float:
    """The 95th percentile of seconds from a key until the screen shows it."""
    area = app.screen.query_one(where, TextArea)
    area.focus()
    took = []
    for n in range(KEYS):
        start = time.perf_counter()
        app.post_message(_key("abcdefghij"[n % 10], app))
        while len(area.text) <= n:
            await asyncio.sleep(0.0005)
        took.append(time.perf_counter() - start)
        await asyncio.sleep(0.02)
    return statistics.quantiles(took, n=20)[-1]


def _key(letter: str, app: App[None]) -> Any:
    from textual import events

    event = events.Key(letter, letter)
    event.set_sender(app)
    return event


async def bare_keys() -> float:
    """The same in bare Textual."""
    app = Bare()
    async with app.run_test(size=SIZE) as pilot:
        return await keys(app, pilot, "TextArea")


async def typing(file: MemoryFile) -> float:
    """Keys while a model writes and a job reads the file."""
    app = make(file)
    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause(0.5)
        app.chat.query_one(Composer).take("Go on")
        await pilot.press("enter")
        await until(pilot, lambda: "word word" in shown(app))
        ended = threading.Event()
        threading.Thread(target=_job, args=(file, ended), daemon=True).start()
        took = await keys(app, pilot, "#composer")
        ended.set()
        app.chat.stop()
        await until(pilot, lambda: app.chat.settled)
        return took


def _job(file: MemoryFile, ended: threading.Event) -> None:
    mem = file.user("me")
    n = 0
    while not ended.is_set():
        mem.add(f"Learned in passing, number {n}")
        n += 1
        time.sleep(0.05)


async def table(file: MemoryFile, total: int) -> tuple[float, float, float, float]:
    """Seconds to open the list, to its end, and from a search to its words and to its meaning."""
    app = make(file)
    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause(0.5)
        start = time.perf_counter()
        app.action_go("memories")
        await until(pilot, lambda: app.place == "memories" and any(r.total >= total for r in app.screen.query(Rows)))
        opened = time.perf_counter() - start
        rows = app.screen.query_one(Rows)
        rows.move_to(rows.total - 1)
        end = await until(pilot, lambda: rows.current is not None)
        await pilot.pause(0.5)
        app.screen.query_one(Input).value = "harbour"
        worded = await until(pilot, lambda: "found, best first" in told(app))
        meant = worded + await until(pilot, lambda: "so far" not in told(app))
        return opened, end, worded, meant


def make(file: MemoryFile) -> EdgememApp:
    """The app with settings of its own."""
    return make_app(file, "me", config_path=file.path.with_name("tui.toml"))


def chat_cost(file: MemoryFile, turns: int) -> tuple[float, float]:
    """Seconds to ask in a chat of 100 turns, and in one of so many."""
    mem, took = file.user("me"), []
    for name, count in (("short", 100), ("long", turns)):
        mem.log(
            [
                Turn("user" if n % 2 == 0 else "assistant", f"message {n} about {WORDS[n % 12]}", session=name)
                for n in range(count)
            ]
        )
        talk = mem.chat(name, remember=False)
        times = []
        for _ in range(5):
            start = time.perf_counter()
            talk.ask("And then?")
            times.append(time.perf_counter() - start)
        took.append(min(times))
    return took[0], took[1]


def main() -> None:
    """Make the file, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("memories", type=int, nargs="?", default=100_000)
    parser.add_argument("turns", type=int, nargs="?", default=10_000)
    parser.add_argument("--keep", type=Path, help="a folder in which the file is made, or lies from an earlier run")
    asked = parser.parse_args()
    count, turns = asked.memories, asked.turns
    with nullcontext(asked.keep) if asked.keep else tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"me-{count}.edgemem"
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            filled(path, count)
        options: dict[str, Any] = {
            "language_model": Slow(),
            "embedder": Directions(),
            "provider": Nothing(),
            "settings": Settings(background=False, memory_budget=10**7),
        }
        with edgemem.open(path, **options) as file:
            count = file.user("me").browse(limit=1).total  # an earlier run learned something in passing
            bare = min(asyncio.run(first_paint(Bare, "")) for _ in range(3))
            paint = min(asyncio.run(first_paint(lambda: make(file), f"{count:,}")) for _ in range(3))
            base, pressed = asyncio.run(bare_keys()), asyncio.run(typing(file))
            opened, end, worded, meant = asyncio.run(table(file, count))
        options["language_model"] = ScriptedModel()
        with edgemem.open(path, **options) as file:
            short, long = chat_cost(file, turns)
    print(f"{count:,} memories, {turns:,} turns; the last column is a multiple of the line it names")
    for name, seconds, against in (
        ("first paint of bare Textual", bare, None), ("first paint, figures of the file shown", paint, bare),
        ("key to screen, p95, bare Textual", base, None), ("key to screen, p95, model and job at work", pressed, base),
        ("list of memories opened", opened, bare), ("to its last row", end, bare), ("search while typing: words", worded, bare), ("search while typing: meaning", meant, bare),
        ("a question in a chat of 100 turns", short, None), (f"a question in a chat of {turns:,} turns", long, short),
    ):  # fmt: skip
        ratio = "" if against is None else f"{seconds / against:6.1f} x"
        print(f"{name:<44} {seconds * 1000:8.1f} ms {ratio}")


if __name__ == "__main__":
    main()
