"""What must not be eaten is told when food is spoken of, in whatever words it was told; the very food asked about comes first."""

from __future__ import annotations

import pytest

from edgemem import foods
from edgemem.recall import dangers
from edgemem.store import fulltext
from edgemem.text import comparable, content_tokens
from edgemem.view import Memory

BORNE_BADLY = [
    "The user gets ill from walnuts.", "The user was sick for days after shrimp.", "The user can't stand mushrooms.",
    "The user cannot tolerate milk.", "The user does not tolerate gluten.", "Garlic makes the user sick.", "用户吃虾就吐。",
    "用户喝牛奶就肚子疼。", "用户吃不了芒果。",
]  # fmt: skip


@pytest.mark.parametrize("sentence", BORNE_BADLY)
@pytest.mark.parametrize("question", ["What should I cook for dinner?", "晚饭吃什么好"])
def test_what_makes_ill_is_told_when_a_meal_is_planned(mem: Memory, sentence: str, question: str) -> None:
    mem.add(sentence)
    hits = mem.recall(question).hits
    assert [h.content for h in hits] == [sentence]
    assert hits[0].parts["danger"].value == 1


@pytest.mark.parametrize(
    "sentence",
    ["The user can't stand loud music.", "The user was sick on Monday.", "The user sells walnuts.", "用户一吵就头疼。"],
)
def test_what_is_no_food_or_makes_nobody_ill_is_no_danger(mem: Memory, sentence: str) -> None:
    mem.add(sentence)
    assert not mem.recall("What should I cook for dinner?").hits


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("walnuts", "The user gets ill from walnuts."), ("Do I like mushrooms?", "The user likes mushrooms on toast."),
        ("which strawberries do I grow", "The user grows strawberries on the balcony."), ("我喜欢核桃吗", "用户喜欢核桃。"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("named_last", [True, False])
def test_the_very_food_asked_about_comes_before_other_dangers(
    mem: Memory, question: str, first: str, named_last: bool
) -> None:
    others = ["The user is allergic to peanuts.", "The user is vegan.", "用户对虾过敏。"]
    for sentence in (*others, first) if named_last else (first, *others):
        mem.add(sentence)
    hits = mem.recall(question).hits
    assert hits[0].content == first
    assert [h.score for h in hits] == sorted((h.score for h in hits), reverse=True)


def test_all_words_of_being_made_ill_are_looked_for() -> None:
    assert len(content_tokens(dangers._ILL_WORDS)) <= fulltext.MAX_TOKENS


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Walnuts, eggs and STRAWBERRIES", {"walnut", "egg", "strawberry"}), ("tomatoes or a tomato", {"tomato"}),
        ("mussels and molluscs", {"mussel"}), ("花生和雞蛋", {"花生", "鸡蛋"}), ("a peanut is no nut", {"peanut", "nut"}),
        ("the nutcracker", set()), ("", set()), ("hummus", set()),
    ],
)  # fmt: skip
def test_foods_are_named_in_the_singular(text: str, named: set[str]) -> None:
    assert foods.named(comparable(text)) == named
