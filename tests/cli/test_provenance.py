"""From a memory to the words it rests on, and from a turn to everything that was made of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from edgemem.ports import Embedder, LanguageModel
from tests.cli.conftest import Run
from tests.helpers import Fact, RuleModel

SAID = "hello again! I keep bees. What is the capital of Peru?"
BEES = Fact("I keep bees", "The user keeps bees.")

Models = Callable[[LanguageModel | None, Embedder | None], None]


@pytest.fixture
def taught(run: Run, models: Models, tmp_path: Path) -> str:
    """Id of the memory learned from ``SAID``."""
    models(RuleModel(BEES), None)
    lines = tmp_path / "chat.jsonl"
    lines.write_text(json.dumps({"role": "user", "content": SAID, "session": "monday", "id": "7"}) + "\n", "utf-8")
    return str(run("learn", str(lines), "--json").json["memories"][0]["id"])


def test_why_leads_from_a_memory_to_the_turn_its_words_and_the_run(run: Run, taught: str) -> None:
    found = run("why", taught, "--json").json
    assert found["memory"]["content"] == BEES.memory
    assert found["turn"]["content"] == SAID
    assert (found["turn"]["session"], found["turn"]["id"]) == ("monday", "7")
    assert found["run"] == found["memory"]["trace"]
    steps = {step["step"]: step for step in found["steps"]}
    assert [c["text"] for c in steps["gate"]["clauses"]] == ["I keep bees."]
    assert steps["gate"]["clauses"][0]["keep"] > 0.9
    assert [i["id"] for i in steps["apply"]["items"]] == [taught]
    assert [c["action"] for c in found["changes"]] == ["add"]


def test_why_marks_the_words_in_their_turn(run: Run, taught: str) -> None:
    told = run("why", taught).out
    quote = run("show", taught, "--json").json["source"]["quote"]
    assert f"[{quote}]" in told
    assert "monday/7" in told
    assert "keep 0." in told
    assert "capital of Peru" not in told.split("\n", 2)[2]  # other clauses are no reason


def test_why_of_what_was_added_by_hand(run: Run) -> None:
    added = run("add", "I sing bass", "--json").json["id"]
    assert "added by hand" in run("why", added).out
    found = run("why", added, "--json").json
    assert (found["turn"], found["run"], found["steps"]) == (None, None, [])


def test_a_trace_tells_every_step_with_its_time(run: Run, taught: str) -> None:
    found = run("trace", "7", "--json").json
    assert found["turn"]["content"] == SAID
    (reading,) = found["runs"]
    names = [step["step"] for step in reading["steps"]]
    assert names[:2] == ["split", "gate"]
    assert names[-1] == "apply"
    assert all(step["ms"] >= 0 for step in reading["steps"])
    assert reading["steps"][0]["clauses"] == ["hello again!", "I keep bees.", "What is the capital of Peru?"]
    assert any(item["id"] == taught for item in reading["steps"][-1]["items"])
    table = run("trace", "7").out
    assert "hello again!" in table
    assert f"added: {taught}" in table


def test_turns_of_one_name_need_their_session(run: Run, models: Models, taught: str, tmp_path: Path) -> None:
    assert taught
    lines = tmp_path / "more.jsonl"
    lines.write_text(json.dumps({"role": "user", "content": "bye", "session": "tuesday", "id": "7"}) + "\n", "utf-8")
    models(RuleModel(BEES), None)
    run("learn", str(lines), "--json")
    refused = run("trace", "7")
    assert refused.code == 2
    assert "tuesday" in refused.err
    assert run("trace", "7", "--session", "tuesday", "--json").json["turn"]["content"] == "bye"
    assert run("trace", "nobody").code == 1


def test_a_turn_that_was_not_read_says_so(run: Run, tmp_path: Path) -> None:
    lines = tmp_path / "chat.jsonl"
    lines.write_text(json.dumps({"role": "assistant", "content": "hello", "session": "s", "id": "1"}) + "\n", "utf-8")
    run("learn", str(lines))
    told = run("trace", "1")
    assert told.code == 0
    assert "not read" in told.err
