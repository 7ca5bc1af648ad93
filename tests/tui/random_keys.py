"""Keys at random: whatever is pressed, nothing breaks. ``python -m tests.tui.random_keys 20000 [seed]`` does it for long."""

from __future__ import annotations

import asyncio
import faulthandler
import os
import random
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from edgemem_tui.app import make_app
from edgemem_tui.desk import Desk
from edgemem_tui.screens import models as models_screen

import edgemem
from edgemem.errors import EdgememError
from edgemem.memory import MemoryFile
from edgemem.settings import Settings

from .conftest import Nothing, ScriptedModel, WordEmbedder
from .snapshots import HourClock, seeded

KEYS = (
    [f"f{n}" for n in range(1, 11)] + list("0123456789") + list("abcdefghjklmnoprtuvwxyzT") + ["escape"] * 12
    + ["enter"] * 8 + ["tab", "shift+tab", "space", "slash", "question_mark", "asterisk", "comma", "full_stop", "ctrl+j"] * 2
    + ["up", "down", "left", "right", "home", "end", "pageup", "pagedown", "delete", "backspace"] * 3
    + ["ctrl+b", "ctrl+n", "ctrl+p", "alt+p", "alt+n", "alt+2", "苏", "é"]
)  # fmt: skip
"""Everything but the keys that end the app. Escape and Enter are more frequent: they lead out of dialogs and into things."""


class Watched:
    """Faults that the app showed as a notice and went on after; a session counts them as failures."""

    def __init__(self) -> None:
        self.faults: list[str] = []

    def tell(self, desk: Desk, error: Exception) -> None:
        """In the place of the desk's own: errors raised on purpose are no fault."""
        if not isinstance(error, EdgememError):
            self.faults.append(repr(error))


async def press(
    file: MemoryFile, count: int, seed: int, config: Path, tell: Callable[[int], object] = lambda _: None
) -> list[str]:
    """Press so many keys; returns what broke, with the last keys before it. The app is opened again when they closed it.

    ``tell`` is told how many are pressed, after each ten.
    """
    dice, watched = random.Random(seed), Watched()
    done = 0
    while done < count and not watched.faults:
        app = make_app(file, "me", config_path=config)
        app.desk.tell = lambda error: watched.tell(app.desk, error)  # type: ignore[method-assign]  # noqa: B023
        size = dice.choice([(80, 24), (100, 30), (140, 40)])
        async with app.run_test(size=size) as pilot:
            while done < count and not watched.faults and not app._exit:
                keys = [dice.choice(KEYS) for _ in range(10)]
                await pilot.press(*keys)
                done += len(keys)
                tell(done)
                if watched.faults:
                    watched.faults.append(f"after {keys} on {app.screen!r}, {done} keys, seed {seed}")
    return watched.faults


def opened(folder: Path) -> MemoryFile:
    """A seeded file in a folder, and nothing that reaches beyond it."""
    os.environ["EDGEMEM_HOME"] = str(folder / "home")
    models_screen._pull = lambda name, stop, post: f"{name} is not pulled in a test"
    clock = HourClock()
    file = edgemem.open(
        folder / "me.edgemem", language_model=ScriptedModel(), embedder=WordEmbedder(), provider=Nothing(), clock=clock,
        settings=Settings(background=False),
    )  # fmt: skip
    seeded(file, clock)
    return file


def _told(pressed: list[int], done: int) -> None:
    pressed[-1] = done
    if done % 1000 == 0:
        print(f"{done} keys", file=sys.__stderr__, flush=True)


def main() -> None:
    """Press keys until something breaks or there are enough. However it ends, the last line says after how many."""
    faulthandler.enable()
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(1 << 30)
    with tempfile.TemporaryDirectory() as name:
        os.chdir(name)
        with opened(Path(name)) as file:
            pressed: list[int] = [0]
            try:
                faults = asyncio.run(press(file, count, seed, Path(name) / "tui.toml", lambda n: _told(pressed, n)))
            except BaseException as error:  # also an exit that a screen asks for
                faults = [f"{type(error).__name__}: {error}"]
            problems = file.check()
    print(
        f"{pressed[-1]} of {count} keys, seed {seed}: {faults or 'nothing broke'}; the file: {problems or 'in order'}",
        flush=True,
    )
    sys.exit(bool(faults or problems))


if __name__ == "__main__":
    main()
