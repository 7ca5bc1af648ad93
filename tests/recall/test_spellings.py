"""Words written together or apart, with and without their apostrophe, find each other."""

from __future__ import annotations

import pytest

from edgemem.spellings import other_spellings
from edgemem.view import Memory
from tests.helpers import said


@pytest.mark.parametrize(
    ("told", "asked"),
    [
        ("please dont ring the bell", "don't"), ("we don't ring the bell", "dont"), ("I cant reach the shelf", "can't"), ("she won't come", "wont"),
        ("all my editing happens in vscode", "vs code"), ("all my editing happens in VS Code", "vscode"), ("the notebook is green", "note book"),
        ("the note book is green", "notebook"),
    ],
)  # fmt: skip
def test_either_spelling_is_found_by_the_other(mem: Memory, told: str, asked: str) -> None:
    for n in range(5):
        mem.log(said(f"a walk along the canal, part {n}", session=f"o{n}"))
    mem.log(said(told))
    with mem.file.engine.read() as tx:
        from edgemem.store import fulltext

        found = [key for key, _ in fulltext.search(tx, "turn_fts", mem._key, asked, 3)]
        last = tx.execute("SELECT max(id) FROM turn").fetchone()[0]
    assert found == [last]


def test_a_long_question_is_looked_for_as_it_is_written() -> None:
    assert other_spellings("which of the two old boats leaks when it rains in autumn") == []
