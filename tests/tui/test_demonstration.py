"""The invented life: every memory has its day and its message, as in a file that was lived."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from edgemem_tui import app as app_module
from edgemem_tui.demonstration import NAME, USER, invent

import edgemem
from edgemem.cli import main, talking
from edgemem.memory import MemoryFile
from edgemem.settings import Settings

from .conftest import Nothing


@pytest.fixture
def life(tmp_path: Path) -> Iterator[MemoryFile]:
    settings = Settings(background=False)
    with edgemem.open(tmp_path / NAME, provider=Nothing(), settings=settings) as file:
        invent(file)
        yield file


def test_each_memory_comes_from_a_message_that_says_it(life: MemoryFile) -> None:
    mem = life.user(USER)
    memories = mem.list(status="any")
    assert len(memories) > 10
    for memory in memories:
        turn, source = mem.why(memory.id).turn, memory.source
        assert turn is not None
        assert source.quote is not None
        assert source.start is not None
        assert turn.content[source.start :].startswith(source.quote)
        assert turn.role == "user"
    assert life.check() == []
    assert {change.author for change in mem.history(limit=0) if change.action == "add"} == {"model"}


def test_it_was_lived_over_weeks_and_something_became_of_it(life: MemoryFile) -> None:
    mem = life.user(USER)
    assert len(mem.statistics().stored_on) > 5
    assert {"live", "review", "forgotten"} <= set(mem.statistics().statuses)
    then = {str((c.after or {})["content"]) for c in mem.believed(life.clock.now() - timedelta(days=30)).changes}
    now = {m.content for m in mem.list()}
    assert "You work at a bakery." in then - now
    assert "You work at a bank." in now - then
    assert mem.graph.reviews()
    assert mem.jobs() == []


def test_nothing_but_the_file_is_left_beside_it(life: MemoryFile) -> None:
    assert {path.name for path in life.path.parent.iterdir()} <= {NAME, f"{NAME}-wal", f"{NAME}-shm"}


@pytest.mark.parametrize("goes_on", [True, False])
def test_the_app_can_begin_with_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, goes_on: bool) -> None:
    opened: list[str] = []

    def run(app: app_module.EdgememApp) -> None:
        opened.append(app.desk.file.path.name)
        app.switches = goes_on and len(opened) == 1

    installed: Any = lambda _: Nothing()  # noqa: E731
    monkeypatch.setattr(app_module, "_installed", installed)
    monkeypatch.setattr(app_module.EdgememApp, "run", run)
    monkeypatch.setattr(talking, "full_screen", lambda: True)
    mine = tmp_path / "mine.edgemem"
    result = CliRunner().invoke(main.cli, ["tui", "--demo", "--file", str(mine)], catch_exceptions=False)
    assert result.exit_code == 0
    assert opened == ([NAME, mine.name] if goes_on else [NAME])
    assert mine.exists() == goes_on
