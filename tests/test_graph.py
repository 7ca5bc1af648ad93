"""The graph: names, relations in time, walks, doubt, and mending."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgemem.errors import Conflict, InvalidInput, ModelError, NotFound
from edgemem.graph import MOST_EDGES, Graph
from edgemem.ports import Generation, Message
from edgemem.settings import Settings
from edgemem.store import reviews
from edgemem.testing import ScriptedModel
from edgemem.view import Memory
from edgemem.write.links.link import DOUBTFUL, Link, links
from tests.helpers import NOW, Fact, RuleModel, SetClock, opened, said, wait_until, written


@pytest.fixture
def graph(mem: Memory) -> Graph:
    return mem.graph


def _names(graph: Graph, name: str, hops: int = 1) -> set[str]:
    return {e.name for e in graph.neighbours(name, hops=hops).entities} - {name}


def test_a_name_is_found_however_it_is_written(graph: Graph) -> None:
    graph.add("王伟", kind="person", aliases=["老王", "Wang Wei"])
    for spelling in ("王伟", "老王", "wang wei", "ＷＡＮＧ  ＷＥＩ"):
        assert [e.name for e in graph.find(spelling)] == ["王伟"]
    assert graph.find("王") == []


def test_relations_are_walked_both_ways_and_hop_by_hop(graph: Graph) -> None:
    graph.relate("Mia", "works at", "Northlight")
    graph.relate("Northlight", "supplies", "the bakery")
    graph.relate("the bakery", "employs", "Tom")
    assert _names(graph, "Northlight") == {"Mia", "the bakery"}
    assert _names(graph, "Mia", 2) == {"Northlight", "the bakery"}
    assert [r.predicate for r in graph.path("Tom", "Mia")] == ["employs", "supplies", "works at"]
    assert graph.path("Tom", "Mia", hops=2) == ()


def test_what_is_no_longer_true_is_closed_not_lost(graph: Graph, clock: SetClock) -> None:
    edge = graph.relate("Mia", "works at", "Northlight", since=NOW - timedelta(days=100))
    clock.forward(days=10)
    graph.close(edge.id)
    graph.relate("Mia", "works at", "Harbour")
    assert _names(graph, "Mia") == {"Harbour"}
    then = graph.neighbours("Mia", as_of=NOW + timedelta(days=1))
    assert [r.object for r in then.relations] == ["Northlight"]
    assert graph.neighbours("Mia", as_of=NOW - timedelta(days=200)).relations == ()
    with pytest.raises(Conflict, match="is closed"):
        graph.close(edge.id)


def test_an_edge_falls_and_rises_with_the_memory_it_rests_on(mem: Memory) -> None:
    memory = mem.add("Mia works at Northlight.")
    mem.graph.relate("Mia", "works at", "Northlight", memory=memory)
    change = mem.forget(memory)
    assert _names(mem.graph, "Mia") == set()
    mem.undo(change)
    assert _names(mem.graph, "Mia") == {"Northlight"}


def test_doubt_waits_and_what_was_refused_is_not_proposed_again(graph: Graph) -> None:
    first = graph.relate("Mia", "likes", "Tom", confidence=0.5)
    second = graph.relate("Mia", "knows", "Tom", confidence=0.5)
    assert _names(graph, "Mia") == set()
    assert [r.id for r in graph.reviews()] == [first.id, second.id]
    graph.accept(second.id)
    graph.reject(first.id)
    assert [r.predicate for r in graph.neighbours("Mia").relations] == ["knows"]
    assert graph.relate("Mia", "likes", "Tom", confidence=0.9).status == "rejected"
    assert graph.reviews() == []
    assert graph.relate("Mia", "likes", "Tom").status == "live", "said by hand it counts"
    with pytest.raises(Conflict):
        graph.reject(second.id)


def test_the_same_relation_is_stored_once_at_its_best_confidence(graph: Graph) -> None:
    first = graph.relate("Mia", "likes", "Tom", confidence=0.8)
    assert graph.relate("mia", "likes", "TOM", confidence=0.9).id == first.id
    assert [r.confidence for r in graph.neighbours("Mia").relations] == [0.9]


def test_a_merge_and_its_undoing_leave_all_as_it_was(graph: Graph) -> None:
    graph.relate("Wang Wei", "works at", "Northlight")
    graph.relate("老王", "likes", "chess")
    before = graph.neighbours("老王"), graph.neighbours("Wang Wei"), graph.entities()
    merge = graph.merge("Wang Wei", "老王")
    assert _names(graph, "Wang Wei") == {"Northlight", "chess"}
    assert [e.name for e in graph.find("老王")] == ["Wang Wei"]
    graph.unmerge(merge)
    assert (graph.neighbours("老王"), graph.neighbours("Wang Wei"), graph.entities()) == before
    with pytest.raises(Conflict, match="already"):
        graph.unmerge(merge)


def test_a_split_takes_a_name_and_the_relations_named(graph: Graph) -> None:
    graph.add("Alex", aliases=["Alex from work"])
    work = graph.relate("Alex", "manages", "the shop")
    graph.relate("Alex", "brother of", "Mia")
    graph.split("Alex", "Alex from work", relations=[work.id])
    assert _names(graph, "Alex from work") == {"the shop"}
    assert _names(graph, "Alex") == {"Mia"}
    with pytest.raises(NotFound, match="second name"):
        graph.split("Alex", "Alex")


@pytest.mark.parametrize(
    ("own", "aliases", "split", "stays", "goes"),
    [
        ("陈伟", ["陳偉"], "陳偉", ["陈伟"], ["陳偉"]),
        ("陳偉", [], "陈伟", ["陳偉"], ["陈伟"]),
        ("Wei", ["陳偉"], "陳偉", ["Wei"], ["陳偉", "陈伟"]),
        ("Wei", ["陳偉"], "陈伟", ["Wei", "陳偉"], ["陈伟"]),
        ("Wei", ["陳偉", "陳伟"], "陳偉", ["Wei", "陳伟", "陈伟"], ["陳偉"]),
        ("Wei Chen", ["wei", "陳偉"], "WEI", ["Wei Chen", "陳偉", "陈伟"], ["wei", "Wei"]),
    ],
)
def test_a_split_takes_no_other_spelling_that_the_entity_has_of_its_own(
    graph: Graph, own: str, aliases: list[str], split: str, stays: list[str], goes: list[str]
) -> None:
    whole = graph.add(own, aliases=aliases)
    fresh = graph.split(own, split)
    assert {name: [e.id for e in graph.find(name)] for name in stays} == {name: [whole.id] for name in stays}
    assert {name: [e.id for e in graph.find(name)] for name in goes} == {name: [fresh.id] for name in goes}
    edge = graph.relate(split, "likes", "chess")
    assert edge.subject_id == fresh.id


def test_a_split_leaves_the_simplified_name_to_who_has_it(graph: Graph) -> None:
    graph.add("Wei", aliases=["陳偉"])
    other = graph.add("Bo")
    graph.alias("Bo", "陈伟")
    fresh = graph.split("Wei", "陳偉")
    assert [e.id for e in graph.find("陳偉")] == [fresh.id]
    assert [e.id for e in graph.find("陈伟")] == [other.id]


@pytest.mark.parametrize(
    ("kept", "gone"), [("陈伟", "陳偉"), ("陳偉", "陈伟"), ("Wei", "陳偉"), ("陳偉", "Wei"), ("陳偉", "陳伟")]
)
def test_a_merge_of_spellings_is_undone_whole(graph: Graph, kept: str, gone: str) -> None:
    one = graph.add("one", aliases=[kept])
    two = graph.add("two", aliases=[gone, "Nickname"])
    names = ("陈伟", "陳偉", "陳伟", "Wei", "one", "two", "nickname")
    before = {name: graph.find(name) for name in names}
    merge = graph.merge("one", "two")
    assert [e.id for e in graph.find(gone)] == [e.id for e in graph.find("nickname")] == [one.id]
    graph.unmerge(merge)
    assert {name: graph.find(name) for name in names} == before
    assert [e.id for e in graph.find("nickname")] == [two.id]


@pytest.mark.parametrize(("own", "told"), [("陈伟", "陳偉"), ("Alex Roy", "alex  roy")])
def test_a_merge_of_an_older_file_is_undone_without_the_name_of_its_own(mem: Memory, own: str, told: str) -> None:
    kept, gone = mem.graph.add(own), mem.graph.add("Nickname")
    merge = mem.graph.merge(own, "Nickname")
    with mem.file.engine.write() as tx:
        found = reviews.get(tx, mem._key, merge, "entity_merge")
        assert found
        reviews.note(tx, mem._key, merge, found[1] | {"names": ["Nickname", told]})
    mem.graph.unmerge(merge)
    assert [e.id for e in mem.graph.find(own)] == [kept.id]
    assert [e.id for e in mem.graph.find("Nickname")] == [gone.id]


def test_two_of_one_name_must_be_told_apart(graph: Graph) -> None:
    one = graph.add("Alex Roy", aliases=["Alex"])
    graph.add("Alex Poe")
    graph.alias("Alex Poe", "Alex")
    with pytest.raises(Conflict, match="2 entities"):
        graph.neighbours("Alex")
    assert graph.neighbours(one.id).entities[0].name == "Alex Roy"


@pytest.mark.parametrize("name", ["", "  ", "x" * 300, "a\0b"])
def test_a_name_that_is_none_is_refused(graph: Graph, name: str) -> None:
    with pytest.raises(InvalidInput):
        graph.relate(name, "likes", "Tom")
    assert graph.entities() == []


def test_a_walk_over_a_node_of_thousands_of_edges_is_bounded(store_path: Path) -> None:
    with opened(store_path) as file:
        mem = file.user("me")
        hub = mem.graph.add("hub")
        with file.engine.write() as tx:
            key = tx.execute("SELECT id FROM entity").fetchone()[0]
            tx.execute(
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)"
                " INSERT INTO entity(user_id, uid, name, kind, created_at) SELECT 1, 'e' || i, 'leaf ' || i, 'thing', ? FROM n",
                (file.now(),),
            )
            tx.execute(
                "INSERT INTO relation(user_id, uid, subject_id, predicate, object_id, confidence, recorded_at)"
                " SELECT 1, 'r' || id, ?, 'has', id, 0.7 + id * 0.00001, ? FROM entity WHERE id <> ?",
                (key, file.now(), key),
            )
        walk = mem.graph.neighbours(hub.id, hops=6)
        assert walk.cut
        assert len(walk.relations) == MOST_EDGES
        assert min(r.confidence for r in walk.relations) > 0.74, "the surest are looked at first"


_EDGES = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)).filter(lambda e: e[0] != e[1]), max_size=20)


@given(mine=_EDGES, theirs=_EDGES, hops=st.integers(1, 6))
def test_walks_agree_with_a_plain_search_and_never_leave_the_user(
    tmp_path_factory: pytest.TempPathFactory, mine: list[tuple[int, int]], theirs: list[tuple[int, int]], hops: int
) -> None:
    path = tmp_path_factory.mktemp("g") / "me.edgemem"
    with opened(path) as file:
        me, other = file.user("a").graph, file.user("ab").graph
        for graph, edges in ((me, mine), (other, theirs)):
            graph.add("n0")
            for a, b in edges:
                graph.relate(f"n{a}", "to", f"n{b}")
        reached = {0: 0}
        for depth in range(1, hops + 1):
            for a, b in [*mine, *((b, a) for a, b in mine)]:
                if reached.get(a, 99) < depth:
                    reached.setdefault(b, depth)
        walk = me.neighbours("n0", hops=hops)
        assert {e.name for e in walk.entities} == {f"n{n}" for n in reached}
        for n, depth in reached.items():
            if n:
                assert len(me.path("n0", f"n{n}", hops=6)) == depth
        foreign = {e.id for e in other.entities(limit=0)}
        assert not foreign & {e.id for e in me.entities(limit=0)}
        for uid in foreign:
            with pytest.raises(NotFound):
                me.neighbours(uid)


def test_an_edited_memory_no_longer_holds_what_it_said(mem: Memory) -> None:
    memory = mem.add("Mia works at Northlight.")
    mem.graph.relate("Mia", "works at", "Northlight", memory=memory)
    mem.edit(memory, "Mia works at Harbour.")
    assert mem.graph.neighbours("Mia").relations == ()


def test_a_relation_closed_by_hand_stays_closed_when_its_memory_comes_back(mem: Memory) -> None:
    memory = mem.add("Mia works at Northlight.")
    edge = mem.graph.relate("Mia", "works at", "Northlight", memory=memory)
    mem.graph.close(edge.id, at=NOW - timedelta(days=1))
    mem.undo(mem.forget(memory))
    assert mem.graph.neighbours("Mia").relations == ()


# What the model finds in memories

_SAID = {
    "The user's sister Mia got a post with Northlight.": [
        ("Mia", "family of", "the user"), ("Mia", "works at", "Northlight"), ("Mia", "lives in", "Oslo"), ("Mia", "other", "Northlight"),
        ("Mi", "works at", "Northlight"), ("Mia", "friend of", "mia"),
    ],
    "Northlight supplies the bakery.": [("Northlight", "supplies", "the bakery")],
    "用户的姐姐林晓在北光任职。": [("林晓", "家人", "用户"), ("林晓", "任职于", "北光"), ("林晓", "住在", "上海")],
}  # fmt: skip


def _answer(found: list[tuple[str, str, str]]) -> str:
    import json

    return json.dumps([{"from": a, "relation": r, "to": b} for a, r, b in found], ensure_ascii=False)


def test_relations_are_drawn_from_memories_and_only_names_that_stand_there_count(store_path: Path) -> None:
    model = ScriptedModel([_answer(found) for found in _SAID.values()])
    with opened(store_path, model) as file:
        mem = file.user("me")
        for content in _SAID:
            mem.add(content)
        mem.forget(mem.add("The user had a goat."))
        assert mem.build_graph() == 5
        graph = mem.graph
        assert {(r.subject, r.predicate, r.object) for r in graph.neighbours("Mia", hops=3).relations} == {
            ("Mia", "family of", "the user"), ("Mia", "works at", "Northlight"), ("Northlight", "supplies", "the bakery"),
        }  # fmt: skip
        assert graph.find("the user's sister") == graph.find("Mia")
        assert graph.find("用户的姐姐") == graph.find("林晓")
        assert [r.predicate for r in graph.path("Mia", "the bakery")] == ["works at", "supplies"]
        assert mem.build_graph() == 0
        assert len(model.prompts) == 2, (
            "what rules read is not asked, and what was looked through not looked through again"
        )


@pytest.mark.parametrize(
    ("content", "found", "kept"),
    [
        ("The user's landlord Mr. Osei lives downstairs.", ("Mr. Osei", "lives in", "the user"), None),
        ("The user's dog Biscuit is a beagle.", ("Biscuit", "pet of", "the user"), True),
        ("The user's landlord Osei has a garden.", ("Osei", "family of", "the user"), False),
        ("用户的妈妈在绵阳第二医院当护士。", ("用户", "家人", "绵阳第二医院"), False),
        ("用户的室友阿杰养了一只叫豆包的猫。", ("阿杰", "宠物", "用户"), False),
        ("用户的室友阿杰养了一只叫豆包的猫。", ("阿杰", "朋友", "用户"), True),
    ],
)
def test_what_nothing_in_the_words_speaks_for_is_doubtful_or_dropped(
    content: str, found: tuple[str, str, str], kept: bool | None
) -> None:
    got = links(ScriptedModel([_answer([found])]), content)
    assert [link.confidence > DOUBTFUL for link in got] == ([] if kept is None else [kept])


def test_a_role_gets_its_name_later_and_two_of_one_role_stay_two(mem: Memory) -> None:
    role = (("Mia", "the user's sister"),)
    mem.graph.learn(mem.add("a"), [Link("the user's sister", "lives in", "Oslo", 0.9)])
    mem.graph.learn(mem.add("b"), [Link("Mia", "works at", "Northlight", 0.9, role)])
    assert _names(mem.graph, "Mia") >= {"Oslo", "Northlight"}
    mem.graph.learn(mem.add("c"), [Link("Ada", "works at", "Harbour", 0.9, (("Ada", "the user's sister"),))])
    assert _names(mem.graph, "Ada") == {"Harbour"}


def test_a_model_that_says_nothing_of_use_keeps_the_place(store_path: Path) -> None:
    with opened(store_path, ScriptedModel(["no idea", '[{"from": 3}]', "["])) as file:
        mem = file.user("me")
        for n in range(3):
            mem.add(f"The user owns book {n}.")
        assert mem.build_graph() == 0
        assert mem.graph.entities() == []


class _Linking(RuleModel):
    """Extracts by rule; asked for relations it names where the user lives."""

    def generate(self, messages: Sequence[Message], **options: Any) -> Generation:
        if "from" not in (options.get("grammar") or ""):
            return super().generate(messages, **options)
        place = messages[-1].content.rpartition("Porto")[1]
        return written(_answer([("the user", "lives in", place)] if place else []))


def test_the_background_looks_for_relations_after_everything_else(store_path: Path) -> None:
    model = _Linking(Fact("I live in Porto", "The user lives in Porto."), Fact("I keep bees", "The user keeps bees."))
    with opened(store_path, model, settings=Settings(background=True)) as file:
        mem = file.user("me")
        mem.observe(said("I live in Porto", "I keep bees"))
        wait_until(lambda: len(mem.list()) == 2 and not mem.jobs())
        assert [(r.subject, r.object) for r in mem.graph.neighbours("the user").relations] == [("the user", "Porto")]


def test_a_model_that_fails_at_relations_parks_the_job_with_its_error(store_path: Path) -> None:
    class Failing(_Linking):
        def generate(self, messages: Sequence[Message], **options: Any) -> Generation:
            if "from" in (options.get("grammar") or ""):
                raise ModelError("The model fell over.")
            return super().generate(messages, **options)

    with opened(
        store_path, Failing(Fact("I keep bees", "The user keeps bees.")), settings=Settings(background=True)
    ) as file:
        mem = file.user("me")
        mem.observe(said("I keep bees"))
        wait_until(lambda: [j.status for j in mem.jobs()] == ["failed"])
        assert [(j.kind, j.error) for j in mem.jobs()] == [("graph", "The model fell over.")]
        assert [m.content for m in mem.list()] == ["The user keeps bees."]


@pytest.mark.parametrize(("stored", "asked"), [("王偉", "王伟"), ("王伟", "王偉"), ("劉書蘭", "刘书兰")])
def test_a_name_is_one_in_both_chinese_scripts(mem: Memory, stored: str, asked: str) -> None:
    one = mem.graph.add(stored, kind="person")
    assert [e.id for e in mem.graph.find(asked)] == [one.id]
    with pytest.raises(Conflict):
        mem.graph.add(asked)
    mem.graph.relate(asked, "lives in", "重慶")
    assert len(mem.graph.neighbours(stored).relations) == 1
    assert len(mem.graph.neighbours("重庆").relations) == 1
