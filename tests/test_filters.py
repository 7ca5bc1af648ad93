"""A misspelt filter is named: it would find nothing, and that would look like an answer."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from edgemem.browse import MemoryFilter
from edgemem.errors import InvalidInput
from edgemem.view import Memory
from tests.helpers import NOW, said

WRONG: dict[str, Callable[[Memory], object]] = {
    "nokind": lambda mem: mem.recall("bees", kinds=["nokind"]),
    "'fact' is not a list": lambda mem: mem.recall("bees", kinds="fact"),
    "noarm": lambda mem: mem.recall("bees", arms=["text", "noarm"]),
    "'text' is not a list": lambda mem: mem.recall("bees", arms="text"),
    "limit cannot be 0": lambda mem: mem.recall("bees", limit=0),
    "limit cannot be -1": lambda mem: mem.recall("bees", limit=-1),
    "limit cannot be -2": lambda mem: mem.search_log("bees", -2),
    "namespace has a NUL": lambda mem: mem.recall("bees", namespace="a\0b"),
    "kind 'x'": lambda mem: mem.list(kind="x"),
    "status 'lively'": lambda mem: mem.list(status="lively"),
    "kind 'y'": lambda mem: mem.browse(MemoryFilter(kind="y")),
    "status 'livid'": lambda mem: mem.browse(MemoryFilter(status="livid")),
    "limit cannot be -3": lambda mem: mem.list(limit=-3),
    "offset cannot be -1": lambda mem: mem.list(offset=-1),
    "NUL character at position 2": lambda mem: mem.add("wasps sting", namespace="a\0b"),
    "half a character at position 3": lambda mem: mem.add("wasps sting", namespace="ab\ud800"),
    "kind 'letter'": lambda mem: mem.export_to(Path("never.jsonl"), kinds=["letter"]),
    "status 'gone'": lambda mem: mem.export_to(Path("never.jsonl"), status="gone"),
}


@pytest.mark.parametrize("named", WRONG)
def test_a_filter_that_cannot_be_is_named(mem: Memory, named: str) -> None:
    mem.add("bees are nice")
    with pytest.raises(InvalidInput, match=named) as caught:
        WRONG[named](mem)
    assert caught.value.hint
    assert [m.content for m in mem.list()] == ["bees are nice"]
    assert not Path("never.jsonl").exists()


def test_filters_that_can_be_are_taken(mem: Memory) -> None:
    mem.add("bees are nice", namespace="")
    assert mem.recall("bees", kinds=("fact", "rule"), arms=["text"], limit=1).hits
    assert mem.recall("bees", kinds=("fact",), namespace="").hits
    assert mem.list(kind="fact", status="any", limit=0)


NO_TURNS: dict[str, Any] = {
    "str is not a list": "I keep bees",
    "dict is not a list": {"role": "user", "content": "I keep bees"},
    "Turn is not a list": said("I keep bees")[0],
    "Turn 1 is a dict": [{"role": "user", "content": "I keep bees"}],
    "Turn 2 is a str": [*said("I keep bees"), "and wasps"],
    "Turn 1 is a tuple": [("user", "I keep bees")],
}


@pytest.mark.parametrize("named", NO_TURNS)
@pytest.mark.parametrize("call", ["log", "observe", "learn"])
def test_what_is_no_list_of_turns_is_named_and_nothing_is_logged(mem: Memory, named: str, call: str) -> None:
    with pytest.raises(InvalidInput, match=named) as caught:
        getattr(mem, call)(NO_TURNS[named])
    assert "edgemem.Turn(" in caught.value.hint
    assert mem.sessions() == []


@pytest.mark.parametrize(
    ("field", "value"), [("content", 5), ("session", 7), ("id", 7), ("speaker", 7), ("at", 1700000000), ("role", None)]
)
def test_a_field_of_the_wrong_type_is_named(mem: Memory, field: str, value: object) -> None:
    import edgemem

    fields: dict[str, Any] = {"role": "user", "content": "I keep bees", "at": NOW} | {field: value}
    with pytest.raises(InvalidInput) as caught:
        mem.log([edgemem.Turn(**fields)])
    assert caught.value.hint
    assert mem.sessions() == []
