"""Summaries are held against what was said; what drifted is found and folded anew."""

from __future__ import annotations

from pathlib import Path

import edgemem
from edgemem.memory import MemoryFile
from edgemem.testing import WordsEmbedder
from edgemem.view import Memory
from tests.helpers import Fact, RuleModel, opened, plain_connection, said

TALK = (
    "We decided to take the train on 3 May because flying is too dear.", "The deadline for the report is Friday.",
    "I will not bring the dog.", "我们决定周五出发，因为天气好。", "The budget is 450 euros.",
)  # fmt: skip


IDLE = "Hm, well, it goes on and on with these things and nobody can tell me how or why they are as they are"


def told(mem: Memory) -> None:
    mem.log(said(*TALK, *(f"{IDLE} {'really ' * n}" for n in range(15))))
    mem.summarize("s", whole=True)


def test_a_summary_that_was_just_made_says_what_was_said(mem: Memory) -> None:
    told(mem)
    assert mem.summaries("s")[0].sentences
    assert mem.check_summaries() == []
    assert mem.maintain().dropped == ()


def test_a_sentence_that_drifted_is_named_and_folded_anew(store_path: Path) -> None:
    with opened(store_path) as file:
        told(file.user("me"))
        right = file.user("me").summaries("s")[0].sentences
    connection = plain_connection(store_path, sealing=True)
    connection.execute("UPDATE summary_sentence SET content = replace(content, '3 May', '4 May')")
    connection.execute("UPDATE summary_sentence SET content = replace(content, 'will not', 'will')")
    connection.close()
    with opened(store_path) as file:
        mem = file.user("me")
        wrong = mem.check_summaries()
        assert len(wrong) == 2
        assert {d.reason for d in wrong} == {"its message says something else"}
        planned = mem.maintain(preview=True)
        assert [d.what for d in planned.dropped] == ["summary", "summary"]
        assert len(mem.check_summaries()) == 2, "a preview changes nothing"
        assert len(mem.maintain().dropped) == 2
        assert mem.summaries("s")[0].sentences == right
        assert mem.check_summaries() == []
        assert file.check() == []


def test_each_line_of_an_answer_with_its_question_is_held_against_its_own_message(store_path: Path) -> None:
    def drifts(old: str, new: str) -> list[str]:
        connection = plain_connection(store_path, sealing=True)
        connection.execute("UPDATE summary_sentence SET content = replace(content, ?, ?)", (old, new))
        connection.close()
        with opened(store_path) as file:
            found = [d.reason for d in file.user("me").check_summaries()]
            file.user("me").repair_summaries()
            assert file.user("me").check_summaries() == []
        return found

    with opened(store_path) as file:
        mem = file.user("me")
        asked = edgemem.Turn("assistant", f"{IDLE} and so on. How many tents do you need?", session="s", id="q")
        mem.log([asked, edgemem.Turn("user", "eleven", session="s", id="a")])
        mem.log(said(*(f"{IDLE} {'really ' * n}" for n in range(9))))
        mem.summarize("s", whole=True)
        whole = "assistant: How many tents do you need?\nuser: eleven"
        assert mem.summaries("s")[0].sentences[0] == (whole, ("q", "a"))
        assert mem.check_summaries() == []
    for old, new in (("eleven", "twelve"), ("How many", "Which"), ("user: ", "assistant: "), ("\nuser: eleven", "")):
        assert drifts(old, new) == ["its message says something else"]
    assert drifts("eleven", "eleven\nuser: eleven") == ["its message is not there"]
    with opened(store_path) as file:
        assert file.user("me").recall("how many tents", arms=["summary"]).hits[0].source.turn == "a"
        file.user("me").erase(search="How many tents")
        assert not any("eleven" in c for y in file.user("me").summaries("s") for c, _ in y.sentences)


def test_a_summary_of_another_user_is_out_of_reach(store: MemoryFile) -> None:
    told(store.user("a"))
    assert store.user("b").repair_summaries() == []
    assert store.user("a").summaries("s")[0].sentences


def test_what_a_later_memory_corrected_is_not_told_from_the_summary_of_that_day(store_path: Path) -> None:
    home = Fact("I decided to live in Porto near the harbour", "The user lives in Porto near the harbour.")
    with opened(store_path, RuleModel(home)) as file:
        mem = file.user("me")
        uid = mem.learn(said(home.quote)).memories[0].id
        mem.log([edgemem.Turn("user", f"{IDLE} {'really ' * n}", session="s") for n in range(15)])
        mem.summarize("s", whole=True)
        asked = "decided to live in Porto near the harbour"
        assert [h.kind for h in mem.recall(asked, arms=["summary"]).hits] == ["summary"]
        mem.forget(uid)
        assert mem.recall(asked, arms=["summary"]).hits == ()


def test_upkeep_gives_what_an_earlier_model_embedded_its_vectors_anew(store_path: Path) -> None:
    with opened(store_path, embedder=WordsEmbedder(2048)) as file:
        file.user("me").add("The user keeps bees.")
    another = WordsEmbedder(2048, "another-model")
    with opened(store_path, embedder=another, read_only=True) as file:
        assert file.user("me").recall("bees", arms=["vector"]).hits == ()
        assert file.user("me").recall("bees").hits, "search by words goes on meanwhile"
    with opened(store_path, embedder=another) as file:
        file.user("me").maintain()
    with opened(store_path, embedder=another, read_only=True) as file:
        assert len(file.user("me").recall("bees", arms=["vector"]).hits) == 1
