"""What a stored sentence says of whom, in fields, and what follows: lookups, endings, the profile."""

from __future__ import annotations

from pathlib import Path

import pytest

from edgemem.errors import NotFound
from edgemem.memory import MemoryFile
from edgemem.records import Turn
from edgemem.settings import Settings
from edgemem.testing import ScriptedModel
from edgemem.write import attributes
from edgemem.write.attributes import Slot, ends, of
from tests.helpers import Fact, RuleModel, opened, said

PLAIN = [
    ("The user lives in Ghent.", ("user", "home", "Ghent", 1)),
    ("The user currently lives in Ghent with their sister.", ("user", "home", "Ghent", 1)),
    ("The user doesn't live in Ghent any more.", ("user", "home", "Ghent", -1)),
    ("The user no longer lives in New York.", ("user", "home", "New York", -1)),
    ("The user is Ottoline.", ("user", "name", "Ottoline", 1)),
    ("The user goes by Jordan.", ("user", "name", "Jordan", 1)),
    ("The user's name is Ottoline Prewitt.", ("user", "name", "Ottoline Prewitt", 1)),
    ("The user asks the assistant to call them Otto.", ("user", "called", "Otto", 1)),
    ("The user is 41.", ("user", "age", "41", 1)),
    ("The user's birthday is 3 May.", ("user", "birthday", "3 May", 1)),
    ("The user works as a welder at the port.", ("user", "job", "welder", 1)),
    ("The user's sister Nuala is a nurse.", ("sister", "job", "nurse", 1)),
    ("The user's sister is called Nuala.", ("user", "sister", "Nuala", 1)),
    ("The user works for Halden Roofing.", ("user", "employer", "Halden Roofing", 1)),
    ("The user is allergic to peanuts.", ("user", "allergy", "peanuts", 1)),
    ("The user is not allergic to cats.", ("user", "allergy", "cats", -1)),
    ("The user can't stand aniseed.", ("user", "likes", "aniseed", -1)),
    ("The user speaks Dutch and French.", ("user", "language", "Dutch and French", 1)),
    ("The user's dog is called Biscuit.", ("user", "dog", "Biscuit", 1)),
    ("The user's sister is vegan.", ("sister", "diet", "vegan", 1)),
    ("The user's father is not allowed to eat salt.", ("father", "diet", "salt", -1)),
    ("The user's daughter Wren can't have eggs.", ("daughter", "diet", "eggs", -1)),
    ("The user cannot eat nuts, eggs or raw fish.", ("user", "diet", "nuts, eggs or raw fish", -1)),
    ("The user avoids caffeine.", ("user", "diet", "caffeine", -1)),
    ("The user never drinks alcohol.", ("user", "diet", "alcohol", -1)),
    ("用户的妈妈不能吃辣。", ("妈妈", "diet", "辣", -1)),
    ("用户不喝牛奶。", ("user", "diet", "牛奶", -1)),
    ("用户住在根特。", ("user", "home", "根特", 1)),
    ("用户不住在根特了。", ("user", "home", "根特", -1)),
    ("用户叫阿栗。", ("user", "name", "阿栗", 1)),
    ("用户要求：以后请叫用户阿栗。", ("user", "called", "阿栗", 1)),
    ("用户的妹妹是护士。", ("妹妹", "job", "护士", 1)),
    ("用户对花生过敏。", ("user", "allergy", "花生", 1)),
    ("用户对花生不过敏。", ("user", "allergy", "花生", -1)),
    ("用户在海德屋顶公司工作。", ("user", "employer", "海德屋顶公司", 1)),
    ("用户养了两只猫。", ("user", "pet", "两只猫", 1)),
]  # fmt: skip
NOTHING = [
    "The user is Dutch.", "The user is vegan on weekdays or so they say.", "The user lives in Ghent during the week.", "The user would like a dog.",
    "The user wants to live in Ghent.", "The user lives in hope.", "用户想搬到根特。", "用户以前住在根特。", "用户是会员。",
    "The user's name is hard to spell.", "The user's birthday is important to them.", "The user doesn't like tea with milk.",
    "The user is allergic to nuts and eggs.", "The user never eats meat on Fridays.", "The user can't have visitors.", "The user never drinks alone.", "The user doesn't drink much.", "The user doesn't eat out much.", "The user avoids salt mines.",
    "The user avoids coffee shops.", "The user can't eat peanuts unless roasted or salted.", "The user can't have coffee with Anna.", "The user must not eat before the surgery.",
    "用户忌日是五月。", "用户忌口。", "用户不喝了。", "用户不能碰电。", "用户不喝咖啡因为失眠。",
    "The user's tenant may not have pets.", "The user can't drink from the tap in Ghent.", "The user avoids the motorway.",
    "The user is Deaf.", "The user is Punjabi.", "The user is Republican.", "The user is Autistic.", "The user is Atheist.",
    "用户叫了外卖。", "用户叫外卖。", "用户叫妈妈起床。", "用户要求：以后都叫用户起床。", "用户是残疾人。", "用户是成年人。",
]  # fmt: skip


@pytest.mark.parametrize(("content", "fields"), PLAIN)
def test_a_plain_sentence_fills_its_fields(content: str, fields: tuple[str, str, str, int]) -> None:
    slot = of(content)
    assert slot is not None
    assert (slot.subject, slot.attribute, slot.value, slot.polarity) == fields
    assert not slot.weak


def test_the_same_sentence_added_by_hand_fills_them_too_and_other_words_change_them(store_path: Path) -> None:
    with opened(store_path) as file:
        mem = file.user("me")
        uid = mem.add("The user lives in Ghent.")
        assert (mem.get(uid).subject, mem.get(uid).attribute, mem.get(uid).value) == ("user", "home", "Ghent")
        mem.edit(uid, content="The user doesn't live in Bruges.")
        told = mem.get(uid)
        assert (told.attribute, told.value, told.polarity) == ("home", "Bruges", -1)
        mem.edit(uid, content="The user likes bridges and locks.")
        assert (mem.get(uid).subject, mem.get(uid).value, mem.get(uid).polarity) == (None, None, 1)


def test_fields_given_by_hand_stay_when_the_words_change(store_path: Path) -> None:
    with opened(store_path) as file:
        mem = file.user("me")
        uid = mem.add("The user lives in Ghent.", subject="user", attribute="city of tax", value="Ghent")
        mem.edit(uid, content="The user lives in Bruges.")
        assert (mem.get(uid).attribute, mem.get(uid).value) == ("city of tax", "Ghent")


@pytest.mark.parametrize("content", NOTHING)
def test_a_sentence_that_hedges_or_says_something_else_fills_none(content: str) -> None:
    assert of(content) is None


@pytest.mark.parametrize(
    ("new", "old", "expected"),
    [
        (Slot("user", "home", "Zurich"), Slot("user", "home", "Bern"), True),
        (Slot("user", "home", "Ghent, Belgium"), Slot("user", "home", "Ghent"), False),
        (Slot("user", "home", "Belgium"), Slot("user", "home", "Ghent"), False),
        (Slot("user", "home", "浙江"), Slot("user", "home", "杭州"), False),
        (Slot("user", "home", "Bern", -1), Slot("user", "home", "Bern"), True),
        (Slot("user", "home", "Bern", -1), Slot("user", "home", "Zurich"), False),
        (Slot("mother", "home", "Zurich"), Slot("user", "home", "Bern"), False),
        (Slot("user", "home", "Linux", weak=True), Slot("user", "home", "Bern"), False),
        (Slot("user", "allergy", "cats"), Slot("user", "allergy", "peanuts"), False),
        (Slot("user", "allergy", "cats", -1), Slot("user", "allergy", "cats"), True),
        (Slot("user", "likes", "tea"), Slot("user", "likes", "tea", -1), True),
        (Slot("user", "allergy", "花生酱", -1), Slot("user", "allergy", "花生"), False),
        (Slot("user", "allergy", "nuts", -1), Slot("user", "allergy", "nuts and eggs"), False),
    ],
)
def test_only_what_cannot_hold_together_ends_the_older(new: Slot, old: Slot, expected: bool) -> None:
    assert ends(new, old) is expected


def _told(file: MemoryFile, *messages: str) -> None:
    for message in messages:
        file.user("me").learn(said(message, session=message))


HOMES = (
    Fact("I live in Bern", "The user lives in Bern."), Fact("I live in Zurich", "The user lives in Zurich."),
    Fact("I don't live in Bern any more", "The user no longer lives in Bern."), Fact("I moved to Zurich", "The user moved to Zurich."),
    Fact("I moved to Linux", "The user moved to Linux."),
    Fact("I'm Zorblian", "The user is Zorblian."), Fact("My name is Ada", "The user's name is Ada.", "fact"), Fact("call me Addie", "The user asks the assistant to call them Addie.", "rule"),
)  # fmt: skip


def test_another_home_and_a_denial_end_the_home_and_can_be_undone(store_path: Path) -> None:
    with opened(store_path, RuleModel(*HOMES)) as file:
        mem = file.user("me")
        _told(file, "I live in Bern", "I live in Zurich")
        assert [(m.content, m.attribute, m.value) for m in mem.list()] == [
            ("The user lives in Zurich.", "home", "Zurich")
        ]
        mem.undo(mem.history()[0].id)
        assert [m.content for m in mem.list()] == ["The user lives in Bern."]
        file.user("me").learn(said("I don't live in Bern any more", session="later"))
        assert [m.content for m in mem.list()] == ["The user no longer lives in Bern."]


def test_a_move_is_the_home_only_where_it_replaces_one(store_path: Path) -> None:
    with opened(store_path, RuleModel(*HOMES, relation="conflict")) as file:
        _told(file, "I moved to Linux")
        assert [m.attribute for m in file.user("me").list()] == [None]
        file.user("me").forget(file.user("me").list()[0].id)
        _told(file, "I live in Bern", "I moved to Zurich")
        assert [(m.attribute, m.value) for m in file.user("me").list()] == [("home", "Zurich")]


def test_a_home_is_found_by_how_people_ask_for_it(store_path: Path) -> None:
    with opened(store_path, RuleModel(*HOMES)) as file:
        _told(file, "I live in Bern", "My name is Ada")
        for question in ("Where do I live?", "我住在哪里？"):
            hits = file.user("me").recall(question).hits
            assert hits[0].content == "The user lives in Bern."
            assert "slot" in hits[0].parts


def test_a_name_that_was_told_is_a_field_of_the_profile_until_it_is_taken_back(store_path: Path) -> None:
    with opened(store_path, RuleModel(*HOMES), settings=Settings(background=False)) as file:
        mem = file.user("me")
        _told(file, "My name is Ada", "please call me Addie")
        assert {f.field: f.value for f in mem.profile()} == {"name": "Ada", "called": "Addie"}
        field = mem.profile("name")[0]
        assert field.memory is not None
        turn = mem.why(field.memory).turn
        assert turn is not None
        assert turn.content == "My name is Ada"
        change = mem.history(field.memory)[-1].id
        undone = mem.undo(change)
        assert mem.profile("name") == []
        mem.undo(undone[0])
        assert mem.profile("name")[0].value == "Ada"
        mem.set_profile("name", "Augusta")
        assert [(f.value, f.memory) for f in mem.profile("name")] == [("Augusta", None)]
        mem.unset_profile("name")
        assert mem.profile("name")[0].value == "Ada"
        mem.unset_profile("name")
        assert mem.profile("name") == []
        with pytest.raises(NotFound):
            mem.unset_profile("name")


@pytest.mark.parametrize("order", [("My name is Ada", "I'm Zorblian"), ("I'm Zorblian", "My name is Ada")])
def test_what_somebody_is_takes_no_name_away_whatever_comes_first(store_path: Path, order: tuple[str, str]) -> None:
    """A word with a capital after "I'm" may be a people, a faith or a party that no list has."""
    with opened(store_path, RuleModel(*HOMES)) as file:
        mem = file.user("me")
        _told(file, *order)
        assert {m.content for m in mem.list()} == {"The user's name is Ada.", "The user is Zorblian."}
        assert mem.profile("name")[0].value == "Ada"


BROTHERS = (
    Fact("my brother Pat lives in Cork", "The user's brother Pat lives in Cork."),
    Fact("my brother Joe lives in Bern", "The user's brother Joe lives in Bern."),
    Fact("my little sister is 12", "The user's little sister is 12."), Fact("my older sister is 20", "The user's older sister is 20."),
    Fact("my friend lives in Oslo", "The user's friend lives in Oslo."), Fact("a friend of mine lives in Rome", "The user's friend lives in Rome."),
    Fact("我哥哥大伟住在伯尔尼", "用户的哥哥大伟住在伯尔尼。"), Fact("我哥哥小军住在根特", "用户的哥哥小军住在根特。"),
    Fact("my brother Pat lives in Rome now", "The user's brother Pat lives in Rome."),
)  # fmt: skip


def test_what_is_so_of_one_brother_ends_nothing_of_the_other(store_path: Path) -> None:
    with opened(store_path, RuleModel(*BROTHERS)) as file:
        mem = file.user("me")
        _told(file, *(fact.quote for fact in BROTHERS[:-1]))
        assert {m.content for m in mem.list()} == {fact.memory for fact in BROTHERS[:-1]}
        assert {m.attribute for m in mem.list()} == {"home", "age"}
        _told(file, BROTHERS[-1].quote)
        assert [m.content for m in mem.list(status="superseded")] == [BROTHERS[0].memory]


@pytest.mark.parametrize(
    ("first", "second", "kept"),
    [
        ("I live in Brooklyn", "I live in New York", "The user lives in Brooklyn."),
        ("I live in New York", "I live in Brooklyn", "The user lives in Brooklyn."),
        ("我住在浦东", "我住在上海", "用户住在浦东。"),
        ("我住在上海", "我住在浦东新区", "用户住在浦东新区。"),
        ("I live in Brooklyn", "I live in Boston", "The user lives in Boston."),
        ("我住在浦东", "我住在北京", "用户住在北京。"),
    ],
)
def test_a_city_does_not_take_the_place_of_its_part(store_path: Path, first: str, second: str, kept: str) -> None:
    model = ScriptedModel(choices={"live": "F", "住": "F"})
    with opened(store_path, model, settings=Settings(background=False)) as file:
        mem = file.user("me")
        mem.learn(said(first, session="one"))
        mem.learn(said(second, session="two"))
        assert [m.content for m in mem.list()] == [kept]


def test_where_more_is_told_both_stay(store_path: Path) -> None:
    model = ScriptedModel(choices={"live": "F"})
    with opened(store_path, model, settings=Settings(background=False)) as file:
        mem = file.user("me")
        mem.learn(said("I live in New York with my aunt", session="one"))
        mem.learn(said("I live in Brooklyn", session="two"))
        assert len(mem.list()) == 2


def test_another_value_of_an_attribute_repeats_nothing() -> None:
    ghent, bruges = (attributes.of(f"The user lives in {place}.") for place in ("Ghent", "Bruges"))
    assert ghent is not None
    assert bruges is not None
    assert attributes.differ(bruges, ghent)
    assert not attributes.differ(ghent, ghent)


def test_a_value_is_cut_where_it_begins_and_ends() -> None:
    assert of("用户最喜欢的颜色是蓝色。") is None
    assert of("用户五月份搬到了苏州。") == Slot("user", "home", "苏州", weak=True)
    assert of("用户最喜欢蓝色。") == Slot("user", "likes", "蓝色")


@pytest.mark.parametrize(("content", "slot"), [
    ("I live in Ghent", ("user", "home", "Ghent", 1)),
    ("I'm allergic to peanuts", ("user", "allergy", "peanuts", 1)),
    ("I don't eat nuts", ("user", "diet", "nuts", -1)),
    ("My sister Lena lives in Bruges", ("sister", "home", "Bruges", 1)),
    ("call me Bo", ("user", "called", "Bo", 1)),
    ("我住在成都", ("user", "home", "成都", 1)),
    ("我对花生过敏", ("user", "allergy", "花生", 1)),
    ("我妹妹住在里斯本", ("妹妹", "home", "里斯本", 1)),
    ("I moved to Linux", (None, None, None, 1)),
    ("I live in Ghent. My dad lives in Bruges.", (None, None, None, 1)),
    ("I might live in Ghent", (None, None, None, 1)),
])  # fmt: skip
def test_a_sentence_of_ones_own_added_by_hand_fills_its_fields(
    store_path: Path, content: str, slot: tuple[object, ...]
) -> None:
    with opened(store_path, ScriptedModel()) as file:
        memory = file.user("me").get(file.user("me").add(content))
        assert (memory.subject, memory.attribute, memory.value, memory.polarity) == slot
        assert memory.content == content


def test_what_was_added_in_ones_own_words_gives_way_to_another_home(store_path: Path) -> None:
    with opened(store_path, ScriptedModel(choices={"Bern": "F"}), settings=Settings(background=False)) as file:
        mem = file.user("me")
        mem.add("I live in Ghent")
        mem.learn([Turn("user", "I live in Bern now.")])
        assert [m.content for m in mem.list()] == ["The user lives in Bern now."]


@pytest.mark.parametrize(
    "words",
    [
        "call me at six", "Call me later", "call me Tomorrow", "call me ASAP", "call me Friday", "call me back", "call me when you can",
        "叫我一声", "明天叫我起床", "我住在北京吗", "我住在北京吗？", "我是不是住在北京呢", "Do I live in Ghent?", "I live in Ghent?", "用户住在北京吗。", "我妹妹住在里斯本吗",
    ],
)  # fmt: skip
def test_a_question_and_a_call_by_phone_fill_no_field(store_path: Path, words: str) -> None:
    with opened(store_path, ScriptedModel()) as file:
        mem = file.user("me")
        memory = mem.get(mem.add(words))
        assert (memory.attribute, memory.value) == (None, None)
        assert mem.profile() == []


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ("The user asks the assistant to call them Otto.", "Otto"), ("THE USER asks the assistant to always call them Captain Otto.", "Captain Otto"),
        ("用户希望助手叫用户小栗就好。", "小栗"), ("The user asks the assistant to call them Monday.", None), ("The user asks the assistant to call them at Six.", None),
        ("用户要求：叫用户一声。", None), ("用户要求：叫用户六点。", None),
    ],
)  # fmt: skip
def test_what_one_is_called_is_a_name(content: str, name: str | None) -> None:
    slot = of(content)
    assert (slot and slot.value) == name
