"""What is true of one person must not answer a question about another."""

from __future__ import annotations

import pytest

from edgemem.recall.person import aliases, asked_about, speaks_of_another
from edgemem.view import Memory
from tests.helpers import said

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


TABLE = (
    "The user's daughter is allergic to cashews.", "The user's father hates coriander.", "Kenji, a friend of the user, is vegetarian.",
    "The user cannot drink milk.", "The user's sister Nuala lives in Cork.", "The user lives in Ghent.",
    "用户的女儿对腰果过敏。", "用户的爸爸不吃香菜。", "小李吃素。", "用户不能喝牛奶。", "用户的姐姐住在成都。", "用户住在昆明。",
)  # fmt: skip

OF_OTHERS = [
    ("Can my mother eat spicy food?", "cashews"), ("Can my mother eat cashews?", "cashews"),
    ("Is my son allergic to cashews?", "cashews"), ("Can Nuala eat cashews?", "cashews"), ("Can I eat cashews?", "cashews"),
    ("Can I eat meat?", "Kenji"), ("Does my father drink milk?", "milk"), ("Does my uncle eat coriander?", "coriander"),
    ("Where does my brother live?", "Cork"), ("Where does my brother live?", "Ghent"), ("Where does Marta live?", "Ghent"),
    ("Where do I live?", "Cork"), ("Should Marta avoid cashews?", "cashews"),
    ("我妈妈能吃辣吗", "腰果"), ("我媽媽能吃辣嗎", "腰果"), ("我妈妈对什么过敏", "腰果"), ("我妈妈不能喝什么", "牛奶"), ("我儿子能吃腰果吗", "腰果"),
    ("我爸爸能喝牛奶吗", "牛奶"), ("我能吃腰果吗", "腰果"), ("我弟弟住在哪里", "成都"), ("我弟弟住在哪里", "昆明"), ("我住在哪里", "成都"),
    ("小王能吃肉吗", "小李"), ("小李吃肉吗", "腰果"), ("小王住在哪", "昆明"), ("我外婆吃香菜吗", "香菜"),
]  # fmt: skip
"""A question about one person, and a word of what is known of another."""

OF_THEM = [
    ("Can my daughter eat cashews?", "cashews"), ("Does Kenji eat meat?", "Kenji"), ("Where does Nuala live?", "Cork"),
    ("Where do I live?", "Ghent"), ("What should I cook for dinner?", "cashews"), ("What can we eat tonight?", "cashews"),
    ("Which nuts must we avoid?", "cashews"), ("Which foods are out?", "cashews"), ("哪些坚果要避开", "腰果"),
    ("我女儿能吃什么", "腰果"), ("我女兒對什麼過敏", "腰果"), ("小李吃素吗", "小李"), ("我住在哪里", "昆明"), ("晚饭吃什么好", "腰果"), ("我姐姐住在哪里", "成都"),
]  # fmt: skip


@pytest.fixture
def table(mem: Memory) -> Memory:
    for sentence in TABLE:
        mem.add(sentence)
    return mem


@pytest.mark.parametrize(("question", "wrong"), OF_OTHERS)
def test_what_is_dangerous_for_one_is_not_told_of_another(table: Memory, question: str, wrong: str) -> None:
    assert not any(wrong in hit.content for hit in table.recall(question))


@pytest.mark.parametrize(("question", "right"), OF_THEM)
def test_what_is_known_of_the_right_one_or_matters_to_a_company_is_told(
    table: Memory, question: str, right: str
) -> None:
    assert any(right in hit.content for hit in table.recall(question))


@pytest.mark.parametrize("question", ["What is my mother's language?", "我妈妈会说什么语言"])
def test_a_field_of_the_users_profile_is_not_anybody_elses(mem: Memory, question: str) -> None:
    mem.set_profile("language", "Deutsch")
    assert mem.recall(question).abstained
    assert [h.content for h in mem.recall("What is my language?")] == ["language: Deutsch"]


@pytest.mark.parametrize("question", ["What is my mother allergic to?", "我妈妈对什么过敏"])
def test_a_slot_of_the_users_is_not_anybody_elses(mem: Memory, question: str) -> None:
    mem.add("The user swells up from bee stings.", subject="user", attribute="allergy", value="bees")
    assert mem.recall(question).abstained
    assert mem.recall("What am I allergic to?").hits


@pytest.mark.parametrize(
    ("told", "question"),
    [("My daughter cannot eat cashews", "Can my mother eat cashews?"), ("我女儿不能吃腰果", "我妈妈能吃腰果吗")],
)
def test_words_of_the_log_about_one_relative_do_not_answer_for_another(mem: Memory, told: str, question: str) -> None:
    mem.log(said(told))
    assert mem.recall(question).abstained
    right = question.replace("mother", "daughter").replace("妈妈", "女儿")
    assert [h.content for h in mem.recall(right)] == [told]


@pytest.mark.parametrize(
    ("note", "question"),
    [
        ("Rent is 900 euros", "How much is my rent?"), ("Breakfast was eggs", "What did I have for breakfast?"),
        ("Switch放在客厅", "Switch在哪"), ("小猫放在楼上养", "小猫在哪"), ("小说在书架上", "小说在哪里"),
    ],
)  # fmt: skip
def test_a_thing_is_not_taken_for_somebody_else(mem: Memory, note: str, question: str) -> None:
    mem.add(note)
    assert [h.content for h in mem.recall(question)] == [note]
