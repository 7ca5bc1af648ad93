"""Conversations that no design had in mind: very long ones, very long messages, clocks that go back, two zones at once."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

import edgemem
from edgemem.errors import Aborted, ContextTooSmall
from edgemem.ports import ClauseJudge, Message
from edgemem.testing import ScriptedModel, WordsEmbedder
from edgemem.view import Memory
from tests.helpers import NOW, QUIET, Fact, NoModels, RuleModel, SetClock, opened, said

TURNS = 10_000


@pytest.mark.slow
def test_a_session_of_ten_thousand_turns_is_folded_asked_and_goes_on(store_path: Path) -> None:
    """One turn in a hundred decides something; the rest is talk."""
    with opened(store_path, ScriptedModel(["Yes."]), words_only=True) as file:
        mem = file.user("me")
        turns = [
            edgemem.Turn(
                "user" if n % 2 else "assistant",
                f"We decided to ship crate {n} on Friday." if n % 100 == 1 else f"hm, and so on, {n}",
                at=NOW + timedelta(seconds=n), session="long", id=str(n),
            )
            for n in range(TURNS)
        ]  # fmt: skip
        mem.log(turns)
        written = mem.summarize("long")
        assert len(written) == (TURNS - QUIET.fold_turns) // QUIET.fold_turns
        assert mem.summarize("long") == []
        assert "ship crate 4201 on Friday" in mem.recall("ship crate 4201", limit=3).hits[0].content
        answer, pieces = mem.chat("long").ask("Do we go on?")
        assert "".join(pieces)
        assert answer.prompt_tokens <= answer.window
        assert answer.left_out > TURNS // 2
        assert len(mem.turns("long")) == TURNS + 2


class Strict(ScriptedModel):
    """A model that refuses a prompt over its window, as the real one does."""

    context_size = 512

    def stream(self, messages: Sequence[Message], **options: object):  # type: ignore[no-untyped-def]
        if self.count_messages(messages) > self.context_size:
            raise ContextTooSmall(
                "The prompt does not fit the window.", "Take a larger one: edgemem models use --window"
            )
        return super().stream(messages)


def test_a_message_longer_than_the_window_is_kept_and_refused_with_what_to_do(store_path: Path) -> None:
    text = "I keep bees. " + "word " * 2_000
    with opened(store_path, Strict(["Yes."])) as file:
        mem = file.user("me")
        with pytest.raises(ContextTooSmall) as caught:
            "".join(mem.chat("s").ask(text)[1])
        assert caught.value.hint
        assert [t.content for t in mem.turns("s")] == [text], "nothing is cut and nothing is lost"
        assert "".join(mem.chat("s").ask("Short now.")[1]), "the next message is answered"


def test_a_clock_that_jumps_back_loses_and_expires_nothing(store_path: Path, clock: SetClock) -> None:
    bees = Fact("I keep bees", "The user keeps bees.")
    with opened(store_path, RuleModel(bees), clock=clock) as file:
        mem = file.user("me")
        trip = mem.add("The user is in Vigo.", expires=NOW + timedelta(days=30))
        mem.learn(said(bees.quote))
        clock.forward(days=-400)
        mem.learn(said("Good morning", session="earlier", at=clock.moment))
        assert mem.maintain().dropped == ()
        assert mem.reflect().insights == ()
        change = mem.edit(trip, "The user is in Turku.")
        mem.undo(change)
        assert {m.content for m in mem.list()} == {"The user is in Vigo.", bees.memory}
        assert mem.recall("bees").hits[0].content == bees.memory
        assert [c.seq for c in mem.history(trip)] == sorted(c.seq for c in mem.history(trip))
        assert file.check() == []


def test_two_devices_in_two_zones_agree_on_what_was_said_last(
    store_path: Path, tmp_path: Path, clock: SetClock
) -> None:
    """Tokyo's clock shows a later day than Lima's at the same moment; the moment counts, not the day on the clock."""
    tokyo, lima = timezone(timedelta(hours=9)), timezone(timedelta(hours=-5))
    porto, ghent = (
        Fact("I live in Porto", "The user lives in Porto."),
        Fact("I live in Ghent", "The user lives in Ghent."),
    )
    first = datetime(2026, 5, 7, 8, 0, tzinfo=tokyo)
    later = datetime(2026, 5, 6, 19, 0, tzinfo=lima)  # an hour after it, on the day before by its clock
    assert later > first
    model = RuleModel(porto, ghent, relation="conflict")
    with opened(store_path, model, clock=clock) as file:
        mem = file.user("me")
        mem.learn(said(ghent.quote, session="lima", at=later))
        mem.learn(said(porto.quote, session="tokyo", at=first))
        assert [m.content for m in mem.list()] == [ghent.memory]
    other = tmp_path / "other.edgemem"
    with opened(other, model, clock=clock) as file:
        file.user("me").learn(said(porto.quote, session="tokyo", at=first))
        file.merge(store_path)
        said_last = max(file.user("me").list(), key=lambda m: m.valid_from or NOW)
        assert said_last.content == ghent.memory
        assert file.check() == []


class _Interrupted(NoModels):
    """A machine whose gate stops the work at its third call, once."""

    def __init__(self) -> None:
        self.calls = 0

    def embedder(self) -> WordsEmbedder:
        return WordsEmbedder(2048)

    def clause_judge(self) -> ClauseJudge | None:  # type: ignore[override]
        self.calls += 1
        if self.calls == 3:
            raise Aborted("Stopped.")
        return None


def test_an_interrupted_summary_goes_on_where_it_stopped(store_path: Path, tmp_path: Path) -> None:
    def talk(mem: Memory) -> None:
        mem.log(
            said(*(f"We decided on plan {n}, and then talked of this and that for a long time" for n in range(100)))
        )

    with opened(tmp_path / "whole.edgemem") as file:
        talk(file.user("me"))
        file.user("me").summarize("s", whole=True)
        whole = [y.sentences for y in file.user("me").summaries("s")]
    with edgemem.open(store_path, provider=_Interrupted(), settings=QUIET) as file:
        mem = file.user("me")
        talk(mem)
        with pytest.raises(Aborted):
            mem.summarize("s", whole=True)
        assert len(mem.summaries("s")) == 2
        mem.summarize("s", whole=True)
        assert [y.sentences for y in mem.summaries("s")] == whole
        assert mem.check_summaries() == []


def test_a_graph_with_a_cycle_is_walked_to_its_end(mem: Memory) -> None:
    for one, other in (("Ann", "Ben"), ("Ben", "Cem"), ("Cem", "Ann"), ("Cem", "Dee")):
        mem.graph.relate(one, "knows", other, memory=mem.add(f"{one} knows {other}."))
    walk = mem.graph.neighbours("Ann", hops=5)
    assert {e.name for e in walk.entities} == {"Ann", "Ben", "Cem", "Dee"}
    assert len(walk.relations) == 4
    assert not walk.cut
    assert [(r.subject, r.object) for r in mem.graph.path("Ann", "Dee")] == [("Cem", "Ann"), ("Cem", "Dee")]
    assert {h.content for h in mem.recall("Ann", arms=["graph"]).hits} == {
        "Ann knows Ben.", "Ben knows Cem.", "Cem knows Ann.", "Cem knows Dee.",
    }  # fmt: skip
