"""What is told in confidence is kept and says that it was; what is allowed of a message that is not to be kept is kept alone."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

from edgemem import Turn
from edgemem.settings import Settings
from edgemem.testing import ScriptedModel
from edgemem.view import Memory
from edgemem.write.requests import discreet, permitted, unkept
from tests.helpers import Fact, RuleModel, opened

ON = Settings(background=False)


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("between you and me, I'm applying elsewhere", "I'm applying elsewhere"),
        ("keep this between us: the shop is for sale", "the shop is for sale"),
        ("I'm expecting twins but don't tell my mum yet", "I'm expecting twins"),
        ("这事就咱俩知道：我在面试", "我在面试"),
        ("我要辞职，先别告诉我妈", "我要辞职"),
    ],
)
def test_a_confidence_is_known_and_its_words_are_set_aside(message: str, told: str) -> None:
    assert discreet.in_confidence(message)
    start, end = discreet.spoken(message)
    assert message[start:end] == told


@pytest.mark.parametrize(
    "message",
    [
        "the river is between us and the mill",
        "the difference between us is age",
        "I work on confidential papers",
        "我负责公司的保密工作",
        "不要跟他们扯别的",
        "don't tell me what to eat",
    ],
)
def test_other_words_are_no_confidence(message: str) -> None:
    assert not discreet.in_confidence(message)


def test_two_halves_of_a_confidence_are_one_memory(store_path: Path) -> None:
    model = ScriptedModel(choices={"flatmate": "F", "owes": "F"})
    with opened(store_path, model, settings=ON) as file:
        mem = file.user("me")
        message = "My flatmate leaves tomorrow. Keep this between us: he owes me 400"
        mem.learn([Turn("user", message, session="s", id="1", at="2026-05-06T12:00:00+00:00")])
        assert [m.content for m in mem.list()] == [
            "The user's flatmate leaves on 2026-05-07; he owes them 400 (told in confidence)."
        ]


def test_a_longer_word_is_no_second_half(store_path: Path) -> None:
    with opened(store_path, ScriptedModel(choices={"like": "P"}), settings=ON) as file:
        mem = file.user("me")
        mem.learn([Turn("user", "I like cats' eyes in tea. I like cat", session="s", id="1")])
        assert len(mem.list()) == 2


def test_a_confidence_is_kept_with_a_note(store_path: Path) -> None:
    model = ScriptedModel(choices={"elsewhere": "F", "面试": "F"})
    with opened(store_path, model, settings=ON) as file:
        mem = file.user("me")
        mem.learn([Turn("user", "Between you and me, I'm applying elsewhere", session="s", id="1")])
        mem.learn([Turn("user", "这事就咱俩知道：我在面试一家银行", session="t", id="1")])
        assert sorted(m.content for m in mem.list()) == [
            "The user is applying elsewhere (told in confidence).", "用户在面试一家银行（私下告诉的）。",
        ]  # fmt: skip


@pytest.mark.parametrize(
    ("message", "part"),
    [
        ("don't save any of this. What you CAN save: my vet is Dr Roe now. bye", "my vet is Dr Roe now"),
        ("you can remember that my wife is called Ada, don't save the rest", "my wife is called Ada"),
        ("please don't store my address, but you may remember that I have two cats", "I have two cats"),
        ("可以记的是：我对芝麻过敏。其他的别记", "我对芝麻过敏"),
        ("别存我的地址，不过你可以记住我养了两只猫", "我养了两只猫"),
    ],
)
def test_what_may_be_kept_is_found(message: str, part: str) -> None:
    assert unkept.asks_not_to_keep(message)
    span = permitted.span(message)
    assert span is not None
    assert message[slice(*span)].strip() == part


@pytest.mark.parametrize(
    "message",
    [
        "don't save this, I keep bees", "don't save this. you can keep it in mind for now", "you may remember nothing of this",
        "别记，我养蜂", "这个不可以记",
    ],
)  # fmt: skip
def test_no_permission_where_none_is_given(message: str) -> None:
    assert permitted.span(message) is None


@pytest.mark.parametrize(
    ("message", "logged"),
    [
        ("Please don't save any of this, my ex is suing me. What you CAN save: I keep bees. ok?", "I keep bees"),
        ("别记这些，我前夫在告我。可以记的是：我养蜂", "我养蜂"),
    ],
)
def test_only_what_may_be_kept_reaches_the_file(store_path: Path, message: str, logged: str) -> None:
    model = RuleModel(Fact("I keep bees", "The user keeps bees."), Fact("我养蜂", "用户养蜂。"))
    with opened(store_path, model) as file:
        mem = file.user("me")
        mem.learn([Turn("user", message, session="s", id="1")])
        assert [t.content for t in mem.turns("s")] == [logged]
        assert [m.content for m in mem.list()] in (["The user keeps bees."], ["用户养蜂。"])
    data = store_path.read_bytes()
    assert b"suing" not in data
    assert "前夫".encode() not in data


def test_in_a_chat_the_answer_to_such_a_message_is_not_logged(store_path: Path) -> None:
    model = ScriptedModel(["I am sorry about your ex. Bees are noted.", "Good morning."])
    with opened(store_path, model) as file:
        chat = file.user("me").chat("s")
        for message in ("don't save this, my ex is suing me. What you can save: I keep bees.", "good morning"):
            _, pieces = chat.ask(message)
            assert list(pieces)
        assert [t.content.strip() for t in file.user("me").turns("s")] == [
            "I keep bees",
            "good morning",
            "Good morning.",
        ]


def _teller(mem: Memory) -> Callable[[str, str], object]:
    numbers = count()
    return lambda session, words: mem.learn([Turn("user", words, session=session, id=str(next(numbers)))])


@pytest.mark.parametrize(
    "request_",
    [
        "nothing from this chat, please", "don't save anything from this conversation", "Keep this chat out of your memory.",
        "这次聊天的内容都不要记", "别保存这个对话",
    ],
)  # fmt: skip
def test_of_a_whole_conversation_nothing_is_learned(store_path: Path, request_: str) -> None:
    model = RuleModel(Fact("I keep bees", "The user keeps bees."), Fact("I have cats", "The user has cats."))
    with opened(store_path, model) as file:
        mem = file.user("me")
        tell = _teller(mem)
        tell("other", "I keep bees")
        tell("s", "I have cats")
        assert len(mem.list()) == 2
        tell("s", request_)
        assert [m.content for m in mem.list()] == ["The user keeps bees."]
        for _ in range(14):
            tell("s", "well")
        tell("s", "I have cats")
        assert [m.content for m in mem.list()] == ["The user keeps bees."]
        tell("later", "I have cats")
        assert len(mem.list()) == 2


@pytest.mark.parametrize(
    "message",
    [
        "nothing from this chat helped",
        "I use this chat every day",
        "let's talk about nothing",
        "这次聊天很开心",
        "今天的会别记错时间",
    ],
)
def test_other_words_about_a_conversation_ask_nothing(message: str) -> None:
    assert not unkept.of_chat(message)
