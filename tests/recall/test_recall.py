"""What is found, what is left out, and that each hit says why."""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime
from pathlib import Path

import pytest

import edgemem
from edgemem.errors import InvalidInput
from edgemem.memory import MemoryFile
from edgemem.ports import Embedder
from edgemem.recall.question import ARMS
from edgemem.recall.words import coverage
from edgemem.settings import Settings
from edgemem.testing import WordsEmbedder
from edgemem.view import Memory
from tests.helpers import NOW, QUIET, Fact, NoModels, RuleModel, opened, said


@pytest.fixture
def lived(store_path: Path) -> Memory:
    model = RuleModel(Fact("allergic to peanuts", "The user is allergic to peanuts."))
    file = opened(store_path, model)
    mem = file.user("me")
    mem.learn(said("I am allergic to peanuts", "and it rains today"))
    mem.add("The user prefers tea to coffee.", kind="preference")
    mem.add("Answer in Portuguese.", kind="rule", namespace="style")
    mem.add("用户住在里斯本。")
    return mem


def test_a_hit_carries_source_and_reasons(lived: Memory) -> None:
    found = lived.recall("peanuts allergic")
    hit = found.hits[0]
    assert (hit.content, hit.kind) == ("The user is allergic to peanuts.", "fact")
    assert (hit.source.session, hit.source.quote, hit.source.at) == ("s", "allergic to peanuts", NOW)
    assert set(hit.parts) == {"text", "vector", "statement", "matter", "danger"}  # peanuts are food
    assert all(p.rank == 1 for p in hit.parts.values())
    assert 0 < hit.score <= 1
    assert hit.score == pytest.approx(sum(p.share for p in hit.parts.values()), abs=1e-5)
    assert [h.score for h in found] == sorted((h.score for h in found), reverse=True)
    assert not found.abstained
    assert found.degraded == ()
    assert found.ms >= 0
    lived.file.close()


def test_the_log_is_found_with_its_turn(lived: Memory) -> None:
    (hit,) = [h for h in lived.recall("rains today") if h.kind == "turn"][:1]
    assert hit.memory is None
    assert hit.turn is not None
    assert (hit.content, hit.turn.position, hit.source.turn) == ("and it rains today", 1, hit.id)
    lived.file.close()


def test_kind_and_namespace_are_hard_filters(lived: Memory) -> None:
    for query in ("tea", "Portuguese", "peanuts", "里斯本"):
        assert {h.kind for h in lived.recall(query, kinds=["preference"])} <= {"preference"}
        assert {h.memory.namespace for h in lived.recall(query, namespace="style") if h.memory} <= {"style"}
    assert [h.content for h in lived.recall("tea coffee", kinds=["preference", "rule"])] == [
        "The user prefers tea to coffee."
    ]
    assert lived.recall("tea", namespace="nowhere").hits == ()
    lived.file.close()


def test_a_filter_finds_what_stands_behind_many_others(mem: Memory) -> None:
    for n in range(120):
        mem.add(f"apple number {n}")
    wanted = mem.add("apple of discord", kind="event")
    assert [h.id for h in mem.recall("apple", kinds=["event"], limit=3)] == [wanted]


@pytest.mark.parametrize("query", ["quantum chromodynamics", "股票行情", "", "   ", "?!", "zzzz"])
def test_nothing_relevant_is_an_answer(lived: Memory, query: str) -> None:
    found = lived.recall(query)
    assert found.hits == ()
    assert found.abstained
    assert lived.context(query, standing=()).text == ""
    assert lived.context(query).recall.abstained
    lived.file.close()


def test_each_arm_can_be_asked_alone(lived: Memory) -> None:
    for arm in ARMS:
        for hit in lived.recall("peanuts tea", arms=(arm,)):
            assert (hit.kind == "turn") == (arm == "log")
            assert arm not in ("graph", "slot", "summary")
    lived.file.close()


def test_limit_and_near_misses(mem: Memory) -> None:
    for n in range(12):
        mem.add(f"apple number {n}")
    found = mem.recall("apple", limit=5)
    assert len(found) == 5
    assert len(found.near_misses) == 7
    assert not {h.id for h in found} & {h.id for h in found.near_misses}
    with pytest.raises(InvalidInput, match="limit"):
        mem.recall("apple", limit=0)


@pytest.mark.parametrize("query", ["锅", "猫", "café", "cafe", "keeping"])
def test_by_words_alone_single_characters_accents_and_endings_are_relevant(store_path: Path, query: str) -> None:
    with opened(store_path, words_only=True) as file:
        mem = file.user("me")
        for text in ("用户养了一只猫。", "用户爱吃火锅。", "The user keeps the café."):
            mem.add(text)
        assert len(mem.recall(query)) == 1


def test_what_is_out_of_use_is_never_found(lived: Memory) -> None:
    for memory in lived.list():
        lived.forget(memory.id)
    for query in ("peanuts allergic", "tea coffee", "Portuguese", "里斯本"):
        assert [h for h in lived.recall(query, limit=50) if h.kind != "turn"] == []
        assert [h for h in lived.recall(query, limit=50).near_misses if h.kind != "turn"] == []
    lived.file.close()


def test_use_is_counted_later_and_not_when_only_looking(store_path: Path) -> None:
    with opened(store_path) as file:
        mem = file.user("me")
        mem.add("The user keeps bees.")
        mem.recall("bees", counted=False)
        file.uses.flush()
        assert mem.list()[0].use_count == 0
        mem.recall("bees")
        assert mem.list()[0].use_count == 0
        file.uses.flush()
        assert (mem.list()[0].use_count, mem.list()[0].version) == (1, 1)
        mem.recall("bees")
    with opened(store_path) as file:
        used = file.user("me").list()[0]
        assert used.use_count == 2
        assert used.last_used_at is not None


def test_without_an_embedder_it_goes_by_words_and_says_so(store_path: Path) -> None:
    with opened(store_path, words_only=True) as file:
        mem = file.user("me")
        mem.add("The user keeps bees.")
        found = mem.recall("bees")
        assert len(found) == 1
        assert len(found.degraded) == 1
        assert "models pull" in found.degraded[0]


def test_an_embedder_that_fails_on_the_question_degrades(store_path: Path) -> None:
    from collections.abc import Sequence
    from typing import Literal

    from edgemem.errors import ModelError
    from edgemem.ports import Priority

    class Broken(WordsEmbedder):
        def embed(
            self, texts: Sequence[str], kind: Literal["query", "passage"], *, priority: Priority = "background"
        ) -> list[list[float]]:
            raise ModelError("The model fell over.")

    with opened(store_path, embedder=Broken()) as file:
        mem = file.user("me")
        mem.add("The user keeps bees.")
        found = mem.recall("bees")
        assert len(found) == 1
        assert "fell over" in found.degraded[0]


def test_settings_reach_recall(store_path: Path) -> None:
    few = dataclasses.replace(Settings(background=False), recall_limit=2)
    with opened(store_path, settings=few) as file:
        mem = file.user("me")
        for n in range(5):
            mem.add(f"apple number {n}")
        assert len(mem.recall("apple")) == 2


def test_words_count_whatever_stands_beside_them() -> None:
    assert coverage("boats", 'She said "boats" (loudly)') == coverage("loudly", 'She said "boats" (loudly)') == 1.0
    assert coverage("锅", "（火锅）") == coverage("cafe", "[café]") == 1.0
    assert coverage("wasps", "bees") == 0.0


def test_a_file_read_only_answers_and_counts_nothing(store_path: Path) -> None:
    with opened(store_path) as file:
        file.user("me").add("The user keeps bees.")
    with opened(store_path, read_only=True) as file:
        assert len(file.user("me").recall("bees")) == 1
        assert file.user("me").context("bees").ids


def test_two_threads_read_while_one_writes(store: MemoryFile, mem: Memory) -> None:
    import threading

    errors: list[BaseException] = []

    def reading() -> None:
        try:
            for _ in range(20):
                store.user("me").recall("apple")
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=reading) for _ in range(2)]
    for thread in threads:
        thread.start()
    for n in range(20):
        mem.add(f"apple number {n}")
    for thread in threads:
        thread.join()
    assert errors == []
    assert len(mem.recall("apple", limit=100)) == 20


def test_what_has_expired_is_not_recalled(store_path: Path) -> None:
    past, future = datetime(2020, 1, 1, tzinfo=UTC), datetime(2999, 1, 1, tzinfo=UTC)
    with opened(store_path, words_only=True) as file:
        mem = file.user("me")
        mem.add("The gate code of the garden is blue", expires=past)
        mem.add("The garden party has a blue tent", expires=future)
        assert [h.content for h in mem.recall("blue garden").hits] == ["The garden party has a blue tent"]


def test_a_search_by_words_alone_waits_for_no_model(store_path: Path) -> None:
    class Refusing(NoModels):
        def embedder(self) -> Embedder:
            pytest.fail("a model was asked for")

    with opened(store_path, words_only=True) as file:
        file.user("me").add("The user keeps bees.")
    with edgemem.open(store_path, provider=Refusing(), settings=QUIET) as file:
        found = file.user("me").recall("bees", arms=("key", "slot", "text", "graph"))
        assert [hit.content for hit in found.hits] == ["The user keeps bees."]
        assert found.degraded == ()


def test_a_hit_of_a_short_log_has_the_score_of_a_hit(mem: Memory) -> None:
    mem.log(said("I keep bees behind the house", "How nice", "The dentist is on Harbour Street", "我每周三晚上去游泳"))
    for question in ("What do I keep behind the house?", "Where is my dentist?", "bees", "我什么时候游泳"):
        answer = mem.recall(question)
        assert answer.hits
        assert sum(part.share for part in answer.hits[0].parts.values()) == pytest.approx(
            answer.hits[0].score, abs=1e-4
        )
        assert all(hit.score >= mem.file.settings.least_likely for hit in answer)
