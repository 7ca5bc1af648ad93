"""Commands that look through the memory: pages, figures, what was believed; and those that name and cancel."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from edgemem import Turn
from edgemem.memory import MemoryFile
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
    assert run("log", "evening").out == "[2026-05-06 23:30+08:00] user: good night\n"


def test_a_queued_job_says_which_message_it_is_about(run: Run) -> None:
    run("observe", "I keep bees in Graz, and their honey is dark")
    assert "I keep bees in Graz, and their honey is dark" in run("jobs", "list").out
    assert run("jobs", "list", "--json").json["jobs"][0]["about"] == "I keep bees in Graz, and their honey is dark"


def test_the_profile_alone_is_its_list(run: Run) -> None:
    run("profile", "set", "language", "Deutsch")
    assert run("profile").out == run("profile", "list").out
    assert run("profile", "--json").json == run("profile", "list", "--json").json


def test_every_list_prints_moments_alike(run: Run) -> None:
    memory = run("add", "The user keeps bees").out.strip()
    run("observe", "I keep bees in Graz")
    moment = r"\b\d{4}-\d\d-\d\d \d\d:\d\d\b(?!:|[+-])"
    for command in (("history",), ("history", memory), ("sessions",), ("why", memory)):
        assert re.search(moment, run(*command).out), command
        assert "T" not in re.findall(r"\d{4}-\d\d-\d\d(.)", run(*command).out), command


def test_that_there_is_no_embedding_model_is_said_once_a_day(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MemoryFile, "embedder_or_reason", lambda _: (None, "It is not here."))
    said = [run("add", f"Note {n}").err for n in range(3)]
    assert ["found by its words only" in err for err in said] == [True, False, False]
