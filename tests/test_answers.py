"""Whole items of cut answers, and how sure the model was of them."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgemem.answers import complete_items, confidence, mean_logprob
from edgemem.ports import Generation

VALUES = st.dictionaries(
    st.text(max_size=5),
    st.none() | st.integers() | st.text(max_size=8) | st.dictionaries(st.text(max_size=3), st.text(max_size=3)),
    max_size=3,
)


@given(st.lists(VALUES, max_size=5), st.data())
def test_an_answer_cut_anywhere_gives_exactly_its_finished_items(
    values: list[dict[str, object]], data: st.DataObject
) -> None:
    written = [json.dumps(value, ensure_ascii=False) for value in values]
    text = "[" + ", ".join(written) + "]"
    cut = data.draw(st.integers(0, len(text)))
    ends = [1 + sum(map(len, written[: n + 1])) + 2 * n for n in range(len(written))]
    finished = sum(end <= cut for end in ends)
    items = complete_items(text[:cut])
    assert [item.value for item in items] == values[:finished]
    assert [text[item.start : item.end] for item in items] == written[:finished]


def test_the_inside_of_an_unfinished_item_is_no_item() -> None:
    assert complete_items('[{"a": 1}, {"b": {"c": 2}, "d": "never') == complete_items('[{"a": 1}')
    assert [item.value for item in complete_items('{"a": {"b": 1}} {"c": [{"d": 2}')] == [{"a": {"b": 1}}]


@given(st.text(st.sampled_from('{}[]":,\\ a1'), max_size=60))
def test_nothing_a_model_writes_is_an_error(text: str) -> None:
    for item in complete_items(text):
        assert json.loads(text[item.start : item.end], strict=False) == item.value


ANSWER = Generation("ab cd", "stop", ("a", "b", "", " c", "d"), (-0.1, -0.2, -0.4, -1.0, -3.0))


@pytest.mark.parametrize(
    ("start", "end", "mean"),
    [(0, None, -4.7 / 5), (0, 2, -0.15), (2, 4, -0.7), (4, 5, -3.0), (3, 4, None), (9, 12, None)],
)
def test_probabilities_are_those_of_the_span(start: int, end: int | None, mean: float | None) -> None:
    found, sure = mean_logprob(ANSWER, start, end), confidence(ANSWER, start, end)
    if mean is None:
        assert found is None
        assert sure is None
    else:
        assert found is not None
        assert sure is not None
        assert math.isclose(found, mean)
        assert math.isclose(sure, math.exp(mean))


def test_a_model_without_probabilities_gives_no_confidence() -> None:
    assert confidence(Generation("text", "stop")) is None
