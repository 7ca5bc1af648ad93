"""The graph arm: from what a question names to the memory that answers it."""

from __future__ import annotations

import pytest

from edgemem.recall.related import related
from edgemem.view import Memory
from edgemem.write.links.link import Link


def _told(mem: Memory, content: str, *found: Link) -> None:
    mem.graph.learn(mem.add(content), found)


@pytest.fixture
def told(mem: Memory) -> Memory:
    sister = (("Mia", "the user's sister"),)
    _told(
        mem,
        "The user's sister Mia works at Northlight.",
        Link("Mia", "family of", "the user", 0.9, sister),
        Link("Mia", "works at", "Northlight", 0.9, sister),
    )
    _told(mem, "Northlight is located in Oslo.", Link("Northlight", "located in", "Oslo", 0.9))
    _told(mem, "Ilmar is a manager at Northlight.", Link("Ilmar", "manager of", "Northlight", 0.8))
    _told(mem, "Ilmar lives in Bergen.", Link("Ilmar", "lives in", "Bergen", 0.8))
    _told(mem, "The user lives in Graz.", Link("the user", "lives in", "Graz", 0.9))
    _told(mem, "用户的妈妈在绵阳二院工作。", Link("用户的妈妈", "任职于", "绵阳二院", 0.9))
    _told(mem, "绵阳二院位于涪城区。", Link("绵阳二院", "位于", "涪城区", 0.9))
    return mem  # fmt: skip


def _found(mem: Memory, query: str, most: int = 20) -> list[str]:
    with mem.file.engine.read() as tx:
        keys = related(tx, mem._key, query, most=most)
    by_key = {m.key: m.content for m in mem.list(limit=0)}
    return [by_key[key] for key in keys]


def test_two_and_three_steps_lead_to_the_answer(told: Memory) -> None:
    found = _found(told, "Where does the manager at my sister's company live?")
    assert found[0] == "The user's sister Mia works at Northlight."
    assert "Ilmar lives in Bergen." in found
    assert "绵阳二院位于涪城区。" in _found(told, "我妈妈上班的医院在哪个区？")


def test_no_walk_goes_through_the_user(told: Memory) -> None:
    assert "The user lives in Graz." not in _found(told, "What does Mia do?")
    assert _found(told, "Where does the user live?") == []


@pytest.mark.parametrize("query", ["", "Miami", "grazing", "who?", "%", "用户"])
def test_what_names_nobody_finds_nothing(told: Memory, query: str) -> None:
    assert _found(told, query) == []


def test_a_longer_name_is_not_the_shorter_one(told: Memory) -> None:
    _told(told, "Mia Northlight sings.", Link("Mia Northlight", "member of", "the choir", 0.9))
    assert _found(told, "Does Mia Northlight sing?") == ["Mia Northlight sings."]


def test_the_nearest_come_first_and_no_more_than_wanted(told: Memory) -> None:
    assert _found(told, "Mia", most=1) == ["The user's sister Mia works at Northlight."]


def test_another_user_and_what_went_out_of_use_are_not_found(told: Memory) -> None:
    other = told.file.user("other")
    _told(other, "Mia has a boat.", Link("Mia", "owns", "the boat", 0.9))
    assert "Mia has a boat." not in _found(told, "Mia")
    bergen = next(m for m in told.list(limit=0) if "Bergen" in m.content)
    told.forget(bergen.id)
    assert all("Bergen" not in c for c in _found(told, "my sister"))


def test_recall_brings_what_two_steps_lead_to_and_says_so(told: Memory) -> None:
    hits = told.recall("Where does the manager at my sister's company live?", limit=8).hits
    bergen = next(h for h in hits if h.content == "Ilmar lives in Bergen.")
    assert "graph" in bergen.parts
    alone = told.recall("Where does Mia work?", arms=["graph"]).hits
    assert next(h.content for h in alone) == "The user's sister Mia works at Northlight."
    assert all(0 <= h.score <= 1 for h in (*hits, *alone))


def test_without_a_graph_nothing_changes(mem: Memory) -> None:
    mem.add("The user keeps bees.")
    hit = mem.recall("bees").hits[0]
    assert "graph" not in hit.parts
    assert hit.score == mem.recall("bees", arms=["vector", "text"]).hits[0].score
