"""Of whom there is one a newer word takes the place of the older; of two brothers both stay."""

from __future__ import annotations

from pathlib import Path

import pytest

from edgemem.write import attributes
from edgemem.write.attributes import of
from tests.helpers import Fact, RuleModel, opened, said


@pytest.mark.parametrize(
    ("new", "old", "same"),
    [
        ("The user lives in Ghent.", "The user lives in Lille.", True),
        ("The user's mother lives in Ghent.", "The user's mother lives in Lille.", True),
        ("The user's boss lives in Ghent.", "The user's boss lives in Lille.", True),
        ("用户的妈妈住在根特。", "用户的妈妈住在里尔。", True), ("用户的外婆80岁。", "用户的外婆81岁。", True), ("用户的房东住在根特。", "用户的房东住在里尔。", True),
        ("The user's brother lives in Ghent.", "The user's brother lives in Lille.", False),
        ("The user's older sister is 20.", "The user's older sister is 24.", False),
        ("The user's son is 5.", "The user's son is 7.", False), ("The user's grandmother lives in Ghent.", "The user's grandmother lives in Lille.", False),
        ("用户的儿子5岁。", "用户的儿子7岁。", False), ("用户的姐姐叫小芸。", "用户的姐姐叫小丽。", False), ("用户的弟弟住在根特。", "用户的弟弟住在里尔。", False),
        ("The user's brother Pat lives in Ghent.", "The user's brother Pat lives in Lille.", True),
        ("The user's older brother Pat lives in Ghent.", "The user's brother Pat lives in Lille.", True),
        ("The user's son Jason is 5.", "The user's son Mason is 7.", False), ("The user's brother Pat lives in Ghent.", "The user's brother lives in Lille.", False),
        ("用户的哥哥大伟住在根特。", "用户的哥哥大伟住在里尔。", True), ("用户的哥哥大伟住在根特。", "用户的哥哥小军住在里尔。", False),
        ("The user's wife Ann lives in Ghent.", "The user's wife Bea lives in Lille.", False),
        ("The user's friend Noor lives in Ghent.", "The user's friend Noor lives in Lille.", True),
    ],
)  # fmt: skip
def test_only_of_whom_there_is_one_and_of_a_name_a_newer_word_is_about_the_same_person(
    new: str, old: str, same: bool
) -> None:
    told, before = of(new), of(old)
    assert told is not None
    assert before is not None
    assert attributes.of_same_person(told, before) is same


def test_two_sons_and_brothers_without_names_both_stay(store_path: Path) -> None:
    facts = (
        Fact("my brother lives in Cork", "The user's brother lives in Cork."), Fact("my brother lives in Rome", "The user's brother lives in Rome."),
        Fact("我儿子5岁", "用户的儿子5岁。"), Fact("我儿子7岁", "用户的儿子7岁。"), Fact("我姐姐叫小芸", "用户的姐姐叫小芸。"), Fact("我姐姐叫小丽", "用户的姐姐叫小丽。"),
        Fact("my mother lives in Oslo", "The user's mother lives in Oslo."), Fact("my mother lives in Bern", "The user's mother lives in Bern."),
    )  # fmt: skip
    with opened(store_path, RuleModel(*facts)) as file:
        for fact in facts:
            file.user("me").learn(said(fact.quote, session=fact.quote))
        gone = [m.content for m in file.user("me").list(status="superseded")]
        assert gone == ["The user's mother lives in Oslo."]
