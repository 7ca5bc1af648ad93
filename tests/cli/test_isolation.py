"""No command reaches another user, whatever ids, names and wildcards it is given."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.helpers import opened
from tests.torture.isolation import rows_of

SECRET = "xylocarpine"


@pytest.mark.parametrize("name", ["a", "a%", "用户/1", 'x" OR "1"="1', "_"])
def test_commands_with_another_users_ids(run: Run, store_path: Path, name: str) -> None:
    uid = run("add", f"about {SECRET}", "--user", "victim").out.strip()
    turn = run("observe", f"I love {SECRET}", "--session", "theirs", "--user", "victim").out.strip()
    change = run("history", "--user", "victim", "--json").json["changes"][0]["id"]
    job = run("jobs", "list", "--user", "victim", "--json").json["jobs"][0]["id"]
    run("state", "set", "task", "field", SECRET, "--user", "victim")
    with opened(store_path) as file:
        before = rows_of(file, "victim")
    for command in (
        ("show", uid), ("show", uid[-8:]), ("show", uid[:8] + "%"), ("show", uid, "--reveal"), ("edit", uid, "stolen"), ("pin", uid),
        ("forget", uid), ("history", uid), ("undo", change), ("erase", uid, "--yes"), ("erase", "--session", "theirs", "--yes"),
        ("erase", "--search", "about love", "--yes"), ("log", "theirs"), ("jobs", "retry", job), ("list", "--status", "any"),
        ("list", "--namespace", "%"), ("recall", "about love"), ("recall", uid), ("context", "about love"), ("history",),
        ("sessions",), ("state", "list"), ("state", "get", "task"), ("export", "-"), ("maintain",), ("log", turn), ("graph", "show", "%"),
    ):  # fmt: skip
        ran = run(*command, "--user", name)
        assert SECRET not in ran.out + ran.err, command
    with opened(store_path) as file:
        assert rows_of(file, "victim") == before
        assert file.check() == []


def test_an_empty_or_impossible_name_is_refused(run: Run) -> None:
    run("add", "I keep bees")
    for name in ("", "x" * 501):
        assert run("list", "--user", name).code == 2
