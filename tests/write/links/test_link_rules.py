"""Relations read off plain sentences by rule, in English and Chinese; what is asked, denied or supposed states none."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edgemem.write.links.link_rules import of_known, stated, within

USER, ZH = "the user", "用户"


def _found(text: str, before: str = "") -> set[tuple[str, str, str]]:
    return {(link.subject, link.predicate, link.object) for link in stated(text, before).links}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("My uncle Bertil runs the Salt House.", {("Bertil", "family of", USER), ("Bertil", "leads", "Salt House")}),
        ("Petra is Omar's boss. She lives in Lund.", {("Petra", "manager of", "Omar"), ("Petra", "lives in", "Lund")}),
        ("Ivo, my nephew, studies at Aalto.", {("Ivo", "family of", USER)}),
        ("My aunt's dentist Dr. Oduya moved to Leeds.", {("Dr. Oduya", "dentist of", "the user's aunt"), ("Dr. Oduya", "lives in", "Leeds")}),
        ("My mum grew up in Split.", {("the user's mum", "comes from", "Split")}),
        ("Brightmoor Labs belongs to Tessel Holding.", {("Brightmoor Labs", "part of", "Tessel Holding")}),
        ("The user's old school friend Lars is a nurse at Olav Hospital.", {("Lars", "friend of", USER), ("Lars", "works at", "Olav Hospital")}),
        ("我叔叔老何在铁路局上班。", {("老何", "家人", ZH), ("老何", "任职于", "铁路局")}),
        ("我妈妈的闺蜜钟阿姨开了一家裁缝店，叫巧手坊。", {("钟阿姨", "朋友", "用户的妈妈"), ("钟阿姨", "拥有", "巧手坊")}),
        ("用户的妹妹在深圳湾上班，她的男朋友小段是湖南人。", {("用户的妹妹", "任职于", "深圳湾"), ("小段", "伴侣", "用户的妹妹"), ("小段", "来自", "湖南")}),
        ("我同事小吴的老婆沈洁住在海淀区。", {("小吴", "同事", ZH), ("沈洁", "伴侣", "小吴"), ("沈洁", "住在", "海淀区")}),
    ],
)  # fmt: skip
def test_what_is_said_plainly_is_read(text: str, expected: set[tuple[str, str, str]]) -> None:
    assert _found(text) >= expected


@pytest.mark.parametrize(
    "text",
    [
        "I live in Utrecht.", "Paris is lovely in spring.", "The train from Bonn to Kiel was late.", "Does Rosa work at NASA?", "Rosa doesn't work at NASA.",
        "If Rosa works at NASA she flies.", "Rosa used to work at NASA.", "I love my brother.", "", "   ", "用户对花生过敏。", "我的表哥不在北京工作。", "我以前在腾讯上班。",
        "小吴住在海淀区吗？", "用户喜欢在家工作。", "她在医院工作", "楼上在搬东西，吵死了。", "带学生去可以吗？", "明天要去爷爷家吃饭", "我昨天在商场碰到我的老板了",
    ],
)  # fmt: skip
def test_what_states_no_relation_gives_none(text: str) -> None:
    assert _found(text) == set()


def test_a_pronoun_means_the_person_named_before_and_never_a_place_or_an_owner() -> None:
    assert ("Ana", "partner of", "Joel") in _found("His wife Ana is a cook.", before="My friend Joel moved to Tartu.")
    assert ("Vera", "works at", "Holm & Co") in _found("Vera is Nils's aunt. She works at Holm & Co.")
    assert _found("Her brother Tim lives in Rome.", before="My uncle Karl sails.") == {("Tim", "lives in", "Rome")}, (
        "Karl is no she"
    )


def test_second_names_are_pairs() -> None:
    assert stated("We call Rosalind Roz.").names == [("Rosalind", "Roz")]
    assert stated("老冯的大名叫冯建国。").names == [("老冯", "冯建国")]
    assert ("Bertil", "the user's uncle") in stated("My uncle Bertil sails.").names


def test_what_the_memory_no_longer_says_does_not_count() -> None:
    found = stated("My uncle Bertil runs the Salt House.")
    assert within(found, "The user's uncle Bertil runs the Salt House.").any
    assert not within(found, "The user likes salt.").any


def test_somebody_is_known_by_the_memory_by_the_talk_or_as_the_users() -> None:
    def nobody(names: object) -> bool:
        return False

    assert of_known("My uncle Bertil runs the Salt House.", "", nobody)
    assert of_known("Bertil lives in Visby.", "My uncle Bertil rang.", nobody)
    assert of_known("Bertil lives in Visby.", "", lambda names: "Bertil" in names)
    assert not of_known("Bertil lives in Visby.", "", nobody)
    assert not of_known("It rains.", "My uncle Bertil rang.", lambda names: True)


_WORDS = st.sampled_from(
    "My her Her his the user's sister brother Ana Tim Rome works at lives in is called and , . ? \x01 \x02 用户的 妹妹 小段 在 上班 叫 ， 。 ".split(
        " "
    )
)


@given(st.lists(_WORDS, max_size=20).map(" ".join) | st.text(max_size=60))
@settings(max_examples=200, deadline=None)
def test_whatever_is_said_nothing_fails_and_no_name_is_made_up(text: str) -> None:
    for link in stated(text, text).links:
        for end in (link.subject, link.object):
            assert end
            assert "\x01" not in end
            assert link.subject != link.object
