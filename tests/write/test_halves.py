"""What is left of a joined memory when one half of it is taken back."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import edgemem
from edgemem.write.halves import halves, untouched
from tests.helpers import QUIET, Fact, RuleModel, said
from tests.write.test_compare import ByOld, WithHead

JOINED = [
    ("The user eats oatmeal for breakfast and cycles to work.", ["The user eats oatmeal for breakfast.", "The user cycles to work."]),
    ("The user drinks green tea every morning and goes running on Sundays.", ["The user drinks green tea every morning.", "The user goes running on Sundays."]),
    ("The user's sister works at a bank and has two dogs.", ["The user's sister works at a bank.", "The user's sister has two dogs."]),
    ("用户每天早上喝绿茶，周末去爬山。", ["用户每天早上喝绿茶。", "用户周末去爬山。"]),
    ("The user drinks tea and biscuits.", ["The user drinks tea and biscuits."]),
    ("The user likes cats and dogs.", ["The user likes cats and dogs."]),
    ("The user works at Lidl; it pays 30 an hour.", ["The user works at Lidl; it pays 30 an hour."]),
    ("Bees live here and work.", ["Bees live here and work."]),
]  # fmt: skip


@pytest.mark.parametrize(("content", "parts"), JOINED)
def test_a_joined_sentence_is_parted_where_another_thing_begins(content: str, parts: list[str]) -> None:
    assert halves(content) == parts


@pytest.mark.parametrize(
    ("old", "new", "left"),
    [
        ("The user eats oatmeal for breakfast and cycles to work.", "The user no longer eats oatmeal.", ["The user cycles to work."]),
        ("The user drinks green tea every morning and goes running on Sundays.", "The user stopped drinking green tea.", ["The user goes running on Sundays."]),
        ("The user drinks green tea and goes running.", "The user has stopped running.", ["The user drinks green tea."]),
        ("用户每天早上喝绿茶，周末去爬山。", "用户不喝绿茶了，现在喝咖啡。", ["用户周末去爬山。"]),
        ("The user eats oatmeal and cycles to work.", "The user moved to Lille.", []),
        ("The user eats oatmeal.", "The user no longer eats oatmeal.", []),
    ],
)  # fmt: skip
def test_what_nothing_was_said_against_stays(old: str, new: str, left: list[str]) -> None:
    assert untouched(old, new) == left


@given(st.text(max_size=80), st.text(max_size=80))
def test_no_word_is_lost_by_parting(old: str, new: str) -> None:
    for content in (old, f"The user {old}", f"用户{old}"):
        assert set(untouched(content, new)) <= set(halves(content))


def test_a_change_of_mind_leaves_the_other_half_and_undo_brings_the_whole_back(tmp_path: Path) -> None:
    whole, end = "The user eats oatmeal for breakfast and cycles to work.", "The user no longer eats oatmeal."
    model = RuleModel(
        Fact("I eat oatmeal for breakfast and cycle to work", whole), Fact("I no longer eat oatmeal", end)
    )
    head = ByOld()
    with edgemem.open(tmp_path / "a.edgemem", provider=WithHead(model, head), settings=QUIET) as file:
        mem = file.user("me")
        mem.learn(said("I eat oatmeal for breakfast and cycle to work", session="one"))
        head.answers = {"oatmeal": "conflict"}
        receipt = mem.learn(said("I no longer eat oatmeal", session="two"))
        assert {m.content for m in mem.list()} == {end, "The user cycles to work."}
        rest = next(m for m in mem.list() if m.content == "The user cycles to work.")
        assert (rest.source.session, rest.source.quote) == ("one", "I eat oatmeal for breakfast and cycle to work")
        change = receipt.memories[0].change
        assert change is not None
        mem.undo(change)
        assert {m.content for m in mem.list()} == {whole}
        assert file.check() == []
