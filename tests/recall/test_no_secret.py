"""What was told in a message and is secret stands in no field of an answer, whatever the later words about it are."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from edgemem.cli.asking import recall_json
from edgemem.view import Memory
from tests.cli.conftest import Run, models, run  # noqa: F401 - fixtures
from tests.helpers import NOW, Fact, RuleModel, opened, said

TOLD = [
    (
        ["The wifi password of the garden shed is heron7788.", "Correction, the shed wifi password is otter99xx."],
        ("heron7788", "otter99xx"),
        "garden shed wifi password",
    ),
    (
        ["The pin of my bike lock is badger47zz now", "I was wrong, the pin of the bike lock is weasel81yy"],
        ("badger47zz", "weasel81yy"),
        "pin of the bike lock",
    ),
    (["花园的密码是heron7788", "说错了，花园的密码是otter99xx"], ("heron7788", "otter99xx"), "花园的密码"),
    (
        ["My locker password is hunter2x", "My locker password was changed to plum4711", "is plum4711 my locker password?"],
        ("hunter2x", "plum4711"),
        "my locker password",
    ),
]  # fmt: skip


def texts(value: Any) -> Iterator[str]:
    """Every text in a value, however deep."""
    if isinstance(value, str):
        yield value
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from texts(getattr(value, field.name))
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from (*texts(key), *texts(item))
    elif isinstance(value, list | tuple | set):
        for item in value:
            yield from texts(item)


def log_all(mem: Memory, messages: list[str]) -> None:
    for n, message in enumerate(messages):
        mem.log(said(message, session=str(n), at=NOW + timedelta(days=n)))


@pytest.mark.parametrize(("messages", "secrets", "question"), TOLD)
@pytest.mark.parametrize("limit", [1, 8])
def test_no_field_of_an_answer_holds_a_told_secret(
    mem: Memory, messages: list[str], secrets: tuple[str, ...], question: str, limit: int
) -> None:
    log_all(mem, messages)
    found, block = mem.recall(question, limit=limit), mem.context(question)
    assert found.hits
    assert "••••" in found.hits[0].content
    assert "••••" in block.text
    shown = [
        *texts(found),
        *texts(block),
        json.dumps(recall_json(found, explain=True)),
        *texts(mem.search_log(question)),
    ]
    assert [text for text in shown if any(secret in text for secret in secrets)] == []


def test_nor_does_a_memory_that_such_words_take_back(store_path: Path) -> None:
    fact = Fact("I rent a shed with a lock in Leuven", "The user rents a shed with a lock in Leuven.")
    with opened(store_path, RuleModel(fact)) as file:
        mem = file.user("me")
        mem.learn(said(fact.quote, session="a"))
        mem.log(
            said("I was wrong, the shed in Leuven has the password otter99xx", session="b", at=NOW + timedelta(days=1))
        )
        found = mem.recall("the shed with a lock in Leuven")
        assert any("take it back" in hit.note for hit in found.near_misses)
        assert [text for text in texts(found) if "otter99xx" in text] == []


def test_the_command_prints_none(run: Run, store_path: Path) -> None:  # noqa: F811
    messages, secrets, question = TOLD[0]
    with opened(store_path) as file:
        log_all(file.user("me"), messages)
    for options in (["--explain"], ["--explain", "--json"]):
        ran = run("recall", question, *options)
        text = ran.out + ran.err
        assert "••••" in text
        assert not any(secret in text for secret in secrets)
