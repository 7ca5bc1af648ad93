"""Every command: what it prints where, its JSON, its exit code."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest

from edgemem.cli.main import cli
from edgemem.errors import ModelMissing
from edgemem.settings import Settings
from edgemem.testing import WordsEmbedder
from tests.helpers import Fact, RuleModel, child, opened

from .conftest import Run

BEES = Fact("I keep bees", "The user keeps bees.")
CHAT = [
    {"role": "user", "content": "I keep bees", "at": "2026-05-01T10:00:00+02:00"},
    {"role": "assistant", "content": "How many?", "at": "2026-05-01T10:01:00+02:00"},
    {"role": "user", "content": "thanks", "at": "2026-05-01T10:02:00+02:00"},
]


def lines(*records: object) -> str:
    return "".join((r if isinstance(r, str) else json.dumps(r, ensure_ascii=False)) + "\n" for r in records)


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    path = tmp_path / "chat.jsonl"
    path.write_text(lines(*CHAT), encoding="utf-8")
    return path


@pytest.fixture
def learner(models: Callable[..., None]) -> RuleModel:
    model = RuleModel(BEES)
    models(model, WordsEmbedder())
    return model


def _all_commands(group: click.Group, ctx: click.Context, path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    found = []
    for name in group.list_commands(ctx):
        command = group.get_command(ctx, name)
        assert command is not None
        if isinstance(command, click.Group):
            found += _all_commands(command, ctx, (*path, name))
        else:
            found.append((*path, name))
    return found


COMMANDS = _all_commands(cli, click.Context(cli))


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_explains_itself(run: Run, command: tuple[str, ...]) -> None:
    shown = run(*command, "--help")
    assert (shown.code, shown.err) == (0, "")
    description = shown.out.partition("\n\n")[2].partition("Options:")[0]
    assert re.search(r"[.!?)]\s", description)
    assert "--json" in shown.out
    assert "--file" in shown.out or command[0] in {"models", "eval"}


def test_help_version_and_nothing_at_all(run: Run) -> None:
    assert "one file" in run("--help").out
    assert run("--help").out == run("-h").out == run().out
    assert re.fullmatch(r"edgemem, version \d+\.\d+\.\d+\n", run("--version").out)


@pytest.mark.parametrize(
    "args",
    [
        ["nonsense"], ["add"], ["add", "x", "--nonsense"], ["recall", "x", "-k", "0"], ["add", "x", "--kind", "opinion"],
        ["add", ""], ["add", "x", "--importance", "2"], ["add", "x", "--expires", "tomorrow"], ["learn", "no-such.jsonl"],
        ["add", "x", "--expires", "2026-01-01T00:00:00"], ["observe", "x", "--role", "bot"], ["context", "x", "--budget", "0"],
        ["recall", "x", "--arm", "telepathy"], ["state", "nonsense"], ["tui"], ["add", "x", "--user", ""],
    ],
    ids=" ".join,
)  # fmt: skip
def test_wrong_use_is_exit_2_with_a_reason_and_no_data(run: Run, args: list[str]) -> None:
    ran = run(*args)
    assert ran.code == 2
    assert ran.out == ""
    assert len(ran.err) > 10
    assert "Traceback" not in ran.err


@pytest.mark.parametrize(
    "args",
    [
        ["show", "nothing"], ["edit", "nothing", "x"], ["forget", "nothing"], ["pin", "nothing"], ["undo", "nothing"],
        ["jobs", "retry", "nothing"], ["history", "nothing"], ["state", "get", "nothing"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_what_is_not_there_is_exit_1_with_a_next_step(run: Run, args: list[str]) -> None:
    run("add", "I keep bees")
    ran = run(*args)
    assert (ran.code, ran.out) == (1, "")
    assert "nothing" in ran.err


def test_a_life_by_hand_in_plain_text(run: Run) -> None:
    uid = run("add", "I keep bees", "--kind", "fact", "--importance", "1", "--pin").out.strip()
    assert run("list").out.count("I keep bees") == 1
    change = run("edit", uid[-12:], "I keep goats").out.strip()
    assert "I keep goats" in run("show", uid).out
    assert run("undo", change).code == 0
    assert "I keep bees" in run("recall", "bees").out
    forgotten = run("forget", uid).out.strip()
    gone = run("recall", "bees")
    assert (gone.code, gone.out, gone.err) == (0, "", "Nothing relevant is remembered.\n")
    assert run("undo", forgotten).code == 0
    assert [line.split()[3] for line in run("history", uid).out.splitlines()[1:]] == [
        "add",
        "edit",
        "undo",
        "forget",
        "undo",
    ]
    assert run("pin", uid, "--off").code == 0
    assert run("check").out == "All is well.\n"


def test_json_of_reading_commands(run: Run) -> None:
    uid = run("add", "I keep bees", "--json").json["id"]
    run("observe", "bees are calm today", "--session", "s")
    found = run("recall", "bees", "--json").json
    assert {"query", "hits", "abstained", "ms"} <= set(found)
    assert {h["kind"] for h in found["hits"]} == {"fact", "turn"}
    for hit in found["hits"]:
        assert {"id", "content", "kind", "score", "parts", "source"} <= set(hit)
    assert "near_misses" in run("recall", "bees", "--json", "--explain").json
    assert run("recall", "quantum", "--json").json["abstained"] is True
    block = run("context", "bees", "--json", "--budget", "500").json
    assert uid in block["ids"]
    assert 0 < block["tokens"] <= 500
    assert run("list", "--json").json["memories"][0]["id"] == uid
    shown = run("show", uid, "--json").json
    assert [c["action"] for c in shown["history"]] == ["add"]
    assert run("history", "--json").json["changes"][0]["memory"] == uid
    assert run("sessions", "--json").json["sessions"][0]["turns"] == 1
    assert run("log", "s", "--json").json["turns"][0]["content"] == "bees are calm today"
    assert run("jobs", "list", "--json").json["jobs"][0]["status"] == "queued"
    assert run("check", "--json").json == {"ok": True, "problems": []}
    info = run("info", "--json").json
    assert info["users"] == ["me"]
    assert info["counts"]["memory"] == 1


def test_state_by_command(run: Run) -> None:
    assert run("state", "set", "t", "step", "3").out == "1\n"
    assert run("state", "set", "t", "step", '{"a": [1, null]}', "--expect", "1", "--json").json == {"version": 2}
    assert run("state", "set", "t", "step", "4", "--expect", "1").code == 1
    assert json.loads(run("state", "get", "t", "step").out) == {"a": [1, None]}
    run("state", "set", "t", "note", "plain text 文")
    assert [f["value"] for f in run("state", "list", "--json").json["fields"]] == ["plain text 文", {"a": [1, None]}]


def test_users_are_apart(run: Run) -> None:
    run("add", "I keep bees", "--user", "a")
    assert run("list", "--user", "a%", "--json").json == {"memories": []}
    assert len(run("list", "--user", "a", "--json").json["memories"]) == 1


def test_text_for_a_terminal_is_one_line_and_harmless(run: Run) -> None:
    run("add", "evil \x1b[2J\nsecond\tline\u202e")
    table = run("list").out
    assert len(table.splitlines()) == 2
    assert "\x1b" not in table
    assert "\u202e" not in table


def test_learn_tells_what_was_learned_and_where_from(run: Run, learner: RuleModel, chat: Path) -> None:
    ran = run("learn", chat)
    assert ran.code == 0
    assert "+ The user keeps bees." in ran.out
    assert "“I keep bees”" in ran.out
    assert "3 turns" in ran.err


def test_json_of_learn(run: Run, learner: RuleModel, chat: Path) -> None:
    told = run("learn", chat, "--json").json
    assert {"turns", "memories", "rejected", "failed", "seconds"} <= set(told)
    assert len(told["turns"]) == 3
    (memory,) = told["memories"]
    assert {"id", "content", "kind", "about", "confidence", "outcome", "source"} <= set(memory)
    assert memory["outcome"] == "added"
    assert memory["source"]["quote"] == "I keep bees"
    assert memory["source"]["turn"] == told["turns"][0]
    again = run("learn", chat, "--json").json
    assert again["turns"] == told["turns"]
    assert again["memories"] == []


BROKEN = (
    '{"role": "user", "content": "broken',
    '{"role": "bot", "content": "hello"}',
    '{"role": "user", "content": ""}',
    '{"role": "user", "content": 5}',
    '{"role": "user", "content": "x", "at": "2026-05-01T10:00:00"}',
    '{"role": "user", "content": "half \\ud83d"}',
    '{"role": "user", "content": "nul \\u0000"}',
    "[1, 2]",
)


def test_broken_lines_are_named_and_the_rest_is_taken(run: Run, learner: RuleModel, tmp_path: Path) -> None:
    path = tmp_path / "broken.jsonl"
    path.write_text(lines(CHAT[0], *BROKEN, CHAT[2]), encoding="utf-8")
    ran = run("learn", path, "--json")
    assert ran.code == 1
    for n in range(len(BROKEN)):
        assert re.search(rf"line {n + 2}, column \d+: \S", ran.err)
    assert len(ran.json["problems"]) == len(BROKEN)
    assert len(ran.json["turns"]) == 2
    assert [m["content"] for m in ran.json["memories"]] == [BEES.memory]


def test_a_line_repaired_later_is_taken_then_and_nothing_twice(run: Run, learner: RuleModel, tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_text(lines(BROKEN[0], *CHAT), encoding="utf-8")
    first = run("learn", path, "--json")
    assert (first.code, len(first.json["turns"])) == (1, 3)
    path.write_text(lines({"role": "user", "content": "mended"}, *CHAT), encoding="utf-8")
    second = run("learn", path, "--json")
    assert second.code == 0
    assert second.json["turns"][1:] == first.json["turns"]
    assert [t["content"] for t in run("log", "chat", "--json").json["turns"]] == [
        "I keep bees",
        "How many?",
        "thanks",
        "mended",
    ]


def test_the_same_words_twice_in_one_file_are_two_turns(run: Run, learner: RuleModel, tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_text(lines(*[{"role": "user", "content": "yes"}] * 3), encoding="utf-8")
    assert len(set(run("learn", path, "--json").json["turns"])) == 3
    assert len(run("log", "chat", "--json").json["turns"]) == 3


def test_standard_input_is_learned_from(run: Run, learner: RuleModel) -> None:
    told = run("learn", "-", "--json", stdin=lines(*CHAT))
    assert told.code == 0
    assert [m["content"] for m in told.json["memories"]] == [BEES.memory]
    assert run("learn", "-", "--json", stdin="").code == 2


def test_the_first_turns_only(run: Run, learner: RuleModel, chat: Path) -> None:
    assert len(run("learn", chat, "--limit", "1", "--json").json["turns"]) == 1
    assert len(run("learn", chat, "--json").json["turns"]) == 3


def test_without_a_model_it_is_exit_4_and_the_turns_are_kept(run: Run, models: Callable[..., None], chat: Path) -> None:
    ran = run("learn", chat)
    assert (ran.code, ran.out) == (ModelMissing.exit_code, "")
    assert "models pull" in ran.err
    assert len(run("log", "chat", "--json").json["turns"]) == 3
    assert run("jobs", "run").code == 4
    assert [j["status"] for j in run("jobs", "list", "--json").json["jobs"]] == ["queued", "queued"]
    models(RuleModel(BEES), WordsEmbedder())
    assert run("jobs", "run", "--json").json == {"done": 3, "failed": 0}, "two messages, then the graph"
    assert run("list", "--json").json["memories"][0]["content"] == BEES.memory
    assert run("jobs", "list").err == "Nothing waits.\n"


def test_a_failed_turn_is_exit_1_and_is_named(run: Run, models: Callable[..., None], chat: Path) -> None:
    class Failing(RuleModel):
        def choose(self, *args: Any, **options: Any) -> Any:
            raise ValueError("no luck")

    models(Failing(BEES), WordsEmbedder())
    ran = run("learn", chat, "--json")
    assert ran.code == 1
    assert "no luck" in ran.json["failed"][0]["error"]
    assert len(ran.json["turns"]) == 3


_HOLD = """if 1:
    import sys
    from pathlib import Path
    from tests.helpers import opened
    with opened(Path(sys.argv[1])) as file, file.engine.write() as tx:
        print("held", flush=True)
        sys.stdin.readline()
"""


def test_a_held_file_is_exit_3_for_writing_and_answers_for_reading(
    run: Run, store_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import edgemem.settings

    run("add", "I keep bees")
    impatient = Settings.__init__

    def quick(self: Settings, **given: Any) -> None:
        impatient(self, **(given | {"busy_timeout": 0.2}))

    monkeypatch.setattr(edgemem.settings.Settings, "__init__", quick)
    with child(_HOLD, store_path) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        ran = run("add", "more")
        assert (ran.code, ran.out) == (3, "")
        assert "Another process" in ran.err
        assert "I keep bees" in run("recall", "bees").out


def test_check_is_exit_1_on_damage(run: Run, store_path: Path) -> None:
    from tests.helpers import plain_connection

    run("add", "I keep bees")
    db = plain_connection(store_path)
    db.execute("UPDATE memory SET content = 'I keep wasps'")
    db.close()
    ran = run("check", "--json")
    assert ran.code == 1
    assert {p["area"] for p in ran.json["problems"]} == {"rows", "fulltext"}
    assert run("check").out.startswith("rows: memory ")


def test_a_file_that_is_not_ours_is_exit_1(run: Run, store_path: Path) -> None:
    store_path.write_text("hello, I am no database at all\n" * 100)
    ran = run("list")
    assert (ran.code, ran.out) == (1, "")
    assert "not an edgemem file" in ran.err


def test_plain_chat_answers_line_by_line(run: Run, models: Callable[..., None], store_path: Path) -> None:
    model = RuleModel()
    model.answers.extend([])
    models(model, WordsEmbedder())
    with opened(store_path) as file:
        file.user("me").add("The user keeps bees.")
    ran = run("chat", "--plain", "--session", "s", stdin="what about bees?\n\n")
    assert ran.code == 0
    assert ran.out.strip() == "[]"
    assert "remembered: The user keeps bees." in ran.err
    assert [t["role"] for t in run("log", "s", "--json").json["turns"]] == ["user", "assistant"]
    assert run("chat", "--plain", "--no-remember", "--session", "t", stdin="hello\n").code == 0
    assert run("log", "t", "--json").json["turns"] == []
