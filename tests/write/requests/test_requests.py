"""What asks for words to be erased, and of what; and what only sounds like it."""

from __future__ import annotations

import pytest

from edgemem.write.requests.requests import never_mind, target


@pytest.mark.parametrize(
    "message",
    [
        "please don't remember this", "Don't save that.", "do not store any of this", "That was private, don't keep it",
        "ok forget what I said", "Can you forget what I told you?", "don't remember what I just said", "Never remember that!",
        "please delete that from your memory", "Please erase my last message from the log", "你别记这个", "别记", "不要记住刚才的话",
        "这句话别存", "忘掉刚才说的", "把刚才的话忘掉", "请不要记录这段话", "刚才那句不要记", "不要把这个存起来",
    ],
)  # fmt: skip
def test_a_request_about_what_was_said_before(message: str) -> None:
    assert target(message, None) == "before"


@pytest.mark.parametrize(
    "message",
    [
        "Don't remember this: I'm pregnant", "I'm pregnant, don't remember this", "off the record: I hate my job",
        "My ex is called Rui. Never note that down", "don't log this please, my therapist is Dr. Ruiz", "别记：我怀孕了", "我怀孕了，别记",
        "这件事别记录。我的病是糖尿病", "Please don't write this down: I'm seeing a therapist.", "这件事不要写下来，我在看医生",
    ],
)  # fmt: skip
def test_a_request_about_the_message_itself(message: str) -> None:
    assert target(message, None) == "this"


@pytest.mark.parametrize(
    "message",
    [
        "forget it", "Oh, forget it.", "Forget it, let's talk about cooking", "forget that", "never mind", "算了，忘了吧",
        "Don't save that file to the desktop", "never store any passwords in plain text", "I don't remember this",
        "I will never remember that", "We don't keep that in stock.", "Please don't record this meeting", "Is this off the record?",
        "forget what I said about Tuesday, Wednesday is better", "别记错了，我住在上海", "我不会记仇", "不要保存这个文件", "别忘了这件事",
        "Don't forget what I said", "remember this", "He said: don't you remember?", "我没记住这个",
    ],
)  # fmt: skip
def test_what_must_not_erase(message: str) -> None:
    assert target(message, None) is None


def test_an_answer_about_something_else_is_no_request() -> None:
    assert target("No, don't save it.", "Shall I save the table?") is None
    assert target("No, don't save it.", "Should I remember that?") == "before"
    assert target("No, don't remember it.", "Shall I save the table?") == "before"


@pytest.mark.parametrize(
    ("message", "aside"), [("forget it", True), ("算了", True), ("forget what I said", False), ("I forget", False)]
)
def test_never_mind(message: str, aside: bool) -> None:
    assert never_mind(message) is aside
