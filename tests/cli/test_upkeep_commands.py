"""Commands that put memories in order: joined and split by hand, insights, proposals."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from edgemem.cli.jobs import at_work
from edgemem.cli.progress import Counting, ticking
from edgemem.records import Turn
from edgemem.write import manual
from edgemem.write.clauses import split
from edgemem.write.secret import secrets
from tests.cli.conftest import Run
from tests.helpers import opened, wait_until


def test_memories_are_joined_and_split_by_hand(run: Run) -> None:
    bees, hives = (run("add", text).out.strip() for text in ("I keep bees", "I have three hives"))
    joined = run("join", bees, hives[-12:], "--text", "I keep bees in three hives", "--json").json["change"]
    assert [m["content"] for m in run("list", "--json").json["memories"]] == ["I keep bees in three hives"]
    assert run("undo", joined).code == 0
    parts = run("split", bees, "I keep bees", "I keep goats", "--json").json
    assert parts["memories"][0] == bees
    assert run("list").out.count("I keep goats") == 1
    assert run("undo", run("history", bees, "--json").json["changes"][-1]["id"]).code == 0
    assert "I keep goats" not in run("list").out
    assert (run("join", bees).code, run("join", bees, bees).code) == (2, 2)
    assert run("split", bees, "One only.").code == 2


def test_what_reflection_finds_is_shown_and_answered(run: Run) -> None:
    for text in ("The user drinks green tea in the morning.", "The user drinks green tea in the early morning."):
        assert run("add", text).code == 0
    found = run("reflect", "--json").json
    assert found["insights"] == []
    assert run("insights", "list").err == "There are no insights. Draw some with: edgemem reflect\n"
    assert run("insights", "show", "nothing").code == 1
    assert run("insights", "drop", "nothing").code == 1
    for proposal in found["proposals"]:
        assert proposal["topic"] == "merge"
        assert run("review", "accept", proposal["id"][-12:]).code == 0
    assert run("review", "list").err == "Nothing waits for you.\n"
    assert len(run("review", "list", "--status", "any", "--json").json["proposals"]) == len(found["proposals"])
    assert run("review", "reject", "nothing").code == 1


def test_all_that_waits_for_a_yes_stands_in_one_list(run: Run, store_path: Path) -> None:
    with opened(store_path) as file:
        mem = file.user("me")
        doubted = mem.add("I keep goats")
        said = "My wifi password is Plum-Harbour_9."
        mem.log([Turn("user", said, session="s", id="1", at=file.clock.now())])
        turn = mem.turn("s", "1")
        with file.engine.write() as tx:
            manual.edit(tx, mem._key, doubted, file.now(), status="review")
            secrets.wait(tx, mem._key, turn, secrets.told(said, split(said)), file.now(), "")
        relation = mem.graph.relate("Tom", "owns", "Rex", confidence=0.5).id
    told = run("review", "list")
    assert "Nothing waits" not in told.err
    for words in ("I keep goats", "My wifi password is ••••.", "Tom — owns → Rex"):
        assert words in told.out
    assert "Harbour" not in told.out
    as_json = run("review", "list", "--json").json
    assert (len(as_json["memories"]), len(as_json["relations"])) == (2, 1)
    assert run("confirm", doubted[-12:]).code == 0
    assert run("graph", "accept", relation[-12:]).code == 0
    assert [m["sensitivity"] for m in run("review", "list", "--json").json["memories"]] != ["normal"]


def test_every_id_that_a_list_prints_names_its_thing_to_the_commands(run: Run) -> None:
    """Of ids that begin alike, since they were made in one day, the list shows where they differ."""
    assert run("add", "I keep bees").code == 0
    assert run("observe", "I keep goats").code == 0
    assert run("graph", "add", "Tom", "owns", "Rex", "--confidence", "0.5").code == 0
    for listed, does in (
        ("list", "show"), ("history", "undo"), ("jobs list", "jobs cancel"), ("graph review", "graph accept"),
    ):  # fmt: skip
        printed = re.findall(r"\b[0-9a-f]{12}\b", run(*listed.split()).out)
        assert printed, listed
        assert run(*does.split(), printed[0]).code == 0, (listed, does)


def test_background_work_is_paused_and_goes_on(run: Run) -> None:
    assert run("observe", "I keep bees").code == 0
    assert run("jobs", "pause", "--json").json == {"paused": True}
    assert "paused" in run("jobs", "list").err
    assert run("jobs", "list", "--json").json["waiting"] == "paused: edgemem jobs resume"
    stopped = run("jobs", "run")
    assert stopped.code != 0
    assert "edgemem jobs resume" in stopped.err
    assert run("jobs", "resume").code == 0
    assert run("jobs", "list", "--json").json["waiting"] == ""


def test_tasks_that_ended_say_so_in_the_list(run: Run) -> None:
    run("state", "set", "trip", "status", "booked")
    run("state", "set", "order", "status", "shipped")
    run("state", "end", "trip")
    lines = run("state", "list").out.splitlines()
    assert [("ended" in line) for line in lines if "booked" in line or "shipped" in line] == [False, True]
    fields = run("state", "list", "--json").json["fields"]
    assert {f["task"]: f["task_status"] for f in fields} == {"trip": "done", "order": "open"}


def test_the_queue_says_what_is_at_work(store_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with opened(store_path) as file:
        file.user("me").observe([Turn("user", "I keep bees", session="s")])
        with file.engine.write() as tx:
            tx.execute("UPDATE job SET status = 'running'")
        assert at_work(file, 2, 3) == "2 of 3 jobs; extract"
        told = Counting("jobs")
        told.tell("too soon to say")
        ticks: list[None] = []
        with ticking(lambda: ticks.append(None)):
            wait_until(lambda: ticks)
    assert capsys.readouterr().err == ""
