"""A name that was mistyped: of a file, of a user, of a command. Nothing is made of it, and the error says what to do."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from edgemem.cli import transfer
from tests.helpers import opened

from .conftest import Run

READING: tuple[tuple[str, ...], ...] = (
    ("list",), ("show", "0195c2"), ("history",), ("recall", "bees"), ("context", "bees"), ("sessions",), ("log", "s"),
    ("state", "get", "task"), ("state", "list"), ("jobs", "list"), ("check",), ("check", "--repair"), ("info",),
    ("backup",), ("backup", "--list"), ("export", "-"), ("graph", "show", "Mia"), ("graph", "list"),
)  # fmt: skip
CHANGING: tuple[tuple[str, ...], ...] = (
    ("edit", "0195c2", "x"), ("forget", "0195c2"), ("pin", "0195c2"), ("undo", "x"), ("erase", "--all", "--yes"),
    ("maintain",), ("index",), ("jobs", "run"), ("graph", "close", "x"), ("encrypt",), ("summarize", "s"),
)  # fmt: skip
MAKING: tuple[tuple[str, ...], ...] = (
    ("add", "I keep bees"),
    ("observe", "I keep bees"),
    ("state", "set", "task", "step", "1"),
    ("graph", "add", "Mia", "sister of", "Tom"),
)


@pytest.mark.parametrize("command", [*READING, *CHANGING], ids=" ".join)
def test_a_mistyped_file_is_named_and_not_made(run: Run, tmp_path: Path, command: tuple[str, ...]) -> None:
    typo = tmp_path / "typo.edgemem"
    ran = run(*command, "--file", typo)
    assert ran.code == 1
    assert "There is no" in ran.err
    assert str(typo) in ran.err
    assert "--file" in ran.err
    assert not ran.out
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", MAKING, ids=" ".join)
def test_a_command_that_writes_says_that_the_file_is_new(run: Run, tmp_path: Path, command: tuple[str, ...]) -> None:
    place = tmp_path / "new.edgemem"
    first, second = (run(*command, "--file", place) for _ in range(2))
    assert (first.code, second.code) == (0, 0)
    assert str(place) in first.err
    assert str(place) not in second.err


def test_a_mistyped_user_is_named_and_not_made(run: Run, store_path: Path) -> None:
    run("add", "I keep bees")
    for command in (("list",), ("recall", "bees"), ("info",), ("history",)):
        ran = run(*command, "--user", "mee")
        assert ran.code == 0
        assert "bees" not in ran.out
        assert command == ("info",) or "'mee'" in ran.err
    with opened(store_path) as file:
        assert file.users() == ["me"]


def test_options_may_stand_before_the_command(run: Run, tmp_path: Path) -> None:
    place = tmp_path / "other.edgemem"
    run("--file", place, "--user", "bob", "add", "I keep bees")
    assert [m["content"] for m in run("--json", "--file", place, "list", "--user", "bob").json["memories"]] == [
        "I keep bees"
    ]
    run("--file", place, "state", "--user", "bob", "set", "trip", "step", "1")
    assert run("state", "--json", "get", "trip", "--file", place, "--user", "bob").json["fields"][0]["value"] == 1
    run("--user", "bob", "add", "I keep wasps", "--user", "eve", "--file", place)
    with opened(place) as file:
        assert file.users() == ["bob", "eve"]


def test_what_stands_before_the_command_goes_before_the_environment(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDGEMEM_USER", "eve")
    run("--user", "bob", "add", "I keep bees")
    run("add", "I keep wasps")
    assert [m["content"] for m in run("list", "--json", "--user", "eve").json["memories"]] == ["I keep wasps"]


@pytest.mark.parametrize(
    ("typed", "meant"), [(("lst",), "list"), (("recal", "x"), "recall"), (("state", "gett", "x"), "get")]
)
def test_a_mistyped_command_is_answered_with_the_nearest(run: Run, typed: tuple[str, ...], meant: str) -> None:
    ran = run(*typed)
    assert ran.code == 2
    assert "Did you mean" in ran.err
    assert meant in ran.err


def test_a_command_like_no_other_points_to_the_list(run: Run) -> None:
    ran = run("quux")
    assert ran.code == 2
    assert "edgemem --help" in ran.err


@pytest.mark.parametrize("what", ["nothing", "empty", "broken", "headless", "newer", "sealed"])
def test_an_import_that_cannot_be_read_makes_no_file(
    run: Run, tmp_path: Path, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, source = tmp_path / "new.edgemem", tmp_path / "given.jsonl"
    if what == "sealed":
        (tmp_path / "other").mkdir()
        with opened(tmp_path / "other" / "x.edgemem") as file:
            file.user("me").add("I keep bees")
            file.user("me").export_to(source, passphrase="right")
        monkeypatch.setenv("EDGEMEM_EXPORT_PASSPHRASE", "wrong")
    else:
        source.write_text({
            "nothing": "", "empty": "[]", "broken": '{"type": "edgemem", "form', "headless": '{"type": "memory"}\n',
            "newer": '{"type": "edgemem", "format": 1, "schema": 9999}\n',
        }[what])  # fmt: skip
    ran = run("import", source, "--file", place)
    assert ran.code in (1, 2)
    assert "Error:" in ran.err
    assert "new memory file" not in ran.err
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(
        ["given.jsonl", *(["other"] if what == "sealed" else [])]
    )


def test_a_dry_run_of_an_import_makes_no_file(run: Run, tmp_path: Path) -> None:
    source, place = tmp_path / "given.jsonl", tmp_path / "new.edgemem"
    source.write_text('{"role": "user", "content": "I keep bees"}\n')
    ran = run("import", source, "--file", place, "--dry-run", "--json")
    assert ran.code == 0
    assert ran.json["counts"] == {"turn": {"added": 1}}
    assert not place.exists()
    ran = run("import", source, "--file", place)
    assert "new memory file" in ran.err
    assert place.exists()


def test_a_file_is_new_to_one_of_those_that_open_it_at_once(tmp_path: Path) -> None:
    place = tmp_path / "new.edgemem"

    def is_new(_: int) -> bool:
        with opened(place, words_only=True) as file:
            return file.is_new

    with ThreadPoolExecutor(6) as pool:
        assert sum(pool.map(is_new, range(6))) == 1


@pytest.mark.parametrize("what", ["missing", "no database"])
def test_a_merge_of_what_is_no_memory_makes_no_file(run: Run, tmp_path: Path, what: str) -> None:
    other, place = tmp_path / "other.edgemem", tmp_path / "new.edgemem"
    if what == "no database":
        other.write_text("nothing of the kind")
    ran = run("merge", other, "--file", place)
    assert ran.code == 1
    assert "other.edgemem" in ran.err
    assert not place.exists()


@pytest.mark.parametrize("command", ["add", "observe"])
@pytest.mark.parametrize("words", ["", "   ", "\n", "nul\0"])
def test_words_that_cannot_be_taken_make_no_file(run: Run, store_path: Path, command: str, words: str) -> None:
    assert run(command, words).code == 2
    assert not store_path.exists()


def test_an_import_that_takes_nothing_makes_no_file(run: Run, tmp_path: Path) -> None:
    source, place = tmp_path / "turns.jsonl", tmp_path / "new.edgemem"
    source.write_text('{"role": "user", "content": "I keep\\u0000bees", "session": "s"}\n', encoding="utf-8")
    ran = run("import", source, "--format", "turns", "--file", place)
    assert ran.code == 1
    assert "no file was made" in ran.err
    assert list(tmp_path.iterdir()) == [source]
    source.write_text('{"role": "user", "content": "I keep bees", "session": "s"}\n', encoding="utf-8")
    assert run("import", source, "--format", "turns", "--file", place).code == 0
    source.write_text('{"role": "user", "content": "I keep\\u0000goats", "session": "s"}\n', encoding="utf-8")
    assert run("import", source, "--format", "turns", "--file", place).code == 1
    with opened(place, words_only=True) as file:
        assert [t.content for t in file.user("me").turns("s")] == ["I keep bees"]


@pytest.mark.parametrize("words", ["I keep\\u0000goats", "I keep goats"])
def test_a_file_that_another_program_makes_during_an_import_stays(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str
) -> None:
    """Whether the import takes something or not: nothing that may hold anything is ever taken away again."""
    source, place = tmp_path / "turns.jsonl", tmp_path / "new.edgemem"
    source.write_text(f'{{"role": "user", "content": "{words}", "session": "s"}}\n', encoding="utf-8")
    tried = transfer._tried

    def meanwhile(*given: Any) -> Any:
        report = tried(*given)
        with opened(place, words_only=True) as file:
            file.user("me").add("I keep bees")
        return report

    monkeypatch.setattr(transfer, "_tried", meanwhile)
    run("import", source, "--format", "turns", "--file", place)
    with opened(place, words_only=True) as file:
        assert [m.content for m in file.user("me").list()] == ["I keep bees"]
        assert [t.content for s in file.user("me").sessions() for t in file.user("me").turns(s.id)] == (
            [] if "u0000" in words else ["I keep goats"]
        )
