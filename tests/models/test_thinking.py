"""Thoughts are kept apart from the answer, however the pieces are cut."""

from __future__ import annotations

import pytest
from edgemem_models.thinking import ThinkingFilter, opened_by
from hypothesis import given, settings
from hypothesis import strategies as st

CASES = [
    ("plain", "plain", ""),
    ("<think>hm\nhm</think>\n\nYes.", "Yes.", "hm\nhm"),
    ("\n<thinking> a </thinking> b", "b", " a "),
    ("<think>one</think><thought>two</thought>three", "three", "onetwo"),
    ("<think>never closed", "", "never closed"),
    ("<thin", "<thin", ""),
    ("<think>a</think>", "", "a"),
    ("a < b and <think>this</think> stays", "a < b and <think>this</think> stays", ""),
    ("  kept spaces", "  kept spaces", ""),
    ("<this> stays", "<this> stays", ""),
    ("", "", ""),
]


def run(pieces: list[str], opened: str | None = None) -> tuple[str, str]:
    found, text, told = ThinkingFilter(opened), "", ""
    for piece in pieces:
        text += found.feed(piece)
        told += found.fresh()
        assert told.startswith(found.thinking)
    text += found.end()
    told += found.fresh()
    assert told == found.thinking  # what was told on the way is the whole, once
    assert found.end() == found.fresh() == ""
    return text, found.thinking


@pytest.mark.parametrize(("raw", "visible", "thinking"), CASES)
@settings(max_examples=30)
@given(data=st.data())
def test_however_it_is_cut(raw: str, visible: str, thinking: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(raw)), max_size=6)))
    pieces = [raw[start:end] for start, end in zip([0, *cuts], [*cuts, len(raw)], strict=True)]
    assert run(pieces) == (visible, thinking)


def test_a_thought_that_the_prompt_opened() -> None:
    close = opened_by("<|im_start|>assistant\n<think>\n")
    assert run(["so ", "far</thi", "nk>\n\nYes"], close) == ("Yes", "so far")
    assert opened_by("<|im_start|>assistant\n<think>\n\n</think>\n\n") is None


@given(st.text(st.sampled_from("<>/thinkg ab\n"), max_size=40), st.integers(1, 5))
def test_nothing_is_lost_and_nothing_twice(raw: str, size: int) -> None:
    pieces = [raw[at : at + size] for at in range(0, len(raw), size)]
    visible, thinking = run(pieces)
    assert run([raw]) == (visible, thinking)
    if not raw.lstrip().startswith("<th"):
        assert (visible, thinking) == (raw, "")
