"""Commands that look through the memory: pages, figures, what was believed; and those that name and cancel."""

from __future__ import annotations

from typing import Any

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
