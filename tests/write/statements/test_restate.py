"""Chinese clauses restated by rule."""

from __future__ import annotations

import pytest

from edgemem.write.statements.restate import about_user, restated


@pytest.mark.parametrize(
    ("clause", "sentence"),
    [
        ("我对海鲜过敏，", "用户对海鲜过敏。"),
        ("其实我们家养了两只鸡", "用户家养了两只鸡。"),
        ("驾照还没考下来", "用户提到：驾照还没考下来。"),
        ("下个月搬去大连", "用户下个月搬去大连。"),
        ("房东把押金退我了", "用户提到：房东把押金退用户了。"),
        ("以后叫我阿宁就行", "用户要求：以后叫用户阿宁就行。"),
    ],
)
def test_sentences_about_the_user(clause: str, sentence: str) -> None:
    assert restated(clause, instruction=False) == sentence


@pytest.mark.parametrize(
    "clause",
    [
        "他不吃辣",
        "从来不",
        "那个不要了",
        "“我爱你”是台词",
        "好",
        "健身计划给我排一个",
        "听人讲她不能碰辣",
        "帮我查查明天的天气",
    ],
)
def test_what_cannot_stand_alone_is_left_out(clause: str) -> None:
    assert restated(clause, instruction=False) is None


@pytest.mark.parametrize(
    ("other", "sentence"), [(None, "用户每天吃一片药。"), ("我外婆", "用户的外婆：每天吃一片药。"), ("", None)]
)
def test_a_clause_without_a_subject_follows_who_was_spoken_of(other: str | None, sentence: str | None) -> None:
    assert restated("每天吃一片药", instruction=False, other=other) == sentence


def test_a_standing_instruction_may_quote() -> None:
    assert restated("以后跟我说话别用“您”", instruction=True) == "用户要求：以后跟用户说话别用“您”。"


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("我姐对花生过敏", "用户的姐姐对花生过敏"), ("我爸妈住在南京", "用户的爸妈住在南京"), ("我妈妈退休了", "用户的妈妈退休了"),
        ("我姐夫会修车", "用户的姐夫会修车"), ("我表妹结婚了", "用户的表妹结婚了"), ("我老公值夜班", "用户的老公值夜班"),
        ("我的姐姐来了", "用户的姐姐来了"), ("我家有两只猫", "用户家有两只猫"),
    ],
)  # fmt: skip
def test_relatives_are_named_as_one_writes_them(said: str, meant: str) -> None:
    assert about_user(said) == meant
