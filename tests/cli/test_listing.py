"""What a list of memories says of each."""

from __future__ import annotations

from .conftest import Run


def test_pinned_memories_are_marked_in_the_list(run: Run) -> None:
    run("add", "I keep bees", "--pin")
    run("add", "I keep goats")
    shown = {line.split()[-1]: "pinned" in line for line in run("list").out.splitlines()[1:]}
    assert shown == {"bees": True, "goats": False}
