from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from edgemem.errors import InvalidInput
from edgemem.evals.haystacks import load_haystacks
from edgemem.evals.sets import load_extraction, load_pairs
from tests.interop.test_readers import PUBLISHED_LOCOMO

from .tiny import EXTRACTION, MEMORYBANK, PAIRS, item, write_lines, write_locomo


def test_turns_get_times_before_the_last(tmp_path: Path) -> None:
    items = load_extraction([write_lines(tmp_path / "s.jsonl", EXTRACTION)])
    first, last = items[0].turns
    assert str(last.at) == "2026-02-03 10:00:00+01:00"
    assert str(first.at) == "2026-02-03 09:59:00+01:00"
    assert [turn.id for turn in items[0].turns] == ["turn-0", "turn-1"]


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        ({"id": 7}, "`id` must be a string, this is a number"),
        ({"at": "soon"}, "`at` is not an ISO 8601 time"),
        ({"turns": []}, "`turns` must be a list of turns"),
        ({"turns": [{"role": "boss", "content": "x"}]}, r"`turns\[0\]` needs `role`"),
        ({"expect": [{"all": "x"}]}, r"`expect\[0\].all` must be a list of lists"),
        ({"expect": [{"all": [["x"], "y"]}]}, r"`expect\[0\].all\[1\]` must be a list of strings"),
        ({"forbid": [[1]]}, r"`forbid\[0\]` must be a list of strings"),
        ({"id": "a"}, "the id 'a' is used twice"),
    ],
)
def test_a_broken_item_is_named_by_line_and_field(tmp_path: Path, broken: dict[str, Any], message: str) -> None:
    path = write_lines(tmp_path / "s.jsonl", [EXTRACTION[0], item("z", ["hi"], []) | broken])
    with pytest.raises(InvalidInput, match=f"s.jsonl, line 2: {message}"):
        load_extraction([path])


def test_broken_json_is_named_by_line_and_column(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text('\n{"id": oops}\n', encoding="utf-8")
    with pytest.raises(InvalidInput, match="line 2, column 8: not valid JSON"):
        load_pairs([path])


def test_an_unknown_relation_is_refused(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "p.jsonl", [PAIRS[0] | {"relation": "same"}])
    with pytest.raises(InvalidInput, match="'same', not one of duplicate, refine, conflict, distinct"):
        load_pairs([path])


def test_an_empty_set_and_a_missing_file_are_refused(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").touch()
    with pytest.raises(InvalidInput, match="empty"):
        load_pairs([tmp_path / "empty.jsonl"])
    with pytest.raises(InvalidInput, match="Cannot read"):
        load_pairs([tmp_path / "none.jsonl"])


def test_locomo_as_it_is_published_asks_each_conversation_apart(tmp_path: Path) -> None:
    (tmp_path / "locomo10.json").write_text(json.dumps(PUBLISHED_LOCOMO), encoding="utf-8")
    with pytest.raises(InvalidInput, match="must be strings"):
        load_haystacks([tmp_path / "locomo10.json"])
    sound = json.loads(json.dumps(PUBLISHED_LOCOMO))
    sound[1]["conversation"]["session_1"].pop()
    (tmp_path / "locomo10.json").write_text(json.dumps(sound), encoding="utf-8")
    (haystack,) = load_haystacks([tmp_path / "locomo10.json"])
    assert {person: len(turns) for person, turns in haystack.people.items()} == {"conv-1": 4, "conv-2": 1}
    assert [(q.id, q.user, q.need) for q in haystack.questions] == [
        ("locomo10/conv-1/0", "conv-1", (("D1:1",), ("D10:1",))), ("locomo10/conv-2/0", "conv-2", (("D1:1",),)),
    ]  # fmt: skip


def test_locomo_questions_that_no_turn_answers_need_nothing(tmp_path: Path) -> None:
    (haystack,) = load_haystacks([write_locomo(tmp_path / "loco.json")])
    assert [question.answerable for question in haystack.questions] == [True, True, False, False]
    assert haystack.questions[1].need == (("D1:1",), ("D1:2",))
    assert haystack.questions[0].id == "loco/0"


def test_memorybank_people_are_users(tmp_path: Path) -> None:
    (haystack,) = load_haystacks([write_lines(tmp_path / "bank.jsonl", MEMORYBANK)])
    assert list(haystack.people) == ["Uma", "Lev"]
    assert [turn.id for turn in haystack.people["Uma"]][:2] == ["2024-05-01#0", "2024-05-01#0/reply"]
    assert haystack.questions[1].user == "Lev"


def test_one_person_alone_in_a_memorybank_file(tmp_path: Path) -> None:
    (haystack,) = load_haystacks([write_lines(tmp_path / "bank.jsonl", MEMORYBANK[:1])])
    assert list(haystack.people) == ["Uma"]


def test_other_files_are_no_haystack(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="line 1: `person`"):
        load_haystacks([write_lines(tmp_path / "p.jsonl", PAIRS)])
