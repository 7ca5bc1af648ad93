"""Requests not to remember are obeyed; sentences that only look like one are not taken for it."""

from __future__ import annotations

import pytest

from edgemem.write.requests.unkept import asks_not_to_keep, of_before, reaches


@pytest.mark.parametrize(
    "message",
    [
        "please don't remember this", "Don't save that.", "do not store any of this", "That was private, don't keep it",
        "My ex is called Rui. Never note that down", "forget that", "ok forget what I said", "I want you to forget it",
        "off the record: I hate my job", "Can you forget what I told you?", "你别记这个", "不要记住刚才的话", "这个不用记", "忘了这件事吧",
        "这句话别存", "please delete that from your memory",
    ],
)  # fmt: skip
def test_a_request_is_seen(message: str) -> None:
    assert asks_not_to_keep(message)


@pytest.mark.parametrize(
    "message",
    [
        "I never save any money", "don't forget that I'm vegan", "I can't forget that day", "We never store any food",
        "I'd never forget it", "I don't keep any pets", "Remember that I live in Porto", "别记错了，我住在上海", "我不会记仇", "记得别忘了",
        "我忘了那家店的名字", "别忘了这件事", "I don't remember", "never mind",
    ],
)  # fmt: skip
def test_what_only_looks_like_one_is_not(message: str) -> None:
    assert not asks_not_to_keep(message)


@pytest.mark.parametrize(
    "message",
    [
        "刚刚那条当我没说",
        "这句话你就当没听见",
        "你当没看到上面那句吧",
        "上面的内容请从记录里抹去",
        "这件事就咱俩知道，别留记录",
        "请把我刚才的话清除掉",
        "前面那段不作数，别往心里记",
        "撤回上一条",
        "刚才那句撤回",
        "我刚说的那个，清掉吧",
        "这事不用帮我记",
        "上一条不算，删了吧",
        "别把它写进备忘",
        "这个信息不要留着",
        "你别往记忆里放",
        "不要让这个进你的记忆",
        "我不希望你记着这个",
        "聊完就忘了它吧",
        "刚才说的就别留着了",
        "当我没说过",
        "前面那句话请忘掉",
        "那条消息不要保留",
        "千万别把这个记下来",
        "这个就别放进档案了",
        "请清除我刚刚发的消息",
        "pretend I didn't say that",
        "Please pretend I never told you this.",
        "scratch that from your memory",
        "I'd rather you not keep that",
        "no notes on this please",
        "strike that",
        "ignore my last message and don't keep it",
        "disregard what I just said",
        "you can forget about what I told you",
        "this isn't for the record",
        "don't hold on to that",
        "I don't want you to remember this",
        "keep this out of your memory",
        "leave this out of your notes",
        "please don't write this down",
        "wipe that from your memory",
        "please purge my last message",
        "I'd prefer you didn't save this",
        "let's not keep that on file",
        "this stays between us, don't keep it",
        "unremember that please",
        "don't commit that to memory",
        "that one isn't to be stored",
    ],
)
def test_it_is_seen_in_whatever_words(message: str) -> None:
    assert asks_not_to_keep(message)


@pytest.mark.parametrize(
    "message",
    [
        "当我没说过谎的时候，他才信我",
        "我不喜欢别人当没看见我",
        "撤回申请已经交了",
        "I keep my passport in a drawer",
        "Strike that pose again!",
        "I ignored the last message from my bank",
        "别忘了我对花生过敏",
        "I never keep receipts",
        "清掉库存要两周",
        "我的备忘录放在包里",
        "这个别删",
        "don't forget to remember this",
        "I don't want you to forget this",
        "Scratch that, I live in Ghent now",
        "Strike that: the meeting is on Friday",
        "Disregard what I just said, I'm vegan",
        "撤回刚才那句，我其实住在杭州",
        "当我没说，我对虾过敏",
    ],
)
def test_a_correction_or_other_use_of_the_words_is_no_request(message: str) -> None:
    assert not asks_not_to_keep(message)


@pytest.mark.parametrize(
    "message",
    ["don't remember that", "Please don't save that.", "forget what I just said, it was a joke", "strike that", "刚才说的就别留着了", "当我没说", "这个别记",
     "Don't keep that, I still have to tell my boss", "please don't save this, just help me word the mail", "那个别记下来，我还没跟家里说", "这个不用记，帮我想想怎么说"],
)  # fmt: skip
def test_a_request_alone_or_that_says_so_is_of_what_was_said_before(message: str) -> None:
    assert of_before(message)


@pytest.mark.parametrize(
    "message",
    [
        "Please don't write this down: I'm seeing a therapist.", "Off the record: I hate my job", "这件事不要写下来，我在看心理医生",
        "My ex is called Rui. Never note that down", "I don't want you to remember this, but my knee hurts",
    ],
)  # fmt: skip
def test_a_request_about_its_own_words_leaves_what_was_said_before(message: str) -> None:
    assert asks_not_to_keep(message)
    assert not of_before(message)


def test_a_request_to_write_elsewhere_is_none() -> None:
    assert not asks_not_to_keep("Please don't write that on the whiteboard, it is ugly.")


@pytest.mark.parametrize(
    ("before", "message", "reached"),
    [
        ("I drive a red Skoda.", "Please don't write this down: I'm seeing a therapist.", False),
        ("My therapist says I should rest.", "Please don't write this down: I'm seeing a therapist.", True),
        ("I drive a red Skoda.", "please don't save that", True),
        ("我开一辆红色的车", "这件事不要写下来，我在看心理医生", False),
        ("我下周要做心理咨询", "这件事不要写下来，我在看心理医生", True),
    ],
)
def test_what_was_said_before_goes_only_when_it_is_meant(before: str, message: str, reached: bool) -> None:
    assert reaches(message, before) is reached
