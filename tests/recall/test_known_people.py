"""Only somebody who is known can be somebody else: a capital or a 小 makes no person, and who is asked for is never left out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from edgemem.recall.person import COMPANY, USER, aliases, asked_about, asks_of_one
from edgemem.store import insights
from edgemem.view import Memory
from tests.helpers import opened

NOTES = (
    "Ines loves rowing", "Volvo drives well on gravel", "Postgres works best with pooled connections", "Bruno is allergic to latex",
    "Greta lives in Basel", "小赵对芒果过敏", "老普洱要用沸水泡", "小区门口有快递柜", "老城喜欢堵车", "阿珍爱吃榴莲",
)  # fmt: skip
"""Of people and things of whom the memories do not tell who they are."""

ASKED = [
    ("What rowing things should I get Ines?", "Ines"), ("Is my Volvo good on gravel?", "Volvo"),
    ("How do pooled connections work in Postgres, should I use them?", "Postgres"), ("Where in Basel should I meet Greta?", "Greta"),
    ("I am cooking for Bruno, is he allergic to latex gloves?", "Bruno"), ("Can I wear latex gloves near Bruno?", "Bruno"),
    ("我请小赵吃饭，他对芒果过敏吗", "小赵"), ("我請小趙吃飯，他對芒果過敏嗎", "小赵"), ("我的老普洱怎么泡", "老普洱"),
    ("我们小区的快递柜在门口吗", "小区"), ("我去老城会堵车吗", "老城"), ("我给阿珍买榴莲，她爱吃榴莲吗", "阿珍"),
]  # fmt: skip
"""Questions with "I" in them, and who or what they are about."""

KNOWN = (
    "The user's sister Ines rows", "Greta is the user's boss", "Otto, a friend of the user, is a sculptor",
    "小赵是用户的同事。", "用户的妹妹叫林晓。", "用户的朋友阿珍",
)  # fmt: skip
OF_THEM = (
    "Ines loves rowing",
    "Greta lives in Basel",
    "Otto is vegetarian",
    "小赵对芒果过敏",
    "林晓住在成都",
    "阿珍爱吃榴莲",
)

NOT_OF_USER = [
    ("Do I love rowing?", "Ines loves"), ("Do I live in Basel?", "Basel"), ("Am I vegetarian?", "Otto is veg"), ("我对芒果过敏吗", "小赵对"),
    ("我住在成都吗", "林晓住"), ("我爱吃榴莲吗", "阿珍爱"),
]  # fmt: skip
"""What is asked of the user, and what is known of somebody else."""

OF_NAMED = [
    ("What rowing gear should I buy Ines?", "Ines loves"), ("Should I visit Greta in Basel?", "Basel"), ("我跟小赵吃芒果，他过敏吗", "小赵对"),
    ("我去成都找林晓，她住在成都吗", "林晓住"), ("Who loves rowing?", "Ines loves"), ("What could we do, go rowing?", "Ines loves"),
    ("谁对芒果过敏", "小赵对"), ("我们吃芒果好吗", "小赵对"), ("What does my sister love, rowing?", "Ines loves"), ("我同事对芒果过敏吗", "小赵对"),
]  # fmt: skip


@pytest.fixture(params=["words", pytest.param("e5", marks=[pytest.mark.model])])
def filled(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[..., Memory]:
    """Fills a memory, searched by words alone or with the real embedding model as well."""
    vectors = request.getfixturevalue("e5") if request.param == "e5" else None

    def fill(*notes: str) -> Memory:
        file = opened(tmp_path / "me.edgemem", embedder=vectors, words_only=vectors is None)
        request.addfinalizer(file.close)
        mem = file.user("me")
        for note in notes:
            mem.add(note)
        return mem

    return fill


def told(mem: Memory, question: str) -> list[str]:
    return [hit.content for hit in mem.recall(question, limit=20)]


def missing(mem: Memory, questions: list[tuple[str, str]]) -> list[str]:
    return [question for question, right in questions if not any(right in content for content in told(mem, question))]


def test_what_is_asked_for_by_name_is_found_whoever_or_whatever_it_is(filled: Callable[..., Memory]) -> None:
    assert missing(filled(*NOTES), ASKED) == []


def test_who_is_known_and_asked_for_is_found_in_a_question_with_i(filled: Callable[..., Memory]) -> None:
    assert missing(filled(*KNOWN, *OF_THEM), OF_NAMED) == []


def test_what_is_known_of_somebody_is_not_told_of_the_user(filled: Callable[..., Memory]) -> None:
    mem = filled(*KNOWN, *OF_THEM)
    assert [q for q, wrong in NOT_OF_USER if any(wrong in content for content in told(mem, q))] == []


def test_a_question_that_names_nobody_finds_what_begins_with_a_capital(mem: Memory) -> None:
    mem.add("Sundays works best for laundry")
    mem.add("老城喜欢堵车")
    assert told(mem, "When should I do my laundry, what works?") == ["Sundays works best for laundry"]
    assert told(mem, "我开车会堵车吗") == ["老城喜欢堵车"]


@pytest.mark.parametrize(
    ("name", "allergy", "question"),
    [
        ("The user's daughter is called Wren.", "The user's daughter is allergic to soy.", "I am baking for Wren, is she allergic to soy?"),
        ("The user's daughter is called Wren.", "Wren is allergic to soy.", "I am seeing my daughter, can she eat soy?"),
        ("用户的女儿叫阿宁。", "用户的女儿对大豆过敏。", "我想带阿宁去吃饭，她对大豆过敏吗"),
        ("用户的女儿叫阿宁。", "阿宁对大豆过敏。", "我跟女儿去吃饭，她能吃大豆吗"),
    ],
)  # fmt: skip
def test_a_danger_is_told_of_the_one_who_is_named_under_either_name(
    mem: Memory, name: str, allergy: str, question: str
) -> None:
    mem.add(name)
    mem.add(allergy)
    assert allergy in told(mem, question)


@pytest.mark.parametrize("by", ["kind", "relation"])
def test_a_person_of_the_graph_is_known(mem: Memory, by: str) -> None:
    mem.add("Tarek loves rowing")
    assert told(mem, "Do I love rowing?") == ["Tarek loves rowing"]
    if by == "kind":
        mem.graph.add("Tarek", kind="person")
    else:
        mem.graph.relate("Tarek", "friend of", "the user")
    assert told(mem, "Do I love rowing?") == []
    assert told(mem, "Would rowing be something for Tarek and me?") == ["Tarek loves rowing"]


@pytest.mark.parametrize("by", ["kind", "relation"])
def test_a_thing_of_the_graph_is_no_person(mem: Memory, by: str) -> None:
    mem.add("Volvo drives well on gravel")
    if by == "kind":
        mem.graph.add("Volvo", kind="car")
    else:
        mem.graph.relate("the user", "owns", "Volvo")
    assert told(mem, "What of mine drives well on gravel?") == ["Volvo drives well on gravel"]


def test_a_name_that_another_memory_explains_is_known_though_the_question_does_not_lead_there(mem: Memory) -> None:
    for n in range(60):
        mem.add(f"The user once rowed race {n}")
    mem.add("The user's brother Ilja")
    mem.add("Ilja loves rowing at dawn")
    assert "Ilja loves rowing at dawn" not in told(mem, "At dawn, do I love rowing?")


@pytest.mark.parametrize(
    ("field", "value", "question"),
    [
        ("老家", "绵阳", "我的老家在哪"),
        ("小名", "豆豆", "我的小名是什么"),
        ("Volvo", "red", "What colour is my Volvo?"),
    ],
)
def test_a_field_with_such_a_name_is_found(mem: Memory, field: str, value: str, question: str) -> None:
    mem.set_profile(field, value)
    assert told(mem, question) == [f"{field}: {value}"]


@pytest.mark.parametrize(
    ("note", "insight", "right", "wrong"),
    [
        ("Volvo drives well on gravel", "Volvo drives better on gravel than on ice", "Is my Volvo better on gravel or ice?", ""),
        ("The user's sister Ines rows", "Ines loves cold mornings", "What cold mornings could I plan for Ines?", "Do I love cold mornings?"),
        ("The user's sister Ines rows", "The user's sister loves cold mornings", "Which cold mornings would I love with Ines?", "Do I love cold mornings?"),
        ("老城喜欢堵车", "老城每天早上堵车", "我去老城，每天早上堵车吗", ""),
    ],
)  # fmt: skip
def test_an_insight_is_told_of_whom_it_is_about(mem: Memory, note: str, insight: str, right: str, wrong: str) -> None:
    key = mem.get(mem.add(note)).key
    with mem.file.engine.write() as tx:
        insights.add(tx, 1, insight, 0.9, [key], [], "2026-01-01T00:00:00.000Z")
    assert insight in told(mem, right)
    assert not wrong or insight not in told(mem, wrong)


@pytest.mark.parametrize(
    ("sentence", "known"),
    [
        ("The user's boss Greta is strict", {"greta": "boss"}), ("Zoë is the user's older sister.", {"zoë": "sister"}),
        ("Otto, a close friend of the user, sculpts", {"otto": "friend"}), ("用户的同事小赵", {"小赵": "colleague"}),
        ("小赵是用户的同事。", {"小赵": "colleague"}), ("用户的姐姐名叫林晓，住在成都", {"林晓": "sister"}), ("用户的老板老周", {"老周": "boss"}),
        ("Audi is a car of the user", {}), ("今天是我妈妈的生日", {}), ("我妈妈老是迟到", {}), ("用户的妈妈小时候住在乡下", {}),
        ("我姐姐叫外卖。", {}), ("用户和朋友小聚", {}), ("那个是我老板。", {}), ("Otto is a friend of Greta", {}),
    ],
)  # fmt: skip
def test_who_somebody_is_is_read_off_plain_sentences(sentence: str, known: dict[str, str]) -> None:
    assert aliases([sentence]) == known


def test_we_and_a_table_ask_about_anybody() -> None:
    assert asked_about("What should we do?") == asked_about("What should I cook?") == {USER, COMPANY}
    assert asked_about("我们去哪里？") == {USER, COMPANY}
    assert asked_about("Where do I live?") == asked_about("我住在哪里？") == {USER}


@pytest.mark.parametrize(
    ("question", "one"),
    [
        ("Can my mother eat nuts?", True), ("Can I eat nuts?", True), ("Can Ines take ibuprofen for a headache?", True),
        ("Could I take a painkiller?", True), ("Do you think Ines can eat nuts?", True), ("我妈妈能吃坚果吗", True),
        ("can you take a look?", False), ("Could I take the 9 train?", False), ("Can you take a look at my cake recipe?", False),
        ("Could I take the next train to the hospital?", False), ("Could May work?", False), ("Could you eat this?", False),
        ("Should I take an umbrella, does it rain?", False),
    ],
)  # fmt: skip
def test_what_one_can_eat_or_take_is_told_from_other_taking(question: str, one: bool) -> None:
    assert asks_of_one(question) is one


def test_a_look_at_a_recipe_tells_of_a_danger_to_anybody(mem: Memory) -> None:
    mem.add("The user's daughter is allergic to soy.")
    assert told(mem, "Can you take a look at my cake recipe?") == ["The user's daughter is allergic to soy."]
