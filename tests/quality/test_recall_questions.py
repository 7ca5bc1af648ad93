"""Questions to memories with the real embedding model: found in either language, and declined when nothing is known."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from edgemem_models.embedder import LlamaEmbedder

import edgemem
from edgemem.recall.person import aliases, asked_about, speaks_of_another

pytestmark = [pytest.mark.model, pytest.mark.slow]

PEOPLE = [
    json.loads(line)
    for line in (Path(__file__).parent.parent / "data" / "recall_questions.jsonl").read_text("utf-8").splitlines()
]
Answer = tuple[Mapping[str, Any], Mapping[str, Any], Sequence[int]]
"""Person, question, and the numbers of the memories recalled, best first."""


@pytest.fixture(scope="module")
def answers(e5: LlamaEmbedder, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, list[Answer]]:
    """All answers, by the tag of the question."""
    found: defaultdict[str, list[Answer]] = defaultdict(list)
    for person in PEOPLE:
        path = tmp_path_factory.mktemp("people") / "me.edgemem"
        with edgemem.open(path, embedder=e5, settings=edgemem.Settings(background=False)) as file:
            mem = file.user(person["person"])
            number = {mem.add(content): n for n, content in enumerate(person["memories"])}
            for question in person["questions"]:
                hits = mem.recall(question["q"], limit=5).hits
                # What is dangerous to forget is told whoever is asked about; it may be the answer too.
                told = [number[h.id] for h in hits if "danger" not in h.parts or number[h.id] in question["want"]]
                found[question["tag"]].append((person, question, told))
    return found


def share(rows: Sequence[Answer]) -> float:
    return sum(bool(set(question["want"]) & set(got)) for _, question, got in rows) / len(rows)


@pytest.mark.parametrize(("tag", "least"), [("plain", 0.86), ("cross", 0.85), ("other", 0.9), ("keyword", 1.0)])
def test_what_is_known_is_among_the_first_five(answers: Mapping[str, list[Answer]], tag: str, least: float) -> None:
    assert share(answers[tag]) >= least


@pytest.mark.parametrize(("tag", "least"), [("unknown", 0.75), ("cross-unknown", 0.6)])
def test_what_is_not_known_is_declined(answers: Mapping[str, list[Answer]], tag: str, least: float) -> None:
    assert sum(not got for *_, got in answers[tag]) / len(answers[tag]) >= least


def test_little_that_is_known_is_declined(answers: Mapping[str, list[Answer]]) -> None:
    known = [got for rows in answers.values() for _, question, got in rows if question["want"]]
    assert sum(not got for got in known) / len(known) <= 0.06


def test_no_fact_about_somebody_else_is_given(answers: Mapping[str, list[Answer]]) -> None:
    for person, question, got in answers["person"]:
        about, names = asked_about(question["q"]), aliases(person["memories"])
        for n in got:
            assert not speaks_of_another(person["memories"][n], about, names), (question["q"], person["memories"][n])
