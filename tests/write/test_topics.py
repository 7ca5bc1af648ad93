"""A merge needs words that show it: what only looks alike stays apart, and a refinement holds what it refines."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from edgemem_models import relations
from edgemem_models.provider import LocalModels

import edgemem
from edgemem.evals.seams import WithoutLanguage
from edgemem.records import Turn
from edgemem.testing import ScriptedModel
from edgemem.write import compare, topics
from edgemem.write.halves import halves, untouched

if TYPE_CHECKING:
    from edgemem_models.embedder import LlamaEmbedder

STRANGERS = (
    "The user's instruction for the assistant: no tables please, and never more than five sentences.",
    "The user's instruction for the assistant: please don't propose video calls.",
    "The user asks the assistant to answer in French on Sundays.",
    "Asked “What brings you here?”, the user answered: mostly recipes and lists.",
    "Asked about the user's daughter Ines “Does anything need buying for it?”, the user answered: rope or chain.",
    "The user's daughter Ines, she's six; a parrot, 豆豆.",
    "According to the user, Ines starts at the music school on May 4.",
    "According to the user, the book is called Low Tide; they have to deliver it on Monday the 9th.",
    "The user soaks the beans overnight, then changes the water twice, and only after that salts them.",
    "According to the user, the desk came early, on 2026-05-06; PX-2280 is delivered, but one leg is cracked.",
    "用户提到：音乐学校2026年5月6日来信了，Ines 开课改到5月11号，不是4号了。",
    "用户提到：卖家说2026年5月13日补寄。",
    "用户要求：以后别给用户发表格。",
    "被问到“书桌到了没有”时，用户回答：还差一条桌腿。",
    "用户每周三、周六晚上去江边跑步。",
    "用户的哥哥对虾过敏，挺严重的那种。",
)  # fmt: skip
"""Told in one life on several days; none takes another's place, but for Ines' first day."""

_SAME = {STRANGERS[6], STRANGERS[10]}


@pytest.mark.model
def test_what_only_looks_alike_stays_apart(e5: LlamaEmbedder) -> None:
    pairs = [pair for pair in itertools.permutations(STRANGERS, 2) if set(pair) != _SAME]
    verdicts = compare.relate(pairs, relations.for_embedder(e5), ScriptedModel)
    merged = [(v.relation, *pair) for v, pair in zip(verdicts, pairs, strict=True) if v.relation != "distinct"]
    assert not merged


@pytest.mark.model
def test_a_newer_day_told_in_the_other_language_is_a_conflict(e5: LlamaEmbedder) -> None:
    (verdict,) = compare.relate([(STRANGERS[6], STRANGERS[10])], relations.for_embedder(e5), ScriptedModel)
    assert verdict.relation == "conflict"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The user has a dog.", "The user's dog is a beagle called Tosca."),
        ("The user uses Python 3.12.", "The user uses Python 3.12.4, from a container."),
        ("用户喜欢喝茶。", "茶里面用户最喜欢白茶。"),
        ("The user plays the cello.", "The user has played the cello in a quartet since 2019."),
    ],
)
def test_a_refinement_holds_what_it_refines(old: str, new: str) -> None:
    assert topics.keeps(old, new)
    assert topics.akin(old, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (STRANGERS[5], STRANGERS[6]),
        ("The user has 2 cats and a dog.", "The user has 25 cats and a dog."),
        ("The user paid 240 for the kayak.", "The user paid for the kayak in two parts."),
        ("用户的女儿六岁，养了一只叫豆豆的鹦鹉。", "用户的女儿5月4号开课。"),
        ("The user likes tea.", "用户喜欢喝茶，最喜欢白茶。"),
    ],
)
def test_what_would_lose_something_refines_nothing(old: str, new: str) -> None:
    assert not topics.keeps(old, new)


def test_a_date_or_a_form_in_common_is_no_common_subject() -> None:
    assert not topics.akin("用户提到：卖家说2026年5月13日补寄。", "用户提到：音乐学校2026年5月6日放假。")
    assert not topics.akin(STRANGERS[0], STRANGERS[8])
    assert topics.akin("The user is vegan.", "The user gave up veganism in January.")


def test_what_is_not_so_is_no_half_that_could_stay() -> None:
    told = "用户的女儿五月十一号开课，不是四号了。"
    assert halves(told) == [told]
    assert untouched(told, "用户的女儿不上课了。") == []


@pytest.mark.model
def test_a_real_conversation_loses_nothing_but_what_a_newer_day_replaced(tmp_path: Path) -> None:
    """The conversation of ``make run``, read by the gate, the rules and the relation head, without the language model."""
    models = LocalModels()
    lines = (Path(__file__).parents[1] / "data/conversation.jsonl").read_text("utf-8").splitlines()
    told = [json.loads(line) for line in lines]
    said = [Turn(t["role"], t["content"], at=t["at"], session=t["session"], id=t["id"]) for t in told]
    with edgemem.open(tmp_path / "me.edgemem", provider=WithoutLanguage(models)) as file:
        memory = file.user("me")
        for turn in said:
            memory.learn([turn])
        live = "\n".join(m.content for m in memory.list(limit=0))
        gone = [m.content for m in memory.list(limit=0, status="superseded")]
    models.close()
    kept = (
        ("April 20", "4月20号"),
        ("no bullet points",),
        ("23.976/25",),
        ("KT-4471 is delivered",),
        ("不吃蘑菇",),
        ("花生过敏",),
        ("Lyon",),
    )
    assert [words for words in kept if not any(word in live for word in words)] == []
    assert all("April 13" in content for content in gone), gone
