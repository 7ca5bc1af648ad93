"""What is true of one person must not answer a question about another."""

from __future__ import annotations

import pytest

from edgemem.recall.person import aliases, asked_about, speaks_of_another
from edgemem.view import Memory

FAMILY = (
    "The user's sister Nuala works in a bakery in Cork.", "The user's brother drives a tram.", "The user works in a library.",
    "用户的姐姐在成都开茶馆。", "用户的弟弟在读医学院。", "用户在出版社做编辑。", "Kenji, a friend of the user, works in a bank.",
)  # fmt: skip


@pytest.mark.parametrize(
    ("question", "about"),
    [
        ("Where does my sister work?", {"sister"}),
        ("What is my sister's cat called?", {"sister"}),
        ("Where do I work?", {"user"}),
        ("Did I go to Oslo with my brother?", {"user", "brother"}),
        ("Where does Nuala work?", {"nuala"}),
        ("我姐姐在哪里工作？", {"sister"}),
        ("我在哪里工作？", {"user"}),
        ("我和弟弟去过哪里？", {"user", "brother"}),
        ("How tall is the tower?", set()),
        ("今天天气怎么样？", set()),
        ("Does it rain?", set()),
    ],
)
def test_a_question_says_whom_it_is_about(question: str, about: set[str]) -> None:
    assert asked_about(question) == about


def test_who_and_family_ask_for_anybody() -> None:
    assert {"sister", "brother", "user"} <= asked_about("Who works in a bakery?")
    assert {"son", "daughter"} <= asked_about("How many children do I have?")
    assert asked_about("Who is my sister's boss?") == {"sister"}


@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("Where does my sister work?", {0, 3}), ("Where does Nuala work?", {0, 3}), ("What does my brother do?", {1, 4}),
        ("Where do I work?", {2, 5}), ("我姐姐做什么？", {0, 3}), ("我弟弟做什么？", {1, 4}), ("我做什么工作？", {2, 5}),
        ("Where does my aunt work?", set()),
    ],
)  # fmt: skip
def test_only_sentences_about_the_right_person_are_left(question: str, right: set[int]) -> None:
    about, names = asked_about(question), aliases(FAMILY)
    left = {n for n, sentence in enumerate(FAMILY[:6]) if not speaks_of_another(sentence, about, names)}
    assert left == right


def test_a_known_name_in_any_place_says_whom_a_question_is_about(mem: Memory) -> None:
    mem.add("The user's sister Nuala collects tin robots.")
    mem.add("The user's brother Piet collects stamps.")
    hits = mem.recall("what could I give Nuala for her birthday, something she collects?").hits
    assert "robots" in hits[0].content
    assert not any("stamps" in hit.content for hit in hits)


def test_where_nobody_is_asked_about_nothing_is_left_out() -> None:
    assert not any(speaks_of_another(s, frozenset(), {}) for s in FAMILY)


@pytest.mark.parametrize(
    ("question", "wrong"),
    [
        ("Where does my brother work?", "bakery"), ("What does my aunt drive?", "tram"), ("Do I work in a bakery?", "Cork"),
        ("我姐姐在读什么？", "医学院"), ("我妈妈开茶馆吗？", "茶馆"),
    ],
)  # fmt: skip
def test_a_fact_about_somebody_else_is_no_answer(mem: Memory, question: str, wrong: str) -> None:
    for sentence in FAMILY[:6]:
        mem.add(sentence)
    assert not any(wrong in hit.content for hit in mem.recall(question))
