"""The demo says how many of the questions it asks, what was expected, and what the model had before it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from edgemem.testing import WordsEmbedder
from tests.helpers import Fact, RuleModel

from .conftest import Run


@pytest.fixture
def told(tmp_path: Path, models: Callable[..., None]) -> tuple[Path, Path]:
    """A conversation of two messages, and three questions about it, one of which it does not answer."""
    models(RuleModel(Fact("I keep bees", "The user keeps bees.")), WordsEmbedder(2048))
    turns: list[dict[str, object]] = [
        {"role": "user", "content": "I keep bees", "id": "a"},
        {"role": "user", "content": "Fine weather", "id": "b"},
    ]
    asked: list[dict[str, object]] = [
        {"question": "Do I keep bees?", "answer": "Yes.", "evidence": ["a"]},
        {"question": "What is my blood type?", "answer": None, "evidence": []},
        {"question": "How is the weather?", "answer": "Fine.", "evidence": ["b"]},
    ]
    paths = tmp_path / "chat.jsonl", tmp_path / "questions.jsonl"
    for path, lines in zip(paths, (turns, asked), strict=True):
        path.write_text("\n".join(json.dumps(line) for line in lines))
    return paths


def test_it_says_what_it_leaves_out_and_what_was_expected(run: Run, told: tuple[Path, Path]) -> None:
    chat, questions = told
    ran = run("demo", chat, "--questions", questions, "--ask", "2")
    assert ran.code == 0
    assert "Asking 2 of 3 questions" in ran.err
    assert "--ask 0" in ran.err
    assert "Expected: Yes." in ran.out
    assert "nothing was said about it" in ran.out
    assert "The user keeps bees." in ran.out.split("2. ")[0]
    assert "How is the weather?" not in ran.out
    assert "In 1 of 1 question" in ran.err


def test_all_of_them_as_json(run: Run, told: tuple[Path, Path]) -> None:
    chat, questions = told
    answers = run("demo", chat, "--questions", questions, "--ask", "0", "--json").json["answers"]
    assert [a["expected"] for a in answers] == ["Yes.", None, "Fine."]
    assert [a["evidence_read"] for a in answers][:2] == [True, None]


def test_what_a_memory_replaced_is_said(run: Run, told: tuple[Path, Path], models: Callable[..., None]) -> None:
    facts = Fact("I live in Rome", "The user lives in Rome."), Fact("I live in Porto", "The user lives in Porto.")
    models(RuleModel(*facts, relation="conflict"), WordsEmbedder(2048))
    chat, questions = told
    said = ("I live in Rome", "I live in Porto")
    chat.write_text("\n".join(json.dumps({"role": "user", "content": text, "id": text}) for text in said))
    questions.write_text(json.dumps({"question": "Where do I live, in Porto?"}))
    shown = run("demo", chat, "--questions", questions)
    assert "(before: The user lives in Rome.)" in shown.out
