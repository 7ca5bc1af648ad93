from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgemem.evals.scoring import extraction_figures, holds, meets, normalise, pair_figures, self_contained
from edgemem.evals.sets import Expectation, load_extraction, load_pairs

from .tiny import EXTRACTION, PAIRS, write_lines


@given(st.text())
def test_normalise_is_idempotent(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)


def test_normalise_folds_width_case_and_quotes() -> None:
    assert normalise("ＡＢ “Straße” ‘x’") == "ab \"strasse\" 'x'"


def test_meets_needs_one_of_every_list_and_nothing_wrong() -> None:
    wanted = Expectation((("not drink", "avoid"), ("Ale", "麦酒")), ("loves",), ("preference",), "")
    assert meets("The user does NOT DRINK ale.", wanted)
    assert meets("The user avoids 麦酒", wanted)
    assert not meets("The user drinks ale.", wanted)
    assert not meets("The user does not drink ale but loves stout.", wanted)


def test_holds_matches_latin_strings_at_the_start_of_a_word_only() -> None:
    assert holds("The user has a catalogue", ["cat"])
    assert not holds("The user has a bobcat", ["cat"])
    assert holds("用户有一只猫", ["猫"])
    assert not holds("The user has a cat", ["cat", "dog"])


@pytest.mark.parametrize(
    ("memory", "sound"),
    [
        ("The user keeps bees.", True),
        ("I keep bees.", False),
        ("The user's motto is “I keep bees”.", True),
        ("The user calls it 'my hive'.", True),
        ("The user's friends' hives are ours", False),
        ("用户养蜂。", True),
        ("我养蜂。", False),
        ("用户常说「我养蜂」。", True),
        ("x" * 200, True),
        ("x" * 201, False),
        ("蜂" * 101, False),
        ("The user visited Miami.", True),
    ],
)
def test_self_contained(memory: str, sound: bool) -> None:
    assert self_contained(memory) is sound


def test_extraction_figures(tmp_path: Path) -> None:
    items = load_extraction([write_lines(tmp_path / "s.jsonl", EXTRACTION)])
    figures = extraction_figures(
        items,
        {
            "a": [{"content": "The user keeps bees.", "kind": "fact"}, {"content": "I keep bees"}],
            "b": [{"content": "The user owns 2 kayaks.", "kind": "event"}],
            "c": [{"content": "The user dreamt of trams."}],
        },
    )
    assert figures["items"] == 4
    assert figures["expected"] == 3
    assert figures["recall"] == 0.667
    assert figures["precision"] == 0.5
    assert figures["junk_per_100_turns"] == 33.3
    assert figures["false_memories"] == 1
    assert figures["slices"] == 1
    assert figures["kind"] == 0.5
    assert figures["empty_items_clean"] == "0/1"
    assert figures["missed"] == [["d", "nothing of note"]]
    assert figures["by_tag"]["numbers"]["recall"] == 1.0


def test_nothing_stored_has_no_precision(tmp_path: Path) -> None:
    items = load_extraction([write_lines(tmp_path / "s.jsonl", EXTRACTION)])
    figures = extraction_figures(items, {})
    assert figures["recall"] == 0.0
    assert figures["precision"] is None
    assert figures["kind"] is None
    assert figures["empty_items_clean"] == "1/1"


def test_pair_figures(tmp_path: Path) -> None:
    items = load_pairs([write_lines(tmp_path / "p.jsonl", PAIRS)])
    figures = pair_figures(items, {"p1": "duplicate", "p2": "conflict", "p3": "distinct"})
    assert figures["n"] == 4
    assert figures["accuracy"] == 0.25
    assert figures["harmful"] == 0.25
    assert figures["confusion"]["conflict->None"] == 1
