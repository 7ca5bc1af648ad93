"""A message whose fact a later one replaced stands behind it, in whatever words the later one is told."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from edgemem.times import to_db
from edgemem.view import Memory
from edgemem.write import manual
from tests.helpers import NOW, Fact, RuleModel, SetClock, opened, said

STORIES: dict[str, tuple[str, str, str, tuple[str, str], tuple[str, str]]] = {
    "another language": (
        "I play the viola. Otto's exam is on the third of May, he is nervous.", "学校说 Otto 的考试改到十号了",
        "When is Otto's exam?", ("Otto's exam is on the third of May", "Otto's exam is on the third of May."),
        ("Otto 的考试改到十号了", "Otto 的考试改到十号。"),
    ),
    "other words": (
        "I live on a houseboat. The boiler gets serviced on Monday by Hoskins.", "Hoskins rang, he can only come Friday",
        "Which day is the boiler serviced?", ("The boiler gets serviced on Monday by Hoskins", "The boiler gets serviced on Monday by Hoskins."),
        ("Hoskins rang, he can only come Friday", "Hoskins can only come on Friday."),
    ),
    "Chinese": (
        "我养了两只兔子。小满的钢琴课是周二晚上。", "老师有事，小满以后星期六上午去", "小满的钢琴课在周几？",
        ("小满的钢琴课是周二晚上", "小满的钢琴课是周二晚上。"), ("小满以后星期六上午去", "小满以后星期六上午去上课。"),
    ),
}  # fmt: skip


BESIDES = (
    Fact("I play the viola", "The user plays the viola."), Fact("I live on a houseboat", "The user lives on a houseboat."),
    Fact("我养了两只兔子", "用户养了两只兔子。"),
)  # fmt: skip
"""What the older messages tell besides."""


def tell(mem: Memory, clock: SetClock, old: str, new: str, replaced: str, *, others: int) -> None:
    """The older message, which keeps a live memory of its own, other talk, and the newer one."""
    mem.learn(said(old, session="a", at=NOW))
    for n in range(others):
        mem.log(said(f"a walk round the lake, number {n}", session=f"w{n}", at=NOW))
    clock.forward(days=4)
    mem.learn(said(new, session="b", at=clock.now()))
    (ended,) = [m for m in mem.list() if m.content == replaced]
    (by,) = [m for m in mem.list() if m.source.session == "b"]
    now = to_db(clock.now())
    with mem.file.engine.write() as tx:
        manual.edit(tx, mem._key, ended.id, now, status="superseded", superseded_by=by.id, valid_to=now)


@pytest.mark.parametrize("others", [0, 40])
@pytest.mark.parametrize("name", STORIES)
def test_the_newer_message_comes_first_and_the_older_is_told_as_such(store_path: Path, name: str, others: int) -> None:
    old, new, question, first, second = STORIES[name]
    model, clock = RuleModel(*BESIDES, Fact(*first), Fact(*second)), SetClock()
    with opened(store_path, model, clock=clock) as file:
        mem = file.user("me")
        tell(mem, clock, old, new, first[1], others=others)
        found = mem.recall(question, arms=("log",)).hits
        told = [h.content for h in found]
        assert told.index(new) < told.index(old)
        assert "replaced" in found[told.index(old)].note
        before = mem.recall(question, as_of=NOW + timedelta(days=1))
        assert before.hits
        assert all(not h.note for h in before.hits)


def test_what_the_older_message_tells_besides_comes_as_ever(store_path: Path) -> None:
    boiler, later = "The boiler gets serviced on Monday by Hoskins", "Hoskins rang, he can only come Friday"
    goats = "We keep two goats in the yard"
    model = RuleModel(
        Fact(goats, "The user keeps two goats in the yard."), Fact(boiler, f"{boiler}."), Fact(later, "Hoskins comes on Friday.")
    )  # fmt: skip
    with opened(store_path, model, clock=(clock := SetClock())) as file:
        mem = file.user("me")
        tell(mem, clock, f"{goats}. {boiler}.", later, f"{boiler}.", others=0)
        found = mem.recall("Where do we keep the two goats?", arms=("log",)).hits
        assert [h.content for h in found] == [f"{goats}. {boiler}."]
        assert not found[0].note
