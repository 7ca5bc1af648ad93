"""Working memory: fields, steps, ends; two writers lose nothing."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from edgemem.errors import Conflict, NotFound
from edgemem.view import Memory
from tests.helpers import opened


def test_steps_keep_their_order_and_can_be_opened_again(mem: Memory) -> None:
    task = mem.state["trip"]
    for name in ("book", "pack", "leave"):
        task.step(name, done=False)
    task.step("pack")
    task.step("book")
    task.step("pack", done=False)
    assert task.steps == {"book": True, "pack": False, "leave": False}
    assert list(task.steps) == ["book", "pack", "leave"]


def test_two_threads_that_add_steps_lose_none(store_path: Path) -> None:
    with opened(store_path) as file:
        mem = file.user("me")

        def work(name: str) -> None:
            for n in range(8):
                mem.state["t"].step(f"{name}{n}")

        threads = [threading.Thread(target=work, args=(name,)) for name in "ab"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert set(mem.state["t"].steps) == {f"{name}{n}" for name in "ab" for n in range(8)}


def test_compare_and_set_refuses_a_stale_writer(mem: Memory) -> None:
    assert mem.set_state("t", "x", 1, expect=0) == 1
    with pytest.raises(Conflict, match="version 1, not 0"):
        mem.set_state("t", "x", 2, expect=0)
    assert mem.state["t"]["x"] == 1


def test_a_field_that_holds_no_steps_is_named(mem: Memory) -> None:
    mem.state["t"]["steps"] = "three"
    with pytest.raises(NotFound, match="does not hold steps"):
        mem.state["t"].step("one")
    assert mem.state["t"]["steps"] == "three"


def test_an_unknown_task_cannot_end(mem: Memory) -> None:
    with pytest.raises(NotFound, match="no task 'x'"):
        mem.state["x"].end()


def test_state_survives_a_close(store_path: Path) -> None:
    with opened(store_path) as file:
        file.user("me").state["t"].step("one")
    with opened(store_path) as file:
        assert file.user("me").state["t"].steps == {"one": True}
        assert list(file.user("me").state) == ["t"]
        assert list(file.user("other").state) == []
