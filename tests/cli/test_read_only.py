"""A file on a medium that cannot be written: reading commands answer, writing ones say why they cannot."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.helpers import child, opened

from .conftest import Run

READING: tuple[tuple[str, ...], ...] = (
    ("list",), ("show", "{id}"), ("history",), ("history", "{id}"), ("recall", "bees"), ("context", "bees"), ("sessions",),
    ("log", "s"), ("state", "get", "task", "step"), ("state", "list"), ("jobs", "list"), ("check",), ("info",),
)  # fmt: skip
WRITING: tuple[tuple[str, ...], ...] = (
    ("add", "more"),
    ("edit", "{id}", "I keep wasps"),
    ("forget", "{id}"),
    ("state", "set", "task", "step", "2"),
)

Lock = Callable[[], object]

_LIFE = """if 1:
    import sys
    from pathlib import Path
    from edgemem import Turn
    from tests.helpers import opened
    file = opened(Path(sys.argv[1]), words_only=True)
    mem = file.user("me")
    uid = mem.add("I keep bees")
    mem.log([Turn("user", "I keep bees", session="s", id="1")])
    mem.set_state("task", "step", 1)
    print(uid, flush=True)
    sys.stdin.readline()
    file.close()
"""


@pytest.fixture
def medium(tmp_path: Path) -> Iterator[tuple[Path, Lock]]:
    """A folder, and what makes it read-only: a mount where one can be made, else rights, which bind all but root."""
    place = tmp_path / "medium"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=8m", "none", str(place)], capture_output=True, check=False
    )
    if not mounted.returncode:
        yield place, lambda: subprocess.run(["mount", "-o", "remount,ro", str(place)], check=True)
        subprocess.run(["umount", str(place)], check=True)
    elif os.geteuid():
        yield place, lambda: place.chmod(0o555)
        place.chmod(0o755)
    else:
        pytest.skip("root without mounts can write everywhere")


def _lived(folder: Path, *, cleanly: bool) -> str:
    """A file with a life in it, closed, or as a killed writer leaves it; the id of its memory."""
    with child(_LIFE, folder.parent / "me.edgemem") as living:
        assert living.stdout is not None
        uid = living.stdout.readline().strip()
        if cleanly:
            living.communicate("\n", timeout=60)
        else:
            # The file and its log, without the memory that the processes shared.
            shutil.copy(folder.parent / "me.edgemem-wal", folder)
        shutil.copy(folder.parent / "me.edgemem", folder)
    return uid


@pytest.mark.parametrize("cleanly", [True, False])
def test_reading_works_and_writing_says_why(run: Run, medium: tuple[Path, Lock], cleanly: bool) -> None:
    folder, lock = medium
    uid, path = _lived(folder, cleanly=cleanly), folder / "me.edgemem"
    lock()
    before = {p.name: p.read_bytes() for p in folder.iterdir()}
    for args in READING:
        ran = run(*(a.format(id=uid) for a in args), "--file", path)
        assert ran.code == 0, (args, ran.err)
        assert "bees" in ran.out or args[0] in {"state", "jobs", "check", "info", "sessions"}, args
    for args in WRITING:
        ran = run(*(a.format(id=uid) for a in args), "--file", path)
        assert (ran.code, ran.out) == (1, ""), args
        assert "cannot be written" in ran.err
        assert "Copy it" in ran.err
        assert "Traceback" not in ran.err
    assert {p.name: p.read_bytes() for p in folder.iterdir()} == before


def test_the_library_reads_it_too(medium: tuple[Path, Lock]) -> None:
    folder, lock = medium
    uid = _lived(folder, cleanly=False)
    lock()
    with opened(folder / "me.edgemem", read_only=True) as file:
        assert file.user("me").get(uid).content == "I keep bees"
        assert file.check() == []
