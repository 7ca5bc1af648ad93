"""What a list of memories says of each."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click
import pytest

import edgemem
from edgemem.cli.main import cli
from edgemem.testing import WordsEmbedder
from edgemem.write import manual
from tests.docs_reference import commands

from .conftest import Run


def test_pinned_memories_are_marked_in_the_list(run: Run) -> None:
    run("add", "I keep bees", "--pin")
    run("add", "I keep goats")
    shown = {line.split()[-1]: "pinned" in line for line in run("list").out.splitlines()[1:]}
    assert shown == {"bees": True, "goats": False}


def test_memories_out_of_use_are_marked_with_what_became_of_them(run: Run) -> None:
    run("add", "I keep bees", "--pin")
    gone = run("add", "I keep goats", "--json").json["id"]
    run("forget", gone)
    shown = run("list", "--status", "any").out.splitlines()
    assert "status" in shown[0]
    by_last = {line.split()[-1]: line for line in shown[1:]}
    assert "forgotten" in by_last["goats"]
    assert "forgotten" not in by_last["bees"]
    assert "pinned" in by_last["bees"]


GROUPS = [
    path[1:] for path, command in commands(cli) if isinstance(command, click.Group) and "list" in command.commands
]


@pytest.mark.parametrize("group", GROUPS, ids=" ".join)
def test_a_group_alone_does_what_its_list_does(run: Run, group: tuple[str, ...]) -> None:
    run("add", "I keep bees")
    run("state", "set", "task:1", "step", "2")
    run("profile", "set", "language", "Deutsch")
    run("graph", "add", "Mia", "sister of", "Tom")
    alone = run(*group)
    listed = run(*group, "list")
    assert (alone.code, alone.out, alone.err) == (listed.code, listed.out, listed.err)
    assert run(*group, "--json").json == run(*group, "list", "--json").json
    assert run("--json", *group).json == run(*group, "list", "--json").json


def test_review_alone_lists_all_that_waits(run: Run, store_path: Path) -> None:
    doubtful = run("add", "I may keep bees", "--json").json["id"]
    assert "Nothing waits for you." in run("review").err
    run("graph", "add", "Mia", "sister of", "Tom", "--confidence", "0.4")
    with edgemem.open(store_path) as file, file.engine.write() as tx:
        manual.edit(tx, file.user("me")._key, doubtful, file.now(), status="review", confidence=0.6)
    told = run("review")
    assert told.code == 0
    assert "I may keep bees" in told.out
    assert "Mia — sister of → Tom" in told.out
    assert "edgemem confirm" in told.err
    assert "edgemem graph accept" in told.err


def test_without_an_embedding_model_adding_says_how_it_is_found(run: Run, models: Callable[..., None]) -> None:
    models(None, None)
    added = run("add", "I keep bees")
    assert "words only" in added.err
    assert "edgemem models pull" in added.err
    assert run("info", "--json").json["without_vectors"] == 1
    assert run("index", "--json").json["without_vectors"] == 1
    models(None, WordsEmbedder())
    assert "words only" not in run("add", "I keep goats").err
    assert run("index", "--json").json["without_vectors"] == 0
