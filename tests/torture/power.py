"""Cut the power at any moment, on paper: ``python -m tests.torture.power 1000``.

A life is written through a file layer that records every write, cut, sync and removal. Then the disk is
built as a power cut at some moment could have left it: what was synced is there, of what was not each
piece is there, missing, half there or torn into sectors. The real library opens that disk, and all that was
acknowledged must be in it, whole: either as of the last acknowledged call or as of the one in progress.

``--synchronous OFF`` shows that the program can see a loss.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import apsw

import edgemem.store.engine
from edgemem.memory import MemoryFile
from edgemem.view import Memory
from tests.helpers import opened, said
from tests.torture import common, dbapi

SECTOR = 512
State = dict[str, Any]


@dataclass(frozen=True)
class Step:
    """One thing done to one file: a write at a place, a cut to a size, a sync, or its removal."""

    name: str
    kind: str
    place: int = 0
    data: bytes = b""


@dataclass
class Recorder:
    """All steps in order; ``marks`` are the numbers of steps after which a call was acknowledged."""

    steps: list[Step] = field(default_factory=list)
    marks: list[int] = field(default_factory=list)


class _File(apsw.VFSFile):
    def __init__(self, base: str, name: Any, flags: list[int], recorder: Recorder) -> None:
        super().__init__(base, name, flags)
        path = name.filename() if hasattr(name, "filename") else name
        self._name = Path(path).name if path else ""
        self._recorder = recorder

    def _note(self, kind: str, place: int = 0, data: bytes = b"") -> None:
        if self._name:
            self._recorder.steps.append(Step(self._name, kind, place, data))

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802 - SQLite's names
        super().xWrite(data, offset)
        self._note("write", offset, bytes(data))

    def xTruncate(self, newsize: int) -> None:  # noqa: N802
        super().xTruncate(newsize)
        self._note("cut", newsize)

    def xSync(self, flags: int) -> None:  # noqa: N802
        super().xSync(flags)
        self._note("sync")


class _Layer(apsw.VFS):
    def __init__(self, recorder: Recorder) -> None:
        super().__init__("recording", "")
        self._recorder = recorder

    def xOpen(self, name: Any, flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        return _File("", name, flags, self._recorder)

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802
        super().xDelete(filename, syncdir)
        self._recorder.steps.append(Step(Path(filename).name, "remove"))


@contextmanager
def recording(synchronous: str) -> Iterator[Recorder]:
    """Files opened inside go through the recording layer."""
    recorder = Recorder()
    layer = _Layer(recorder)
    names = vars(edgemem.store.engine)
    usual = names["driver"]
    # The layer has no shared memory; small checkpoints, so that many of them are cut in two.
    module = dbapi.driver("recording", "locking_mode=EXCLUSIVE", "wal_autocheckpoint=40")
    if synchronous != "FULL":
        connect = module.connect
        module.connect = lambda *args, **kwargs: _Careless(connect(*args, **kwargs), synchronous)
    names["driver"] = lambda: module
    try:
        yield recorder
    finally:
        names["driver"] = usual
        del layer


class _Careless:
    """A connection that does not sync as it was told to: the fault that the program must be able to see."""

    def __init__(self, inner: dbapi.Connection, synchronous: str) -> None:
        object.__setattr__(self, "_inner", inner)
        object.__setattr__(self, "_synchronous", synchronous)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._inner, name, value)

    def execute(self, sql: str, given: Any = ()) -> dbapi.Cursor:
        careless = sql.replace("synchronous=FULL", f"synchronous={self._synchronous}")
        found: dbapi.Cursor = self._inner.execute(careless, given)
        return found


def calls(mem: Memory) -> Iterator[Callable[[], object]]:
    """A life, call by call; each is one transaction."""
    ids: list[str] = []
    for n in range(60):
        yield lambda n=n: ids.append(mem.add(f"fact {n} 蜜蜂 {'word ' * (n % 40)}"))  # type: ignore[misc]
        yield lambda n=n: mem.log(said(f"turn {n} {'long ' * (n % 7) * 200}", session=f"s{n % 5}-{n}"))  # type: ignore[misc]
        if n % 3 == 0:
            yield lambda n=n: mem.edit(ids[n], f"fact {n}, in other words")  # type: ignore[misc]
        if n % 5 == 4:
            yield lambda n=n: mem.forget(ids[n - 2])  # type: ignore[misc]
        yield lambda n=n: mem.set_state("task", "step", n)  # type: ignore[misc]


def live_through(path: Path, synchronous: str) -> tuple[bytes, Recorder, list[State]]:
    """The file before, all steps of a life, and what could be read after each acknowledged call."""
    with opened(path, words_only=True) as file:
        file.user("me")
    before = path.read_bytes()
    with recording(synchronous) as recorder:
        file = opened(path, words_only=True)
        recorder.marks.append(len(recorder.steps))
        states = [read(file)]
        for call in calls(file.user("me")):
            call()
            recorder.marks.append(len(recorder.steps))
            states.append(read(file))
        file.close()
    return before, recorder, states


def read(file: MemoryFile) -> State:
    """All that a power cut may not take."""
    return common.readable(file, "me")


def disk(name: str, before: bytes, steps: list[Step], dice: random.Random) -> dict[str, bytes]:
    """The files as a cut after these steps may leave them."""
    files = {name: bytearray(before)}
    waiting: list[Step] = []
    for step in steps:
        if step.kind == "sync":
            for done in (s for s in waiting if s.name == step.name):
                _do(files, done)
            waiting = [s for s in waiting if s.name != step.name]
        elif step.kind == "remove":
            waiting = [s for s in waiting if s.name != step.name]
            files.pop(step.name, None)
        else:
            waiting.append(step)
    fate = dice.choice(("all", "none", "each", "each", "each"))
    for step in waiting:
        _do_perhaps(files, step, fate, dice)
    return {n: bytes(data) for n, data in files.items()}


def _do(files: dict[str, bytearray], step: Step) -> None:
    data = files.setdefault(step.name, bytearray())
    if step.kind == "cut":
        del data[step.place :]
        return
    data.extend(bytes(max(0, step.place - len(data))))
    data[step.place : step.place + len(step.data)] = step.data


def _do_perhaps(files: dict[str, bytearray], step: Step, fate: str, dice: random.Random) -> None:
    what = {"all": "whole", "none": "missing"}.get(fate) or dice.choice(("whole", "missing", "half", "torn"))
    if what == "whole":
        _do(files, step)
    elif what == "half" and step.kind == "write":
        _do(files, Step(step.name, "write", step.place, step.data[: len(step.data) // 2]))
    elif what == "torn" and step.kind == "write":
        for at in range(0, len(step.data), SECTOR):
            if dice.random() < 0.5:
                _do(files, Step(step.name, "write", step.place + at, step.data[at : at + SECTOR]))


def main(count: int, seed: int, synchronous: str = "FULL") -> common.Report:
    """The figures of ``count`` power cuts."""
    lost: list[str] = []
    broken: list[str] = []
    pace = common.Pace(count)
    with common.folder() as place:
        path = place / "me.edgemem"
        before, recorder, states = live_through(path, synchronous)
        first = recorder.marks[0]
        for n in range(count):
            dice = common.dice(seed, n)
            # Evenly over the whole life, so that few states see every part of it too.
            moment = first + (len(recorder.steps) - first) * n // count + dice.randrange(3)
            (place / str(n)).mkdir()
            for name, data in disk(path.name, before, recorder.steps[:moment], dice).items():
                (place / str(n) / name).write_bytes(data)
            acknowledged = sum(mark <= moment for mark in recorder.marks) - 1
            problem = _problem(place / str(n) / path.name, states[acknowledged : acknowledged + 2])
            if problem is not None:
                (lost if problem.startswith("lost") else broken).append(f"cut {n} after step {moment}: {problem}")
            for left in (place / str(n)).iterdir():
                left.unlink()
            pace.tick(n, len(lost) + len(broken))
    return {
        "cuts": count, "writes recorded": len(recorder.steps), "acknowledged calls": len(states) - 1, "lost": lost,
        "broken": broken,
    }  # fmt: skip


def _problem(path: Path, allowed: list[State]) -> str | None:
    try:
        with opened(path, words_only=True) as file:
            problems, found = file.check(), read(file)
    except edgemem.EdgememError as error:
        return f"broken: {error}"
    if problems:
        return f"broken: {problems[0].message}"
    return None if found in allowed else "lost: what was acknowledged is not there"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", nargs="?", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--synchronous", default="FULL", choices=("FULL", "NORMAL", "OFF"))
    given = parser.parse_args(sys.argv[1:])
    common.finish(main(given.count, given.seed, given.synchronous), "lost broken")
