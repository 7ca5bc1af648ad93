"""The figures of the router, and its command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from edgemem.cli import evaluate as command
from edgemem.errors import InvalidInput
from edgemem.evals.router import Case, figures, load_turns, shipped_turns
from edgemem.ports import FixedModels
from edgemem.testing import ScriptedModel, WordsEmbedder
from edgemem.text import is_han
from tests.helpers import ROOT

from .test_command import call


def test_saved_is_of_the_needless_and_missed_of_the_needed() -> None:
    cases = [Case("a", True), Case("b", True), Case("c", False), Case("d", False), Case("你好吗", False)]
    found = figures(cases, [True, False, False, True, False])
    assert found["all"] == {"turns": 5, "needed": 2, "saved": 0.6667, "missed": 0.5, "spared": 0.6}
    assert found["Chinese"] == {"turns": 1, "needed": 0, "saved": 1.0, "missed": None, "spared": 1.0}


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ('{"turn": "x"}', "'needs' is missing"),
        ('{"turn": 1, "needs": true}', "turn and after are texts"),
        ('{"turn": "x", "needs": true, "after": "y"}', "turn and after are texts"),
    ],
)
def test_a_line_that_is_no_turn_is_named(tmp_path: Path, line: str, why: str) -> None:
    path = tmp_path / "turns.jsonl"
    path.write_text(f'{{"turn": "a", "needs": false}}\n{line}\n', encoding="utf-8")
    with pytest.raises(InvalidInput, match=f"line 2: {why}"):
        load_turns([path])


def test_nothing_that_ships_for_judging_was_learned_from() -> None:
    shipped = shipped_turns()
    assert len(shipped) >= 150
    assert sum(c.needs for c in shipped) >= 50
    assert sum(is_han(c.turn) for c in shipped) >= 50
    learned = {
        line[2:].split("\t")[0].strip()
        for path in (ROOT / "models" / "training").glob("turns_*.txt")
        for line in path.read_text("utf-8").splitlines()
    }
    assert len(learned) >= 300
    assert not learned & {c.turn for c in shipped}
    assert len({c.turn for c in shipped}) == len(shipped)


def test_the_command_judges_a_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(command, "provider_for", lambda _model: FixedModels(ScriptedModel(), WordsEmbedder()))
    lines = [
        {"turn": "hi", "needs": False},
        {"turn": "Name the noble gases", "needs": False},
        {"turn": "Where do I keep my tent?", "needs": True},
        {"turn": "And why?", "needs": True, "after": ["Where do I keep my tent?"]},
    ]
    path = tmp_path / "turns.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    told = call("router", path, "--json")
    found = json.loads(told.stdout)
    assert found["groups"]["all"] == {"turns": 4, "needed": 2, "saved": 0.5, "missed": 0.5, "spared": 0.5}
    assert [w["turn"] for w in found["wrong"]] == ["Name the noble gases", "And why?"]
    table = call("router", path).stdout
    assert "missed (0.0): And why?" in table
