"""Commands that look through the memory: pages, figures, what was believed; and those that name and cancel."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from edgemem import Turn
from tests.helpers import opened

from .conftest import Run


def test_looking_through(run: Run) -> None:
    for words in (("The car is blue",), ("I like tea", "--kind", "preference")):
        run("add", *words)
    run("observe", "I keep bees", "--session", "s")

    def told(*words: str) -> Any:
        return run(*words, "--json").json

    run("pin", told("list", "--kind", "fact")["memories"][0]["id"])
    assert [m["content"] for m in told("list", "--pinned")["memories"]] == ["The car is blue"]
    assert told("believed", "2999-06-01")["total"] == 2
    assert told("stats")["kinds"] == {"fact": 1, "preference": 1}
    assert told("rename", "s", "Bees")["before"] == ""
    assert told("sessions")["sessions"][0]["title"] == "Bees"
    job = told("jobs", "list")["jobs"][0]["id"]
    assert told("jobs", "cancel", job)["status"] == "cancelled"
    assert told("jobs", "list")["jobs"] == []


def test_the_log_shows_the_time_on_the_clock_it_was_said_by(run: Run, store_path: Path) -> None:
    with opened(store_path, words_only=True) as file:
        moment = datetime(2026, 5, 6, 23, 30, tzinfo=timezone(timedelta(hours=8)))
        file.user("me").log([Turn("user", "good night", at=moment, session="evening")])
    assert run("log", "evening").out == "[2026-05-06T23:30+08:00] user: good night\n"
