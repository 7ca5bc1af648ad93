"""Questions that take several steps: the set that ships, and a small world that is told, walked and asked for real."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from edgemem.errors import InvalidInput
from edgemem.evals.multihop import Question, World, limited, load_worlds, run_multihop, shipped_worlds
from edgemem.evals.seams import Silent
from edgemem.evals.sessions import StoryOpener

WORLDS = shipped_worlds()

# Each step in a talk of its own, among others; the last talk names a stranger of whom nothing else is known.
TALKS = [
    ("a", ["We had rain all day.", "My cousin Ottilie married Ragnar in June."]),
    ("b", ["Ragnar is a brewer at Fjord Ales.", "How long does beer keep?"]),
    ("c", ["Fjord Ales is based in Stavern.", "I like the sea."]),
    ("d", ["Somebody called Bruno works at Alpha Tools.", "What is a good name for a cat?"]),
]
ASKED = {
    "2": ("Where does my cousin's husband work?", "Fjord"),
    "3": ("In which town is the brewery of Ottilie's husband?", "Stavern"),
}


def _lines(tmp_path: Path) -> Path:
    path = tmp_path / "world.jsonl"
    talks = [
        {"world": "w", "session": s, "at": f"2026-03-0{n}T10:00:00+01:00", "turns": [["user", t] for t in said]}
        for n, (s, said) in enumerate(TALKS, 1)
    ]
    asked = [{"world": "w", "id": f"en-{h}", "hops": int(h), "ask": q, "all": [[a]]} for h, (q, a) in ASKED.items()]
    path.write_text("\n".join(map(json.dumps, [*talks, *asked])), encoding="utf-8")
    return path


def test_steps_told_in_different_talks_are_walked(tmp_path: Path, by_rules: StoryOpener) -> None:
    figures = run_multihop(load_worlds([_lines(tmp_path)]), by_rules, Silent())
    assert figures["wrong"] == {}
    assert (figures["questions"], figures["answered"], figures["by_memory"], figures["in_context"]) == (
        2,
        1.0,
        1.0,
        1.0,
    )
    assert figures["relations"] >= 3
    assert figures["by_group"]["3 hops"]["questions"] == 1


def test_what_was_never_told_is_not_answered(by_rules: StoryOpener) -> None:
    world = World("w", (), (Question("en-1", "Where does my sister's husband work?", 2, (("Fjord",),)),))
    figures = run_multihop([world], by_rules, Silent())
    assert (figures["answered"], figures["in_context"]) == (0.0, 0.0)
    assert figures["wrong"]["en-1"]["found"] == []


def test_the_set_that_ships_is_of_two_languages_and_says_no_answer_in_a_question() -> None:
    asked = [q for world in WORLDS for q in world.questions]
    assert len(asked) == len({q.id for q in asked}) == 60
    assert [len(w.questions) for w in WORLDS] == [len(w.talks) for w in WORLDS] == [30, 30]
    assert {q.hops for q in asked} == {2, 3}
    for world in WORLDS:
        told = " ".join(text for talk in world.talks for _, text in talk.turns)
        for question in world.questions:
            assert question.all[0][0] not in question.ask
            assert all(any(word in told for word in words) for words in question.all), question.ask


def test_a_limit_asks_evenly_and_tells_all() -> None:
    few = limited(WORLDS, 5)
    assert [len(w.questions) for w in few] == [3, 2]
    assert [w.talks for w in few] == [w.talks for w in WORLDS]
    assert limited(WORLDS, None) == WORLDS


@pytest.mark.parametrize(
    "line",
    ['{"world": "w"}', '{"world": "w", "ask": "x", "id": "1", "hops": 2, "all": []}', '{"world": "w", "session": "s", "at": "never", "turns": []}', "nonsense"],
)  # fmt: skip
def test_a_line_that_is_neither_talk_nor_question_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "set.jsonl"
    path.write_text(line, encoding="utf-8")
    with pytest.raises(InvalidInput, match="line 1"):
        load_worlds([path])
