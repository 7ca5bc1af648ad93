"""Streams: an export to one that is slow keeps nobody waiting, and an import from a pipe reads it once."""

from __future__ import annotations

import io
import os
import threading
from pathlib import Path

import pytest

from edgemem import Memory, transfer
from tests.cli.conftest import Run, models, run  # noqa: F401 - fixtures
from tests.helpers import opened

WAIT = 90.0


class Slow(io.StringIO):
    """Takes its first line only when somebody else has written to the file."""

    def __init__(self, mem: Memory) -> None:
        super().__init__()
        self.waited = False
        self._mem = mem

    def write(self, text: str) -> int:
        if not self.waited:
            self.waited = True
            other = threading.Thread(target=self._mem.add, args=("I keep goats",), daemon=True)
            other.start()
            other.join(WAIT)
            assert not other.is_alive()
        return super().write(text)

    def writelines(self, lines: object) -> None:
        for line in lines:  # type: ignore[attr-defined]
            self.write(line)


def test_a_stream_that_takes_its_time_keeps_no_other_thread_waiting(store_path: Path) -> None:
    with opened(store_path, words_only=True) as file:
        mem = file.user("me")
        mem.add("I keep bees")
        stream = Slow(mem)
        mem.export_to(stream, form="jsonl")
        assert stream.waited
        assert "I keep bees" in stream.getvalue()
        assert "goats" not in stream.getvalue()
        assert len(mem.list()) == 2


def test_an_export_too_large_to_be_held_goes_out_all_the_same(
    store_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(store_path, words_only=True) as file:
        mem = file.user("me")
        mem.add("I keep bees")
        whole, part = io.StringIO(), io.StringIO()
        done = mem.export_to(whole, form="jsonl")
        monkeypatch.setattr(transfer, "_HELD", 100)
        assert mem.export_to(part, form="jsonl") == done
        assert part.getvalue().splitlines()[1:] == whole.getvalue().splitlines()[1:]  # the first tells the time


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are the system's")
@pytest.mark.parametrize("there", [True, False], ids=["file there", "no file yet"])
def test_a_named_pipe_is_read_once(run: Run, store_path: Path, there: bool) -> None:  # noqa: F811 - the fixture
    old, pipe = store_path.with_name("old.edgemem"), store_path.with_name("pipe.jsonl")
    with opened(old, words_only=True) as file:
        file.user("me").add("I keep bees")
        lines = io.StringIO()
        file.user("me").export_to(lines, form="jsonl")
    if there:
        opened(store_path, words_only=True).close()
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(lines.getvalue(),), daemon=True)
    writer.start()
    done = run("import", pipe)
    writer.join(WAIT)
    assert done.code == 0, done.err
    with opened(store_path, words_only=True) as file:
        assert [m.content for m in file.user("me").list()] == ["I keep bees"]
