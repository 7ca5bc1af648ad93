"""Folding: word for word, each sentence with its turn, small, and the prompt of a long chat has it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgemem.errors import NotFound
from edgemem.ports import Embedder
from edgemem.records import LoggedTurn
from edgemem.settings import Settings
from edgemem.testing import ScriptedModel, WordsEmbedder
from edgemem.view import Memory
from edgemem.write.folding.fold import MOST, SHARE, fold
from tests.helpers import NOW, opened, said, wait_until


class Wordy:
    """Keeps clauses that mention bees."""

    fingerprint = "wordy"

    second = None

    def judge(self, clauses: Sequence[tuple[str, str, str | None]]) -> list[dict[str, float]]:
        return [
            {"F": keep, "P": 0.0, "S": 0.0, "N": 1 - keep} for keep in (0.9 if "bees" in c[0] else 0.1 for c in clauses)
        ]


class Counting(WordsEmbedder):
    """Counts the texts it embeds."""

    asked = 0

    def embed(self, texts: Sequence[str], *args: Any, **options: Any) -> list[list[float]]:
        self.asked += len(texts)
        return super().embed(texts, *args, **options)


def _count(text: str) -> int:
    return len(text) // 3 + 1


def _turn(n: int, content: str, role: str = "user") -> LoggedTurn:
    return LoggedTurn(n + 1, f"t{n}", "s", n, role, content, NOW, "+00:00", None)


def _talk(*contents: str) -> list[LoggedTurn]:
    return [_turn(n, c, "user" if n % 2 == 0 else "assistant") for n, c in enumerate(contents)]


FILLER = "Nice weather today, is it not, and how are things going over there at your place by the way. "


def test_what_matters_is_kept_word_for_word_with_its_turn() -> None:
    turns = _talk(
        FILLER * 3 + "I do not keep bees any more. " + FILLER, FILLER * 3,
        FILLER * 2 + "We decided against the 24 V pump because it hums at night. " + FILLER, FILLER * 3,
    )  # fmt: skip
    assert [(k.content, k.turns) for k in fold(turns, Wordy(), _count)] == [
        ("user: I do not keep bees any more.", (1,)),
        ("user: We decided against the 24 V pump because it hums at night.", (3,)),
    ]


def test_a_reason_goes_with_its_decision() -> None:
    turns = _talk(FILLER * 4, "Sure.", FILLER * 2 + "我们决定选A方案。因为B方案太贵。" + FILLER, "好的。" + FILLER)
    assert [k.content for k in fold(turns, Wordy(), _count)] == ["user: 我们决定选A方案。因为B方案太贵。"]


def test_of_the_assistant_only_results_count_and_tools_not_at_all() -> None:
    turns = [
        *_talk(FILLER * 3, "I can help with that. The build failed with error 127. " + FILLER),
        _turn(9, "result: decided 42\n" * 30, "tool"),
        _turn(10, "You must obey. Deadline 2026.", "system"),
    ]
    assert [k.content for k in fold(turns, None, _count)] == ["assistant: The build failed with error 127."]


@given(st.lists(st.tuples(st.sampled_from(["user", "assistant", "tool"]), st.text(max_size=200)), max_size=12))
def test_every_line_stands_in_its_turn_and_all_are_few(found: list[tuple[str, str]]) -> None:
    turns = [_turn(n, content, role) for n, (role, content) in enumerate(found)]
    kept = fold(turns, None, _count, WordsEmbedder(64))
    by_key = {t.key: t for t in turns}
    for sentence in kept:
        lines = sentence.content.split("\n")
        for line, key in zip(lines, sentence.turns, strict=True):
            assert line.removeprefix(f"{by_key[key].role}: ") in " ".join(by_key[key].content.split())
        assert list(sentence.turns) == sorted(set(sentence.turns))
    assert [k.turns[-1] for k in kept] == sorted(k.turns[-1] for k in kept)
    assert sum(_count(k.content) for k in kept) <= SHARE * sum(_count(t.content) for t in turns) + 8 * len(kept)


def _told(*contents: str, embedder: Embedder | None = None) -> list[str]:
    """The summary of a talk in which user and assistant take turns, with enough beside it to leave room."""
    turns = [*_talk(*contents), _turn(99, FILLER * 9, "tool")]
    return [k.content for k in fold(turns, None if embedder is None else Wordy(), _count, embedder)]


def test_a_short_answer_goes_with_its_question_in_both_languages() -> None:
    asked = FILLER * 3 + "How many tents do you need?"
    assert _told("Hi.", asked, "eleven") == ["assistant: How many tents do you need?\nuser: eleven"]
    assert _told("你好。", FILLER * 3 + "你要几顶帐篷？", "十一顶") == ["assistant: 你要几顶帐篷？\nuser: 十一顶"]


def test_a_yes_goes_with_the_proposal_it_accepts() -> None:
    offer = FILLER * 3 + "I'd suggest the night train at 21:40. What do you think?"
    assert _told("Hi.", offer, "Sounds good.") == [
        "assistant: I'd suggest the night train at 21:40.\nuser: Sounds good."
    ]
    slot = FILLER * 3 + "There is a slot on Friday at 9. Shall I book that one?"
    assert _told("Hi.", slot, "yes please") == ["assistant: There is a slot on Friday at 9.\nuser: yes please"]
    assert _told("你好。", FILLER * 3 + "我建议坐21点的夜车。您看可以吗？", "可以") == [
        "assistant: 我建议坐21点的夜车。\nuser: 可以"
    ]


def test_a_statement_stands_with_what_corrects_it_and_a_short_answer_corrected_goes() -> None:
    embedder = WordsEmbedder(2048)
    said = _told(
        FILLER * 3 + "Our budget for the bees is 900 euros.", FILLER * 3,
        "Actually our budget for the bees is 700 euros.", FILLER * 3 + "How many people will look after the bees?",
        "4", FILLER * 3, "Actually 5 people will look after the bees, not 4.", embedder=embedder,
    )  # fmt: skip
    assert said == [
        "user: Our budget for the bees is 900 euros.\nuser: Actually our budget for the bees is 700 euros.",
        "user: Actually 5 people will look after the bees, not 4.",
    ]


def test_of_the_assistant_what_a_tool_brought_and_what_is_filed_count_more_than_advice() -> None:
    turns = [
        _turn(0, FILLER * 3), _turn(1, "$ ls\n" + "x" * 600, "tool"),
        _turn(2, "There are 418 files in it. " + FILLER * 2 + "I would take 20 of them at most, or 30.", "assistant"),
        _turn(3, FILLER * 2), _turn(4, FILLER * 2 + "Your case number is KL-20417.", "assistant"),
    ]  # fmt: skip
    kept = [k.content for k in fold(turns, None, _count)]
    assert "assistant: There are 418 files in it." in kept
    assert "assistant: Your case number is KL-20417." in kept
    assert not any("at most" in sentence for sentence in kept)


def test_thanks_are_not_kept_where_there_is_room() -> None:
    assert _told("Great, thanks a lot!", FILLER * 9, "太好了，谢谢！") == []


def test_a_message_of_a_thousand_clauses_is_folded_by_its_weightiest() -> None:
    """What is held against each other is bounded; so is what is embedded for it."""
    embedder = Counting(64)
    text = [f"We decided to change crate {n} to {n + 1}." for n in range(1_000)]
    kept = fold([_turn(0, " ".join(text[:99])), _turn(1, " ".join(text))], None, _count, embedder)
    assert kept
    assert 0 < embedder.asked <= MOST


def _long(mem: Memory, n: int) -> None:
    facts = [f"I decided to buy {k} goats. " if k % 10 == 0 else "" for k in range(n)]
    mem.log(said(*(fact + FILLER * 2 for fact in facts), session="s"))


def test_the_latest_turns_stay_and_folding_twice_folds_once(mem: Memory) -> None:
    _long(mem, 65)
    first = mem.summarize("s")
    assert [len(y.sentences) for y in first] == [2, 2]
    assert mem.summarize("s") == []
    assert list(mem.summaries("s")) == list(first)
    assert all(mem.turn("s", t) for y in first for _, ts in y.sentences for t in ts)
    assert mem.earlier("s", 15) == [f"user: I decided to buy {k} goats." for k in (0, 10)]
    assert sum(len(y.sentences) for y in mem.summarize("s", whole=True)) == 3
    assert mem.summaries("other") == []
    with pytest.raises(NotFound, match="no session 'other'"):
        mem.summarize("other")


def test_what_is_erased_is_gone_from_the_summary_too(mem: Memory) -> None:
    _long(mem, 45)
    mem.summarize("s")
    mem.erase(search="buy 10 goats")
    assert mem.earlier("s", 99) == ["user: I decided to buy 0 goats."]


def test_a_long_chat_is_folded_in_the_background_and_its_prompt_says_what_was_said(store_path: Path) -> None:
    model = ScriptedModel(["Fine."])
    model.context_size = 1200
    with opened(store_path, model, settings=Settings(background=True)) as file:
        mem = file.user("me")
        _long(mem, 45)
        file.start_worker()
        wait_until(lambda: bool(mem.summaries("s")) and not mem.jobs())
        answer, pieces = mem.chat("s").ask("and now?")
        list(pieces)
        head = model.prompts[-1][0].content
        assert "Said earlier in this conversation" in head
        assert "- user: I decided to buy 0 goats." in head
        sizes = {p.name: p for p in answer.parts}
        assert sizes["summary"].entries >= 1
        assert sizes["history"].left_out > 0
