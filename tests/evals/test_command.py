from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

import click
import pytest
from click.testing import CliRunner, Result

from edgemem.cli import evaluate as command
from edgemem.cli.main import main

from .fakes import FakeOpener, StopAfter
from .tiny import EXTRACTION, MEMORYBANK, PAIRS, write_lines, write_locomo


@pytest.fixture
def opener(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> FakeOpener:
    fake = FakeOpener()
    provider = SimpleNamespace(
        language_model=lambda: SimpleNamespace(name="fake-1b"),
        embedder=lambda: SimpleNamespace(fingerprint="fake-e"),
        close=lambda: None,
    )
    monkeypatch.setattr(command, "provider_for", lambda _model: provider)
    monkeypatch.setattr(command, "opener_for", lambda _provider: fake)
    monkeypatch.setenv("EDGEMEM_HOME", str(tmp_path))
    return fake


def call(*arguments: Any) -> Result:
    with mock.patch.object(sys, "argv", ["edgemem", "eval", *map(str, arguments)]):
        return CliRunner().invoke(click.Command("edgemem", callback=main))


def test_json_is_on_stdout_and_progress_on_stderr(opener: FakeOpener, tmp_path: Path) -> None:
    result = call("pairs", write_lines(tmp_path / "pairs.jsonl", PAIRS), "--json")
    assert result.exit_code == 0
    assert {"n", "accuracy", "confusion", "harmful"} <= json.loads(result.stdout).keys()
    assert "4/4  p4" in result.stderr


def test_tables_for_people(opener: FakeOpener, tmp_path: Path) -> None:
    result = call("extraction", write_lines(tmp_path / "set.jsonl", EXTRACTION), "--limit", 2)
    assert result.exit_code == 0
    assert "fake-1b" in result.stdout
    assert "2/2  b" in result.stderr
    assert call("retrieval", write_locomo(tmp_path / "loco.json")).exit_code == 0


def test_ctrl_c_says_how_to_go_on(opener: FakeOpener, tmp_path: Path) -> None:
    opener.before = StopAfter(1)
    result = call("pairs", write_lines(tmp_path / "pairs.jsonl", PAIRS), "--predictions", tmp_path / "p.jsonl")
    assert result.exit_code == 130
    assert "Stopped after 1 of 4 items." in result.stderr
    assert "Run the same command again" in result.stderr
    opener.before = lambda: None
    again = call("pairs", tmp_path / "pairs.jsonl", "--predictions", tmp_path / "p.jsonl", "--json")
    assert json.loads(again.stdout)["taken_up"] == 1


def test_a_broken_set_ends_with_its_line_before_a_model_is_loaded(
    opener: FakeOpener, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(command, "provider_for", lambda _model: SimpleNamespace(close=lambda: None))
    result = call("pairs", write_lines(tmp_path / "set.jsonl", EXTRACTION))
    assert result.exit_code == 2
    assert "line 1: `relation` must be a string" in result.stderr


def test_score_needs_no_model(tmp_path: Path) -> None:
    pairs = write_lines(tmp_path / "pairs.jsonl", PAIRS)
    predictions = write_lines(tmp_path / "p.jsonl", [{"id": "p2", "relation": "distinct"}])
    result = call("score", "pairs", pairs, predictions, "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["accuracy"] == 0.25
    assert "accuracy 0.25" in call("score", "pairs", pairs, predictions).stdout


def test_sessions_run_the_shipped_cases_or_a_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from edgemem.ports import FixedModels
    from edgemem.testing import ScriptedModel, WordsEmbedder

    monkeypatch.setattr(command, "provider_for", lambda _model: FixedModels(ScriptedModel(), WordsEmbedder()))
    shipped = call("sessions", "--limit", "1", "--json")
    assert json.loads(shipped.stdout)["cases"] == 1
    steps = [
        {"say": "I keep bees", "session": "a", "at": "2026-02-02T09:00:00+00:00"},
        {"ask": "keep bees", "all": [["bees"]]},
    ]
    own = tmp_path / "own.jsonl"
    own.write_text(json.dumps({"id": "en-own", "steps": steps}), encoding="utf-8")
    told = call("sessions", own)
    assert told.exit_code == 0
    assert "Of 1 questions answered 1.0, by a memory 0.0" in told.stdout


def test_graph_asks_the_shipped_set_or_a_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from edgemem.ports import FixedModels
    from edgemem.testing import ScriptedModel, WordsEmbedder

    monkeypatch.setattr(command, "provider_for", lambda _model: FixedModels(ScriptedModel(), WordsEmbedder()))
    own = tmp_path / "own.jsonl"
    talk = {
        "world": "w",
        "session": "a",
        "at": "2026-02-02T09:00:00+00:00",
        "turns": [["user", "My uncle Bertil runs the Salt House."]],
    }
    asked = {"world": "w", "id": "en-1", "hops": 2, "ask": "What does my uncle Bertil run?", "all": [["Salt House"]]}
    own.write_text(f"{json.dumps(talk)}\n{json.dumps(asked)}\n", encoding="utf-8")
    found = json.loads(call("graph", own, "--rules", "--json").stdout)
    assert (found["questions"], found["answered"], found["in_context"]) == (1, 1.0, 1.0)
    shown = call("graph", own)
    assert shown.exit_code == 0
    assert "without graph" in shown.stdout


def test_ablation_ranks_the_same_candidates_without_each_signal(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from edgemem.evals.ablation import GROUPS, variants
    from edgemem.ports import FixedModels
    from edgemem.recall.passages import SIGNALS
    from edgemem.testing import ScriptedModel, WordsEmbedder

    assert {name for signals in GROUPS.values() for name in signals} == set(SIGNALS)
    monkeypatch.setattr(command, "provider_for", lambda _model: FixedModels(ScriptedModel(), WordsEmbedder()))
    paths = [write_locomo(tmp_path / "loco.json"), write_lines(tmp_path / "bank.jsonl", MEMORYBANK)]
    told = call("retrieval", "--ablate", *paths, "--json")
    figures = json.loads(told.stdout)
    assert figures["questions"] == 4
    assert set(figures["variants"]) == set(variants())
    assert figures["variants"]["all"]["any_at"] == {"5": 1.0, "10": 1.0, "20": 1.0}
    assert "without who said it" in call("retrieval", "--ablate", *paths).stdout
