"""What a small model really writes, and what is saved of it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgemem.write.extract import locate, parse

ITEM = {"quote": "I keep bees", "memory": "The user keeps bees.", "kind": "fact"}
OTHER = {"quote": "两只猫", "memory": "用户养了两只猫。", "kind": "fact"}
GOOD = json.dumps([ITEM, OTHER], ensure_ascii=False)


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"Sure! {GOOD}",
        f"Here are the facts:\n```json\n{GOOD}\n```\nHope this helps {{smile}}",
        f"<think>The user {{maybe}} keeps bees</think>{GOOD}",
        f"<think>no end {GOOD}",
        json.dumps({"facts": [ITEM, OTHER]}, ensure_ascii=False).replace('{"facts": ', ""),
        GOOD.replace("}, {", "}\n{"),
        GOOD[1:-1],
        GOOD[:-1],
        f"{{broken {GOOD}",
        f'{{"quote": "half \\u4F6", "memory": "x"}} {GOOD}',
        f'{GOOD[:-1]}, {{"quote": "cut in the mid',
        f'[{{"fact": {{"quote": 1}}}}, {GOOD[1:]}',
        GOOD.replace("bees.", "bees.\n"),
        "\ufeff" + GOOD,
        f'[{{"quote": "I keep bees", "memory": "half \\ud83d"}}, {{"quote": "\\u0000", "memory": "x"}}, {GOOD[1:]}',
    ],
)
def test_whole_items_are_saved_from_broken_answers(text: str) -> None:
    assert [i.value["quote"] for i in parse(text)] == ["I keep bees", "两只猫"]


@pytest.mark.parametrize(
    "text",
    [
        "", "[]", "{}", "null", "There is nothing to remember.", '{"memory": null}', "[", "{", "}{", '["The user keeps bees."]',
        '{"quote": ["I keep bees"], "memory": "x"}', '{"quote": "I keep bees"}', '{"text": "I keep bees", "fact": "x"}',
        '{"type": "object", "properties": {"quote": {"type": "string"}, "memory": {"type": "string"}}}',
        "<think>", "{" * 5_000, '{"a":' * 3_000, "[" * 100_000, '{"a":[' * 3_000 + "1",
    ],
)  # fmt: skip
def test_answers_with_nothing_to_save_give_nothing(text: str) -> None:
    assert parse(text) == []


@given(st.integers(0, len(GOOD)))
def test_an_answer_cut_anywhere_keeps_its_finished_items(cut: int) -> None:
    expected = (cut >= GOOD.index("}") + 1) + (cut >= len(GOOD) - 1)
    assert len(parse(GOOD[:cut])) == expected


@given(st.text(max_size=200))
def test_no_answer_is_an_error(text: str) -> None:
    assert isinstance(parse(text), list)


@given(st.text(max_size=40), st.text(min_size=1, max_size=20), st.text(max_size=40))
def test_a_quote_of_the_message_is_located_where_it_stands(before: str, quote: str, after: str) -> None:
    message = before + quote + after
    place = locate(quote, message)
    if not quote.split():
        assert place is None
    else:
        assert place is not None
        start, words = place
        assert message[start : start + len(words)] == words


@pytest.mark.parametrize(
    ("quote", "message", "place"),
    [
        ("i keep BEES", "Well, I keep bees.", (6, "I keep bees")),
        ("I  keep\nbees", "I keep bees", (0, "I keep bees")),
        ("two lines", "has two\n lines", (4, "two\n lines")),
        ("我养猫", "嗯 我 养猫", None),
        ("I keep wasps", "I keep bees", None),
        ("", "I keep bees", None),
        ("   ", "I keep bees", None),
        (".*", "I keep bees", None),
        ("(", "a ( b", (2, "(")),
    ],
)
def test_only_blanks_and_case_may_differ(quote: str, message: str, place: tuple[int, str] | None) -> None:
    assert locate(quote, message) == place


def test_quotation_marks_of_another_shape_are_the_same_words() -> None:
    assert locate("别用‘您’", "以后跟我说话别用“您”,怪生分的") == (6, "别用“您”")
    assert locate('he said "no" twice', "and he said 'no' twice") == (4, "he said 'no' twice")
