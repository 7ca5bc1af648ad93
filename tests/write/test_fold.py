"""Folding: word for word, each sentence with its turn, small, and the prompt of a long chat has it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgemem.errors import NotFound
from edgemem.records import LoggedTurn
from edgemem.settings import Settings
from edgemem.testing import ScriptedModel
from edgemem.view import Memory
from edgemem.write.fold import SHARE, fold
from tests.helpers import NOW, opened, said, wait_until


class Wordy:
    """Keeps clauses that mention bees."""

    fingerprint = "wordy"

    second = None

    def judge(self, clauses: Sequence[tuple[str, str, str | None]]) -> list[dict[str, float]]:
        return [
            {"F": keep, "P": 0.0, "S": 0.0, "N": 1 - keep} for keep in (0.9 if "bees" in c[0] else 0.1 for c in clauses)
        ]


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
    assert [(k.content, k.turn) for k in fold(turns, Wordy(), _count)] == [
        ("user: I do not keep bees any more.", 1),
        ("user: We decided against the 24 V pump because it hums at night.", 3),
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
def test_every_sentence_stands_in_its_turn_and_all_are_few(found: list[tuple[str, str]]) -> None:
    turns = [_turn(n, content, role) for n, (role, content) in enumerate(found)]
    kept = fold(turns, None, _count)
    by_key = {t.key: t for t in turns}
    for sentence in kept:
        turn = by_key[sentence.turn]
        words = sentence.content.removeprefix(f"{turn.role}: ")
        assert words in " ".join(turn.content.split())
    assert [k.turn for k in kept] == sorted(k.turn for k in kept)
    assert sum(_count(k.content) for k in kept) <= SHARE * sum(_count(t.content) for t in turns) + 8 * len(kept)


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
