"""The figures of summaries, the conversations that ship, and the command."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import edgemem
from edgemem.cli import evaluate as command
from edgemem.cli.evaluate import story_opener_for
from edgemem.errors import InvalidInput
from edgemem.evals.seams import Silent
from edgemem.evals.sessions import StoryOpener
from edgemem.evals.summaries import Conversation, Fact, load_conversations, run_summaries, shipped_conversations
from edgemem.ports import FixedModels
from edgemem.recall.render import estimate
from edgemem.testing import ScriptedModel, WordsEmbedder
from edgemem.text import is_han
from tests.helpers import NOW

from .test_command import call

TALKS = shipped_conversations()
IDLE = "Well, well, there is a lot to be said about all of this, and so it goes on and on, as these things do. " * 4
BUDGET = Fact("number", (("80",), ("budget",)), ("60",))
TALK: dict[str, Any] = {
    "id": "a", "part": "open", "at": "2026-05-06T12:00:00+00:00",
    "turns": [
        ["user", f"{IDLE} We decided on a budget of 60 euros."], ["assistant", IDLE],
        ["user", f"{IDLE} I will not bring the dog, because it barks."], ["assistant", IDLE],
    ],
    "facts": [
        {"kind": "number", "all": [["80"], ["budget"]], "none": ["60"]},
        {"kind": "negation", "all": [["not"], ["dog"]], "none": ["will bring"]},
        {"kind": "reason", "all": [["barks", "loud"]], "none": []},
    ],
}  # fmt: skip


def _figures(**changes: Any) -> dict[str, Any]:
    talk = _loaded(TALK | changes)
    opener = story_opener_for(FixedModels(ScriptedModel(), WordsEmbedder()), rules=True)
    return run_summaries([talk], opener, estimate, Silent())


def _loaded(record: dict[str, Any]) -> Conversation:
    turns = tuple((role, text) for role, text in record["turns"])
    facts = tuple(Fact(f["kind"], tuple(map(tuple, f["all"])), tuple(f["none"])) for f in record["facts"])
    return Conversation(record["id"], record["part"], NOW, turns, facts)


def test_what_is_kept_missed_and_out_of_date_is_counted_and_told() -> None:
    found = _figures()
    group = found["groups"]["all"]
    assert group == found["groups"]["open"] == found["groups"]["English"]
    assert (group["conversations"], group["facts"], group["kept"]) == (1, 3, 0.667)
    assert group["by_kind"] == {"number": 0.0, "reason": 1.0, "negation": 1.0}
    assert (group["invented"], group["flipped"], group["outdated"], group["other_language"]) == (0, 0, 1, 0)
    assert 0 < group["share_of_tokens"] <= 0.15
    assert found["missed"] == {"a": ["number: 80 + budget"]}
    assert found["wrong"] == {"a": ["user: We decided on a budget of 60 euros."]}


def test_of_the_part_that_is_held_back_only_totals_are_told() -> None:
    found = _figures(part="held")
    assert found["groups"]["held"]["kept"] == 0.667
    assert found["missed"] == found["wrong"] == {}


def test_an_old_value_beside_the_new_one_is_fine_and_a_flipped_not_never_is() -> None:
    assert not BUDGET.wronged("The budget is 80 now, not 60.")
    assert BUDGET.wronged("The budget is 60.")
    flipped = Fact("negation", (("not",), ("dog",)), ("bring the dog",))
    assert flipped.wronged("I did not say no: I bring the dog.")


def test_a_sentence_that_is_not_in_its_message_counts_as_invented(monkeypatch: pytest.MonkeyPatch) -> None:
    summarize = edgemem.Memory.summarize

    def mended(self: edgemem.Memory, session: str, *, whole: bool = False) -> Any:
        written = summarize(self, session, whole=whole)
        with self.file.engine.write() as tx:
            tx.execute("UPDATE summary_sentence SET content = replace(content, '60', '61')")
        return written

    monkeypatch.setattr(edgemem.Memory, "summarize", mended)
    assert _figures()["groups"]["all"]["invented"] == 1


def test_the_conversations_that_ship_are_many_long_and_in_both_languages() -> None:
    assert len(TALKS) == 12
    for part in ("open", "held"):
        own = [talk for talk in TALKS if talk.part == part]
        assert sum(is_han(talk.turns[0][1]) for talk in own) == 3
        assert len(own) == 6
    assert all(20 <= len(talk.turns) <= 40 for talk in TALKS)
    assert {fact.kind for talk in TALKS for fact in talk.facts} == {"number", "name", "decision", "reason", "negation"}
    assert sum(len(talk.facts) for talk in TALKS) >= 200


@pytest.mark.parametrize("talk", TALKS, ids=lambda talk: talk.id)
def test_every_marked_fact_is_told_by_a_message_or_by_one_and_its_answer(talk: Conversation) -> None:
    texts = [text for _, text in talk.turns]
    pairs = ["\n".join(texts[max(0, n - 1) : n + 1]) for n in range(len(texts))]
    assert [fact for fact in talk.facts if not any(fact.told(pair) for pair in pairs)] == []
    replaced = [fact for fact in talk.facts if fact.none and fact.kind != "negation"]
    assert [fact for fact in replaced if not any(fact.wronged(text) for text in texts)] == []


@pytest.mark.parametrize("name", ["en-trip", "zh-home"])
def test_a_summary_keeps_nine_facts_of_ten_at_a_seventh_of_the_tokens(name: str, by_rules: StoryOpener) -> None:
    """With the real gate, on one conversation of each language that was in view when the folding was written."""
    (talk,) = [talk for talk in TALKS if talk.id == name]
    group = run_summaries([talk], by_rules, estimate, Silent())["groups"]["all"]
    assert group["kept"] >= 0.9
    assert group["share_of_tokens"] <= 0.15
    assert (group["invented"], group["flipped"], group["other_language"]) == (0, 0, 0)


def test_turns_are_logged_in_their_order() -> None:
    turns = TALKS[0].said()
    assert [turn.id for turn in turns][:2] == ["t0", "t1"]
    assert [turn.at for turn in turns] == [TALKS[0].at + n * timedelta(minutes=1) for n in range(len(turns))]


@pytest.mark.parametrize(
    "line",
    [
        '{"id": "x"}', "[]", json.dumps(TALK | {"part": "half"}), json.dumps(TALK | {"turns": [["boss", "hi"]]}),
        json.dumps(TALK | {"facts": [{"kind": "colour", "all": [["x"]], "none": []}]}), json.dumps(TALK | {"at": "soon"}),
    ],
)  # fmt: skip
def test_a_line_that_is_no_conversation_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "set.jsonl"
    path.write_text(f"{json.dumps(TALK)}\n{line}\n", encoding="utf-8")
    with pytest.raises(InvalidInput, match="line 2"):
        load_conversations([path])


def test_the_command_reports_and_says_who_counted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(command, "provider_for", lambda _model: FixedModels(ScriptedModel(), WordsEmbedder()))
    path = tmp_path / "set.jsonl"
    path.write_text(json.dumps(TALK) + "\n" + json.dumps(TALK | {"id": "b", "part": "held"}), encoding="utf-8")
    found = json.loads(call("summaries", path, "--json").stdout)
    assert found["counted_by"] == "estimate"
    assert found["groups"]["all"]["conversations"] == 2
    told = call("summaries", path, "--part", "open", "--model", "some").stdout
    assert "Tokens counted by: scripted" in told
    assert "missed in a: number: 80 + budget" in told
    assert "held" not in told
